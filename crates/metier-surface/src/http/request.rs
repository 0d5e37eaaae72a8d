//! What a request says of itself: its headers, and a body within bounds.

use std::time::Duration;

use axum::{
    body::{Body, HttpBody, to_bytes},
    http::{
        HeaderMap, HeaderName, StatusCode,
        header::{ACCEPT, AsHeaderName, CONTENT_TYPE},
    },
    response::Response,
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use metier_wire::{Ends, Era, Error, Fault, Id, Revision, header};
use serde_json::value::RawValue;

use super::{
    events,
    reply::{self, Refusal},
};
use crate::{
    MESSAGE_LIMIT,
    lane::{Kind, Outgoing},
};

/// The headers that every message of a session has, ready to be looked up.
pub(super) static SESSION: HeaderName = HeaderName::from_static(header::SESSION);
pub(super) static PROTOCOL_VERSION: HeaderName = HeaderName::from_static(header::PROTOCOL_VERSION);

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a body may be at most to be read though it is too long to keep.
const LONGEST: u64 = 64 << 20;

/// What kinds of body a client takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// JSON, and perhaps events.
    Json,
    OnlyEvents,
}

impl Wants {
    /// What a client takes as an answer; who says nothing takes everything.
    pub(super) fn of(headers: &HeaderMap) -> Result<Wants, Refusal> {
        if !headers.contains_key(ACCEPT)
            || takes(headers, &["application/json", "application/*", "*/*"])
        {
            return Ok(Wants::Json);
        }
        takes_events(headers).map(|()| Wants::OnlyEvents)
    }

    /// An error of 2026-07-28 that stands alone; where it has a status of its own, that says it all.
    pub(super) fn refusal(self, code: i64, message: impl Into<Bytes>) -> Response {
        match reply::modern_status(code) {
            StatusCode::OK => self.whole(StatusCode::OK, message),
            status => reply::json(status, message),
        }
    }

    /// A reply that stands alone.
    pub(super) fn whole(self, status: StatusCode, message: impl Into<Bytes>) -> Response {
        match self {
            Wants::Json => reply::json(status, message),
            Wants::OnlyEvents => {
                let message = Outgoing { kind: Kind::Reply, message: message.into() };
                reply::events(stream::iter([Ok(events::framed(None, &message))]))
            }
        }
    }
}

/// Whether the client takes a stream of events. It must say so: a page that loads pictures does not.
pub(super) fn takes_events(headers: &HeaderMap) -> Result<(), Refusal> {
    if takes(headers, &["text/event-stream", "text/*"]) {
        return Ok(());
    }
    let reason = "header Accept must name text/event-stream, and application/json for POST";
    Err(reply::refusal(StatusCode::NOT_ACCEPTABLE, reason).into())
}

fn takes(headers: &HeaderMap, kinds: &[&str]) -> bool {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|it| it.to_str().ok());
    let mut accepted = accepts
        .flat_map(|it| it.split(','))
        .map(|it| it.split(';').next().unwrap_or_default().trim());
    accepted.any(|it| kinds.iter().any(|kind| it.eq_ignore_ascii_case(kind)))
}

/// The body, if it is JSON, not too long, and not too slow.
pub(super) async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let reason = "header Content-Type must be application/json";
        return Err(reply::refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, reason).into());
    }
    let length = body.size_hint().lower();
    if length > MESSAGE_LIMIT as u64 {
        let passed_over = tokio::time::timeout(PATIENCE, pass_over(body, length)).await;
        return Err(too_long(passed_over.ok().flatten().and_then(|it| it.asks()).as_deref()));
    }
    match tokio::time::timeout(PATIENCE, to_bytes(body, MESSAGE_LIMIT)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => Err(too_long(None)),
        Err(_) => {
            let reason = "the message did not arrive in time";
            Err(reply::refusal(StatusCode::REQUEST_TIMEOUT, reason).into())
        }
    }
}

/// Reads a body that is too long to keep, within reason: its client hears nothing before it is done,
/// and its request may have its id at the end.
async fn pass_over(body: Body, length: u64) -> Option<Ends> {
    if length > LONGEST {
        return None;
    }
    let mut parts = body.into_data_stream();
    let mut ends = Ends::of(&parts.next().await?.ok()?);
    while let Some(part) = parts.next().await {
        ends.pass(&part.ok()?);
    }
    Some(ends)
}

fn too_long(id: Option<&RawValue>) -> Refusal {
    let reason = format!("the message is longer than {MESSAGE_LIMIT} bytes, or broke off");
    let fault = Fault { id: id.and_then(Id::new), error: Error::invalid_request(reason) };
    reply::fault(StatusCode::PAYLOAD_TOO_LARGE, &fault).into()
}

/// Whether the client says in a header that it speaks 2026-07-28.
pub(super) fn is_modern(headers: &HeaderMap) -> bool {
    let revision = text(headers, &PROTOCOL_VERSION).and_then(Revision::named);
    revision.is_some_and(|it| it.era() == Era::Modern)
}

/// A header that is there once; of two that differ nobody could say which counts.
pub(super) fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok();
    if values.next().is_some() { None } else { value }
}
