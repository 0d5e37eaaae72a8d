//! Real sockets, where only they can tell.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::serve::ListenerExt;
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
use tokio_util::task::TaskTracker;

use super::{Bench, LEGACY};
use crate::{link::Ask, web::Web};

/// A server of one request: it reads, says `words`, and is gone.
async fn once(words: impl AsRef<[u8]> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let tasks = TaskTracker::new();
    tasks.spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let _ = socket.read(&mut [0; 4096]).await;
        socket.write_all(words.as_ref()).await.unwrap();
        if words.as_ref().is_empty() {
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

#[tokio::test]
async fn every_request_says_what_it_is_and_what_it_takes() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let server = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut bytes = vec![0; 4096];
        let read = socket.read(&mut bytes).await.unwrap();
        socket.write_all(b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        String::from_utf8_lossy(&bytes[..read]).into_owned()
    };
    let bench = Bench::at(&url, Web::new(), None);
    let (sent, _) = tokio::join!(server, bench.ask("ping"));
    let (head, _) = sent.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<&str> = head.lines().filter(|it| !it.starts_with("host: ")).collect();
    lines[1..].sort_unstable();
    let expected = [
        "POST /mcp HTTP/1.1",
        "accept-encoding: gzip",
        "accept: application/json, text/event-stream",
        "content-length: 52",
        "content-type: application/json",
        concat!("user-agent: metier/", env!("CARGO_PKG_VERSION")),
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn an_answer_may_be_compressed() {
    let packed = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\xca\x2a\xce\xcf\x2b\x2a\x48\x56\xb2\x52\x32\xd2\x33\x50\xd2\x51\xca\x4c\x51\xb2\x32\xd4\x51\x2a\x4a\x2d\x2e\xcd\x29\x51\xb2\xaa\xae\xad\x05\x00\x6c\xbd\x59\xc0\x24\x00\x00\x00";
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n\r\n";
    check(&once([head.as_bytes(), packed].concat()).await, "ok {}", 0).await;
}

#[tokio::test]
async fn giving_up_a_modern_request_closes_its_stream() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let (answered, answer) = tokio::sync::oneshot::channel();
    let server = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        let _ = socket.read(&mut [0; 4096]).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hi\n\n";
        socket.write_all(head.as_bytes()).await.unwrap();
        answered.send(()).unwrap();
        socket.read(&mut [0; 1]).await.unwrap_or_default()
    };
    let bench = Bench::at(&url, Web::new(), super::MODERN);
    let client = async {
        tokio::select! {
            outcome = bench.ask("tools/list") => panic!("{outcome}"),
            _ = answer => {}
        }
    };
    let (left, ()) = tokio::join!(server, client);
    assert_eq!(left, 0);
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

/// Serves the SDK's server over a real socket; gives back its address, and counts connections.
async fn sdk(tasks: &TaskTracker) -> (String, Arc<AtomicUsize>) {
    let service = StreamableHttpService::new(
        || Ok(Echo),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = axum::Router::new().route_service("/mcp", service);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let listener = listener.tap_io(move |socket| {
        socket.set_nodelay(true).unwrap();
        counted.fetch_add(1, Ordering::Relaxed);
    });
    tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
    (format!("http://{address}/mcp"), count)
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
    let tasks = TaskTracker::new();
    let (url, connections) = sdk(&tasks).await;
    let bench = Bench::at(&url, Web::new(), None);
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
    for _ in 0..50 {
        assert_eq!(echo(&bench).await, r#""\"hi\"""#);
    }
    // One each would be 50; now and then the end of a stream comes too late.
    assert!(connections.load(Ordering::Relaxed) < 25);
    bench.link.leave().await;
    assert_eq!(bench.ask("tools/list").await, "expired: the session has expired");
}

#[tokio::test]
async fn the_official_sdk_is_understood_without_a_session() {
    let tasks = TaskTracker::new();
    let (url, _) = sdk(&tasks).await;
    let bench = Bench::at(&url, Web::new(), None);
    assert!(bench.ask("server/discover").await.starts_with("ok {"));
    bench.link.board().settle(super::MODERN.unwrap());
    assert_eq!(echo(&bench).await, r#""\"hi\"""#);
    assert!(bench.ask("x/y").await.starts_with("refused: "));
}
