//! Streamable HTTP, called as a service.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, Method, Request, Response, StatusCode},
};
use futures_util::{StreamExt, future::join_all};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::fixture::{INITIALIZED, StandIn, initialize, modern, request};
use crate::{
    http::{Guard, Site, Transports},
    serve::Server,
};

/// A site with a stand-in behind it.
pub(super) struct Web {
    pub(super) stand_in: Arc<StandIn>,
    routes: Router,
    pub(super) server: Server,
}

/// A request in the making.
pub(super) struct Sent<'a> {
    web: &'a Web,
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Web {
    pub(super) fn new() -> Web {
        Web::guarded(Guard::new(IpAddr::V4(Ipv4Addr::LOCALHOST), &[], None), Transports::All)
    }

    pub(super) fn guarded(guard: Guard, transports: Transports) -> Web {
        let stand_in = StandIn::new();
        let server = Server::new(stand_in.clone());
        let routes = server.routes(Site { guard, transports });
        Web { stand_in, routes, server }
    }

    pub(super) fn post(&self, path: &str, body: &str) -> Sent<'_> {
        self.send(Method::POST, path)
            .with("accept", "application/json, text/event-stream")
            .with("content-type", "application/json")
            .body(body)
    }

    pub(super) fn get(&self, path: &str) -> Sent<'_> {
        self.send(Method::GET, path).with("accept", "text/event-stream")
    }

    pub(super) fn send(&self, method: Method, path: &str) -> Sent<'_> {
        let headers = vec![("host".to_owned(), "localhost:3000".to_owned())];
        Sent { web: self, method, path: path.to_owned(), headers, body: String::new() }
    }

    /// A request of 2026-07-28 with the headers that repeat it.
    fn modern(&self, method: &str, params: Value) -> Sent<'_> {
        self.post("/mcp", &modern(1, method, params))
            .with("mcp-protocol-version", "2026-07-28")
            .with("mcp-method", method)
    }

    /// Begins a session and says its id.
    async fn session(&self, revision: &str) -> String {
        let response = self.post("/mcp", &initialize(revision)).response().await;
        let id = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let sent = self.post("/mcp", INITIALIZED).with("mcp-session-id", &id);
        assert_eq!(sent.response().await.status(), StatusCode::ACCEPTED);
        id
    }
}

impl Sent<'_> {
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    fn body(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    pub(super) async fn response(self) -> Response<Body> {
        let mut request = Request::builder().method(self.method).uri(self.path);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Body::from(self.body)).unwrap();
        self.web.routes.clone().oneshot(request).await.unwrap()
    }

    /// Status and body of the answer.
    async fn answer(self) -> (u16, Value) {
        let response = self.response().await;
        let status = response.status().as_u16();
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }
}

/// The events of a stream, one after the other.
pub(super) struct Events {
    body: axum::body::BodyDataStream,
}

/// An event: its id, its name and its data.
#[derive(Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) data: String,
}

impl Events {
    pub(super) fn of(response: Response<Body>) -> Events {
        assert_eq!(kind(response.headers()), "text/event-stream");
        Events { body: response.into_body().into_data_stream() }
    }

    pub(super) async fn next(&mut self) -> Option<Seen> {
        let chunk: Bytes = self.body.next().await?.unwrap();
        let text = String::from_utf8(chunk.to_vec()).unwrap();
        let field = |name: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            found.unwrap_or_default().to_owned()
        };
        Some(Seen { id: field("id"), name: field("event"), data: field("data") })
    }

    pub(super) async fn message(&mut self) -> Value {
        serde_json::from_str(&self.next().await.unwrap().data).unwrap()
    }
}

fn kind(headers: &HeaderMap) -> &str {
    headers["content-type"].to_str().unwrap()
}

#[tokio::test]
async fn a_session_begins_with_initialize_and_is_named_in_a_header() {
    let web = Web::new();
    let id = web.session("2025-11-25").await;
    assert!(id.len() >= 32 && id.bytes().all(|byte| byte.is_ascii_graphic()));
    let (status, answer) =
        web.post("/mcp", &request(1, "now")).with("mcp-session-id", &id).answer().await;
    assert_eq!((status, &answer["result"]), (200, &json!({ "came": "now" })));
}

