//! Messages that are too long to keep: what can be said of them by their beginning and their end.

use std::fmt;

use serde::{
    Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{id::Id, text::Text};

/// How much is kept of either end.
const END: usize = 256;

/// The ends of a message that is too long to keep.
#[derive(Debug)]
pub struct Ends {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Ends {
    /// The ends of what begins with `part`.
    #[must_use]
    pub fn of(part: &[u8]) -> Ends {
        let head = part[..END.min(part.len())].to_vec();
        let mut ends = Ends { head, tail: Vec::new() };
        ends.pass(part);
        ends
    }

    /// Goes on to the end of `part`.
    pub fn pass(&mut self, part: &[u8]) {
        self.tail.extend_from_slice(&part[part.len().saturating_sub(END)..]);
        self.tail.drain(..self.tail.len().saturating_sub(END));
    }

    /// The id of the message if it is a request, as far as one can see.
    #[must_use]
    pub fn asks(&self) -> Option<Box<RawValue>> {
        let beginning = self.beginning();
        beginning.id.or_else(|| self.last_id()).filter(|_| beginning.has_method)
    }

    /// The id of the message if it is a response, as far as one can see.
    #[must_use]
    pub fn answers(&self) -> Option<Box<RawValue>> {
        let beginning = self.beginning();
        beginning.id.or_else(|| self.last_id()).filter(|_| !beginning.has_method)
    }

    /// What the members say that are whole at the beginning.
    fn beginning(&self) -> Beginning {
        let head = String::from_utf8_lossy(&self.head);
        let mut beginning = Beginning::default();
        // That it breaks off is no news.
        let _ = serde_json::Deserializer::from_str(&head).deserialize_map(&mut beginning);
        beginning.id.take_if(|id| Id::new(id).is_none());
        beginning
    }

    /// The id that is the last member.
    fn last_id(&self) -> Option<Box<RawValue>> {
        let tail = String::from_utf8_lossy(&self.tail);
        let (before, id) = tail.trim_end().strip_suffix('}')?.rsplit_once("\"id\"")?;
        before.trim_end().strip_suffix(',')?;
        let id = id.trim_start().strip_prefix(':')?.trim().to_owned();
        RawValue::from_string(id).ok().filter(|id| Id::new(id).is_some())
    }
}

/// What the members of a message say, up to one that is not whole.
#[derive(Default)]
struct Beginning {
    id: Option<Box<RawValue>>,
    has_method: bool,
}

impl<'de> Visitor<'de> for &mut Beginning {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut last = None;
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            // A number is whole only if something follows it.
            self.id = self.id.take().or(last.take());
            self.has_method |= key == "method";
            let value: &RawValue = map.next_value()?;
            last = (key == "id").then(|| value.to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{END, Ends};

    fn check(head: &str, tail: &str, expected: &str) {
        let mut ends = Ends::of(head.as_bytes());
        let filler = "é".repeat(END);
        // A part may end anywhere, also within a character.
        ends.pass(&filler.as_bytes()[..END + 1]);
        ends.pass(&filler.as_bytes()[END + 1..]);
        for byte in tail.bytes() {
            ends.pass(&[byte]);
        }
        let said = match (ends.asks(), ends.answers()) {
            (Some(id), None) => format!("asks {id}"),
            (None, Some(id)) => format!("answers {id}"),
            _ => String::new(),
        };
        assert_eq!(said, expected);
        assert!(ends.head.len() <= END && ends.tail.len() <= END);
    }

    #[test]
    fn an_id_before_what_is_long_is_seen() {
        check(r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"x":""#, r#""}}"#, "asks 7");
        check(r#"{ "id" : "a b" , "x": 1, "method":"m","p":{"x":""#, r#""}}"#, "asks \"a b\"");
        check(r#"{"method":"m","id":7,"params":{"x":""#, r#"","id":8}}"#, "asks 7");
        check(r#"{"jsonrpc":"2.0","id":7,"result":{"x":""#, r#""}}"#, "answers 7");
    }

    #[test]
    fn an_id_behind_what_is_long_is_seen() {
        check(r#"{"method":"m","params":{"x":""#, r#""},"jsonrpc":"2.0","id":8}"#, "asks 8");
        check(r#"{"method":"m","params":{"x":""#, "\"} , \"id\" : \"é\" } \r", "asks \"é\"");
        check(r#"{"result":{"x":""#, r#""},"jsonrpc":"2.0","id":8}"#, "answers 8");
    }

    #[test]
    fn what_only_looks_like_the_id_of_the_message_is_not_taken_for_it() {
        check(r#"{"params":{"id":5,"x":""#, r#""}}"#, "");
        check(r#"{"params":{"x":""#, r#"","id":8}}"#, "");
        check(r#"{"params":{"x":""#, r#",\"id\":8}"}}"#, "");
        check(r#"{"params":{"x":""#, r#""},"id":null}"#, "");
        check(r#"{"params":{"x":""#, r#""},"id":{"id":8}}"#, "");
        check(r#"{"id":12"#, "", "");
        check("[{\"id\":7,", "}]", "");
        check("no JSON", "at all", "");
    }
}
