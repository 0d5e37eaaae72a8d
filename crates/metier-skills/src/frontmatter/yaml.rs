//! The strict reader: all of YAML 1.2, within bounds.
//!
//! It drives the parser under `serde-saphyr` by its events instead of through serde: half the
//! cost, and only the events know how a word was spelled, where it stands and which words YAML
//! took for anchors.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};
use serde_saphyr::granit_parser::{Event, Marker, Parser, ScalarStyle, StrInput, Tag, options};

use super::quirk::SHOWN;
use super::{Entry, FrontmatterError, Quirk, Reading, Repair, scalar};

/// How deep lists and maps may lie in each other.
const DEEPEST: usize = 16;

/// How large a head may grow once its aliases are written out: bytes of text plus nodes.
const LARGEST: usize = 256 * 1024;

/// Reads a head that is a YAML mapping; of several equal keys the last one counts.
pub(super) fn read(
    head: &str,
    first_line: usize,
    typing: scalar::Typings,
) -> Result<Reading, FrontmatterError> {
    let options = options! {
        flow_nesting_limit: DEEPEST,
        block_nesting_limit: DEEPEST,
        emit_anchor_events: true,
        emit_comments: false,
    };
    let mut reader = Reader {
        head,
        typing,
        parser: Parser::new_from_str_with_options(head, options),
        first_line,
        line: first_line,
        end: 0,
        field: String::new(),
        size: 0,
        anchors: HashMap::new(),
        unused: BTreeMap::new(),
        repairs: Vec::new(),
    };
    let entries = reader.document()?;
    let Reader { mut repairs, unused, .. } = reader;
    repairs.extend(unused.into_values());
    Ok(last_wins(Reading { entries, repairs }))
}

/// Keeps the last of several entries with the same key, at the place of the first.
pub(super) fn last_wins(reading: Reading) -> Reading {
    let Reading { entries, mut repairs } = reading;
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    let mut places = HashMap::new();
    for entry in entries {
        match places.get(&entry.key).and_then(|&place: &usize| kept.get_mut(place)) {
            Some(earlier) => {
                repairs.push(duplicate(entry.line, &entry.key));
                *earlier = entry;
            }
            None => {
                places.insert(entry.key.clone(), kept.len());
                kept.push(entry);
            }
        }
    }
    Reading { entries: kept, repairs }
}

fn duplicate(line: usize, key: &str) -> Repair {
    Repair { line, field: key.to_owned(), what: Quirk::Duplicate }
}

