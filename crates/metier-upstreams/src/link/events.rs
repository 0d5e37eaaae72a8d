//! Server-sent events: bytes of a stream in, whole events out, none longer than its bound.
//!
//! As forgiving as the standard asks: line ends of any kind, fields that nobody knows, comments.

use std::collections::VecDeque;

use futures_util::StreamExt;
use metier_wire::Ends;

use super::lines::{LONGEST_LINE, answered};
use crate::web::{Body, WebError};

/// One event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its name; empty where it is a message like any other.
    pub(crate) name: String,
    pub(crate) data: Data,
    /// By which we can say how far we have come.
    pub(crate) id: Option<String>,
    /// After how many milliseconds we may come back.
    pub(crate) retry: Option<u64>,
}

/// What an event carries.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Whole(Vec<u8>),
    /// It was too long to keep; the id of the request that it answers, if that can be seen.
    TooLong(Option<u64>),
}

/// The events of a response.
pub(crate) struct Events {
    body: Body,
    parser: Parser,
    ready: VecDeque<Event>,
}

/// What is known of an event that is not yet over.
#[derive(Default)]
struct Parser {
    /// The line that has not ended yet.
    line: Vec<u8>,
    event: Event,
    data: Option<Vec<u8>>,
    /// The ends of data that is too long.
    skipped: Option<Ends>,
    /// Whether the line that has not ended belongs to them.
    is_skipping: bool,
    after: After,
}

/// What came before the next byte, as far as that matters.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum After {
    #[default]
    Nothing,
    CarriageReturn,
    Other,
}

impl Default for Data {
    fn default() -> Data {
        Data::Whole(Vec::new())
    }
}

impl Event {
    /// What it carries, if that is for the one who reads messages.
    pub(crate) fn message(&self) -> Option<&Data> {
        let is_message = matches!(&*self.name, "" | "message");
        Some(&self.data).filter(|data| is_message && **data != Data::default())
    }
}

impl Events {
    pub(crate) fn new(body: Body) -> Events {
        Events { body, parser: Parser::default(), ready: VecDeque::new() }
    }

    /// The next event, or nothing if the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Result<Event, WebError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            match self.body.next().await? {
                Ok(bytes) => self.parser.feed(&bytes, &mut self.ready),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Parser {
    fn feed(&mut self, mut bytes: &[u8], ready: &mut VecDeque<Event>) {
        if self.after == After::CarriageReturn && !bytes.is_empty() {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            self.after = After::Other;
        }
        while let Some(at) = memchr::memchr2(b'\n', b'\r', bytes) {
            self.end_line(&bytes[..at], ready);
            let is_return = bytes[at] == b'\r';
            bytes = &bytes[at + 1..];
            self.after = After::Other;
            match (is_return, bytes.first()) {
                (true, Some(b'\n')) => bytes = &bytes[1..],
                (true, None) => self.after = After::CarriageReturn,
                _ => {}
            }
        }
        if !bytes.is_empty() {
            self.keep(bytes);
        }
    }

    /// Keeps a part of a line, unless it has grown too long.
    fn keep(&mut self, part: &[u8]) {
        if let (true, Some(ends)) = (self.is_skipping, &mut self.skipped) {
            ends.pass(part);
            return;
        }
        self.line.extend_from_slice(part);
        if self.line.len() > LONGEST_LINE {
            let line = std::mem::take(&mut self.line);
            self.skip(value_of(&line).1);
            self.is_skipping = true;
        }
    }

    fn end_line(&mut self, part: &[u8], ready: &mut VecDeque<Event>) {
        if std::mem::take(&mut self.is_skipping) {
            self.skip(part);
        } else if self.line.is_empty() {
            self.take_line(part, ready);
        } else {
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(part);
            self.take_line(&line, ready);
        }
    }

    fn take_line(&mut self, line: &[u8], ready: &mut VecDeque<Event>) {
        let is_first = std::mem::replace(&mut self.after, After::Other) == After::Nothing;
        let line = if is_first { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        if line.is_empty() {
            ready.extend(self.finish());
            return;
        }
        let (field, value) = value_of(line);
        let text = || String::from_utf8_lossy(value).into_owned();
        match field {
            b"data" => self.take_data(value),
            b"event" => self.event.name = text(),
            b"id" if !value.contains(&0) => self.event.id = Some(text()),
            b"retry" => self.event.retry = text().parse().ok().or(self.event.retry),
            // A comment, or a field that nobody knows.
            _ => {}
        }
    }

    fn take_data(&mut self, value: &[u8]) {
        let length = self.data.as_ref().map_or(0, Vec::len) + value.len();
        if self.skipped.is_some() || length > LONGEST_LINE {
            self.skip(value);
            return;
        }
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
    }

    /// Lets go of the data that is there: it is too long.
    fn skip(&mut self, part: &[u8]) {
        match (&mut self.skipped, self.data.take()) {
            (Some(ends), _) => ends.pass(part),
            (none, None) => *none = Some(Ends::of(part)),
            (none, Some(data)) => none.insert(Ends::of(&data)).pass(part),
        }
    }

    /// The event that an empty line ends; nothing if there was none.
    fn finish(&mut self) -> Option<Event> {
        let mut event = std::mem::take(&mut self.event);
        event.data = match (self.skipped.take(), self.data.take()) {
            (Some(ends), _) => Data::TooLong(answered(&ends)),
            (None, data) => Data::Whole(data.unwrap_or_default()),
        };
        (event != Event::default()).then_some(event)
    }
}

/// The name and the value of a field.
fn value_of(line: &[u8]) -> (&[u8], &[u8]) {
    let Some(colon) = memchr::memchr(b':', line) else { return (line, b"") };
    let value = &line[colon + 1..];
    (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests;
