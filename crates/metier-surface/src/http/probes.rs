//! What operators ask: is it alive, is it ready, what has it done.

use std::sync::Arc;

use axum::{
    extract::State as Shared,
    http::{HeaderValue, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};

use super::{State, reply};

pub(super) async fn health() -> &'static str {
    "ok\n"
}

pub(super) async fn readiness(Shared(state): Shared<Arc<State>>) -> Response {
    if state.server.responder.is_ready() {
        "ready\n".into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the first scan is not finished\n").into_response()
    }
}

pub(super) async fn metrics(Shared(state): Shared<Arc<State>>) -> Response {
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    let mut text = state.server.meter.render();
    state.server.responder.metrics(&mut text);
    ([(CONTENT_TYPE, kind)], text).into_response()
}

pub(super) async fn nowhere() -> Response {
    reply::refusal(StatusCode::NOT_FOUND, "nothing is here: the server is at /mcp")
}
