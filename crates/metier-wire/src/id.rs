//! The id of a request: echoed exactly as it was sent.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A string or an integer, in the sender's own spelling.
#[derive(Clone, Copy, Debug)]
pub struct Id<'a>(&'a RawValue);

/// An id that can be kept and compared: spellings of one string are one key. Clones share it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdKey(Arc<str>);

impl<'a> Id<'a> {
    /// Takes a value as an id, if it may be one.
    #[must_use]
    pub fn new(value: &'a RawValue) -> Option<Id<'a>> {
        let is_id = match value.get().as_bytes() {
            [b'"', ..] => true,
            [b'-' | b'0'..=b'9', rest @ ..] => {
                rest.iter().all(u8::is_ascii_digit)
                    || value.get().parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
            }
            _ => false,
        };
        is_id.then_some(Id(value))
    }

    /// The id as it was sent.
    #[must_use]
    pub fn as_str(self) -> &'a str {
        self.0.get()
    }

    /// The id as it was sent, for later.
    #[must_use]
    pub fn to_raw(self) -> Box<RawValue> {
        self.0.to_owned()
    }

    /// The id as something to look up.
    #[must_use]
    pub fn key(self) -> IdKey {
        let text = self.0.get();
        // Only a string with an escape has more than one spelling that matters.
        match text.contains('\\').then(|| serde_json::from_str::<String>(text)) {
            Some(Ok(plain)) => IdKey(format!("\"{plain}\"").into()),
            _ => IdKey(text.into()),
        }
    }
}

impl Serialize for Id<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