#[tokio::test]
async fn an_answer_that_comes_alone_is_json() {
    let web = Web::new();
    let id = web.session("2025-11-25").await;
    for method in ["now", "later"] {
        let sent = web.post("/mcp", &request(1, method)).with("mcp-session-id", &id);
        assert_eq!(kind(sent.response().await.headers()), "application/json", "{method}");
    }
}

#[tokio::test]
async fn who_takes_only_events_gets_the_answer_as_one() {
    let web = Web::new();
    let sent = web.modern("now", json!({})).with("accept", "text/event-stream");
    let mut events = Events::of(sent.response().await);
    assert_eq!(events.message().await["id"], 1);
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_request_without_session_is_bad_and_one_with_an_unknown_one_not_found() {
    let web = Web::new();
    assert_eq!(web.post("/mcp", &request(1, "now")).answer().await.0, 400);
    let sent = web.post("/mcp", &request(1, "now")).with("mcp-session-id", "nobody");
    assert_eq!(sent.answer().await.0, 404);
}

#[tokio::test]
async fn delete_ends_a_session() {
    let web = Web::new();
    let id = web.session("2025-11-25").await;
    let delete = || web.send(Method::DELETE, "/mcp").with("mcp-session-id", &id);
    assert_eq!(delete().answer().await.0, 204);
    assert_eq!(delete().answer().await.0, 404);
    assert_eq!(web.send(Method::DELETE, "/mcp").answer().await.0, 400);
    let sent = web.post("/mcp", &request(1, "now")).with("mcp-session-id", &id);
    assert_eq!(sent.answer().await.0, 404);
}

#[tokio::test]
async fn a_request_of_2026_07_28_needs_no_session() {
    let web = Web::new();
    let (status, answer) = web.modern("now", json!({})).answer().await;
    assert_eq!((status, &answer["result"]["resultType"]), (200, &json!("complete")));
    let (_, answer) = web.modern("later", json!({})).answer().await;
    assert_eq!(answer["result"]["came"], "later");
}

#[tokio::test]
async fn a_request_of_2026_07_28_must_say_the_same_in_headers_and_body() {
    let web = Web::new();
    let now = || web.modern("now", json!({}));
    let check = async |sent: Sent<'_>, code| {
        let (status, answer) = sent.answer().await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(code)), "{answer}");
    };
    check(now().without("mcp-method"), -32020).await;
    check(now().with("mcp-method", "other"), -32020).await;
    check(now().without("mcp-protocol-version"), -32020).await;
    check(now().with("mcp-protocol-version", "2025-11-25"), -32020).await;
    check(now().body(&request(1, "now")), -32602).await;
    let body = modern(1, "now", json!({})).replace("2026-07-28", "2031-01-01");
    check(now().body(&body), -32020).await;
    check(now().body(&body).with("mcp-protocol-version", "2031-01-01"), -32022).await;
}

#[tokio::test]
async fn errors_of_2026_07_28_have_their_status() {
    let web = Web::new();
    let (status, answer) = web.modern("unheard/of", json!({})).answer().await;
    assert_eq!((status, &answer["error"]["code"]), (404, &json!(-32601)));
    assert_eq!(web.modern("panic", json!({})).answer().await.0, 200);
    let sent = web.get("/mcp").with("mcp-protocol-version", "2026-07-28");
    assert_eq!(sent.answer().await.0, 405);
}

#[tokio::test]
async fn what_is_no_message_is_bad_and_says_why() {
    let web = Web::new();
    let (status, answer) = web.post("/mcp", "{").answer().await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32700)));
    let (status, answer) = web.post("/mcp", "[]").answer().await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32600)));
    let sent = web.post("/mcp", &request(1, "now")).with("content-type", "text/plain");
    assert_eq!(sent.answer().await.0, 415);
    let sent = web.post("/mcp", &request(1, "now")).with("accept", "text/html");
    assert_eq!(sent.answer().await.0, 406);
    let sent = web.post("/mcp", &"x".repeat(5 << 20));
    assert_eq!(sent.answer().await.0, 413);
    let sent = web.post("/mcp", &request(1, "now")).with("mcp-protocol-version", "1999-01-01");
    assert_eq!(sent.answer().await.0, 400);
}

