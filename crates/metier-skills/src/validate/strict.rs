//! Reads frontmatter as the published validator does: block style only, and every scalar is a text.
//!
//! `skills-ref` reads YAML with a strict dialect that real YAML 1.2 readers neither contain nor
//! are contained in, so agreement on what is valid needs this reader: the few forms a head is
//! written in, each with its line, and going on at the next key after a fault.

mod cursor;
mod fault;
mod scalar;

use std::collections::HashSet;

use self::cursor::Cursor;
pub(crate) use self::fault::{Fault, What};

/// How deep lists and maps may nest.
const DEEPEST: usize = 32;

/// How many faults are reported before reading stops.
const MOST_FAULTS: usize = 8;

/// How long a key may be, which is YAML's own limit.
const LONGEST_KEY: usize = 1024;

/// What was read: the fields in order, and what was refused.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) entries: Vec<Entry>,
    pub(crate) faults: Vec<Fault>,
}

/// One `key: value`.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) line: usize,
    pub(crate) node: Node,
}

/// A value and where it begins.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) line: usize,
    column: usize,
    pub(crate) value: Value,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Value {
    Text(Text),
    List(Vec<Node>),
    Map(Vec<Entry>),
    /// The value was refused; the fault says why.
    Broken,
}

/// A scalar: always a text, whatever it looks like.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) style: Style,
    pub(crate) last_line: usize,
    /// A comment follows on the same line.
    pub(crate) comment: bool,
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Quoted,
    Block,
}

/// Whether a list or map may begin where a value begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Inline,
    Fresh,
}

/// Reads the text between the fences, whose first character is on line `line` of the file.
pub(crate) fn read(head: &str, line: usize) -> Reading {
    let mut reader = Reader { cursor: Cursor::new(head, line), depth: 0 };
    match unprintable(head, line) {
        Some(fault) => Reading { entries: Vec::new(), faults: vec![fault] },
        None => reader.document(),
    }
}

struct Reader {
    cursor: Cursor,
    depth: usize,
}

impl Reader {
    /// Reads the outermost map, going on at the next key after each fault.
    fn document(&mut self) -> Reading {
        let mut reading = Reading::default();
        self.cursor.skip();
        if self.cursor.at_close() {
            reading.faults.push(self.fault(What::Empty));
            return reading;
        }
        if self.cursor.at_indicator('-') {
            reading.faults.push(self.fault(What::List));
            return reading;
        }
        let indent = self.cursor.place.column;
        while !self.cursor.at_close() && reading.faults.len() < MOST_FAULTS {
            self.depth = 0;
            let start = self.cursor.place;
            if let Err(fault) = self.top_entry(indent, &mut reading.entries) {
                reading.faults.push(fault);
                self.cursor.place = start;
                self.cursor.next_key_line(indent);
            }
        }
        reading.faults.extend(self.tail());
        reading.faults.extend(clash(&reading.entries));
        reading
    }

    fn top_entry(&mut self, indent: usize, entries: &mut Vec<Entry>) -> Result<(), Fault> {
        let line = self.cursor.place.line;
        if self.cursor.place.column != indent {
            return Err(self.fault(What::Indent));
        }
        let key = self.key(indent)?;
        let column = self.cursor.place.column;
        entries.push(Entry { key, line, node: Node { line, column, value: Value::Broken } });
        let node = self.value(indent)?;
        if let Some(entry) = entries.last_mut() {
            entry.node = node;
        }
        self.cursor.skip();
        match self.cursor.at_close() || self.cursor.place.column <= indent {
            true => Ok(()),
            false => Err(self.fault(What::Indent)),
        }
    }

    /// What stands behind the end of the document.
    fn tail(&mut self) -> Option<Fault> {
        if !self.cursor.at_marker() {
            return None;
        }
        let fault = self.fault(What::Dots);
        self.cursor.take_while(|ch| ch == '.');
        self.cursor.skip();
        (!self.cursor.at_end()).then_some(fault)
    }

    /// Reads a map whose keys stand at column `indent`.
    fn map(&mut self, indent: usize) -> Result<Vec<Entry>, Fault> {
        let mut entries = Vec::new();
        loop {
            let line = self.cursor.place.line;
            let key = self.key(indent)?;
            let node = self.value(indent)?;
            entries.push(Entry { key, line, node });
            self.cursor.skip();
            if self.cursor.at_close() || self.cursor.place.column < indent {
                break;
            }
            if self.cursor.place.column > indent {
                return Err(self.fault(What::Indent));
            }
        }
        clash(&entries).map_or(Ok(entries), Err)
    }

    /// Reads the items of a list whose dashes stand at column `indent`.
    fn list(&mut self, indent: usize) -> Result<Vec<Node>, Fault> {
        let mut items = Vec::new();
        while self.cursor.place.column == indent && self.cursor.at_indicator('-') {
            let empty = self.empty();
            self.cursor.bump();
            self.cursor.skip();
            let filled = !self.cursor.at_close() && self.cursor.place.column > indent;
            items.push(if filled { self.node(indent, Start::Fresh)? } else { empty });
            self.cursor.skip();
        }
        match self.cursor.at_close() || self.cursor.place.column <= indent {
            true => Ok(items),
            false => Err(self.fault(What::Indent)),
        }
    }

