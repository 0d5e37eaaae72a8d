//! Errors as they travel: a code, a sentence, and what a program may want to know.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::revision::Revision;

/// The answer to a request that cannot be served.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message} ({code})")]
pub struct Error {
    /// Which kind it is.
    pub code: i64,
    /// What went wrong, for people.
    pub message: Cow<'static, str>,
    /// What went wrong, for programs.
    pub data: Option<Box<RawValue>>,
}

impl Error {
    /// The message is not JSON.
    pub const PARSE: i64 = -32700;
    /// The message is JSON, but no message.
    pub const INVALID_REQUEST: i64 = -32600;
    /// Nothing here goes by that name.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The method is known, its parameters are wrong.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The fault is on this side.
    pub const INTERNAL: i64 = -32603;
    /// There is no such resource; since 2026-07-28 that is [`Error::INVALID_PARAMS`].
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// Headers and body of an HTTP request disagree.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The request needs a capability that the client did not declare.
    pub const MISSING_CAPABILITY: i64 = -32021;
    /// The request is of a revision that is not spoken here.
    pub const UNSUPPORTED_REVISION: i64 = -32022;

    /// An error of some kind.
    pub fn new(code: i64, message: impl Into<Cow<'static, str>>) -> Error {
        Error { code, message: message.into(), data: None }
    }

    /// The message is JSON, but no message.
    pub fn invalid_request(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(Error::INVALID_REQUEST, message)
    }

    /// The method is known, its parameters are wrong.
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(Error::INVALID_PARAMS, message)
    }

    /// The fault is on this side.
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(Error::INTERNAL, message)
    }

    /// Headers and body of an HTTP request disagree.
    pub fn header_mismatch(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(Error::HEADER_MISMATCH, message)
    }

    /// Nothing here goes by the name of `method`.
    #[must_use]
    pub fn method_not_found(method: &str) -> Error {
        Error::new(Error::METHOD_NOT_FOUND, format!("there is no method `{}`", shortened(method)))
    }

    /// The request is of a revision that is not spoken here.
    #[must_use]
    pub fn unsupported_revision(requested: &str) -> Error {
        let requested = shortened(requested);
        let supported = Revision::ALL.map(Revision::as_str);
        let data = serde_json::json!({ "supported": supported, "requested": requested });
        let message = format!("protocol version `{requested}` is not supported");
        Error {
            data: serde_json::value::to_raw_value(&data).ok(),
            ..Error::new(Error::UNSUPPORTED_REVISION, message)
        }
    }
}

/// What a stranger wrote, cut to what an answer may repeat.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}