#[tokio::test]
async fn a_request_that_is_too_long_is_refused_under_its_id() {
    let web = Web::new();
    let long = format!(r#""method":"m","params":{{"x":"{}"}}"#, "x".repeat(5 << 20));
    for body in [
        format!(r#"{{"jsonrpc":"2.0","id":7,{long}}}"#),
        format!(r#"{{{long},"jsonrpc":"2.0","id":7}}"#),
    ] {
        let (status, answer) = web.post("/mcp", &body).answer().await;
        assert_eq!(
            (status, &answer["id"], &answer["error"]["code"]),
            (413, &json!(7), &json!(-32600))
        );
    }
}

#[tokio::test]
async fn progress_makes_a_stream_that_ends_with_the_answer() {
    let web = Web::new();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "progress",
        "params": { "_meta": { "progressToken": 9 } } });
    let id = web.session("2025-06-18").await;
    let sent = web.post("/mcp", &body.to_string()).with("mcp-session-id", &id);
    let mut events = Events::of(sent.response().await);
    assert_eq!(events.message().await["params"]["progress"], 1);
    assert_eq!(events.message().await["params"]["progress"], 2);
    assert_eq!(events.message().await["result"], json!({ "progressed": true }));
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn an_interrupted_stream_is_resumed_where_it_broke() {
    let web = Web::new();
    let id = web.session("2025-11-25").await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "progress",
        "params": { "_meta": { "progressToken": 9 } } });
    let sent = web.post("/mcp", &body.to_string()).with("mcp-session-id", &id);
    let mut events = Events::of(sent.response().await);
    let primer = events.next().await.unwrap();
    assert_eq!((primer.id.as_str(), primer.data.as_str()), ("1-0", ""));
    let first = events.next().await.unwrap();
    drop(events);
    let resume =
        |place: &str| web.get("/mcp").with("mcp-session-id", &id).with("last-event-id", place);
    let mut events = Events::of(resume(&first.id).response().await);
    assert_eq!(events.message().await["params"]["progress"], 2);
    assert_eq!(events.message().await["result"], json!({ "progressed": true }));
    assert_eq!(events.next().await, None);
    assert_eq!(resume("77-1").answer().await.0, 404);
    assert_eq!(resume("nonsense").answer().await.0, 400);
}

#[tokio::test]
async fn the_client_is_asked_on_the_stream_of_its_request() {
    let web = Web::new();
    let id = web.session("2025-06-18").await;
    let post = |body: &str| web.post("/mcp", body).with("mcp-session-id", &id);
    let mut events = Events::of(post(&request(1, "ask")).response().await);
    let asked = events.message().await;
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": [] } });
    assert_eq!(post(&answer.to_string()).answer().await.0, 202);
    assert_eq!(events.message().await["result"], json!({ "answered": { "roots": [] } }));
}

#[tokio::test]
async fn changes_reach_the_stream_of_a_session_also_when_it_is_opened_later() {
    let web = Web::new();
    let id = web.session("2025-06-18").await;
    web.stand_in.change();
    let open = || web.get("/mcp").with("mcp-session-id", &id);
    let mut first = Events::of(open().response().await);
    assert_eq!(first.message().await["method"], "notifications/tools/list_changed");
    let mut second = Events::of(open().response().await);
    web.stand_in.change();
    assert_eq!(second.message().await["method"], "notifications/tools/list_changed");
    assert_eq!(first.next().await, None, "a message goes to one stream only");
}

