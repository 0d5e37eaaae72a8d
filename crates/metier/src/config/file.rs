//! What may be written in a configuration file, and what of it counts.

use std::path::Path;

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Object, Value},
    parse_to_ast,
};
use metier_skills::Pattern;
use metier_upstreams::ToolFilter;

use super::{
    reader::{Complaint, Reader, Values, get, members},
    servers::{Entry, entries},
};
use crate::environment::Environment;

/// What one configuration file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// Folders with skills, as they are written.
    pub(crate) dirs: Vec<String>,
    pub(crate) skills: Patterns,
    /// Which tools exist, of all servers.
    pub(crate) tools: Patterns,
    /// Servers in the order of the file.
    pub(crate) servers: Vec<Entry>,
    pub(crate) complaints: Vec<Complaint>,
}

/// Two lists of patterns; one that is absent leaves what was said before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Patterns {
    pub(crate) include: Option<Vec<String>>,
    pub(crate) exclude: Option<Vec<String>>,
}

/// The keys of `skills`.
const SKILLS: [&str; 3] = ["dirs", "include", "exclude"];
/// The keys that hold servers; a later one overrides an earlier.
pub(crate) const SERVERS: [&str; 2] = ["mcpServers", "servers"];

/// Reads JSON with comments; only a file that is no JSON says nothing at all.
pub(crate) fn parse(
    text: &str,
    folder: &Path,
    environment: &Environment,
) -> Result<Said, Complaint> {
    parse_with(Values::Expanded(&environment.variables), text, folder, environment)
}

/// Reads it without a look at any variable.
pub(crate) fn parse_as_written(
    text: &str,
    folder: &Path,
    environment: &Environment,
) -> Result<Said, Complaint> {
    parse_with(Values::AsWritten, text, folder, environment)
}

fn parse_with(
    values: Values<'_>,
    text: &str,
    folder: &Path,
    environment: &Environment,
) -> Result<Said, Complaint> {
    let text = without_mark(text);
    let mut reader = Reader::new(text, values);
    let mut said = match tree(text)? {
        None => Said::default(),
        Some(Value::Object(file)) => said(&mut reader, &file, folder, environment),
        Some(other) => {
            reader.complain(&other, "the file does not hold an object");
            Said::default()
        }
    };
    said.complaints = reader.complaints;
    Ok(said)
}

/// The parsed text, or why it is no JSON.
pub(super) fn tree(text: &str) -> Result<Option<Value<'_>>, Complaint> {
    match parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()) {
        Ok(parsed) => Ok(parsed.value),
        Err(error) => Err(Complaint {
            line: Some(error.line_display()),
            server: None,
            reason: error.kind().to_string(),
        }),
    }
}

/// A text without its byte order mark.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn said(
    reader: &mut Reader<'_>,
    file: &Object<'_>,
    folder: &Path,
    environment: &Environment,
) -> Said {
    let mut said = Said::default();
    if let Some(skills) = object(reader, file, "skills") {
        for property in skills.properties.iter().filter(|it| !SKILLS.contains(&it.name.as_str())) {
            reader.complain(property, format!("`skills.{}` is not known", property.name.as_str()));
        }
        let dirs = get(skills, "dirs");
        said.dirs =
            dirs.and_then(|it| reader.list(it, "`skills.dirs`", some_text)).unwrap_or_default();
        said.skills = Patterns {
            include: patterns(reader, skills, "skills", "include"),
            exclude: patterns(reader, skills, "skills", "exclude"),
        };
    }
    if let Some(tools) = object(reader, file, "tools") {
        said.tools = Patterns {
            include: patterns(reader, tools, "tools", "include"),
            exclude: patterns(reader, tools, "tools", "exclude"),
        };
    }
    for key in SERVERS {
        if let Some(servers) = object(reader, file, key) {
            said.servers.extend(entries(reader, members(servers), folder, environment));
        }
    }
    said
}

/// The object at `key`, if there is one.
fn object<'o, 'a>(
    reader: &mut Reader<'_>,
    file: &'o Object<'a>,
    key: &str,
) -> Option<&'o Object<'a>> {
    match get(file, key)? {
        Value::Object(object) => Some(object),
        other => {
            reader.complain(other, format!("`{key}` is not an object"));
            None
        }
    }
}

/// The members of the list at `key` that are patterns.
fn patterns(
    reader: &mut Reader<'_>,
    object: &Object<'_>,
    of: &str,
    key: &str,
) -> Option<Vec<String>> {
    let value = get(object, key)?;
    let what = format!("`{of}.{key}`");
    let lists = reader.list(value, &what, some_text)?;
    let mut patterns = Vec::new();
    for text in lists.iter().flat_map(|list| list.split(',')) {
        let error = match of {
            "skills" => Pattern::new(text).err().map(|error| error.to_string()),
            _ => ToolFilter::new(&[text], &[]).err().map(|error| error.to_string()),
        };
        match error {
            None => patterns.push(text.to_owned()),
            Some(error) => reader.complain(value, format!("{what}: {error}")),
        }
    }
    Some(patterns)
}

/// A text that says something.
pub(super) fn some_text(reader: &mut Reader<'_>, value: &Value<'_>, what: &str) -> Option<String> {
    let text = reader.text(value, what)?;
    if text.trim().is_empty() {
        reader.complain(value, format!("{what} is an empty string"));
        return None;
    }
    Some(text)
}
