//! Attention: a server over HTTP is ready when what it says by itself is heard.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{Method, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;

use super::name;
use crate::{
    Endpoint, Fallback, Identity, ServerSpec,
    connect::{Hold, Opened, Opener, connect},
    link::{Http, Link, Way, stub},
    web::Web,
};

/// What a server does when it is asked for the stream of what it says by itself.
#[derive(Clone, Copy)]
enum Stream {
    Refused,
    OpenAfter(u64),
}

/// After how many milliseconds a server with such a stream is ready.
async fn check(stream: Stream, expected: u128) {
    let tasks = TaskTracker::new();
    let web = Web::of(Router::new().fallback(move |method: Method, body: Bytes| async move {
        match method {
            Method::GET => listened(stream).await,
            _ => answered(&body),
        }
    }));
    let opener = Opener::new(Identity::new("metier", "1"), Arc::new(()), move |endpoint, board| {
        let (web, tasks) = (web.clone(), tasks.clone());
        Box::pin(async move {
            let Endpoint::Http { site, .. } = &endpoint else { unreachable!() };
            let way = Way::Http(Http::new(site, web, &tasks)?);
            Ok(Opened { link: Hold::new(Link::new(way, board)), child: None })
        })
    });
    let site = stub::site("https://files.example/mcp", &[]);
    let spec = ServerSpec::new(name("fake"), Endpoint::Http { site, fallback: Fallback::None });
    let began = Instant::now();
    let connection = connect(&spec, &opener, None, &mut None).await.ok().unwrap();
    assert_eq!(connection.offer.tools.len(), 1);
    assert_eq!(began.elapsed().as_millis(), expected);
}

async fn listened(stream: Stream) -> Response {
    let Stream::OpenAfter(millis) = stream else {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    };
    sleep(Duration::from_millis(millis)).await;
    let body = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}

fn answered(body: &[u8]) -> Response {
    let message: Value = serde_json::from_slice(body).unwrap();
    let result = match message["method"].as_str().unwrap() {
        "initialize" => json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} } }),
        "tools/list" => json!({ "tools": [{ "name": "echo" }] }),
        "notifications/initialized" => return StatusCode::ACCEPTED.into_response(),
        _ => return StatusCode::BAD_REQUEST.into_response(),
    };
    let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
    ([(CONTENT_TYPE, "application/json")], answer.to_string()).into_response()
}

#[tokio::test(start_paused = true)]
async fn a_server_is_ready_when_what_it_asks_by_itself_would_be_heard() {
    check(Stream::OpenAfter(300), 300).await;
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_long_for_a_stream_or_for_one_that_is_not_there() {
    check(Stream::OpenAfter(60_000), 1000).await;
    check(Stream::Refused, 0).await;
}
