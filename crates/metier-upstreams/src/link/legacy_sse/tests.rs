//! The older transport against a server that answers by a script: first the stream, then POSTs.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{StatusCode, Uri, header::CONTENT_TYPE},
    response::IntoResponse,
    routing::get,
};
use futures_util::{StreamExt, stream};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::task::TaskTracker;

use super::legacy_sse;
use crate::{
    identity::Identity,
    link::{
        Ask, Ending, Link, Switchboard, Way,
        stub::{Stub, site, told},
    },
    web::Web,
};

const STREAM: &str = "200\ncontent-type: text/event-stream\n\n";

async fn connect(web: &Web) -> Result<Link, String> {
    let tasks = TaskTracker::new();
    let board = Switchboard::new(Arc::new(Identity::new("m", "1")), Arc::new(()));
    let site = site("https://files.example/sse?key=1", &[("authorization", "x")]);
    let piped = legacy_sse(&site, web, &board, &tasks).await;
    let piped = piped.map_err(|failed| told(Err(failed)))?;
    Ok(Link::new(Way::Piped(piped), board))
}

/// Where a request goes after these events, or why it goes nowhere.
async fn check_door(events: &str, expected: &str) {
    let stub = Stub::new(&[&format!("{STREAM}{events}<hang>"), "500"]);
    let said = match connect(&stub.web()).await {
        Err(failed) => failed,
        Ok(link) => {
            let _ = link.request(Ask::new("ping", &[])).await;
            stub.log().lines().last().unwrap_or_default().to_owned()
        }
    };
    assert_eq!(said, expected);
}

#[tokio::test(start_paused = true)]
async fn the_stream_says_where_messages_go() {
    let endpoint = |to: &str| format!("event: endpoint\ndata: {to}\n\n");
    let goes = |to: &str| format!("POST {to} authorization=x ping");
    check_door(&endpoint("/messages?id=1"), &goes("/messages?id=1")).await;
    check_door(&endpoint("messages?id=1"), &goes("/messages?id=1")).await;
    check_door(&endpoint("?id=1"), &goes("/sse?id=1")).await;
    check_door(&endpoint("https://files.example/m"), &goes("/m")).await;
    check_door(&endpoint("https://files.example:443/m"), &goes("/m")).await;
    let late = format!(": hi\r\rretry: 5\revent: ping\rdata: x\r\r{}", endpoint("/m"));
    check_door(&late, &goes("/m")).await;
}

#[tokio::test(start_paused = true)]
async fn messages_go_to_no_other_origin() {
    let refused = |origin: &str| format!("unsent: it sends us to another origin, `{origin}`");
    for origin in ["https://evil.example", "http://files.example", "https://files.example:8443"] {
        check_door(&format!("event: endpoint\ndata: {origin}/m\n\n"), &refused(origin)).await;
    }
    let url = "event: endpoint\ndata: https://\n\n";
    check_door(url, "unsent: where messages go is not an address").await;
}

