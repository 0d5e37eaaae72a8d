//! Eras: servers of every revision are met over a pipe, each by one start.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    call,
    fake::{Act, Fake, error, good, modern, result},
    settle, until,
};

/// With which revision a server is ready, or why it is not; it is started once for that.
async fn check(react: fn(&Value) -> Vec<Act>, expected: &str) {
    let fake = Fake::new(move |_, message| react(message));
    let upstreams = fake.kept();
    let roster = settle(&upstreams).await;
    let server = roster.servers().next().unwrap();
    let shown = match &server.standing.offer {
        Some(offer) => format!("{} {}", server.standing.phase.word(), offer.revision),
        None => server.standing.phase.reason().unwrap_or_default().to_owned(),
    };
    assert_eq!(shown, expected);
    assert_eq!(fake.n_attempts(), 1);
    if server.standing.offer.is_some() {
        let answer = call(&upstreams, r#"{"a":1}"#).await.unwrap();
        assert_eq!(answer, r#"{"content":[],"got":{"a":1}}"#);
    }
    upstreams.stop().await;
}

/// A server that answers `initialize` with an introduction of its own.
fn introduced(message: &Value, introduction: Value) -> Vec<Act> {
    match message["method"].as_str() {
        Some("initialize") => vec![result(message, introduction)],
        Some("server/discover") => vec![error(message, -32601, "unknown method")],
        _ => good(message),
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_of_either_era_or_both_is_met() {
    check(good, "ready 2025-11-25").await;
    check(modern, "ready 2026-07-28").await;
    let both = |message: &Value| match message["method"].as_str() {
        Some("server/discover" | "subscriptions/listen") => modern(message),
        _ => good(message),
    };
    check(both, "ready 2025-11-25").await;
}

#[tokio::test(start_paused = true)]
async fn a_server_may_answer_with_an_older_revision_but_not_with_one_that_nobody_knows() {
    let older = |message: &Value| {
        introduced(
            message,
            json!({ "protocolVersion": "2024-11-05", "capabilities": { "tools": {} } }),
        )
    };
    check(older, "ready 2024-11-05").await;
    let unknown = |message: &Value| {
        introduced(
            message,
            json!({ "protocolVersion": "2099-01-01", "capabilities": { "tools": {} } }),
        )
    };
    check(unknown, "it speaks revision `2099-01-01` of the protocol, which is not known here")
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_a_revision_and_names_others_is_met_in_one_of_them() {
    fn refusal(message: &Value, code: i32, supported: &[&str]) -> Vec<Act> {
        let data = json!({ "supported": supported, "requested": "2025-11-25" });
        let error =
            json!({ "code": code, "message": "unsupported protocol version", "data": data });
        vec![Act::Say(json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }))]
    }
    let modern_only = |message: &Value| match message["method"].as_str() {
        Some("initialize") => refusal(message, -32022, &["2026-07-28"]),
        _ => modern(message),
    };
    check(modern_only, "ready 2026-07-28").await;
    let strict = |message: &Value| match message["method"].as_str() {
        Some("initialize") if message["params"]["protocolVersion"] != "2025-03-26" => {
            refusal(message, -32602, &["2024-11-05", "2025-03-26"])
        }
        Some("server/discover") => vec![error(message, -32601, "unknown method")],
        _ => good(message),
    };
    check(strict, "ready 2025-03-26").await;
    let foreign = |message: &Value| match message["method"].as_str() {
        Some("initialize") => refusal(message, -32602, &["2099-01-01"]),
        Some("server/discover") => vec![error(message, -32601, "unknown method")],
        _ => good(message),
    };
    check(foreign, "unsupported protocol version (-32602)").await;
}

#[tokio::test(start_paused = true)]
async fn an_introduction_of_odd_shape_costs_only_what_is_odd() {
    macro_rules! check_odd {
        ($introduction:tt) => {
            check(|message| introduced(message, json!($introduction)), "ready 2025-11-25").await
        };
    }
    check_odd!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "_meta": null });
    check_odd!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "_meta": 1 });
    check_odd!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "instructions": 5 });
    check_odd!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": { "listChanged": "yes" } }, "serverInfo": [] });
    check_odd!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {}, "prompts": 1 }, "supportedVersions": null });
}

/// A server that is met again by what is known of it: which of two requests it gets first.
async fn check_again(second: fn(&Value) -> Vec<Act>, first: &str, within: Duration) {
    let fake = Fake::new(move |start, message| match start {
        0 => modern(message),
        _ => second(message),
    });
    let upstreams = fake.kept();
    until(&upstreams, "fake ready fake:echo").await;
    let n_before = fake.seen().len();
    fake.act(Act::Leave).await;
    until(&upstreams, "fake waiting (it closed its output) fake:echo").await;
    let began = Instant::now();
    until(&upstreams, "fake ready fake:echo").await;
    assert_eq!(fake.seen()[n_before]["method"], first);
    assert_eq!(fake.n_attempts(), 2);
    assert!(began.elapsed() <= within, "{:?}", began.elapsed());
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_is_met_again_in_its_era_and_may_have_changed_it() {
    let second = Duration::from_secs(1);
    check_again(modern, "server/discover", second).await;
    let older = |message: &Value| match message["method"].as_str() {
        Some("server/discover") => vec![error(message, -32601, "unknown method")],
        _ => good(message),
    };
    check_again(older, "server/discover", second).await;
    // One that does not even say that it does not know the question.
    check_again(good, "server/discover", second * 6).await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_subscribed_to_and_told_with_every_request_who_asks() {
    let fake = Fake::new(|_, message| modern(message));
    let upstreams = fake.kept();
    until(&upstreams, "fake ready fake:echo").await;
    call(&upstreams, "{}").await.unwrap();
    let listens = fake.asked("subscriptions/listen");
    assert_eq!(listens.len(), 1);
    let wanted = &listens[0]["params"]["notifications"];
    assert_eq!(wanted["toolsListChanged"], true);
    let mine = "io.modelcontextprotocol/clientInfo";
    let requests = fake.seen().into_iter().filter(|it| !it["id"].is_null());
    for request in requests.filter(|it| it["method"] != "initialize") {
        assert_eq!(request["params"]["_meta"][mine]["name"], "test", "{request}");
    }
    upstreams.stop().await;
}
