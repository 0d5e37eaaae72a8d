//! Edits of configuration files: an entry comes or goes, and everything else stays as it was written.

use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstObject, CstRootNode},
};
use serde_json::Value;
use thiserror::Error;

use super::file::{SERVERS, without_mark};

/// Why a text was not edited.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum EditError {
    #[error("line {line}: {reason}")]
    NotJson { line: usize, reason: String },
    #[error("`{0}` is not an object")]
    NotAnObject(&'static str),
    #[error("server `{0}` is there already")]
    Exists(String),
    #[error("no server `{0}`")]
    Missing(String),
}

/// What to do with an entry of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    Keep,
    Replace,
}

/// The text with one more server.
pub(crate) fn added(
    text: &str,
    name: &str,
    entry: &Value,
    existing: Existing,
) -> Result<String, EditError> {
    edited(text, |file| {
        let servers = objects(file)?;
        let known = servers.iter().rev().find_map(|servers| servers.get(name));
        match (known, existing) {
            (Some(_), Existing::Keep) => return Err(EditError::Exists(name.to_owned())),
            (Some(known), Existing::Replace) => known.set_value(input(entry)),
            (None, _) => {
                let servers = servers.into_iter().next();
                let servers = servers.unwrap_or_else(|| file.object_value_or_set(SERVERS[0]));
                servers.append(name, input(entry));
            }
        }
        Ok(())
    })
}

/// The text without a server.
pub(crate) fn removed(text: &str, name: &str) -> Result<String, EditError> {
    edited(text, |file| {
        let all = objects(file)?.into_iter().flat_map(|it| it.properties());
        let meant = |it: &_| decoded(it).as_deref() == Some(name);
        let found: Vec<_> = all.filter(meant).collect();
        if found.is_empty() {
            return Err(EditError::Missing(name.to_owned()));
        }
        found.into_iter().for_each(jsonc_parser::cst::CstObjectProp::remove);
        Ok(())
    })
}

/// The names of the servers in a text.
pub(crate) fn names(text: &str) -> Result<Vec<String>, EditError> {
    let mut names = Vec::new();
    edited(text, |file| {
        names = objects(file)?
            .iter()
            .flat_map(CstObject::properties)
            .filter_map(|it| decoded(&it))
            .collect();
        Ok(())
    })?;
    Ok(names)
}

fn decoded(property: &jsonc_parser::cst::CstObjectProp) -> Option<String> {
    property.name()?.decoded_value().ok()
}

/// Hands the file's object to `edit` and gives the text as it is then.
fn edited(
    text: &str,
    edit: impl FnOnce(&CstObject) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let bare = without_mark(text);
    let mark = &text[..text.len() - bare.len()];
    let root = CstRootNode::parse(bare, &ParseOptions::default()).map_err(|error| {
        EditError::NotJson { line: error.line_display(), reason: error.kind().to_string() }
    })?;
    let file = root.object_value_or_create().ok_or(EditError::NotAnObject("the file"))?;
    edit(&file)?;
    Ok(format!("{mark}{root}"))
}

/// The objects that hold servers.
fn objects(file: &CstObject) -> Result<Vec<CstObject>, EditError> {
    let mut objects = Vec::new();
    for key in SERVERS {
        match file.get(key).map(|it| it.object_value()) {
            None => {}
            Some(Some(servers)) => objects.push(servers),
            Some(None) => return Err(EditError::NotAnObject(key)),
        }
    }
    Ok(objects)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(it) => CstInputValue::Bool(*it),
        Value::Number(it) => CstInputValue::Number(it.to_string()),
        Value::String(it) => CstInputValue::String(it.clone()),
        Value::Array(it) => CstInputValue::Array(it.iter().map(input).collect()),
        Value::Object(it) => {
            CstInputValue::Object(it.iter().map(|(key, it)| (key.clone(), input(it))).collect())
        }
    }
}