/// What comes of a connection to a server that answers the GET like this.
async fn check_refused(answer: &str, expected: &str) {
    let stub = Stub::new(&[answer]);
    assert_eq!(connect(&stub.web()).await.err().as_deref(), Some(expected));
    assert_eq!(stub.log(), "GET /sse?key=1 authorization=x");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_speak_it_is_told_from_one_that_is_not_there() {
    let status = |text: &str| format!("status: the server answered with HTTP status {text}");
    check_refused("404", &status("404")).await;
    check_refused("405", &status("405")).await;
    let no_stream = status("200: it offers no stream of events");
    check_refused("200\ncontent-type: text/html\n\n<p>", &no_stream).await;
    let header = "the server does not accept the `Authorization` header that it was sent";
    check_refused("401", &format!("unauthorized: {header} (HTTP status 401)")).await;
    let ended = "unsent: the stream ended before it said where messages go";
    check_refused(STREAM, ended).await;
    check_refused(&format!("{STREAM}<break>"), "unsent: the connection broke: cut").await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_names_no_place_is_waited_for_only_as_long_as_one_likes() {
    let stub = Stub::new(&[&format!("{STREAM}: hi\n\n<hang>")]);
    assert!(timeout(Duration::from_secs(30), connect(&stub.web())).await.is_err());
}

/// A server whose stream says what the test lets it say; every POST gets `status`.
fn server(status: u16) -> (Web, mpsc::Sender<&'static str>, mpsc::Receiver<String>) {
    let (say, said) = mpsc::channel(8);
    let (post, posted) = mpsc::channel(8);
    let said = Arc::new(std::sync::Mutex::new(Some(said)));
    let stream = move || async move {
        let mut said = said.lock().unwrap().take().unwrap();
        let rest = stream::poll_fn(move |context| said.poll_recv(context));
        let first = stream::iter(["event: endpoint\ndata: /m\n\n"]);
        let body = Body::from_stream(first.chain(rest).map(Ok::<_, std::io::Error>));
        ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
    };
    let take = move |uri: Uri, body: String| async move {
        post.send(format!("{} {body}", uri.path())).await.unwrap();
        StatusCode::from_u16(status).unwrap()
    };
    let router = Router::new().route("/sse", get(stream)).fallback(take);
    (Web::of(router), say, posted)
}

#[tokio::test(start_paused = true)]
async fn answers_come_by_the_stream() {
    let (web, say, mut posted) = server(202);
    let link = connect(&web).await.unwrap();
    let answers = async {
        assert!(posted.recv().await.unwrap().starts_with(r#"/m {"jsonrpc":"2.0","id":1,"#));
        posted.recv().await.unwrap();
        say.send("data: {\"jsonrpc\":\"2.0\",\"id\":2,\n").await.unwrap();
        say.send("data: \"result\":{\"b\":2}}\n\n: still here\n\n").await.unwrap();
        say.send("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
            .await
            .unwrap();
    };
    let ask = || link.request(Ask::new("tools/list", &[]));
    let (first, second, ()) = tokio::join!(ask(), ask(), answers);
    assert_eq!((told(first), told(second)), ("ok {}".to_owned(), r#"ok {"b":2}"#.to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_question_of_the_server_is_answered_where_messages_go_by_then() {
    let (web, say, mut posted) = server(202);
    let _link = connect(&web).await.unwrap();
    let question = "data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}\n\n";
    let reply = r#"{"jsonrpc":"2.0","id":"q","result":{}}"#;
    say.send(question).await.unwrap();
    assert_eq!(posted.recv().await.unwrap(), format!("/m {reply}"));
    say.send("event: endpoint\ndata: /n\n\n").await.unwrap();
    say.send(question).await.unwrap();
    assert_eq!(posted.recv().await.unwrap(), format!("/n {reply}"));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_not_taken_fails_its_request_alone() {
    let (web, _say, _posted) = server(503);
    let link = connect(&web).await.unwrap();
    let said = told(link.request(Ask::new("tools/list", &[])).await);
    assert_eq!(said, "status: the server answered with HTTP status 503");
    assert!(!link.board().is_over());
}

#[tokio::test(start_paused = true)]
async fn a_session_that_the_server_does_not_know_ends_the_connection() {
    let (web, _say, _posted) = server(404);
    let link = connect(&web).await.unwrap();
    let said = told(link.request(Ask::new("tools/list", &[])).await);
    assert_eq!(said, "expired: the session has expired");
    link.board().over().await;
    let lost = Ending::Lost("the server no longer knows our session".to_owned());
    assert_eq!(link.board().news().borrow().ending, Some(lost));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_stream_is_the_end_of_the_connection() {
    let (web, say, mut posted) = server(202);
    let link = connect(&web).await.unwrap();
    let end = async {
        posted.recv().await.unwrap();
        drop(say);
    };
    let (outcome, ()) = tokio::join!(link.request(Ask::new("tools/list", &[])), end);
    assert_eq!(told(outcome), "lost: it closed its stream");
}

#[tokio::test(start_paused = true)]
async fn a_notification_is_taken_before_what_follows_it_is_sent() {
    let open = format!("{STREAM}event: endpoint\ndata: /m\n\n<hang>");
    let stub = Stub::new(&[&open, "<hang>", "202"]);
    let link = connect(&stub.web()).await.unwrap();
    link.notify("notifications/initialized", None::<&()>).await.unwrap();
    let ask = link.request(Ask::new("tools/list", &[]));
    assert!(timeout(Duration::from_secs(9), ask).await.is_err());
    assert_eq!(stub.log().lines().count(), 2, "{}", stub.log());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_a_server_keeps_open_holds_up_no_other() {
    let open = format!("{STREAM}event: endpoint\ndata: /m\n\n<hang>");
    let answer =
        "200\ncontent-type: application/json\n\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}";
    let stub = Stub::new(&[&open, "<hang>", answer]);
    let link = connect(&stub.web()).await.unwrap();
    let ask = || link.request(Ask::new("tools/list", &[]));
    let first = timeout(Duration::from_secs(1), ask());
    let (first, second) = tokio::join!(first, ask());
    assert!(first.is_err());
    assert_eq!(told(second), "ok {}");
}