struct Reader<'a> {
    head: &'a str,
    typing: scalar::Typings,
    parser: Parser<'a, StrInput<'a>>,
    first_line: usize,
    /// The line on which the last event starts, and the byte at which it ends.
    line: usize,
    end: usize,
    /// The top-level field it belongs to.
    field: String,
    size: usize,
    /// The values anchors stand for, with what each costs to write out again.
    anchors: HashMap<usize, (Value, usize)>,
    /// Anchors that no alias has asked for yet, and what to say if none does.
    unused: BTreeMap<usize, Repair>,
    repairs: Vec<Repair>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Vec<Entry>, FrontmatterError> {
        let mut documents = Vec::new();
        loop {
            match self.next()? {
                Event::MappingStart(..) if documents.is_empty() => documents.push(self.entries()?),
                Event::MappingStart(..) => return Err(self.refused("a second document starts")),
                Event::StreamEnd => return Ok(documents.pop().unwrap_or_default()),
                Event::SequenceStart(..) => return Err(self.not_mapping("a list")),
                Event::Scalar(text, style, ..) if !is_null(&text, style) => {
                    return Err(self.not_mapping("text"));
                }
                _ => {}
            }
        }
    }

    fn entries(&mut self) -> Result<Vec<Entry>, FrontmatterError> {
        let mut entries = Vec::new();
        loop {
            let event = self.next()?;
            if event == Event::MappingEnd {
                return Ok(entries);
            }
            let line = self.line;
            let key = self.key(event)?;
            self.field.clone_from(&key);
            let event = self.next()?;
            let value = self.value(event, (self.typing)(&key))?;
            if scalar::is_required(&key) {
                self.notice_comment();
            }
            entries.push(Entry { key, value, line });
        }
    }

    /// The next event that is part of the text.
    fn next(&mut self) -> Result<Event<'a>, FrontmatterError> {
        loop {
            let (event, span) = match self.parser.next_event() {
                Some(Ok(next)) => next,
                Some(Err(error)) => {
                    self.stand_at(*error.marker());
                    return Err(self.refused(error.info()));
                }
                None => return Ok(Event::StreamEnd),
            };
            self.stand_at(span.start);
            self.end = span.end.byte_offset().unwrap_or(self.head.len());
            let Event::Anchor(id, name) = event else { return Ok(event) };
            let repair = self.dropped(format!("&{name}"));
            self.unused.insert(id, repair);
        }
    }

    /// Tells of ` #12 …` behind a value: a comment to YAML, but hardly to the author.
    fn notice_comment(&mut self) {
        let rest = self.head.get(self.end..).and_then(|rest| rest.lines().next()).unwrap_or("");
        let comment = rest.trim();
        let glued =
            comment.strip_prefix('#').is_some_and(|it| it.starts_with(char::is_alphanumeric));
        if glued && rest.starts_with([' ', '\t']) {
            let repair = self.dropped(comment.chars().take(SHOWN).collect());
            self.repairs.push(repair);
        }
    }

    fn stand_at(&mut self, marker: Marker) {
        self.line = self.first_line + marker.line().saturating_sub(1);
    }

    /// A key as it is spelled; only words can be one.
    fn key(&mut self, event: Event<'a>) -> Result<String, FrontmatterError> {
        match self.value(event, scalar::spelling)? {
            Value::String(key) => Ok(key),
            value => Err(self.refused(format!("{} cannot be a key", super::kind(&value)))),
        }
    }

    fn value(
        &mut self,
        event: Event<'a>,
        typing: scalar::Typing,
    ) -> Result<Value, FrontmatterError> {
        let before = self.size;
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.grow(1 + text.len())?;
                (self.scalar(text, style, tag.as_deref(), typing), anchor)
            }
            Event::SequenceStart(_, anchor, _) => (self.list()?, anchor),
            Event::MappingStart(_, anchor, _) => (self.map()?, anchor),
            Event::Alias(anchor) => return self.alias(anchor),
            other => return Err(self.refused(format!("unexpected {other:?}"))),
        };
        if anchor != 0 {
            self.anchors.insert(anchor, (value.clone(), self.size - before));
        }
        Ok(value)
    }

    fn scalar(
        &mut self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
        typing: scalar::Typing,
    ) -> Value {
        let plain = style == ScalarStyle::Plain;
        match tag.map(|tag| (tag, tag.core_suffix())) {
            None if plain => typing(text),
            None | Some((_, Some("str"))) => Value::String(text.into_owned()),
            Some((_, Some(_))) => scalar::core(text),
            Some((tag, None)) => {
                let repair = self.dropped(tag.original());
                self.repairs.push(repair);
                if plain { typing(text) } else { Value::String(text.into_owned()) }
            }
        }
    }

    fn list(&mut self) -> Result<Value, FrontmatterError> {
        self.grow(1)?;
        let mut items = Vec::new();
        loop {
            match self.next()? {
                Event::SequenceEnd => return Ok(Value::Array(items)),
                event => items.push(self.value(event, scalar::core)?),
            }
        }
    }

    fn map(&mut self) -> Result<Value, FrontmatterError> {
        self.grow(1)?;
        let mut map = Map::new();
        loop {
            let event = self.next()?;
            if event == Event::MappingEnd {
                return Ok(Value::Object(map));
            }
            let line = self.line;
            let key = self.key(event)?;
            let event = self.next()?;
            let value = self.value(event, scalar::core)?;
            if map.contains_key(&key) {
                self.repairs.push(duplicate(line, &key));
            }
            map.insert(key, value);
        }
    }

    fn alias(&mut self, anchor: usize) -> Result<Value, FrontmatterError> {
        self.unused.remove(&anchor);
        let size = self.anchors.get(&anchor).map_or(1, |(_value, size)| *size);
        self.grow(size)?;
        match self.anchors.get(&anchor) {
            Some((value, _size)) => Ok(value.clone()),
            None => Err(self.refused("an alias stands within its own anchor")),
        }
    }

    fn grow(&mut self, by: usize) -> Result<(), FrontmatterError> {
        self.size += by;
        if self.size > LARGEST {
            return Err(self.refused("its aliases make it too large"));
        }
        Ok(())
    }

    fn dropped(&self, word: String) -> Repair {
        Repair { line: self.line, field: self.field.clone(), what: Quirk::Dropped(word) }
    }

    fn not_mapping(&self, found: &'static str) -> FrontmatterError {
        FrontmatterError::NotMapping { line: self.line, found }
    }

    fn refused(&self, cause: impl Into<String>) -> FrontmatterError {
        FrontmatterError::Unreadable { line: self.line, cause: cause.into() }
    }
}

fn is_null(text: &str, style: ScalarStyle) -> bool {
    style == ScalarStyle::Plain && scalar::text(Cow::Borrowed(text)).is_null()
}
