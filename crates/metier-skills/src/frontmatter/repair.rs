//! The lenient reader, for heads that are not YAML: field by field.
//!
//! A line that looks like `key: …` starts a field. Each field is read alone, so that a bad one
//! harms no other; a bad one is taken as the text it is written with.

use serde_json::Value;

use super::quirk::SHOWN;
use super::{Document, Entry, FrontmatterError, Quirk, Reading, Repair, scalar, strict, yaml};

/// How deep maps may lie in each other and still be read field by field.
const DEEPEST: usize = 4;

/// Reads what it can; a head without anything like a field gives no entries.
pub(super) fn read(head: &str, first_line: usize) -> Reading {
    let (clean, repairs) = clean(head, first_line);
    let whole = if repairs.is_empty() { None } else { strict(&clean, first_line).ok() };
    let mut reading = whole.unwrap_or_else(|| isolate(&clean, first_line, DEEPEST));
    reading.repairs.extend(repairs);
    reading
}

/// The words of the field on a line, whatever YAML takes them for: `[beta] …`, `Use when: …`.
pub(super) fn written(line: usize, document: &Document<'_>) -> Option<String> {
    let pieces = pieces(document.head, document.head_line);
    pieces.iter().find(|piece| piece.line == line).map(Piece::text)
}

/// Whether the first line with anything on it is the start of a field.
pub(super) fn starts_with_a_key(head: &str) -> bool {
    head.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| field(line).is_some())
}

/// Leaves out what is never meant to be there: control characters and the marks of a merge.
fn clean(head: &str, first_line: usize) -> (String, Vec<Repair>) {
    let mut clean = String::with_capacity(head.len());
    let mut repairs = Vec::new();
    for (line, text) in (first_line..).zip(head.split_inclusive('\n')) {
        let before = clean.len();
        let what = if is_conflict_marker(text) {
            clean.push('\n');
            Quirk::Conflict
        } else {
            clean.extend(text.chars().filter(|&it| is_printable(it)));
            Quirk::Control
        };
        if clean.len() - before != text.len() {
            repairs.push(Repair { line, field: label(text), what });
        }
    }
    (clean, repairs)
}

fn is_conflict_marker(line: &str) -> bool {
    let rest =
        ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].iter().find_map(|it| line.strip_prefix(it));
    rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

fn is_printable(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => true,
        '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => !c.is_control(),
    }
}

/// What to call a line: its key, or its beginning.
fn label(line: &str) -> String {
    match field(line) {
        Some((key, _value)) => key.to_owned(),
        None => line.trim().chars().filter(|&it| is_printable(it)).take(SHOWN).collect(),
    }
}

fn isolate(head: &str, first_line: usize, depth: usize) -> Reading {
    let pieces = pieces(head, first_line);
    let above = pieces.first().map_or(0, |piece| piece.line - first_line);
    let mut reading = Reading::default();
    for (line, text) in (first_line..).zip(head.lines().take(above)) {
        if !text.trim().is_empty() && !text.trim_start().starts_with('#') {
            reading.repairs.push(Repair { line, field: label(text), what: Quirk::Stray });
        }
    }
    for piece in pieces {
        let Reading { entries, repairs } = piece.read(depth);
        reading.entries.extend(entries);
        reading.repairs.extend(repairs);
    }
    yaml::last_wins(reading)
}

/// A field as it is written.
struct Piece<'a> {
    key: &'a str,
    line: usize,
    /// What follows the colon on the first line.
    first: &'a str,
    /// All its lines.
    whole: &'a str,
}

/// Cuts a head at the lines that look like the start of a field and are indented no more than
/// the fields above.
fn pieces(head: &str, first_line: usize) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let (mut at, mut deepest) = (0, usize::MAX);
    for (line, text) in (first_line..).zip(head.split_inclusive('\n')) {
        let end = at + text.len();
        let indent = text.len() - text.trim_start().len();
        match (field(text.trim_start()), pieces.last_mut()) {
            (Some((key, first)), _) if indent <= deepest => {
                pieces.push(Piece { key, line, first, whole: text });
                deepest = indent;
            }
            (_, Some(open)) => open.whole = &head[at - open.whole.len()..end],
            (_, None) => {}
        }
        at = end;
    }
    pieces
}

/// The key and the rest of a line that starts a field.
fn field(line: &str) -> Option<(&str, &str)> {
    let end = line.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))?;
    let (key, rest) = line.split_at(end);
    let value = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
    let named = key.starts_with(|c: char| c.is_alphabetic() || c == '_');
    // `name:pdf` is no YAML, but nobody means anything else by it.
    let apart = value.is_empty() || value.starts_with(char::is_whitespace);
    (named && (apart || scalar::is_required(key))).then_some((key, value))
}

