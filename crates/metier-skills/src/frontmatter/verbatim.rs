//! The head of a `SKILL.md` as every strict reader has it: nothing guessed, nothing lost.
//!
//! Who publishes a head says that anyone who reads the file comes to the same values. So only heads
//! count here that leave no room for another reading: plain fences, plain YAML 1.2, keys that are
//! words, numbers that JSON has.

use serde_json::{Map, Value};
use thiserror::Error;

use super::{FrontmatterError, Repair, scalar, split, typed};

/// Why the head of a `SKILL.md` can be read in more than one way, or in none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unclear {
    /// What stands around the head is not two lines `---`.
    #[error("the frontmatter does not stand between two lines `---` from the first line on")]
    Fences,
    /// It is not YAML, or there is none.
    #[error(transparent)]
    Unreadable(#[from] FrontmatterError),
    /// Something had to be guessed, or was lost.
    #[error("{0}")]
    Guessed(Repair),
    /// A key or a number that programs write in different ways.
    #[error("`{0}` means something else in JSON; put it in quotes, or write it otherwise")]
    Odd(String),
}

/// All that the head of a `SKILL.md` says, in the order and the words of the file.
pub(crate) fn verbatim(text: &str) -> Result<Map<String, Value>, Unclear> {
    let document = split(text)?;
    let opening = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"));
    let after = opening.and_then(|rest| rest.strip_prefix(document.head));
    let is_fenced = after.is_some_and(|after| {
        let fence = after.lines().next().unwrap_or_default();
        fence.trim_end_matches([' ', '\t', '\r']) == "---"
    });
    if !is_fenced || has_odd_line_ends(document.head) {
        return Err(Unclear::Fences);
    }
    let reading = typed(document.head, document.head_line, scalar::verbatim)?;
    if let Some(repair) = reading.repairs.into_iter().next() {
        return Err(Unclear::Guessed(repair));
    }
    let map = reading.entries.into_iter().map(|entry| (entry.key, entry.value)).collect();
    match odd(&map) {
        Some(odd) => Err(Unclear::Odd(odd)),
        None => Ok(map),
    }
}

/// Whether there are characters that end a line for some readers only.
fn has_odd_line_ends(head: &str) -> bool {
    let is_lone = |(at, _): (usize, &str)| head.as_bytes().get(at + 1) != Some(&b'\n');
    head.contains(['\u{85}', '\u{2028}', '\u{2029}']) || head.match_indices('\r').any(is_lone)
}

/// The first key that is no word, or word that is a number which JSON cannot hold. Whether such a
/// word stood in quotes cannot be told any more.
fn odd(map: &Map<String, Value>) -> Option<String> {
    map.iter().find_map(|(key, value)| {
        let is_word = scalar::core(key.as_str().into()).is_string();
        if is_word { odd_value(value) } else { Some(key.clone()) }
    })
}

fn odd_value(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => scalar::is_beyond_json(text).then(|| text.clone()),
        Value::Array(items) => items.iter().find_map(odd_value),
        Value::Object(map) => odd(map),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
