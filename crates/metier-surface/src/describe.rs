//! The description of the `skill` tool: how to use skills, then every skill within a budget.

use std::{
    borrow::Cow,
    fmt::{self, Write},
};

use metier_skills::{Catalog, Location, Skill, Tier};

use crate::{
    offer::{CatalogFormat, Presentation},
    served::{Served, ServedSkills},
    text::{escaped, one_line},
    tools::Tool,
};

/// Fewer characters than this say nothing about a skill.
const SHORTEST: usize = 24;
/// How far a cut may move to fall between two words.
const SLACK: usize = 16;

/// What a model is told of one skill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) id: &'a str,
    pub(crate) description: &'a str,
    pub(crate) place: Place,
    /// Whose it is, where the location does not say.
    pub(crate) provider: Option<&'a str>,
}

/// Where a skill lives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// On this machine.
    Here(Location),
    /// With a server.
    Server,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Here(location) => location.fmt(f),
            Place::Server => f.write_str("server"),
        }
    }
}

impl<'a> Facts<'a> {
    fn served(served: &'a Served) -> Facts<'a> {
        Facts {
            id: &served.id,
            description: &served.skill.description,
            place: Place::Server,
            provider: Some(served.server.as_str()),
        }
    }

    fn new((id, skill): (&'a str, &'a Skill)) -> Facts<'a> {
        let provider = match skill.source.tier {
            Tier::Custom | Tier::UniversalProject | Tier::UniversalGlobal => None,
            Tier::AgentProject | Tier::AgentGlobal | Tier::Plugin => Some(skill.provider()),
        };
        let place = Place::Here(skill.location());
        Facts { id, description: skill.description(), place, provider }
    }
}

/// What a model reads before it chooses a skill.
pub(crate) fn describe(
    catalog: &Catalog,
    served: &ServedSkills,
    presentation: &Presentation,
) -> String {
    let mut text = String::new();
    // A `String` takes everything.
    let _ = write_usage(&mut text, presentation);
    let skills = catalog.listed().map(Facts::new).chain(served.iter().map(Facts::served));
    let _ = write_skills(&mut text, skills, presentation);
    text
}

fn write_usage(out: &mut String, presentation: &Presentation) -> fmt::Result {
    let name = |tool: Tool| {
        let is_offered = presentation.tools.contains(&tool);
        is_offered.then(|| tool.name(presentation.names))
    };
    out.push_str(
        "Load a skill by name to get specialized instructions.\n\n\
         <skills_instructions>\n\
         A skill is a folder of proven instructions, scripts and references for one kind of task. \
         Before you begin a task, check whether a skill below covers it; if one does, load it \
         first and follow what it says.\n\n\
         How to use skills:\n\
         - Call this tool with the name of one skill and nothing else, for example \
         {\"name\": \"pdf\"}; a skill takes no arguments. Upper and lower case are the same.\n\
         - A name with a prefix, such as \"office:pdf\", is given whole.\n\
         - The answer is the skill's whole SKILL.md, headed by its base directory. Relative paths \
         in the text start from that directory.\n\
         - Load only skills that are listed; never guess a name. A skill whose text is still in \
         the conversation need not be loaded again.\n",
    );
    if let Some(search) = name(Tool::Search) {
        writeln!(
            out,
            "- `{search}` finds skills by words in their names, descriptions and texts."
        )?;
    }
    if let Some(list) = name(Tool::List) {
        writeln!(out, "- `{list}` gives every skill with its metadata and paths.")?;
    }
    if let Some(read) = name(Tool::Read) {
        writeln!(out, "- `{read}` reads a skill's other files if you cannot open them yourself.")?;
    }
    out.push_str("</skills_instructions>\n\n");
    Ok(())
}

/// Writes every skill, at most as many characters as the budget allows and one line more.
pub(crate) fn write_skills<'a>(
    out: &mut String,
    skills: impl Iterator<Item = Facts<'a>>,
    presentation: &Presentation,
) -> fmt::Result {
    let format = presentation.format;
    let (opening, closing) = match format {
        CatalogFormat::Xml => ("<available_skills>\n", "</available_skills>"),
        CatalogFormat::List => ("Available skills:\n", ""),
    };
    let budget = match presentation.budget {
        0 => usize::MAX,
        budget => budget.saturating_sub(opening.len() + closing.len()),
    };
    let mut rows: Vec<Row<'_>> = skills.map(|facts| Row::new(facts, format)).collect();
    if rows.iter().map(|row| row.frame).sum::<usize>() <= budget {
        rows.iter_mut().for_each(|row| row.describe(format));
    }
    out.push_str(opening);
    match Level::within(budget, &rows) {
        _ if rows.is_empty() => out.push_str(match format {
            CatalogFormat::Xml => {
                "<skill>\n<name>none</name>\n<description>No skills were found.</description>\n\
                 <location>none</location>\n</skill>\n"
            }
            CatalogFormat::List => "- none: No skills were found.\n",
        }),
        Level::Described { most } => rows.iter().for_each(|row| row.write(most, out)),
        Level::Named { n_rows } => {
            rows[..n_rows].iter().for_each(|row| out.push_str(&row.named));
            if n_rows < rows.len() {
                write_rest(out, rows.len() - n_rows, presentation)?;
            }
        }
    }
    out.push_str(closing);
    Ok(())
}

