//! What waits for a client that is slower than its server.

use std::{sync::Arc, time::Instant};

use metier_upstreams::Caller;
use metier_wire::Revision;
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};
use tokio_util::task::TaskTracker;

use super::{Event, MOST_WAITING, Parcel, Relay};
use crate::{call::Call, client::Client, lane::Lane};

/// A relay for a client that gave a token and can be asked anything.
fn relay() -> Arc<Relay> {
    let client = Client::new(None, &TaskTracker::new());
    let token = raw(&json!("mine"));
    let call =
        Call::new(&client, Lane::queue().0, Revision::V2026_07_28, Some(&token), Instant::now());
    let meta = json!({ "io.modelcontextprotocol/logLevel": "debug" });
    let params = raw(&json!({ "_meta": meta }));
    let capabilities = Some(raw(&json!({ "roots": {} })));
    Relay::new(call, Parcel { params, capabilities: capabilities.map(Into::into) })
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

fn log(relay: &Relay, n: usize) {
    let params = raw(&json!({ "level": "info", "data": n }));
    relay.told("notifications/message", Some(&params));
}

fn progress(relay: &Relay, n: usize) {
    relay.progress(&raw(&json!({ "progressToken": 7, "progress": n })));
}

/// What waits, one word each.
fn waiting(relay: &Relay) -> Vec<String> {
    let words = std::iter::from_fn(|| relay.try_next()).map(|event| match event {
        Event::Progress(message) | Event::Remark(message) => {
            let message: Value = serde_json::from_slice(&message).unwrap();
            let params = &message["params"];
            match params.get("progress") {
                Some(n) => format!("{n} {}", params["progressToken"].as_str().unwrap()),
                None => format!("log {}", params["data"]),
            }
        }
        Event::Question(question) => question.method,
    });
    words.collect()
}

#[test]
fn what_is_told_in_a_call_waits_in_its_order() {
    let relay = relay();
    progress(&relay, 1);
    log(&relay, 2);
    progress(&relay, 3);
    assert_eq!(waiting(&relay), ["1 mine", "log 2", "3 mine"]);
}

#[test]
fn of_a_flood_the_newest_stays_and_older_progress_goes_first() {
    let relay = relay();
    log(&relay, 0);
    (1..=5_000).for_each(|n| progress(&relay, n));
    log(&relay, 5_001);
    progress(&relay, 5_002);
    let waiting = waiting(&relay);
    assert_eq!(waiting.len(), MOST_WAITING);
    assert_eq!(waiting[..2], ["log 0", &format!("{} mine", 5_000 - MOST_WAITING + 4)]);
    assert_eq!(waiting[MOST_WAITING - 3..], ["5000 mine", "log 5001", "5002 mine"]);
}

#[tokio::test]
async fn a_question_never_gives_way() {
    let relay = relay();
    let mut asked = relay.asked("roots/list", None);
    assert!(futures_util::future::poll_immediate(&mut asked).await.is_none());
    (1..=5_000).for_each(|n| log(&relay, n));
    let waiting = waiting(&relay);
    assert_eq!((&*waiting[0], waiting.len()), ("roots/list", MOST_WAITING));
    assert_eq!(waiting[MOST_WAITING - 1], "log 5000");
}

#[tokio::test]
async fn who_waits_for_an_answer_hears_it_when_the_call_is_over() {
    let relay = relay();
    let mut asked = relay.asked("roots/list", None);
    assert!(futures_util::future::poll_immediate(&mut asked).await.is_none());
    relay.end();
    assert_eq!(asked.await.unwrap_err().message, "nobody answered");
    assert_eq!(relay.asked("roots/list", None).await.unwrap_err().message, "nobody answered");
}