#[tokio::test]
async fn changes_reach_a_subscription_of_2026_07_28() {
    let web = Web::new();
    let listen = json!({ "notifications": { "toolsListChanged": true } });
    let mut events = Events::of(web.modern("subscriptions/listen", listen).response().await);
    let acknowledged = events.message().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    web.stand_in.change();
    let notice = events.message().await;
    assert_eq!(notice["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
}

#[tokio::test]
async fn a_cancelled_request_of_a_session_keeps_nobody_waiting() {
    let web = Web::new();
    let id = web.session("2025-11-25").await;
    let post = |body: &str| web.post("/mcp", body).with("mcp-session-id", &id);
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": 1 } });
    let cancelling = async {
        web.stand_in.has_begun(1).await;
        post(&cancel.to_string()).answer().await
    };
    let ((status, _), _) = tokio::join!(post(&request(1, "wait")).answer(), cancelling);
    assert_eq!(status, 202);
}

#[tokio::test]
async fn a_client_that_was_away_hears_once_of_many_changes() {
    let web = Web::new();
    let id = web.session("2025-06-18").await;
    for _ in 0..3 {
        web.stand_in.change();
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
    let mut events = Events::of(web.get("/mcp").with("mcp-session-id", &id).response().await);
    assert_eq!(events.message().await["method"], "notifications/tools/list_changed");
    let nothing = tokio::time::timeout(Duration::from_millis(1), events.next()).await;
    assert!(nothing.is_err());
}

#[tokio::test]
async fn a_place_beyond_the_end_of_a_stream_is_its_end() {
    let web = Web::new();
    let id = web.session("2025-06-18").await;
    let beyond = format!("0-{}", u64::MAX);
    let sent = web.get("/mcp").with("mcp-session-id", &id).with("last-event-id", &beyond);
    let mut events = Events::of(sent.response().await);
    web.stand_in.change();
    assert_eq!(events.message().await["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn a_header_that_is_sent_twice_counts_as_none() {
    let web = Web::new();
    let mut sent = web.modern("now", json!({}));
    sent.headers.push(("mcp-method".to_owned(), "now".to_owned()));
    assert_eq!(sent.answer().await.1["error"]["code"], -32020);
}

#[tokio::test]
async fn the_host_in_the_target_counts_before_the_header_and_none_of_two_counts() {
    let web = Web::new();
    let status = async |target: &str, more: &[(&str, &str)]| {
        let mut sent = web.send(Method::GET, target);
        sent.headers.extend(more.iter().map(|(name, it)| ((*name).to_owned(), (*it).to_owned())));
        sent.response().await.status().as_u16()
    };
    assert_eq!(status("http://localhost:3000/healthz", &[]).await, 200);
    assert_eq!(status("http://evil.example/healthz", &[]).await, 403);
    assert_eq!(status("/healthz", &[("host", "evil.example")]).await, 403);
    let (ours, theirs) = (("origin", "http://localhost"), ("origin", "http://evil.example"));
    assert_eq!(status("/healthz", &[ours, ours]).await, 200);
    assert_eq!(status("/healthz", &[ours, theirs]).await, 403);
}

#[tokio::test]
async fn a_look_at_the_head_takes_no_stream_from_anybody() {
    let web = Web::new();
    let id = web.session("2025-06-18").await;
    let mut events = Events::of(web.get("/mcp").with("mcp-session-id", &id).response().await);
    let head = web.send(Method::HEAD, "/mcp").with("mcp-session-id", &id).response().await;
    assert_eq!(head.status(), StatusCode::METHOD_NOT_ALLOWED);
    web.stand_in.change();
    assert_eq!(events.message().await["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn an_unnamed_page_is_foreign_also_where_addresses_are_served() {
    let guard = Guard::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), &[], None);
    let web = Web::guarded(guard, Transports::All);
    let status = async |host: &str, origin: &str| {
        let sent = web.send(Method::GET, "/healthz").with("host", host).with("origin", origin);
        sent.response().await.status().as_u16()
    };
    assert_eq!(status("10.0.0.5:3000", "http://10.0.0.5:8080").await, 200);
    assert_eq!(status("10.0.0.5:3000", "http://203.0.113.5").await, 403);
}

#[tokio::test]
async fn who_hangs_up_cancels_a_request_of_2026_07_28() {
    let web = Web::new();
    let sent = web.modern("wait", json!({})).response();
    tokio::select! {
        _ = sent => panic!("nobody released it"),
        () = web.stand_in.has_begun(1) => {}
    }
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    web.stand_in.has_dropped(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_long_silence_turns_the_answer_into_a_stream_that_shows_life() {
    let web = Web::new();
    let mut events = Events::of(web.modern("wait", json!({})).response().await);
    assert_eq!(events.next().await.unwrap().data, "");
    web.stand_in.release.notify_one();
    assert_eq!(events.message().await["result"]["waited"], true);
}

#[tokio::test(start_paused = true)]
async fn streams_of_answers_count_among_the_requests_at_a_time() {
    let web = Web::new();
    let mut streams = Vec::new();
    for _ in 0..16 {
        let id = web.session("2025-11-25").await;
        let waits = (1..=256).map(|at| {
            web.post("/mcp", &request(at, "wait")).with("mcp-session-id", &id).response()
        });
        streams.extend(join_all(waits).await.into_iter().map(Events::of));
    }
    let status = async || web.post("/mcp", &initialize("2025-11-25")).response().await.status();
    assert_eq!(status().await, 503);
    streams.pop();
    assert_eq!(status().await, 200);
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_when_it_is_idle_but_not_while_a_stream_is_open() {
    let web = Web::new();
    let (idle, open) = (web.session("2025-06-18").await, web.session("2025-06-18").await);
    let _stream = web.get("/mcp").with("mcp-session-id", &open).response().await;
    tokio::time::sleep(Duration::from_secs(32 * 60)).await;
    let status = async |id: &str| {
        web.post("/mcp", &request(1, "now")).with("mcp-session-id", id).answer().await.0
    };
    assert_eq!((status(&idle).await, status(&open).await), (404, 200));
}

#[tokio::test]
async fn only_expected_hosts_and_origins_are_served_on_every_route() {
    let web = Web::new();
    let status = async |host: &str, origin: &str| {
        let mut all = Vec::new();
        for path in ["/healthz", "/readyz", "/metrics", "/nowhere"] {
            let mut sent = web.send(Method::GET, path).with("host", host);
            if !origin.is_empty() {
                sent = sent.with("origin", origin);
            }
            all.push(sent.response().await.status().as_u16());
        }
        all
    };
    let (served, refused) = (vec![200, 200, 200, 404], vec![403; 4]);
    for host in ["localhost", "LOCALHOST:80", "127.0.0.1:3000", "[::1]:3000"] {
        assert_eq!(status(host, "").await, served, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "10.0.0.1", "localhost:x", "[::1", ""] {
        assert_eq!(status(host, "").await, refused, "{host}");
    }
    assert_eq!(status("localhost", "http://localhost:6274").await, served);
    for origin in ["http://evil.example", "null", "file://", "http://localhost.evil.example"] {
        assert_eq!(status("localhost", origin).await, refused, "{origin}");
    }
}

#[tokio::test]
async fn a_token_is_asked_for_everywhere_but_at_the_probes() {
    let address = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let guard = Guard::new(address, &["box.lan".to_owned()], Some("secret".to_owned()));
    let web = Web::guarded(guard, Transports::All);
    let status = async |path: &str, token: &str| {
        let sent = web.send(Method::GET, path).with("host", "box.lan");
        sent.with("authorization", token).response().await.status().as_u16()
    };
    assert_eq!(status("/healthz", "").await, 200);
    assert_eq!(status("/metrics", "Bearer secret").await, 200);
    assert_eq!(status("/metrics", "bearer secret").await, 200);
    for token in ["", "Bearer", "Bearer wrong", "Bearer secretx", "Basic secret", "secret"] {
        for path in ["/metrics", "/mcp", "/sse"] {
            assert_eq!(status(path, token).await, 401, "{path} {token}");
        }
    }
    let sent = web.send(Method::GET, "/healthz").with("host", "192.168.1.5:3000");
    assert_eq!(sent.response().await.status(), 200, "an address cannot be a foreign page's name");
}

#[tokio::test]
async fn metrics_count_what_was_done() {
    let web = Web::new();
    web.modern("unheard/of", json!({})).answer().await;
    web.session("2025-11-25").await;
    let response = web.send(Method::GET, "/metrics").response().await;
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let text = String::from_utf8(body.to_vec()).unwrap();
    for line in [
        r#"metier_requests_total{method="initialize",outcome="result"} 1"#,
        r#"metier_requests_total{method="other",outcome="error"} 1"#,
        "metier_sessions 1",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