impl Piece<'_> {
    fn read(&self, depth: usize) -> Reading {
        let refused = match strict(self.whole, self.line) {
            Ok(reading) => return reading,
            Err(refused) => refused,
        };
        self.untabbed().or_else(|| self.nested(depth)).unwrap_or_else(|| {
            let value = Value::String(self.text());
            let entries = vec![Entry { key: self.key.to_owned(), value, line: self.line }];
            Reading { entries, repairs: vec![self.repair(self.quirk(refused))] }
        })
    }

    /// The lines below the first.
    fn more(&self) -> &str {
        self.whole.split_once('\n').map_or("", |(_first, more)| more)
    }

    /// The same with spaces for tabs, if that is all that was wrong.
    fn untabbed(&self) -> Option<Reading> {
        let mut spaced = String::with_capacity(self.whole.len());
        for line in self.whole.split_inclusive('\n') {
            let text = line.trim_start_matches([' ', '\t']);
            spaced.push_str(&line[..line.len() - text.len()].replace('\t', "  "));
            spaced.push_str(text);
        }
        if spaced == self.whole {
            return None;
        }
        let mut reading = strict(&spaced, self.line).ok()?;
        reading.repairs.push(self.repair(Quirk::Tabs));
        Some(reading)
    }

    /// A map with a bad field in it, read field by field in its turn.
    fn nested(&self, depth: usize) -> Option<Reading> {
        let below = self.more().trim_start_matches(['\r', '\n']);
        let fits = depth > 0 && self.first.trim().is_empty() && below.starts_with([' ', '\t']);
        if !fits || scalar::is_required(self.key) || !starts_with_a_key(below.trim_start()) {
            return None;
        }
        let Reading { entries, repairs } = isolate(self.more(), self.line + 1, depth - 1);
        let map = entries.into_iter().map(|entry| (entry.key, entry.value)).collect();
        let entry = Entry { key: self.key.to_owned(), value: Value::Object(map), line: self.line };
        Some(Reading { entries: vec![entry], repairs })
    }

    /// The words of the value, without the marks around them.
    fn text(&self) -> String {
        let block = is_block_header(self.first.trim());
        let first = if block { "" } else { self.first.trim() };
        let joint = if block && self.first.trim().starts_with('|') { "\n" } else { " " };
        let more = self.more().lines().filter(|line| block || !line.starts_with('#'));
        let lines = std::iter::once(first).chain(more.map(str::trim));
        let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(joint);
        if block { text } else { unquoted(&text) }
    }

    fn repair(&self, what: Quirk) -> Repair {
        Repair { line: self.line, field: self.key.to_owned(), what }
    }

    /// What most likely made YAML refuse this field.
    fn quirk(&self, refused: FrontmatterError) -> Quirk {
        let value = self.first.trim();
        let colon = |text: &str| text.contains(": ") || text.trim_end().ends_with(':');
        let unindented = |line: &str| !line.is_empty() && !line.starts_with(char::is_whitespace);
        let goes_on = self.more().lines().any(unindented);
        match value.chars().next() {
            Some(_) if !self.first.starts_with(char::is_whitespace) => Quirk::Glued,
            Some('"' | '\'' | '|' | '>') if goes_on => Quirk::Unindented,
            Some(quote @ ('"' | '\'')) if !is_closed(value, quote) => Quirk::Quotes,
            Some('"' | '\'') => Quirk::Broken(cause(refused)),
            Some(mark) if is_mark(mark, value) => Quirk::Start(mark),
            _ if colon(value) => Quirk::Colon,
            _ if goes_on => Quirk::Unindented,
            _ if self.more().lines().any(colon) => Quirk::Colon,
            _ => Quirk::Broken(cause(refused)),
        }
    }
}

fn cause(refused: FrontmatterError) -> String {
    match refused {
        FrontmatterError::Unreadable { cause, .. } => cause,
        other => other.to_string(),
    }
}

fn is_closed(value: &str, quote: char) -> bool {
    value.ends_with(quote) && value.matches(quote).count() == 2
}

/// Whether YAML takes the first character of a value for a sign of its own.
fn is_mark(first: char, value: &str) -> bool {
    let alone = value[first.len_utf8()..].chars().next().is_none_or(char::is_whitespace);
    "&*@`%[]{},|>!#".contains(first) || (alone && "-?:".contains(first))
}

/// Whether a value is nothing but `|` or `>` with its marks.
fn is_block_header(value: &str) -> bool {
    value.strip_prefix(['|', '>']).is_some_and(|marks| {
        marks.chars().all(|mark| matches!(mark, '+' | '-') || mark.is_ascii_digit())
    })
}

/// Text without the quotes around it, where they are around it: not in `"a" and "b"`.
fn unquoted(text: &str) -> String {
    let Some(quote @ ('"' | '\'')) = text.chars().next() else {
        return text.to_owned();
    };
    let inner = &text[1..];
    let mut quotes = inner.match_indices(quote).filter(|(at, _)| !inner[..*at].ends_with('\\'));
    let closes_early = quotes.next().is_some_and(|(at, _)| {
        let after = inner[at + 1..].chars().next();
        !inner[..at].ends_with(char::is_whitespace)
            && after.is_some_and(|c| c.is_whitespace() || matches!(c, ',' | '.' | ';' | ':' | ')'))
    });
    if closes_early {
        return text.to_owned();
    }
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    if quote == '"' { inner.replace("\\\"", "\"") } else { inner.replace("''", "'") }
}
