//! Answers as HTTP responses: one JSON document, or a stream of events.

use axum::{
    body::Body,
    http::{
        HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::Stream;
use metier_wire::{Error, write};

/// A message as the whole body.
pub(super) fn json(status: StatusCode, message: impl Into<Bytes>) -> Response {
    let headers = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (status, headers, message.into()).into_response()
}

/// Events as they come.
pub(super) fn events(
    stream: impl Stream<Item = Result<Bytes, std::convert::Infallible>> + Send + 'static,
) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform")),
        // Proxies would hold events back otherwise.
        ("x-accel-buffering".parse().unwrap_or(CACHE_CONTROL), HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(stream)).into_response()
}

/// A refusal that belongs to no request.
pub(super) fn refusal(status: StatusCode, reason: impl Into<String>) -> Response {
    error(status, &Error::invalid_request(reason.into()))
}

/// An error that belongs to no request.
pub(super) fn error(status: StatusCode, error: &Error) -> Response {
    let mut out = Vec::new();
    write::error(&mut out, None, error);
    json(status, out)
}

/// The status of an error response of revision 2026-07-28.
pub(super) fn modern_status(code: i32) -> StatusCode {
    match code {
        Error::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        Error::PARSE
        | Error::INVALID_REQUEST
        | Error::HEADER_MISMATCH
        | Error::MISSING_CAPABILITY
        | Error::UNSUPPORTED_REVISION => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