    /// Reads a key and its colon.
    fn key(&mut self, indent: usize) -> Result<String, Fault> {
        let place = self.cursor.place;
        let refused = |what| Err(Fault { line: place.line, what });
        for (mark, what) in [('-', What::NotAKey), ('?', What::ComplexKey), (':', What::NoKey)] {
            if self.cursor.at_indicator(mark) {
                return refused(what);
            }
        }
        let text = match self.cursor.peek(0) {
            '|' | '>' => return refused(What::NotAKey),
            _ => self.text(indent)?,
        };
        let short = |at: usize| at - place.at <= LONGEST_KEY;
        if text.last_line != place.line
            || !self.at_colon(place.line)
            || !short(self.cursor.place.at)
        {
            return refused(What::NotAKey);
        }
        self.cursor.bump();
        match text.text.as_str() {
            "<<" if text.style == Style::Plain => refused(What::Merge),
            _ => Ok(text.text),
        }
    }

    /// Reads what follows the colon of a key at column `indent`.
    fn value(&mut self, indent: usize) -> Result<Node, Fault> {
        let empty = self.empty();
        self.cursor.skip();
        let start = if self.cursor.place.line == empty.line { Start::Inline } else { Start::Fresh };
        let column = self.cursor.place.column;
        if self.cursor.at_close() || column < indent {
            return Ok(empty);
        }
        let begins = self.cursor.at_indicator('-') || matches!(self.cursor.peek(0), '|' | '>');
        if column > indent || begins { self.node(indent, start) } else { Ok(empty) }
    }

    /// Reads a value inside a collection indented by `indent`.
    fn node(&mut self, indent: usize, start: Start) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault(What::Deep));
        }
        let place = self.cursor.place;
        let value = if self.cursor.at_indicator('-') {
            match start {
                Start::Inline => return Err(self.fault(What::InlineList)),
                Start::Fresh => Value::List(self.list(place.column)?),
            }
        } else if let Some(text) = self.text_unless_key(indent, start)? {
            Value::Text(text)
        } else {
            self.cursor.place = place;
            Value::Map(self.map(place.column)?)
        };
        self.depth -= 1;
        Ok(Node { line: place.line, column: place.column, value })
    }

    /// Reads a text, or nothing if it turns out to be a key where one may stand.
    fn text_unless_key(&mut self, indent: usize, start: Start) -> Result<Option<Text>, Fault> {
        let place = self.cursor.place;
        if self.cursor.at_indicator('?') || self.cursor.at_indicator(':') {
            return Ok(None);
        }
        let text = self.text(indent)?;
        if text.style == Style::Block || !self.at_colon(text.last_line) {
            return Ok(Some(text));
        }
        let short = self.cursor.place.at - place.at <= LONGEST_KEY;
        match start == Start::Fresh && short && text.last_line == place.line {
            true => Ok(None),
            false => Err(self.fault(What::Colon)),
        }
    }

    /// Reads a text inside a collection indented by `indent`.
    fn text(&mut self, indent: usize) -> Result<Text, Fault> {
        let line = self.cursor.place.line;
        let first = self.cursor.peek(0);
        let fault = |what| Fault { line, what };
        if let Some(what) = scalar::misfit(first) {
            return Err(fault(what));
        }
        let cursor = &mut self.cursor;
        let (style, text) = match first {
            '|' | '>' => (Style::Block, scalar::block(cursor, indent).map_err(fault)?),
            '\'' | '"' => (Style::Quoted, scalar::quoted(cursor).map_err(fault)?),
            _ => {
                let (text, last_line) = scalar::plain(cursor, indent + 1);
                let comment = cursor.peek(0) == '#' && cursor.place.line == last_line;
                return Ok(Text { text, style: Style::Plain, last_line, comment });
            }
        };
        Ok(Text { text, style, last_line: cursor.place.line, comment: false })
    }

    /// Whether a colon that ends a key comes next on `line`.
    fn at_colon(&mut self, line: usize) -> bool {
        self.cursor.take_while(|ch| ch == ' ');
        self.cursor.place.line == line && self.cursor.at_indicator(':')
    }

    fn empty(&self) -> Node {
        let place = self.cursor.place;
        let text = Text {
            text: String::new(),
            style: Style::Plain,
            last_line: place.line,
            comment: false,
        };
        Node { line: place.line, column: place.column, value: Value::Text(text) }
    }

    fn fault(&self, what: What) -> Fault {
        Fault { line: self.cursor.place.line, what }
    }
}

/// What the entries of one map may not have in common, or must.
fn clash(entries: &[Entry]) -> Option<Fault> {
    let mut seen = HashSet::new();
    if let Some(entry) = entries.iter().find(|entry| !seen.insert(&entry.key)) {
        return Some(Fault { line: entry.line, what: What::Duplicate(entry.key.clone()) });
    }
    let mut maps =
        entries.iter().map(|entry| &entry.node).filter(|node| matches!(node.value, Value::Map(_)));
    let first = maps.next()?;
    let uneven = maps.find(|node| node.column != first.column)?;
    Some(Fault { line: uneven.line, what: What::Uneven })
}

/// The first character that YAML does not allow in a file.
fn unprintable(head: &str, line: usize) -> Option<Fault> {
    let allowed = |ch| matches!(ch, '\t' | '\n' | '\u{85}' | ' '..='~' | '\u{a0}'..);
    let odd = |ch: &char| !allowed(*ch) || matches!(ch, '\u{fffe}' | '\u{ffff}');
    let (at, ch) = head.char_indices().find(|(_, ch)| odd(ch))?;
    let line = line + head[..at].matches('\n').count();
    Some(Fault { line, what: What::Unprintable(ch) })
}

#[cfg(test)]
mod tests;
