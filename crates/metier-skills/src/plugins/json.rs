//! Forgiving reading of JSON: what cannot be used is reported, the rest is kept.

use serde_json::{Map, Value};

use super::problem::{PluginProblem, short};

/// A JSON object.
pub(crate) type Fields = Map<String, Value>;

/// What a text says, and what in it could not be used.
#[derive(Debug, Default)]
pub(crate) struct Parsed<T> {
    pub(crate) value: T,
    pub(crate) problems: Vec<PluginProblem>,
}

impl<T: Default> Parsed<T> {
    /// Hands the object that `text` holds to `read`, which adds what it cannot use.
    pub(crate) fn object(
        text: &str,
        read: impl FnOnce(Fields, &mut Vec<PluginProblem>) -> T,
    ) -> Parsed<T> {
        let fields = match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => Ok(fields),
            Ok(_) => Err(PluginProblem::NotAnObject),
            Err(error) => Err(PluginProblem::NotJson {
                line: error.line().max(1),
                column: error.column().max(1),
            }),
        };
        let mut problems = Vec::new();
        let value = match fields {
            Ok(fields) => read(fields, &mut problems),
            Err(problem) => {
                problems.push(problem);
                T::default()
            }
        };
        Parsed { value, problems }
    }
}

/// The problem of a value that is not what it has to be.
pub(crate) fn wrong_type(field: &str, wanted: &'static str) -> PluginProblem {
    PluginProblem::WrongType { field: short(field), wanted }
}

/// Reads a yes or no; `null` is no answer.
pub(crate) fn yes_or_no(fields: &Fields, key: &str) -> Result<Option<bool>, PluginProblem> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(answer)) => Ok(Some(*answer)),
        Some(_) => Err(wrong_type(key, "`true` or `false`")),
    }
}

/// Reads a text; an empty one and `null` are none.
pub(crate) fn text(fields: &Fields, key: &str) -> Result<Option<String>, PluginProblem> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone()).filter(|it| !it.trim().is_empty())),
        Some(_) => Err(wrong_type(key, "a string")),
    }
}

/// Reads a version, which some people write as a number; it is only shown, so nothing is wrong.
pub(crate) fn version(fields: &Fields) -> Option<String> {
    match fields.get("version")? {
        Value::String(text) => Some(text.trim().to_owned()).filter(|it| !it.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
