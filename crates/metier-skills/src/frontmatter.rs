//! The head of a `SKILL.md`: text in, name, description and the other fields out.
//!
//! Three readers stand in a row, and each answers only where the one before could not:
//! [`plain`] for the few shapes nearly every file has, [`yaml`] for all of YAML, [`repair`] for
//! what people write when they think it is YAML. What the last one guessed is told as a
//! [`Repair`]; what nobody can guess is a [`FrontmatterError`].

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

mod error;
mod plain;
mod quirk;
mod repair;
mod same;
mod scalar;
mod split;
#[cfg(test)]
mod tests;
mod verbatim;
mod yaml;

pub use error::FrontmatterError;
pub use quirk::{Quirk, Repair};
pub use same::differing_field;
pub(crate) use split::{Document, split};
pub use verbatim::Unclear;
pub(crate) use verbatim::verbatim;

/// What the head of a `SKILL.md` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frontmatter {
    /// The author's name for the skill on one line, single-spaced and never empty.
    pub(crate) name: String,
    /// What the skill is for, trimmed and never empty, otherwise as written.
    pub(crate) description: String,
    /// Every other field in the order of the file, typed as the YAML 1.2 core schema says.
    pub(crate) fields: Vec<(String, Value)>,
    /// What had to be guessed, in the order of the file; empty for a clean file.
    pub(crate) repairs: Vec<Repair>,
}

/// Reads the head of a `SKILL.md`; the body is not looked at.
pub(crate) fn frontmatter(text: &str) -> Result<Frontmatter, FrontmatterError> {
    let document = split(text)?;
    let mut reading = read(&document)?;
    let name = required("name", &mut reading, &document)?;
    let description = required("description", &mut reading, &document)?;
    let Reading { entries, mut repairs } = reading;
    repairs.sort_by_key(|repair| repair.line);
    Ok(Frontmatter {
        name: single_spaced(&name),
        description: trimmed(description),
        fields: entries.into_iter().map(|entry| (entry.key, entry.value)).collect(),
        repairs,
    })
}

/// All that the head of a `SKILL.md` says, as JSON.
fn head(text: &str) -> Result<Map<String, Value>, FrontmatterError> {
    let Frontmatter { name, description, fields, .. } = frontmatter(text)?;
    let own = [("name".to_owned(), name.into()), ("description".to_owned(), description.into())];
    Ok(own.into_iter().chain(fields).collect())
}

/// One `key: value` of the head.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    key: String,
    value: Value,
    line: usize,
}

/// What a reader made of a head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Reading {
    entries: Vec<Entry>,
    repairs: Vec<Repair>,
}

fn read(document: &Document<'_>) -> Result<Reading, FrontmatterError> {
    let Document { head, head_line, .. } = *document;
    strict(head, head_line).or_else(|refused| {
        let reading = repair::read(head, head_line);
        if reading.entries.is_empty() { Err(refused) } else { Ok(reading) }
    })
}

/// Reads YAML as it is meant, the quick way if that is certain.
fn strict(head: &str, first_line: usize) -> Result<Reading, FrontmatterError> {
    typed(head, first_line, scalar::typing)
}

fn typed(
    head: &str,
    first_line: usize,
    typing: scalar::Typings,
) -> Result<Reading, FrontmatterError> {
    match plain::read(head, first_line, typing) {
        Some(entries) => Ok(Reading { entries, repairs: Vec::new() }),
        None => yaml::read(head, first_line, typing),
    }
}

/// Takes a required field out of the reading, as text.
fn required(
    field: &'static str,
    reading: &mut Reading,
    document: &Document<'_>,
) -> Result<String, FrontmatterError> {
    let Reading { entries, repairs } = reading;
    let position = entries
        .iter()
        .position(|entry| entry.key == field)
        .or_else(|| entries.iter().position(|entry| entry.key.eq_ignore_ascii_case(field)))
        .ok_or(FrontmatterError::Missing { field })?;
    let Entry { key, value, line } = entries.remove(position);
    if key != field {
        repairs.push(Repair { line, field: key.clone(), what: Quirk::KeyCase(field) });
    }
    let text = match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        Value::Array(items) if items.is_empty() => String::new(),
        Value::Object(map) if map.is_empty() => String::new(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => {
            let found = kind(&value);
            let text = match field {
                "description" => repair::written(line, document),
                _ => None,
            };
            repairs.push(Repair { line, field: key, what: Quirk::NotText(found) });
            text.ok_or(FrontmatterError::NotText { field, line, found })?
        }
    };
    let text = if field == "name" { visible(&text, line, repairs) } else { text };
    if text.trim().is_empty() {
        return Err(FrontmatterError::Empty { field, line });
    }
    Ok(text)
}

/// A name that can be seen and typed.
fn visible(name: &str, line: usize, repairs: &mut Vec<Repair>) -> String {
    let mut last = ' ';
    let seen: String = name
        .chars()
        .filter(|&c| {
            // Joiners shape letters of some scripts; between others nobody sees them.
            let joins_nothing = matches!(c, '\u{200c}' | '\u{200d}') && last.is_ascii();
            last = c;
            c.is_whitespace() || !(is_hidden(c) || joins_nothing)
        })
        .collect();
    if seen.len() < name.len() {
        repairs.push(Repair { line, field: "name".to_owned(), what: Quirk::Control });
    }
    seen
}

/// Characters that steer or hide text instead of being seen, control characters aside.
const HIDDEN: [RangeInclusive<char>; 13] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{180e}'..='\u{180e}',
    '\u{200b}'..='\u{200b}',
    '\u{200e}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{2069}',
    '\u{3164}'..='\u{3164}',
    '\u{feff}'..='\u{feff}',
    '\u{fff9}'..='\u{fffb}',
    '\u{e0000}'..='\u{e007f}',
];

/// Whether a character steers or hides text instead of being seen.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control() || (!c.is_ascii() && HIDDEN.iter().any(|range| range.contains(&c)))
}

fn single_spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push_str(word);
    }
    spaced
}

/// The same text, copied only if there is something to trim.
fn trimmed(text: String) -> String {
    match text.trim() {
        all if all.len() == text.len() => text,
        inner => inner.to_owned(),
    }
}

/// What a person would call a value.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => "text",
    }
}
