//! Capabilities: what servers hear that whoever asks can do for them, and when.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};

use super::{
    fake::{Act, Fake, good, modern},
    name, raw, settle, shown, until,
};
use crate::{Identity, Request};

const READY: &str = "fake ready fake:echo";

fn ours() -> Identity {
    Identity::capable("test", "1", json!({ "roots": {} }))
}

/// What a server hears with `initialize` or `server/discover`, with the first list that is asked
/// for, and with a request of someone who can do this.
async fn check(react: fn(&Value) -> Vec<Act>, of_request: Option<&str>, expected: [Value; 3]) {
    let fake = Fake::new(move |_, message| react(message));
    let upstreams = fake.kept_by(ours(), Arc::new(()));
    settle(&upstreams).await;
    let capabilities = of_request.map(raw);
    let request = Request {
        capabilities: capabilities.as_deref(),
        ..Request::new("completion/complete", &[])
    };
    let server = name("fake");
    let asking = upstreams.request(&server, request, Arc::new(()));
    let _ = tokio::time::timeout(Duration::from_secs(1), asking).await;
    let heard = |message: &Value| match message["method"].as_str() {
        Some("initialize") => message["params"]["capabilities"].clone(),
        _ => message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone(),
    };
    let first = ["server/discover", "initialize"].iter().find_map(|it| fake.asked(it).pop());
    let messages = [first, fake.asked("tools/list").pop(), fake.asked("completion/complete").pop()];
    assert_eq!(messages.map(|it| heard(&it.unwrap())), expected);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_hears_with_each_request_what_whoever_asks_can_do() {
    let ours = || json!({ "roots": {} });
    check(modern, None, [ours(), ours(), ours()]).await;
    let theirs = r#"{"sampling":{},"odd":1}"#;
    check(modern, Some(theirs), [ours(), ours(), json!({ "sampling": {}, "odd": 1 })]).await;
    check(modern, Some("{}"), [ours(), ours(), json!({})]).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_of_the_legacy_era_hears_at_first_what_we_can_do_and_nothing_later() {
    check(good, Some(r#"{"sampling":{}}"#), [json!({ "roots": {} }), json!(null), json!(null)])
        .await;
}

/// A server is reached at once, and greeted when it is known what we can do: after longer than
/// it may take to be ready.
async fn check_awaited(react: fn(&Value) -> Vec<Act>, method: &str, member: &str) {
    let fake = Fake::new(move |_, message| react(message));
    let (know, known) = oneshot::channel();
    let identity = Identity::awaiting("test", "1", async { known.await.unwrap() });
    let upstreams = fake.kept_by(identity, Arc::new(()));
    let began = Instant::now();
    sleep(Duration::from_secs(3600)).await;
    assert_eq!((fake.n_attempts(), fake.seen().len()), (1, 0));
    assert_eq!(shown(&upstreams.roster()), "fake connecting");
    know.send(json!({ "sampling": {} })).unwrap();
    until(&upstreams, READY).await;
    assert_eq!((fake.n_attempts(), began.elapsed().as_secs()), (1, 3600));
    let heard = fake.asked(method).pop().unwrap();
    assert_eq!(heard.pointer(member), Some(&json!({ "sampling": {} })), "{heard}");
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_is_reached_before_it_is_known_what_we_can_do_and_greeted_after() {
    check_awaited(good, "initialize", "/params/capabilities").await;
    let meta = "/params/_meta/io.modelcontextprotocol~1clientCapabilities";
    check_awaited(modern, "server/discover", meta).await;
    check_awaited(modern, "tools/list", meta).await;
}

#[tokio::test(start_paused = true)]
async fn whoever_stops_does_not_wait_until_it_is_known_what_we_can_do() {
    let fake = Fake::good();
    let identity = Identity::awaiting("test", "1", std::future::pending());
    let upstreams = fake.kept_by(identity, Arc::new(()));
    sleep(Duration::from_secs(1)).await;
    let began = Instant::now();
    upstreams.stop().await;
    assert_eq!((began.elapsed(), fake.seen().len(), fake.n_live()), (Duration::ZERO, 0, 0));
}
