//! Lines about skills, and what is said where a name means none or several.

use std::fmt;

use metier_skills::{Entry, Lookup};

use super::Tool;
use crate::{
    offer::Offer,
    text::{Line, Visible},
};

/// How many skills are named in a text.
const MOST_LINES: usize = 50;
/// How many characters of a description a line has.
const LONGEST_DESCRIPTION: usize = 160;
/// How many characters of what was asked for are repeated.
const LONGEST_ECHO: usize = 64;

/// What a caller asked for, fit to be repeated.
pub(super) fn echo(asked: &str) -> Line<'_> {
    Line(asked, LONGEST_ECHO)
}

/// The skill that a name means, or what to answer instead.
pub(super) fn find<'a>(offer: &'a Offer, asked: &str) -> Result<&'a Entry, String> {
    match offer.catalog().find(asked) {
        Lookup::Found(entry) => Ok(entry),
        Lookup::Ambiguous(entries) => {
            let ids =
                entries.iter().filter_map(|it| Some((it.id.as_deref()?, it.skill.description())));
            Err(ambiguous(asked, &ids.collect::<Vec<_>>()))
        }
        Lookup::Missing { similar } => {
            let served = offer.served().called(asked);
            let served: Vec<_> = served.map(|it| (&*it.id, &*it.skill.description)).collect();
            Err(match served.len() {
                0 | 1 => missing(offer, asked, &similar),
                _ => ambiguous(asked, &served),
            })
        }
    }
}

fn ambiguous(asked: &str, skills: &[(&str, &str)]) -> String {
    format!(
        "Skill '{}' is ambiguous: {} skills go by that name.\n\n{}\n\
         Use one of these full names.",
        echo(asked),
        skills.len(),
        Lines::all(skills),
    )
}

/// Every skill that can be loaded, with its description.
fn listed(offer: &Offer) -> impl Iterator<Item = (&str, &str)> {
    let here = offer.catalog().listed().map(|(id, skill)| (id, skill.description()));
    here.chain(offer.served().iter().map(|it| (&*it.id, &*it.skill.description)))
}

fn missing(offer: &Offer, asked: &str, similar: &[&str]) -> String {
    let listed: Vec<_> = listed(offer).collect();
    let mut text = format!("Skill '{}' not found.\n\n", echo(asked));
    if !similar.is_empty() {
        let similar: Vec<String> = similar.iter().map(|id| format!("'{}'", Visible(id))).collect();
        text += &format!("Did you mean {}?\n\n", similar.join(" or "));
    }
    if listed.is_empty() {
        return text + "No skills are available.";
    }
    let lines = Lines::some(&listed);
    text += &format!("Available skills:\n{lines}\n");
    text += "Use the exact skill name (case-insensitive) to load a skill.";
    match offer.name_of(Tool::Search).filter(|_| lines.is_cut()) {
        Some(search) => text + &format!(" Find others with `{search}`."),
        None => text,
    }
}

/// `- id: description`, one line for each skill, then how many more there are.
pub(super) struct Lines<'a> {
    skills: &'a [(&'a str, &'a str)],
    most: usize,
}

impl<'a> Lines<'a> {
    /// One for each skill.
    fn all(skills: &'a [(&'a str, &'a str)]) -> Lines<'a> {
        Lines { skills, most: skills.len() }
    }

    /// One for each of the first skills.
    pub(super) fn some(skills: &'a [(&'a str, &'a str)]) -> Lines<'a> {
        Lines { skills, most: MOST_LINES.min(skills.len()) }
    }

    fn is_cut(&self) -> bool {
        self.most < self.skills.len()
    }
}

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, description) in &self.skills[..self.most] {
            let description = Line(description, LONGEST_DESCRIPTION);
            writeln!(f, "- {}: {description}", Visible(id))?;
        }
        if self.is_cut() {
            writeln!(f, "… and {} more", self.skills.len() - self.most)?;
        }
        Ok(())
    }
}
