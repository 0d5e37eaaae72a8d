//! The quick reader, for the shapes nearly every head has.
//!
//! Reading YAML costs more than reading the file it stands in. This reader knows only
//! `key: value` lines with plain or quoted words, block text, and one level of lists and maps.
//! Where it answers it says what [`yaml`](super::yaml) would say, to the last byte; at the first
//! sign of anything else it gives up and leaves the head to that one.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Entry;
use super::scalar::{Typing, Typings, core};

/// More fields than this are compared more quickly by other means.
const MOST_FIELDS: usize = 64;

/// Longer keys are none to YAML, somewhere beyond a thousand characters.
const LONGEST_KEY: usize = 128;

/// Reads a head of a known shape; `None` says nothing about the head.
pub(super) fn read(head: &str, first_line: usize, typing: Typings) -> Option<Vec<Entry>> {
    if !is_printable(head) {
        return None;
    }
    let mut lines = Lines { rest: head, line: first_line };
    let mut entries: Vec<Entry> = Vec::with_capacity(8);
    while let Some(text) = lines.peek() {
        let line = lines.line;
        lines.advance(text);
        if trimmed(text).is_empty() || text.starts_with('#') {
            continue;
        }
        // An indented line that nothing above has taken is no field, and ends the reading here.
        let (key, rest) = field(text)?;
        if entries.len() == MOST_FIELDS || entries.iter().any(|entry| entry.key == key) {
            return None;
        }
        let value = match rest {
            "" => nested(&mut lines, typing(key))?,
            "|" | "|-" | ">" | ">-" => block(rest, &mut lines)?,
            _ => value(&folded(rest, &mut lines), typing(key))?,
        };
        entries.push(Entry { key: key.to_owned(), value, line });
    }
    // Block text cares whether the last line has an end, so all must.
    lines.rest.is_empty().then_some(entries)
}

/// Whether there is nothing that YAML forbids, or that ends a line for some readers only.
fn is_printable(head: &str) -> bool {
    // Looking at every byte, without a way out, is what lets the compiler take many at once.
    let control = |it: u8| (it < b' ' && it != b'\n') || it == 0x7f;
    let odd = |c| {
        matches!(
            c,
            '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
    };
    !head.bytes().fold(false, |found, it| found | control(it))
        && (head.is_ascii() || !head.contains(odd))
}

/// The lines not read yet.
struct Lines<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Lines<'a> {
    fn peek(&self) -> Option<&'a str> {
        memchr::memchr(b'\n', self.rest.as_bytes()).map(|end| &self.rest[..end])
    }

    fn advance(&mut self, peeked: &str) {
        self.rest = &self.rest[peeked.len() + 1..];
        self.line += 1;
    }
}

/// The key and the trimmed rest of a line that starts a field.
fn field(line: &str) -> Option<(&str, &str)> {
    let is_word = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
    let end = line.bytes().take(LONGEST_KEY).position(|it| !is_word(&it))?;
    let (key, rest) = line.split_at(end);
    let rest = rest.strip_prefix(':')?;
    let apart = rest.is_empty() || rest.starts_with(' ');
    (apart && key.starts_with(|c: char| c.is_ascii_alphabetic())).then(|| (key, trimmed(rest)))
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(' ')
}

/// A value with the lines that go on with it.
fn folded<'a>(first: &'a str, lines: &mut Lines<'a>) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(first);
    while let Some(line) = lines.peek().filter(|line| line.starts_with(' ')) {
        let more = trimmed(line);
        if more.is_empty() {
            break;
        }
        text.to_mut().push(' ');
        text.to_mut().push_str(more);
        lines.advance(line);
    }
    text
}

/// A value without the lines it stands on.
fn value(text: &str, typing: Typing) -> Option<Value> {
    match text.as_bytes().first()? {
        quote @ (b'"' | b'\'') => quoted(text, *quote),
        b'[' => flow(text.strip_prefix('[')?.strip_suffix(']')?),
        _ => is_plain(text).then(|| typing(Cow::Borrowed(text))),
    }
}

