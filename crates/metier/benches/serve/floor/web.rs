//! Both floors on HTTP: a bare axum handler, and rmcp's service.

use std::{io, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderName, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
    serve::ListenerExt,
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::{net::TcpListener, runtime::Builder};

use super::{Skills, typed::Typed};

/// Answers with the very same code as the loop on stdio.
pub(super) fn serve_bare(skills: Skills, runtime: &mut Builder) -> io::Result<()> {
    let router = Router::new().route("/mcp", post(answer).get(silence));
    let router = router.with_state(Arc::new(skills));
    runtime.enable_all().build()?.block_on(serve(router))
}

/// Answers with JSON wherever rmcp can.
pub(super) fn serve_typed(skills: Skills) -> io::Result<()> {
    let typed = Typed::new(skills)?;
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(typed.clone()), sessions, config);
    let router = Router::new().route_service("/mcp", service);
    Builder::new_multi_thread().enable_all().build()?.block_on(serve(router))
}

#[expect(clippy::print_stderr, reason = "the benchmark waits for the address")]
async fn serve(router: Router) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("http://{}/mcp", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await
}

async fn answer(State(skills): State<Arc<Skills>>, message: Bytes) -> Response {
    let mut out = Vec::new();
    skills.answer(&message, &mut out);
    if out.is_empty() {
        return StatusCode::ACCEPTED.into_response();
    }
    // Clients send a session's id with each request, so let there be one.
    ([(CONTENT_TYPE, "application/json"), SESSION], out).into_response()
}

const SESSION: (HeaderName, &str) =
    (HeaderName::from_static("mcp-session-id"), "5f8e8e7c-2f0d-4b52-9a59-2d1b0e6c7a11");

/// A stream on which nothing is ever said.
async fn silence() -> Response {
    let body = Body::from_stream(futures_util::stream::pending::<io::Result<Bytes>>());
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}
