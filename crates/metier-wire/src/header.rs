//! What an HTTP request repeats of its body in headers, and whether both agree.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    error::{Error, shortened},
    message::Request,
    text::Text,
};

/// The header that names the session.
pub const SESSION: &str = "mcp-session-id";
/// The header that names the revision.
pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The header that repeats the method.
pub const METHOD: &str = "mcp-method";
/// The header that repeats what the method is about.
pub const NAME: &str = "mcp-name";

/// The headers that a body is held against; `None` where one is missing, repeated or not text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mirror<'a> {
    /// The value of [`PROTOCOL_VERSION`].
    pub revision: Option<&'a str>,
    /// The value of [`METHOD`].
    pub method: Option<&'a str>,
    /// The value of [`NAME`].
    pub name: Option<&'a str>,
}

/// The parameter that a method repeats as its name.
const NAMED_BY: [(&str, &str); 3] =
    [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri")];

#[derive(Default, Deserialize)]
struct Names<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
}

impl Mirror<'_> {
    /// Checks a request of 2026-07-28 that says to be of `revision`.
    pub fn check(&self, request: &Request<'_>, revision: &str) -> Result<(), Error> {
        agree("MCP-Protocol-Version", self.revision, revision)?;
        agree("Mcp-Method", self.method, &request.method)?;
        let Some(parameter) = named_by(&request.method) else { return Ok(()) };
        let names = request.params.and_then(|it| serde_json::from_str::<Names<'_>>(it.get()).ok());
        let names = names.unwrap_or_default();
        let in_body = if parameter == "uri" { names.uri } else { names.name };
        // A body without a name, or with one that is no string, gets its answer from the method.
        let in_body = in_body.and_then(|it| serde_json::from_str::<Text<'_>>(it.get()).ok());
        let Some(in_body) = in_body else { return Ok(()) };
        let header = self.name.map(decoded).transpose()?;
        agree("Mcp-Name", header.as_deref(), &in_body.0)
    }
}

/// The parameter that a request with this method repeats in [`NAME`], if it does.
#[must_use]
pub fn named_by(method: &str) -> Option<&'static str> {
    NAMED_BY.iter().find(|(named, _)| *named == method).map(|(_, parameter)| *parameter)
}

/// The value of a header that may be wrapped as `=?base64?…?=`.
pub fn decoded(value: &str) -> Result<Cow<'_, str>, Error> {
    let Some(inner) = value.strip_prefix("=?base64?").and_then(|it| it.strip_suffix("?=")) else {
        return Ok(value.into());
    };
    let text = STANDARD.decode(inner).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let message = "a header value in `=?base64?…?=` is not base64 of UTF-8";
    text.map(Cow::from).ok_or_else(|| Error::header_mismatch(message))
}

/// A value as a header may carry it: plain where that is safe, else wrapped.
#[must_use]
pub fn encoded(value: &str) -> Cow<'_, str> {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        && value.trim_matches([' ', '\t']) == value
        && !(value.starts_with("=?base64?") && value.ends_with("?="));
    if is_plain { value.into() } else { format!("=?base64?{}?=", STANDARD.encode(value)).into() }
}

/// Checks a header that repeats an argument; `argument` is what it should carry.
pub fn repeats(name: &str, header: Option<&str>, argument: &str) -> Result<(), Error> {
    let (header, argument) = (header.map(decoded).transpose()?, decoded(argument)?);
    agree(name, header.as_deref(), &argument)
}

fn agree(name: &str, header: Option<&str>, body: &str) -> Result<(), Error> {
    match header {
        Some(header) if header == body => Ok(()),
        Some(header) => {
            let (header, body) = (shortened(header), shortened(body));
            let message = format!("header {name} says `{header}`, the body `{body}`");
            Err(Error::header_mismatch(message))
        }
        None => Err(Error::header_mismatch(format!("header {name} is missing or repeated"))),
    }
}
