//! Cuts a `SKILL.md` at its two fences, without knowing any YAML.

use super::{FrontmatterError, repair};

/// The most bytes a head may have; the longest of 40 000 real ones had nine thousand.
const LONGEST_HEAD: usize = 64 * 1024;

/// A `SKILL.md` cut in two; only the fences, and what stands above the first, are in neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Document<'a> {
    /// The YAML between the fences, with its last line end.
    pub head: &'a str,
    /// All that follows the second fence and the end of its line.
    pub body: &'a str,
    /// The line of the file on which the head starts, counted from one.
    pub head_line: usize,
}

/// Finds the head and the body of a `SKILL.md`.
///
/// A byte order mark and blank lines may stand above the first fence. The head ends at the first
/// line that begins with `---` (what is glued to it is the body's) or is `...`: YAML allows
/// neither within a value, so one in a value is indented and one in the body comes too late.
pub(crate) fn split(text: &str) -> Result<Document<'_>, FrontmatterError> {
    let start = opening(text).ok_or(FrontmatterError::Absent)?;
    let document = cut(text, start)?;
    // Some tools write the first fence twice; an empty head is of no use to anyone.
    let doubled = || cut(text, text.len() - document.body.len()).ok();
    let document = match document.head.trim() {
        "" => doubled().filter(|it| repair::starts_with_a_key(it.head)).unwrap_or(document),
        _ => document,
    };
    match document.head.len() {
        length if length > LONGEST_HEAD => {
            Err(FrontmatterError::TooLong { length, most: LONGEST_HEAD })
        }
        _ => Ok(document),
    }
}

/// Where the line after the first fence starts.
fn opening(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches('\u{feff}');
    let mut at = text.len() - rest.len();
    for line in rest.split_inclusive('\n') {
        at += line.len();
        match line.trim_end() {
            "" => {}
            "---" => return Some(at),
            _ => return None,
        }
    }
    None
}

fn cut(text: &str, start: usize) -> Result<Document<'_>, FrontmatterError> {
    let (above, below) = text.split_at(start);
    let head_line = above.matches('\n').count() + 1;
    let mut length = 0;
    for line in below.split_inclusive('\n') {
        if let Some(fence) = closing(line) {
            let (head, rest) = below.split_at(length);
            return Ok(Document { head, body: &rest[fence..], head_line });
        }
        length += line.len();
    }
    Err(FrontmatterError::Unclosed { line: head_line.saturating_sub(1).max(1) })
}

/// How many bytes of a line are the second fence.
fn closing(line: &str) -> Option<usize> {
    let glued = match line.as_bytes() {
        [b'-', b'-', b'-', ..] => line.trim_start_matches('-'),
        [b'.', b'.', b'.', ..] if line.trim_end() == "..." => "",
        _ => return None,
    };
    Some(line.len() - glued.trim_start().len())
}
