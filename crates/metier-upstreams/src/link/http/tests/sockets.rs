//! Real sockets, where only they can tell.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::{json, value::RawValue};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::timeout,
};

use super::{Bench, LEGACY};
use crate::{link::Ask, web::Web};

/// A server of one request: it reads, says `words`, and is gone.
async fn once(words: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let tasks = tokio_util::task::TaskTracker::new();
    tasks.spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let _ = socket.read(&mut [0; 4096]).await;
        socket.write_all(words.as_bytes()).await.unwrap();
        if words.is_empty() {
            // Neither a word nor an end.
            std::future::pending::<()>().await;
        }
    });
    format!("http://{address}/mcp?secret=1")
}

/// What comes of a request to such a server, and how much trouble it was.
async fn check(url: &str, expected: &str, troubles: u64) {
    let bench = Bench::at(url, Web::new(), LEGACY);
    let outcome = bench.ask("tools/list").await;
    assert!(outcome.starts_with(expected), "{outcome}");
    assert!(!outcome.contains("secret"), "{outcome}");
    assert_eq!(bench.link.board().news().borrow().troubles, troubles);
}

#[tokio::test]
async fn a_server_that_nobody_runs_was_not_sent_anything() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp?secret=1", listener.local_addr().unwrap());
    drop(listener);
    check(&url, "unsent: it cannot be reached: Connection refused", 1).await;
}

#[tokio::test]
async fn a_name_that_nobody_has_was_not_sent_anything() {
    check("http://metier.invalid/mcp?secret=1", "unsent: it cannot be reached: ", 1).await;
}

#[tokio::test]
async fn a_server_without_the_tls_it_should_have_was_not_sent_anything() {
    let url = once("HTTP/1.1 400 Bad Request\r\n\r\n").await.replace("http:", "https:");
    check(&url, "unsent: it cannot be reached: ", 1).await;
}

#[tokio::test]
async fn a_connection_that_ends_in_the_middle_is_lost() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    check(&once(head).await, "lost: the connection broke: ", 1).await;
    let chunked = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                   transfer-encoding: chunked\r\n\r\n5\r\ndata:\r\n";
    check(&once(chunked).await, "lost: the connection broke: ", 1).await;
    check(&once("HTTP/1.1 2").await, "lost: the connection broke: ", 1).await;
}

#[tokio::test]
async fn a_server_that_never_speaks_holds_nobody_longer_than_they_wait() {
    let bench = Bench::at(&once("").await, Web::new(), LEGACY);
    let outcome = timeout(Duration::from_millis(50), bench.ask("tools/list")).await;
    assert!(outcome.is_err());
}

/// A server of the official SDK with one tool.
#[derive(Clone)]
struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Arc::new(serde_json::Map::from_iter([("type".to_owned(), json!("object"))]));
        Ok(ListToolsResult::with_all_items(vec![Tool::new("echo", "says it again", schema)]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request.arguments.unwrap_or_default()["text"].to_string();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn raw(value: &serde_json::Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap()
}

/// Serves the SDK's server over a real socket; gives back its address.
async fn sdk(tasks: &tokio_util::task::TaskTracker) -> String {
    let service = StreamableHttpService::new(
        || Ok(Echo),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = axum::Router::new().route_service("/mcp", service);
    tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
    format!("http://{address}/mcp")
}

/// Calls the one tool; gives back the text of its result.
async fn echo(bench: &Bench) -> String {
    let (name, arguments) = (raw(&json!("echo")), raw(&json!({ "text": "hi" })));
    let params = [("name", &*name), ("arguments", &*arguments)];
    let result = bench.link.request(Ask::new("tools/call", &params)).await.unwrap();
    let result: serde_json::Value = serde_json::from_str(result.get()).unwrap();
    result["content"][0]["text"].to_string()
}

#[tokio::test]
async fn the_official_sdk_is_understood_in_its_sessions() {
    let tasks = tokio_util::task::TaskTracker::new();
    let bench = Bench::at(&sdk(&tasks).await, Web::new(), None);
    let version = raw(&json!("2025-11-25"));
    let (capabilities, client) = (raw(&json!({})), raw(&json!({ "name": "m", "version": "1" })));
    let params = [
        ("protocolVersion", &*version),
        ("capabilities", &*capabilities),
        ("clientInfo", &*client),
    ];
    bench.link.request(Ask::new("initialize", &params)).await.unwrap();
    bench.link.board().settle(LEGACY.unwrap());
    bench.link.notify("notifications/initialized", None::<&()>).await.unwrap();
    for _ in 0..3 {
        assert_eq!(echo(&bench).await, r#""\"hi\"""#);
    }
    bench.link.leave().await;
    assert_eq!(bench.ask("tools/list").await, "expired: the session has expired");
}

#[tokio::test]
async fn the_official_sdk_is_understood_without_a_session() {
    let tasks = tokio_util::task::TaskTracker::new();
    let bench = Bench::at(&sdk(&tasks).await, Web::new(), None);
    assert!(bench.ask("server/discover").await.starts_with("ok {"));
    bench.link.board().settle(super::MODERN.unwrap());
    assert_eq!(echo(&bench).await, r#""\"hi\"""#);
    assert!(bench.ask("x/y").await.starts_with("refused: "));
}