fn write_rest(out: &mut String, n_more: usize, presentation: &Presentation) -> fmt::Result {
    let skills = if n_more == 1 { "skill" } else { "skills" };
    write!(out, "… and {n_more} more {skills}")?;
    if presentation.tools.contains(&Tool::Search) {
        write!(out, "; find them with `{}`", Tool::Search.name(presentation.names))?;
    }
    out.push('\n');
    Ok(())
}

/// How much is said of each skill.
#[derive(Clone, Copy, Debug)]
enum Level {
    /// Everything, with descriptions of at most so many characters.
    Described { most: usize },
    /// The names of so many, and nothing else.
    Named { n_rows: usize },
}

impl Level {
    /// The most that can be said in so many characters.
    fn within(budget: usize, rows: &[Row<'_>]) -> Level {
        let frames: usize = rows.iter().map(|row| row.frame).sum();
        let length = |most: usize| -> usize {
            frames + rows.iter().map(|row| row.length.min(most)).sum::<usize>()
        };
        let longest = rows.iter().map(|row| row.length).max().unwrap_or(0);
        if length(longest) <= budget {
            return Level::Described { most: longest };
        }
        // The lowest cap is known to fit, the highest not to.
        let (mut fits, mut exceeds) = (SHORTEST, longest);
        if length(fits) <= budget {
            while exceeds - fits > 1 {
                let middle = fits + (exceeds - fits) / 2;
                *if length(middle) <= budget { &mut fits } else { &mut exceeds } = middle;
            }
            return Level::Described { most: fits };
        }
        let mut room = budget;
        let fitting = rows.iter().take_while(|row| {
            let rest = room.checked_sub(row.named.chars().count());
            room = rest.unwrap_or(0);
            rest.is_some()
        });
        Level::Named { n_rows: fitting.count() }
    }
}

/// One skill as it may be shown.
struct Row<'a> {
    facts: Facts<'a>,
    before: String,
    /// Empty until it is known that there may be room for it.
    description: Cow<'a, str>,
    after: String,
    /// The whole row where only the name is left.
    named: String,
    /// How many characters stand around the description.
    frame: usize,
    /// How many characters the description has.
    length: usize,
}

impl<'a> Row<'a> {
    fn new(facts: Facts<'a>, format: CatalogFormat) -> Row<'a> {
        let name = format.fit(facts.id);
        let (before, after, named) = match format {
            CatalogFormat::Xml => {
                let provider = facts.provider.map(|it| {
                    let provider = format.fit(it);
                    format!("<provider>{provider}</provider>\n")
                });
                let (location, provider) = (facts.place, provider.unwrap_or_default());
                (
                    format!("<skill>\n<name>{name}</name>\n<description>"),
                    format!(
                        "</description>\n<location>{location}</location>\n{provider}</skill>\n"
                    ),
                    format!("<skill><name>{name}</name></skill>\n"),
                )
            }
            CatalogFormat::List => (format!("- {name}: "), "\n".to_owned(), format!("- {name}\n")),
        };
        let frame = before.chars().count() + after.chars().count();
        Row { facts, before, description: Cow::Borrowed(""), after, named, frame, length: 0 }
    }

    fn describe(&mut self, format: CatalogFormat) {
        self.description = format.fit(self.facts.description);
        self.length = self.description.chars().count();
    }

    fn write(&self, most: usize, out: &mut String) {
        out.push_str(&self.before);
        if self.length <= most {
            out.push_str(&self.description);
        } else {
            out.push_str(cut(&self.description, most.saturating_sub(1)));
            out.push('…');
        }
        out.push_str(&self.after);
    }
}

impl CatalogFormat {
    /// A text of others as it may stand in this format.
    fn fit(self, text: &str) -> Cow<'_, str> {
        match self {
            CatalogFormat::Xml => escaped(one_line(text)),
            CatalogFormat::List => one_line(text),
        }
    }
}

/// At most so many characters, between two words where one is near, and never half an entity.
fn cut(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map_or(text.len(), |(end, _)| end);
    let head = &text[..end];
    let entity = head.rfind('&').filter(|start| {
        let rest = &text[*start..];
        ["&amp;", "&lt;", "&gt;"].iter().any(|it| rest.starts_with(it) && start + it.len() > end)
    });
    let head = &head[..entity.unwrap_or(end)];
    let space = head.rfind(' ').filter(|space| head.len() - space <= SLACK);
    head[..space.unwrap_or(head.len())].trim_end()
}
