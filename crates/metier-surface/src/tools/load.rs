//! `skill`: the whole of one skill, headed by where it comes from.

use std::{borrow::Cow, error::Error, fmt};

use metier_skills::{Cause, Entry, Skill};

use super::{available::find, reply::Reply};
use crate::{offer::Offer, text::Visible};

pub(super) fn fill(name: &str, offer: &Offer, reply: Reply<'_>) {
    let entry = match find(offer, name) {
        Ok(entry) => entry,
        Err(refusal) => return reply.refusal(refusal),
    };
    match entry.skill.read() {
        Ok(text) => {
            reply.out.reserve(text.len() + text.len() / 8 + 512);
            reply.text(Loaded { id: id(entry), skill: &entry.skill, text: &text });
        }
        Err(cause) => {
            warn_unreadable(id(entry), &entry.skill, &cause);
            reply.refusal(unreadable(id(entry), &entry.skill, &cause));
        }
    }
}

/// The name that loads a skill.
pub(super) fn id(entry: &Entry) -> &str {
    entry.id.as_deref().unwrap_or(entry.skill.name())
}

/// Tells the log why the file of a skill gives nothing.
pub(super) fn warn_unreadable(id: &str, skill: &Skill, cause: &Cause) {
    let error = cause as &dyn Error;
    tracing::warn!(skill = id, file = %skill.file().display(), error, "a skill cannot be read");
}

fn unreadable(id: &str, skill: &Skill, cause: &Cause) -> String {
    let file = skill.file();
    let file = file.to_string_lossy();
    format!("Skill '{}' cannot be loaded: `{}`: {cause}.", Visible(id), Visible(&file))
}

/// A skill as a model reads it: a few lines about it, an empty one, and its file as it is.
pub(crate) struct Loaded<'a> {
    pub(crate) id: &'a str,
    pub(crate) skill: &'a Skill,
    pub(crate) text: &'a str,
}

impl fmt::Display for Loaded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Loaded { id, skill, text } = self;
        let file = skill.file();
        let (folder, file): (Cow<'_, str>, Cow<'_, str>) =
            (skill.folder.to_string_lossy(), file.to_string_lossy());
        writeln!(f, "Loading: {}", Visible(id))?;
        writeln!(f, "Base directory: {}", Visible(&folder))?;
        writeln!(f, "Path: {}", Visible(&file))?;
        writeln!(f, "Location: {}", skill.location())?;
        writeln!(f, "Provider: {}", Visible(skill.provider()))?;
        if let Some(plugin) = skill.plugin() {
            writeln!(f, "Plugin: {}", Visible(&plugin.to_string()))?;
        }
        write!(f, "\n{text}")
    }
}
