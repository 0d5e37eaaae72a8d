//! `GET /mcp` and `DELETE /mcp`: streams that a session opens or resumes, and its end.

use std::sync::Arc;

use axum::{
    extract::State as Shared,
    http::{HeaderMap, HeaderValue, StatusCode, header::ALLOW},
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use metier_wire::Revision;

use super::{
    State,
    events::{self, Resumed},
    legacy_sse,
    reply::{self, Refusal, no_session},
    request::{SESSION, is_modern, takes_events, text},
};
use crate::replay::Replay;

/// Refuses to begin a stream that nobody would read.
pub(super) async fn head() -> Response {
    let allowed = [(ALLOW, HeaderValue::from_static("GET, POST, DELETE"))];
    (StatusCode::METHOD_NOT_ALLOWED, allowed).into_response()
}

/// Opens the session's own stream, resumes one, or begins a legacy SSE session.
pub(super) async fn get(Shared(state): Shared<Arc<State>>, headers: HeaderMap) -> Response {
    if is_modern(&headers) {
        let reason = "revision 2026-07-28 has no GET: send `subscriptions/listen`";
        let mut response = reply::refusal(StatusCode::METHOD_NOT_ALLOWED, reason);
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return response;
    }
    let Some(id) = text(&headers, &SESSION) else {
        return legacy_sse::open(Shared(state), headers).await;
    };
    if let Err(Refusal(response)) = takes_events(&headers) {
        return *response;
    }
    let Some(client) = state.sessions.find(id) else { return no_session() };
    let (number, after) = match text(&headers, "last-event-id").map(place) {
        None => (0, None),
        Some(Some((number, after))) => (number, Some(after)),
        Some(None) => {
            return reply::refusal(StatusCode::BAD_REQUEST, "header Last-Event-ID is malformed");
        }
    };
    let is_there = |it: &Arc<Replay>| !after.is_some_and(|after| it.is_gone(after));
    let Some(replay) = client.stream(number).filter(is_there) else {
        return reply::refusal(StatusCode::NOT_FOUND, "this stream can no longer be resumed");
    };
    let reader = replay.reader(after);
    let is_primed = client.session.revision() >= Some(Revision::V2025_11_25) && after.is_none();
    let primer = is_primed.then(|| Ok(events::primer(number)));
    let stop = state.server.finished.clone();
    let rest = Resumed { number, replay, reader, stop }.events(client.connect());
    reply::events(stream::iter(primer).chain(rest))
}

/// Ends a session.
pub(super) async fn delete(Shared(state): Shared<Arc<State>>, headers: HeaderMap) -> Response {
    match text(&headers, &SESSION) {
        None => reply::refusal(StatusCode::BAD_REQUEST, "header Mcp-Session-Id is missing"),
        Some(id) if state.sessions.end(id) => StatusCode::NO_CONTENT.into_response(),
        Some(_) => no_session(),
    }
}

/// `3-7`: stream 3, after its event 7.
fn place(id: &str) -> Option<(u64, u64)> {
    let (number, after) = id.split_once('-')?;
    Some((number.parse().ok()?, after.parse().ok()?))
}
