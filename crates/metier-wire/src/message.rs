//! Reading: bytes in, messages out, payloads untouched.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::{error::Category, value::RawValue};

use crate::{error::Error, id::Id, text::Text};

/// How many messages may come as one array.
const MOST_MEMBERS: usize = 1_000;

/// What arrives in one line or one body.
#[derive(Debug)]
pub enum Frame<'a> {
    /// One message.
    One(Message<'a>),
    /// An array of them; each may be broken on its own.
    Batch(Vec<Result<Message<'a>, Fault<'a>>>),
}

/// One message.
#[derive(Debug)]
pub enum Message<'a> {
    /// It wants an answer.
    Request(Request<'a>),
    /// It wants none.
    Notification(Notification<'a>),
    /// It is one.
    Response(Response<'a>),
}

/// A message that wants an answer.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// What the answer must carry.
    pub id: Id<'a>,
    /// What is asked for.
    pub method: Cow<'a, str>,
    /// With which parameters.
    pub params: Option<&'a RawValue>,
}

/// A message that wants no answer.
#[derive(Clone, Debug)]
pub struct Notification<'a> {
    /// What is told.
    pub method: Cow<'a, str>,
    /// With which parameters.
    pub params: Option<&'a RawValue>,
}

/// The answer to a request of this side.
#[derive(Clone, Debug)]
pub struct Response<'a> {
    /// The id of the request; none if the other side could not read that.
    pub id: Option<Id<'a>>,
    /// What became of it.
    pub outcome: Outcome<'a>,
}

/// What became of a request.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// It was served; the value is its result.
    Result(&'a RawValue),
    /// It was not; the value is the error object.
    Error(&'a RawValue),
}

/// Why something is no message, and whom to tell.
#[derive(Debug)]
pub struct Fault<'a> {
    /// The id that it carried, if that much could be read.
    pub id: Option<Id<'a>>,
    /// What to answer.
    pub error: Error,
}

/// The members of a message. What is absent is not the same as what is null.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// The one member that a broken message is searched for.
#[derive(Deserialize)]
struct OnlyId<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
}

impl<'a> Frame<'a> {
    /// Reads what arrived; a byte order mark is forgiven.
    pub fn read(bytes: &'a [u8]) -> Result<Frame<'a>, Fault<'a>> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(Fault::new(Error::new(Error::PARSE, "the message is not UTF-8")));
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if !text.trim_ascii_start().starts_with('[') {
            return Message::read(text).map(Frame::One);
        }
        match serde_json::from_str::<Vec<&RawValue>>(text) {
            Err(error) => Err(Fault::new(not_json(&error))),
            Ok(members) if members.is_empty() => {
                Err(Fault::new(Error::invalid_request("the batch is empty")))
            }
            Ok(members) if members.len() > MOST_MEMBERS => {
                let message = format!("the batch has more than {MOST_MEMBERS} members");
                Err(Fault::new(Error::invalid_request(message)))
            }
            Ok(members) => {
                Ok(Frame::Batch(members.into_iter().map(|it| Message::read(it.get())).collect()))
            }
        }
    }
}

impl<'a> Message<'a> {
    fn read(text: &'a str) -> Result<Message<'a>, Fault<'a>> {
        match serde_json::from_str::<Envelope<'a>>(text) {
            Ok(envelope) => envelope.open(),
            Err(error) if error.classify() == Category::Data => Err(misshapen(text, &error)),
            Err(error) => Err(Fault::new(not_json(&error))),
        }
    }
}

impl<'a> Envelope<'a> {
    fn open(self) -> Result<Message<'a>, Fault<'a>> {
        let id = self.id.and_then(Id::new);
        let fault =
            |message: &'static str| Err(Fault { id, error: Error::invalid_request(message) });
        if self.jsonrpc.is_none_or(|it| it.0 != "2.0") {
            return fault("`jsonrpc` must be \"2.0\"");
        }
        if let (None, None, None, Some(error)) = (&self.method, id, self.result, self.error) {
            // Someone could not read what we sent. An answer to that would have no end.
            return Ok(Message::Response(Response { id: None, outcome: Outcome::Error(error) }));
        }
        if self.id.is_some() && id.is_none() {
            return fault("`id` must be a string or an integer");
        }
        if self.params.is_some_and(|params| !params.get().starts_with('{')) {
            return fault("`params` must be an object");
        }
        let is_answer = self.result.is_some() || self.error.is_some();
        match (self.method.map(|it| it.0), id, Outcome::of(self.result, self.error)) {
            (Some(_), ..) if is_answer => {
                fault("a message has either `method`, or `result` or `error`")
            }
            (Some(method), Some(id), _) => {
                Ok(Message::Request(Request { id, method, params: self.params }))
            }
            (Some(method), None, _) => {
                Ok(Message::Notification(Notification { method, params: self.params }))
            }
            (None, Some(id), Some(outcome)) => {
                Ok(Message::Response(Response { id: Some(id), outcome }))
            }
            (None, ..) => fault("there is no `method`"),
        }
    }
}

impl<'a> Outcome<'a> {
    /// What the members of a response say; many write both, the one that does not apply as null.
    fn of(result: Option<&'a RawValue>, error: Option<&'a RawValue>) -> Option<Outcome<'a>> {
        let is_null = |it: &RawValue| it.get() == "null";
        match (result, error) {
            (Some(result), None) => Some(Outcome::Result(result)),
            (None, Some(error)) => Some(Outcome::Error(error)),
            (Some(result), Some(error)) if is_null(error) => Some(Outcome::Result(result)),
            (Some(result), Some(error)) if is_null(result) => Some(Outcome::Error(error)),
            _ => None,
        }
    }
}

impl Fault<'_> {
    fn new(error: Error) -> Fault<'static> {
        Fault { id: None, error }
    }
}

/// JSON of another shape; if it has an id, the answer carries it.
fn misshapen<'a>(text: &'a str, error: &serde_json::Error) -> Fault<'a> {
    let id = serde_json::from_str::<OnlyId<'a>>(text).ok().and_then(|it| Id::new(it.id?));
    if !text.trim_ascii_start().starts_with('{') {
        return Fault::new(Error::invalid_request("a message is an object"));
    }
    Fault { id, error: Error::invalid_request(format!("the message has another shape: {error}")) }
}

fn not_json(error: &serde_json::Error) -> Error {
    Error::new(Error::PARSE, format!("the message is not JSON: {error}"))
}

/// A member that is there, also where it is null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}
