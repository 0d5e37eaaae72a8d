//! Files of skills as resources: what is said of each, and what is in it.

use base64::{display::Base64Display, engine::general_purpose::STANDARD};
use metier_skills::{Cause, FileError};
use metier_upstreams::uri::{NormalUri, Unclean, is_local};
use metier_wire::{Era, Error, write};
use serde::Serialize;
use serde_json::{json, value::to_raw_value};

use super::{Found, Holding, Library, TEMPLATE};
use crate::{text::Line, tools::mime_type};

/// What folders are said to be.
pub(super) const FOLDER: &str = "inode/directory";
/// How long an address may be to be repeated in an error.
const LONGEST_REPEATED: usize = 2_000;

/// What is said of a resource.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resource<'a> {
    pub(super) uri: String,
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<&'a str>,
    pub(super) mime_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) size: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Template {
    uri_template: &'static str,
    name: &'static str,
    title: &'static str,
    description: &'static str,
}

/// The contents of one resource, as text or as base64.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Contents<'a> {
    uri: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blob: Option<String>,
}

impl<'a> Resource<'a> {
    /// What is said of a skill: it is its `SKILL.md`.
    pub(crate) fn skill(holding: &'a Holding) -> Resource<'a> {
        let skill = &holding.skill;
        Resource {
            uri: holding.own_uri(),
            name: skill.name(),
            title: Some(&*holding.id).filter(|it| *it != skill.name()),
            description: Some(skill.description()),
            mime_type: "text/markdown",
            size: Some(skill.size()),
        }
    }

    /// What is said of a folder.
    pub(super) fn folder(uri: String, name: &'a str) -> Resource<'a> {
        Resource { mime_type: FOLDER, ..Resource::file(uri, name, None) }
    }

    /// What is said of any other file.
    pub(super) fn file(uri: String, name: &'a str, size: Option<u64>) -> Resource<'a> {
        let mime_type = mime_type(name);
        Resource { uri, name, title: None, description: None, mime_type, size }
    }
}

/// Appends the template of all files of skills.
pub(crate) fn write_template(out: &mut Vec<u8>) {
    let template = Template {
        uri_template: TEMPLATE,
        name: "skill-file",
        title: "File of a skill",
        description: "A file of a skill of this machine: `skill` is the skill's place, such as \
                      claude/pdf, `path` the file's path below the skill's folder, such as SKILL.md.",
    };
    write::json(out, &template);
}

impl Library {
    /// Appends what is in a file, as the result of `resources/read`.
    pub(crate) fn read(&self, uri: &str, era: Era, out: &mut Vec<u8>) -> Result<(), Error> {
        let Some(Found::Within(holding, path)) = self.find(uri) else {
            return Err(unknown_resource(uri, era));
        };
        let bytes = holding.skill.read_file(&path).map_err(|error| match error {
            FileError::Outside | FileError::Missing { .. } => unknown_resource(uri, era),
            FileError::Bad(Cause::Unreadable(kind)) => {
                let cause = Cause::Unreadable(kind);
                tracing::warn!(uri, %cause, "a file of a skill cannot be read");
                Error::internal(format!("`{}`: {cause}", Line(uri, 200)))
            }
            // Asking again is no use: it is no resource as long as that is so.
            FileError::Bad(cause) => {
                no_resource(uri, era, format!("`{}` cannot be read: {cause}", Line(uri, 200)))
            }
        })?;
        write_contents(&Contents::new(uri, Some(mime_type(&path)), &bytes), era, out);
        Ok(())
    }
}

impl<'a> Contents<'a> {
    /// Text where the bytes are text, else base64: what is read is what is on the disk, to the byte.
    fn new(uri: &'a str, mime_type: Option<&'a str>, bytes: &'a [u8]) -> Contents<'a> {
        match str::from_utf8(bytes) {
            Ok(text) => Contents { uri, mime_type, text: Some(text), blob: None },
            Err(_) => {
                let blob = Base64Display::new(bytes, &STANDARD).to_string();
                Contents { uri, mime_type, text: None, blob: Some(blob) }
            }
        }
    }
}

/// Appends the result of `resources/read`.
fn write_contents(contents: &Contents<'_>, era: Era, out: &mut Vec<u8>) {
    out.extend_from_slice(match era {
        Era::Legacy => br#"{"contents":["#.as_slice(),
        Era::Modern => br#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":["#,
    });
    write::json(out, contents);
    out.extend_from_slice(b"]}");
}

/// What is said of a URI that cannot be one of a skill.
pub(crate) fn not_of_a_skill(uri: &str, reason: Unclean) -> String {
    format!("`{}` is no URI of a skill: {reason}", Line(uri, 200))
}

/// What somebody hears who asks for a resource that nobody has, or that nobody can have.
pub(crate) fn unknown_resource(uri: &str, era: Era) -> Error {
    let message = match NormalUri::of(uri) {
        Err(reason) if is_local(uri) => not_of_a_skill(uri, reason),
        _ => format!("there is no resource `{}`: `resources/list` names them", Line(uri, 200)),
    };
    no_resource(uri, era, message)
}

/// The same in other words.
fn no_resource(uri: &str, era: Era, message: String) -> Error {
    let is_repeated = uri.len() <= LONGEST_REPEATED;
    let data = is_repeated.then(|| to_raw_value(&json!({ "uri": uri })).ok()).flatten();
    let code = match era {
        Era::Legacy => Error::RESOURCE_NOT_FOUND,
        Era::Modern => Error::INVALID_PARAMS,
    };
    Error { data, ..Error::new(code, message) }
}
