//! Values out of a parsed file: what is wrong costs only itself and is told with its line.

use std::{collections::BTreeMap, time::Duration};

use jsonc_parser::{
    ast::{Object, Value},
    common::Ranged,
};

use super::expand::expand;

/// Something wrong in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) line: Option<usize>,
    /// The server that it concerns, if it concerns one.
    pub(crate) server: Option<String>,
    pub(crate) reason: String,
}

/// What becomes of variables in strings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Values<'a> {
    Expanded(&'a BTreeMap<String, String>),
    /// For what is never used, only shown or checked.
    AsWritten,
}

pub(super) struct Reader<'a> {
    text: &'a str,
    pub(super) values: Values<'a>,
    /// The server whose entry is being read.
    pub(super) server: Option<String>,
    pub(super) complaints: Vec<Complaint>,
}

/// A number from here on is taken for milliseconds, as several clients write them: nobody waits
/// hours for a sign of life.
const MILLISECONDS_FROM: f64 = 10_000.0;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, values: Values<'a>) -> Reader<'a> {
        Reader { text, values, server: None, complaints: Vec::new() }
    }

    pub(super) fn complain(&mut self, at: &impl Ranged, reason: impl Into<String>) {
        let line = 1 + self.text[..at.range().start].matches('\n').count();
        let (server, reason) = (self.server.clone(), reason.into());
        self.complaints.push(Complaint { line: Some(line), server, reason });
    }

    /// The text of a string, its variables replaced.
    pub(super) fn text(&mut self, value: &Value<'_>, what: &str) -> Option<String> {
        let Value::StringLit(text) = value else {
            self.complain(value, format!("{what} is not a string"));
            return None;
        };
        match self.values {
            Values::AsWritten => Some(text.value.clone().into_owned()),
            Values::Expanded(variables) => match expand(&text.value, variables) {
                Ok(text) => Some(text),
                Err(name) => {
                    let reason = format!("{what} needs the variable `{name}`, which is not set");
                    self.complain(value, reason);
                    None
                }
            },
        }
    }

    /// The text of a string, a number or a boolean.
    pub(super) fn scalar(&mut self, value: &Value<'_>, what: &str) -> Option<String> {
        match value {
            Value::NumberLit(number) => Some(number.value.to_owned()),
            Value::BooleanLit(it) => Some(it.value.to_string()),
            other => self.text(other, what),
        }
    }

    /// A list, each of whose members `read` takes or complains of.
    pub(super) fn list(
        &mut self,
        value: &Value<'_>,
        what: &str,
        read: impl Fn(&mut Reader<'a>, &Value<'_>, &str) -> Option<String>,
    ) -> Option<Vec<String>> {
        let Value::Array(members) = value else {
            self.complain(value, format!("{what} is not a list of strings"));
            return None;
        };
        let what = format!("a member of {what}");
        Some(members.elements.iter().filter_map(|member| read(self, member, &what)).collect())
    }

    /// Names with their values; one that is `null` counts as left out.
    pub(super) fn map(
        &mut self,
        value: &Value<'_>,
        what: &str,
    ) -> Option<BTreeMap<String, String>> {
        let Value::Object(object) = value else {
            self.complain(value, format!("{what} is not an object"));
            return None;
        };
        let mut map = BTreeMap::new();
        for (name, value) in members(object) {
            if matches!(value, Value::NullKeyword(_)) {
                continue;
            }
            if let Some(value) = self.scalar(value, &format!("`{name}` of {what}")) {
                map.insert(name.to_owned(), value);
            }
        }
        Some(map)
    }

    pub(super) fn flag(&mut self, value: &Value<'_>, what: &str) -> Option<bool> {
        match value {
            Value::BooleanLit(flag) => Some(flag.value),
            other => {
                self.complain(other, format!("{what} is neither `true` nor `false`"));
                None
            }
        }
    }

    pub(super) fn seconds(&mut self, value: &Value<'_>, what: &str) -> Option<Duration> {
        let number = match value {
            Value::NumberLit(number) => number.value.parse::<f64>().ok(),
            _ => None,
        };
        let number = number.filter(|number| *number > 0.0);
        let seconds = number.map(|it| if it < MILLISECONDS_FROM { it } else { it / 1_000.0 });
        let duration = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
        if duration.is_none() {
            self.complain(value, format!("{what} is not a number of seconds"));
        }
        duration
    }
}

/// What an object says of `key`; `null` says nothing.
pub(super) fn get<'o, 'a>(object: &'o Object<'a>, key: &str) -> Option<&'o Value<'a>> {
    // As in other readers of JSON the last one of a name counts.
    let found = object.properties.iter().rev().find(|it| it.name.as_str() == key)?;
    Some(&found.value).filter(|value| !matches!(value, Value::NullKeyword(_)))
}

/// The members of an object in the order of the file.
pub(super) fn members<'o, 'a>(
    object: &'o Object<'a>,
) -> impl Iterator<Item = (&'o str, &'o Value<'a>)> {
    object.properties.iter().map(|it| (it.name.as_str(), &it.value))
}
