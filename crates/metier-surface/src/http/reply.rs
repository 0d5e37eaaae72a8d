//! Answers as HTTP responses: one JSON document, or a stream of events.

use axum::{
    body::Body,
    http::{
        HeaderName, HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER},
    },
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::Stream;
use metier_wire::{Error, Fault, write};

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
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(stream)).into_response()
}

/// A response that ends the handling of a request early.
pub(super) struct Refusal(pub(super) Box<Response>);

impl From<Response> for Refusal {
    fn from(response: Response) -> Refusal {
        Refusal(Box::new(response))
    }
}

/// What was sent needs no answer.
pub(super) fn accepted() -> Response {
    StatusCode::ACCEPTED.into_response()
}

pub(super) fn no_session() -> Response {
    let reason = "there is no such session (any more): send `initialize` again";
    refusal(StatusCode::NOT_FOUND, reason)
}

pub(super) fn busy() -> Response {
    let reason = "too many requests or sessions at a time: try again soon";
    let mut response = refusal(StatusCode::SERVICE_UNAVAILABLE, reason);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// The answer to what is no message, or to a request that cannot be taken.
pub(super) fn fault(status: StatusCode, fault: &Fault<'_>) -> Response {
    let mut out = Vec::new();
    write::error(&mut out, fault.id, &fault.error);
    json(status, out)
}

/// A refusal that belongs to no request.
pub(super) fn refusal(status: StatusCode, reason: impl Into<String>) -> Response {
    fault(status, &Fault { id: None, error: Error::invalid_request(reason.into()) })
}

/// The status of an error response of revision 2026-07-28.
pub(super) fn modern_status(code: i64) -> StatusCode {
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
