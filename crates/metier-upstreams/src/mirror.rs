//! Mirrored arguments: which of a tool's arguments HTTP repeats in headers, as 2026-07-28 has it.

use metier_wire::header;
use serde_json::{Map, Value, value::RawValue};

use crate::{link::Member, offer::Tool};

/// The keyword that asks for it.
const KEYWORD: &str = "x-mcp-header";
/// Keywords whose values are objects of schemas by name.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose values are data, whatever they look like.
const PLAIN: [&str; 5] = ["default", "const", "enum", "examples", "example"];

/// How many arguments of one tool may be repeated.
const MOST_MIRRORED: usize = 64;

/// An argument that is repeated in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mirrored {
    header: String,
    /// The properties that lead to it.
    path: Box<[String]>,
}

/// Reads which arguments a schema wants repeated; a tool that wants it wrongly may not be used,
/// and the error says why.
pub(crate) fn mirrored(schema: Option<&RawValue>) -> Result<Box<[Mirrored]>, String> {
    let text = schema.map(RawValue::get).unwrap_or_default();
    if memchr::memmem::find(text.as_bytes(), KEYWORD.as_bytes()).is_none() {
        return Ok(Box::default());
    }
    let Ok(Value::Object(schema)) = serde_json::from_str(text) else { return Ok(Box::default()) };
    let mut found = Vec::new();
    walk(&schema, Some(&[]), &mut found)?;
    Ok(found.into())
}

/// The headers that repeat arguments of a call with these parameters.
pub(crate) fn headers(tool: &Tool, params: &[Member<'_>]) -> Vec<(String, String)> {
    let arguments = params.iter().find(|(key, _)| *key == "arguments");
    let Some((_, arguments)) = arguments.filter(|_| !tool.mirrored.is_empty()) else {
        return Vec::new();
    };
    let arguments: Value = serde_json::from_str(arguments.get()).unwrap_or_default();
    let header = |it: &Mirrored| {
        let value = it.path.iter().try_fold(&arguments, |value, key| value.get(key))?;
        Some((it.header.clone(), header::encoded(&plain(value)?).into_owned()))
    };
    tool.mirrored.iter().filter_map(header).collect()
}

/// Collects what `schema` and those in it want. `path` leads to it, if properties alone do.
fn walk(
    schema: &Map<String, Value>,
    path: Option<&[String]>,
    found: &mut Vec<Mirrored>,
) -> Result<(), String> {
    if let Some(name) = schema.get(KEYWORD) {
        found.push(one(schema, name, path, found)?);
    }
    for (keyword, value) in schema {
        if PLAIN.contains(&&**keyword) {
            continue;
        }
        if let (true, Value::Object(schemas)) = (NAMED.contains(&&**keyword), value) {
            let path = path.filter(|_| keyword == "properties");
            for (name, schema) in schemas {
                let path = path.map(|it| [it, std::slice::from_ref(name)].concat());
                walk_any(schema, path.as_deref(), found)?;
            }
        } else {
            walk_any(value, None, found)?;
        }
    }
    Ok(())
}

fn walk_any(
    value: &Value,
    path: Option<&[String]>,
    found: &mut Vec<Mirrored>,
) -> Result<(), String> {
    match value {
        Value::Object(schema) => walk(schema, path, found),
        Value::Array(values) => values.iter().try_for_each(|it| walk_any(it, None, found)),
        _ => Ok(()),
    }
}

/// What one schema wants, if it may.
fn one(
    schema: &Map<String, Value>,
    name: &Value,
    path: Option<&[String]>,
    found: &[Mirrored],
) -> Result<Mirrored, String> {
    let Some(path) = path.filter(|it| !it.is_empty()) else {
        return Err(format!("`{KEYWORD}` stands where no property is"));
    };
    let property = path.join(".");
    let wrong = |what: &str| Err(format!("`{KEYWORD}` of `{property}` {what}"));
    let Some(name) = name.as_str().filter(|it| !it.is_empty() && it.bytes().all(is_token)) else {
        return wrong("is not the name of a header");
    };
    let is_primitive = |it: &str| matches!(it, "string" | "integer" | "boolean");
    if !schema.get("type").and_then(Value::as_str).is_some_and(is_primitive) {
        return wrong("needs the type `string`, `integer` or `boolean`");
    }
    if found.len() >= MOST_MIRRORED {
        return wrong("is one too many");
    }
    let header = format!("Mcp-Param-{name}");
    if found.iter().any(|it| it.header.eq_ignore_ascii_case(&header)) {
        return wrong("names a header that another has");
    }
    Ok(Mirrored { header, path: path.into() })
}

/// Whether a byte may stand in the name of a header.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A value as text; none where it is none that can be repeated.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(it) => Some(it.to_string()),
        Value::Number(number) => Some(integer(number).unwrap_or_else(|| number.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A whole number in decimal, also where it was written as `42.0` or `1e3`.
fn integer(number: &serde_json::Number) -> Option<String> {
    let float = number.as_f64().filter(|it| number.is_f64() && it.fract() == 0.0)?;
    Some(format!("{float:.0}"))
}

#[cfg(test)]
mod tests;
