//! The transport of revision 2024-11-05: a stream for what leaves, an address for what comes.

use std::{collections::HashMap, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{Query, State as Shared},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use metier_wire::{Frame, sse::Event};

use super::{
    State, events,
    reply::{self, Refusal, accepted, busy, no_session},
    request::{read, takes_events},
    sessions::{Full, Sessions},
};
use crate::lane::{Kind, Lane};

/// How long a client may take to make room for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Begins a session: its first event names the address for messages.
pub(super) async fn open(Shared(state): Shared<Arc<State>>, headers: HeaderMap) -> Response {
    if let Err(Refusal(response)) = takes_events(&headers) {
        return *response;
    }
    let (lane, queue) = Lane::queue();
    let client = state.sessions.legacy_sse(lane);
    let connection = client.connect();
    let id = match state.sessions.admit(client) {
        Ok(id) => id,
        Err(Full) => return busy(),
    };
    let endpoint = endpoint(&id);
    let ended = End { sessions: Arc::clone(&state.sessions), id };
    let messages = events::of_connection(queue, state.server.finished.clone());
    reply::events(stream::iter([Ok(endpoint)]).chain(messages).map(move |event| {
        // The session ends with the stream.
        let _held = (&connection, &ended);
        event
    }))
}

/// Delivers a message to a session; the answer takes the stream.
pub(super) async fn deliver(
    Shared(state): Shared<Arc<State>>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(id) = query.get("sessionId") else {
        return reply::refusal(StatusCode::BAD_REQUEST, "parameter sessionId is missing");
    };
    let Some(client) = state.sessions.find(id) else { return no_session() };
    let Some(lane) = client.sse_lane() else { return no_session() };
    let (_place, body) = match (state.place(), read(&headers, body).await) {
        (Ok(place), Ok(body)) => (place, body),
        (Err(Refusal(response)), _) | (_, Err(Refusal(response))) => return *response,
    };
    let mut out = Vec::new();
    client.session.take(Frame::read(&body), &|| lane.clone(), &mut out);
    let sending = async {
        if !out.is_empty() {
            lane.send(Kind::Aside, out).await;
        }
    };
    match tokio::time::timeout(PATIENCE, sending).await {
        Ok(()) => accepted(),
        // Who does not read does not want to be served.
        Err(_) => {
            state.sessions.end(id);
            no_session()
        }
    }
}

fn endpoint(id: &str) -> Bytes {
    let mut out = Vec::new();
    let address = format!("/messages?sessionId={id}");
    Event { name: Some("endpoint"), data: address.as_bytes(), ..Event::default() }.write(&mut out);
    out.into()
}

/// Ends the session when the stream is dropped.
struct End {
    sessions: Arc<Sessions>,
    id: String,
}

impl Drop for End {
    fn drop(&mut self) {
        self.sessions.end(&self.id);
    }
}
