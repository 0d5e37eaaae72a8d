//! Lines: bytes of a stream in, whole lines out, none longer than its bound.

use metier_wire::{Ends, Id};

use super::switchboard::number;

/// How long a line may be; blobs of some 20 MB come as one.
pub(crate) const LONGEST_LINE: usize = 32 << 20;
/// How much room is kept when a long line has gone.
const ROOM: usize = 64 << 10;

/// What a stream holds next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line, without its end.
    Whole(&'a [u8]),
    /// A line that was too long to keep; the id of the request that it answers, if it says so
    /// where one can see it.
    TooLong(Option<u64>),
}

/// Bytes of a stream, as they come.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where there is no line end.
    seen: usize,
    /// The ends of the line that is being skipped, if one is.
    skipped: Option<Ends>,
}

impl Lines {
    /// The place for more bytes, at its end.
    pub(crate) fn space(&mut self) -> &mut Vec<u8> {
        self.bytes.drain(..self.start);
        self.seen -= self.start;
        self.start = 0;
        &mut self.bytes
    }

    /// The next line, if it is all there.
    pub(crate) fn next(&mut self) -> Option<Line<'_>> {
        let Some(at) = memchr::memchr(b'\n', &self.bytes[self.seen..]) else {
            self.seen = self.bytes.len();
            if self.skipped.is_some() || self.seen - self.start > LONGEST_LINE {
                self.skip();
            }
            return None;
        };
        let (start, end) = (self.start, self.seen + at);
        (self.start, self.seen) = (end + 1, end + 1);
        let line = &self.bytes[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match self.skipped.take() {
            None => Some(Line::Whole(line)),
            Some(mut ends) => {
                ends.pass(line);
                Some(Line::TooLong(answered(&ends)))
            }
        }
    }

    /// What is left when the stream has ended: a last line without its end.
    pub(crate) fn rest(&self) -> Option<&[u8]> {
        let rest = &self.bytes[self.start..];
        (self.skipped.is_none() && !rest.is_empty()).then_some(rest)
    }

    /// Lets go of all that is there: it belongs to a line that is too long.
    fn skip(&mut self) {
        let part = &self.bytes[self.start..];
        match &mut self.skipped {
            Some(ends) => ends.pass(part),
            None => self.skipped = Some(Ends::of(part)),
        }
        self.bytes.clear();
        self.bytes.shrink_to(ROOM);
        (self.start, self.seen) = (0, 0);
    }
}

/// The request that a message answers of which only the ends are known, if they say so.
pub(crate) fn answered(ends: &Ends) -> Option<u64> {
    ends.answers().and_then(|id| Id::new(&id).and_then(number))
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, Line, Lines};

    /// What comes out of a stream that arrives in these parts.
    fn lines(parts: &[&[u8]]) -> Vec<String> {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        for part in parts {
            lines.space().extend_from_slice(part);
            let mut had = 0;
            while let Some(line) = lines.next() {
                had += 1;
                out.push(match line {
                    Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                    Line::TooLong(id) => format!("too long: {id:?}"),
                });
            }
            assert!(had <= part.len());
        }
        out.extend(lines.rest().map(|it| format!("rest: {}", String::from_utf8_lossy(it))));
        out
    }

    #[test]
    fn a_line_may_come_in_pieces_and_two_at_once() {
        assert_eq!(lines(&[b"a", b"b\nc\r\nd", b"\n\n"]), ["ab", "c", "d", ""]);
        assert_eq!(lines(&[b"a\nb"]), ["a", "rest: b"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_says_whose_it_was() {
        let filler = vec![b'x'; LONGEST_LINE];
        let check = |head: &str, tail: &str, expected: &str| {
            let parts = [head.as_bytes(), &filler, b"xx", &filler, tail.as_bytes(), b"\nnext\n"];
            assert_eq!(lines(&parts), [expected, "next"]);
        };
        check(r#"{"jsonrpc":"2.0","id":7,"result":""#, r#""}"#, "too long: Some(7)");
        check(r#"{"result":""#, r#"","jsonrpc":"2.0","id":8}"#, "too long: Some(8)");
        check(r#"{"result":{"a":""#, r#"","id":8}}"#, "too long: None");
    }

    #[test]
    fn what_is_kept_of_an_endless_line_stays_small() {
        let (mut lines, chunk) = (Lines::default(), vec![b'x'; 1 << 20]);
        for _ in 0..100 {
            lines.space().extend_from_slice(&chunk);
            assert_eq!(lines.next(), None);
            assert!(lines.bytes.capacity() <= 2 * LONGEST_LINE + (2 << 20));
        }
        assert!(lines.bytes.len() <= LONGEST_LINE);
    }
}
