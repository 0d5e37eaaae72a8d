//! Calls: many at once, given up, too late, lost, and never made twice.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::future::join_all;
use serde_json::{Value, json, value::RawValue};
use tokio::time::{Instant, sleep, timeout};

use super::{
    call, call_for,
    fake::{Act, Fake, good, keep, notification, result},
    name, outcome, raw, settle, until,
};
use crate::{CallError, Caller, Request};

/// A caller that takes note of what it hears.
#[derive(Default)]
struct Witness(Mutex<Vec<String>>);

impl Caller for Witness {
    fn progress(&self, params: &RawValue) {
        let params: Value = serde_json::from_str(params.get()).unwrap();
        self.0.lock().unwrap().push(format!("progress {}", params["progress"]));
    }
}

impl Witness {
    fn heard(&self) -> String {
        self.0.lock().unwrap().join(", ")
    }
}

fn progress(call: &Value, progress: &Value) -> Act {
    let token = &call["params"]["_meta"]["progressToken"];
    let params = json!({ "progressToken": token, "progress": progress });
    Act::Say(notification("notifications/progress", params))
}

#[tokio::test(start_paused = true)]
async fn calls_answered_in_reverse_reach_those_who_made_them() {
    let held: Mutex<Vec<Value>> = Mutex::default();
    let fake = Fake::on("tools/call", move |_, message| {
        let mut held = held.lock().unwrap();
        held.push(message.clone());
        if held.len() < 20 {
            return Vec::new();
        }
        let each = held.drain(..).rev().flat_map(|call| {
            [progress(&call, &call["params"]["arguments"]["a"]), good(&call).remove(0)]
        });
        each.collect()
    });
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let upstreams = &upstreams;
    let calls = (0..20).map(|at| async move {
        let witness = Arc::new(Witness::default());
        let got = call_for(upstreams, &format!(r#"{{"a":{at}}}"#), witness.clone()).await;
        assert_eq!(outcome(got), format!(r#"{{"content":[],"got":{{"a":{at}}}}}"#));
        assert_eq!(witness.heard(), format!("progress {at}"));
    });
    join_all(calls).await;
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_is_cancelled_by_its_id_and_its_answer_dropped() {
    let fake = Fake::on("tools/call", |_, message| match message["params"]["arguments"]["a"] {
        Value::Null => Vec::new(),
        _ => good(message),
    });
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let given_up = timeout(Duration::from_secs(1), call(&upstreams, "{}"));
    let other = async {
        sleep(Duration::from_secs(2)).await;
        call(&upstreams, r#"{"a":1}"#).await
    };
    let (given_up, other) = tokio::join!(given_up, other);
    assert!(given_up.is_err() && other.is_ok());
    let calls = fake.asked("tools/call");
    let cancelled = fake.asked("notifications/cancelled");
    assert_eq!(cancelled.len(), 1);
    assert_eq!(cancelled[0]["params"]["requestId"], calls[0]["id"]);
    // Late, and of no use to anyone.
    let Act::Say(late) = result(&calls[0], json!("late")) else { panic!("it is said") };
    fake.say(late).await;
    assert_eq!(outcome(call(&upstreams, r#"{"a":2}"#).await), r#"{"content":[],"got":{"a":2}}"#);
    assert_eq!(fake.n_attempts(), 1);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_fails_alone() {
    let fake = Fake::on("tools/call", |_, message| match message["params"]["arguments"]["a"] {
        Value::Null => Vec::new(),
        _ => good(message),
    });
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let began = Instant::now();
    let timed_out = call(&upstreams, "{}").await.unwrap_err();
    assert!(matches!(timed_out, CallError::Timeout { after, .. } if after.as_secs() == 300));
    assert_eq!(began.elapsed(), Duration::from_secs(300));
    sleep(Duration::from_secs(1)).await;
    let calls = fake.asked("tools/call");
    assert_eq!(fake.asked("notifications/cancelled")[0]["params"]["requestId"], calls[0]["id"]);
    let Act::Say(late) = result(&calls[0], json!("late")) else { panic!("it is said") };
    fake.say(late).await;
    assert_eq!(outcome(call(&upstreams, r#"{"a":2}"#).await), r#"{"content":[],"got":{"a":2}}"#);
    assert_eq!((fake.n_attempts(), fake.count("tools/call")), (1, 2));
    upstreams.stop().await;
}

/// What a call comes to with a server that does this with it, and that it was made once.
async fn check(react: fn(&Value) -> Vec<Act>, expected: &str) {
    let fake = Fake::on("tools/call", move |_, message| react(message));
    let upstreams = fake.kept();
    settle(&upstreams).await;
    assert_eq!(outcome(call(&upstreams, "{}").await), expected);
    sleep(Duration::from_secs(1_000)).await;
    assert_eq!(fake.count("tools/call"), 1);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_may_have_been_delivered_is_not_sent_again() {
    check(
        |_| vec![Act::Leave],
        "server `fake` was asked, but the answer is lost: it closed its output",
    )
    .await;
    check(|_| Vec::new(), "server `fake` was silent for 300 s").await;
    check(|_| vec![Act::Freeze], "server `fake` was silent for 300 s").await;
    check(
        |_| vec![Act::Raw(b"{\"jsonrpc\":\"2.0\",\"id\":3,".to_vec()), Act::Leave],
        "server `fake` was asked, but the answer is lost: it closed its output",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_failure_has_a_kind_a_server_and_the_server_s_own_words() {
    let is_error = |it: &Value| vec![result(it, json!({ "content": [], "isError": true }))];
    check(is_error, r#"{"content":[],"isError":true}"#).await;
    let fake = Fake::on("tools/call", |_, message| {
        let error = json!({ "code": -32050, "message": "no luck", "data": { "b": 1.0, "a": [] } });
        vec![Act::Say(json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }))]
    });
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let CallError::Refused { server, error } = call(&upstreams, "{}").await.unwrap_err() else {
        panic!("an error of the server")
    };
    assert_eq!((server.as_str(), error.code, &*error.message), ("fake", -32050, "no luck"));
    assert_eq!(error.data.unwrap().get(), r#"{"b":1.0,"a":[]}"#);
    upstreams.stop().await;
    let down = call(&upstreams, "{}").await;
    assert!(matches!(down, Err(CallError::NoTool(_))));
}

#[tokio::test(start_paused = true)]
async fn an_error_of_odd_shape_is_an_error_all_the_same() {
    const ODD: &str = "server `fake` answered with an error: an error of no known shape (-32603)";
    check(|it| odd_error(it, json!("no")), ODD).await;
    check(|it| odd_error(it, json!({ "code": "E1", "message": "no" })), ODD).await;
    check(|it| odd_error(it, json!({})), "server `fake` answered with an error:  (0)").await;
    check(
        |it| odd_error(it, json!({ "code": 1_u64 << 40, "message": "no" })),
        "server `fake` answered with an error: no (1099511627776)",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_result_with_an_error_that_is_null_beside_it_is_a_result() {
    let both = |it: &Value| {
        let mut answer = json!({ "jsonrpc": "2.0", "id": it["id"], "error": null });
        answer["result"] = json!({ "n": 1 });
        vec![Act::Say(answer)]
    };
    check(both, r#"{"n":1}"#).await;
}

fn odd_error(message: &Value, error: Value) -> Vec<Act> {
    let mut answer = json!({ "jsonrpc": "2.0", "id": message["id"] });
    answer["error"] = error;
    vec![Act::Say(answer)]
}

#[tokio::test(start_paused = true)]
async fn servers_that_are_not_there_are_named_with_the_reason() {
    let (upstreams, _) = keep([("dead", Fake::dead())]);
    settle(&upstreams).await;
    let ask = |server: &'static str| {
        let upstreams = upstreams.clone();
        async move {
            let request = Request { method: "ping", ..Request::default() };
            let got = upstreams.request(&name(server), request, Arc::new(())).await;
            got.unwrap_err().to_string()
        }
    };
    assert_eq!(ask("dead").await, "server `dead` is waiting: nobody is there");
    assert_eq!(ask("ghost").await, "there is no server `ghost`");
    upstreams.stop().await;
    assert_eq!(ask("dead").await, "server `dead` is stopped");
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_a_server_that_is_being_met_waits_for_it() {
    let fake = Fake::on("initialize", |_, message| {
        vec![Act::Wait(Duration::from_secs(9)), good(message).remove(0)]
    });
    let upstreams = fake.kept();
    let params = [("name", &*raw("\"echo\"")), ("arguments", &*raw("{}"))];
    let request = Request { method: "tools/call", params: &params, ..Request::default() };
    let got = upstreams.request(&name("fake"), request, Arc::new(())).await.unwrap();
    assert_eq!(got.get(), r#"{"content":[],"got":{}}"#);
    upstreams.stop().await;
}

/// A caller that cannot bear progress.
struct Nervous;

impl Caller for Nervous {
    fn progress(&self, _params: &RawValue) {
        panic!("a caller that panics");
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_panics_costs_the_connection_and_not_the_server() {
    let fake = Fake::on("tools/call", |_, message| {
        vec![progress(message, &json!(1)), good(message).remove(0)]
    });
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let began = Instant::now();
    let lost = call_for(&upstreams, "{}", Arc::new(Nervous)).await;
    assert_eq!(
        outcome(lost),
        "server `fake` was asked, but the answer is lost: someone who heard its messages panicked"
    );
    assert_eq!(began.elapsed(), Duration::ZERO);
    until(&upstreams, "fake waiting (someone who heard its messages panicked) fake:echo").await;
    until(&upstreams, "fake ready fake:echo").await;
    upstreams.stop().await;
}