fn quoted(text: &str, quote: u8) -> Option<Value> {
    let (start, end) = (1, text.len() - 1);
    let inner = text.get(start..end).filter(|_| text.as_bytes()[end] == quote)?;
    let special = inner.bytes().any(|it| it == quote || it == b'\\');
    (!special).then(|| Value::String(inner.to_owned()))
}

/// Whether unquoted text starts harmlessly and holds neither a second key nor a comment.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts_well =
        |it: &u8| it.is_ascii_alphanumeric() || !it.is_ascii() || b"(/._$+<^;~=\\".contains(it);
    bytes.first().is_some_and(starts_well)
        && memchr::memchr2_iter(b':', b'#', bytes).all(|at| match bytes[at] {
            b':' => bytes.get(at + 1).is_some_and(|&next| next != b' '),
            _ => bytes[at - 1] != b' ',
        })
}

/// A list in brackets, given without them.
fn flow(inner: &str) -> Option<Value> {
    if trimmed(inner).is_empty() {
        return Some(Value::Array(Vec::new()));
    }
    let item = |text: &str| {
        let text = trimmed(text);
        if text.contains(['[', ']', '{', '}', ':', '#']) { None } else { value(text, core) }
    };
    inner.split(',').map(item).collect::<Option<_>>().map(Value::Array)
}

/// What stands below a key without a value on its own line.
fn nested(lines: &mut Lines<'_>, typing: Typing) -> Option<Value> {
    let Some(first) = lines.peek() else { return Some(Value::Null) };
    let indent = indentation(first);
    match first.as_bytes().get(indent)? {
        b'-' => list(indent, lines),
        b'#' => None,
        _ if indent == 0 => Some(Value::Null),
        _ if field(&first[indent..]).is_some() => map(indent, lines),
        _ => {
            lines.advance(first);
            value(&folded(trimmed(first), lines), typing)
        }
    }
}

fn list(indent: usize, lines: &mut Lines<'_>) -> Option<Value> {
    let mut items = Vec::new();
    while let Some(text) = lines.peek().filter(|text| indentation(text) == indent) {
        let Some(item) = text[indent..].strip_prefix("- ") else { break };
        items.push(value(trimmed(item), core)?);
        lines.advance(text);
    }
    (!items.is_empty()).then_some(Value::Array(items))
}

fn map(indent: usize, lines: &mut Lines<'_>) -> Option<Value> {
    let mut map = Map::new();
    while let Some(text) = lines.peek().filter(|text| indentation(text) == indent) {
        let (key, rest) = field(&text[indent..])?;
        if map.insert(key.to_owned(), value(rest, core)?).is_some() {
            return None;
        }
        lines.advance(text);
    }
    Some(Value::Object(map))
}

/// Text below `|` or `>`; below the latter a single line end is a space.
fn block(header: &str, lines: &mut Lines<'_>) -> Option<Value> {
    let (folded, stripped) = (header.starts_with('>'), header.ends_with('-'));
    let indent = indentation(lines.peek()?);
    let mut text = String::new();
    let mut blank = 0;
    while let Some(line) = lines.peek().filter(|line| line.is_empty() || line.starts_with(' ')) {
        lines.advance(line);
        if line.is_empty() {
            blank += 1;
            continue;
        }
        let depth = indentation(line);
        if depth == line.len() || depth < indent || (folded && depth > indent) {
            return None;
        }
        match (text.is_empty(), folded, blank) {
            (true, _, _) => {}
            (false, true, 0) => text.push(' '),
            (false, true, _) => text.extend(std::iter::repeat_n('\n', blank)),
            (false, false, _) => text.extend(std::iter::repeat_n('\n', blank + 1)),
        }
        text.push_str(&line[indent..]);
        blank = 0;
    }
    if !stripped {
        text.push('\n');
    }
    (indent > 0).then_some(Value::String(text))
}

fn indentation(line: &str) -> usize {
    line.bytes().take_while(|&it| it == b' ').count()
}
