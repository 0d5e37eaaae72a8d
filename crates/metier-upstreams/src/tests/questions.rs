//! Questions: what servers ask while they are called, and who answers.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json, value::RawValue};
use tokio::time::sleep;

use super::{
    call, call_for,
    fake::{Act, Fake, good, modern, notification, result},
    outcome, raw, settle,
};
use crate::{Answering, Caller, Claim};

/// A caller that answers every question with the same, and keeps a list of them.
struct Oracle {
    answer: &'static str,
    questions: Mutex<Vec<String>>,
}

impl Oracle {
    fn saying(answer: &'static str) -> Arc<Oracle> {
        Arc::new(Oracle { answer, questions: Mutex::default() })
    }

    fn questions(&self) -> Vec<String> {
        self.questions.lock().unwrap().clone()
    }
}

impl Caller for Oracle {
    fn asked<'a>(&'a self, method: &'a str, params: Option<&'a RawValue>) -> Answering<'a> {
        let params = params.map_or("nothing", RawValue::get);
        self.questions.lock().unwrap().push(format!("{method} {params}"));
        Box::pin(async { Ok(raw(self.answer)) })
    }
}

fn question(method: &str) -> Act {
    let params = json!({ "message": "who?" });
    Act::Say(json!({ "jsonrpc": "2.0", "id": "q-1", "method": method, "params": params }))
}

/// A server that asks something while it is called, and makes the answer its result.
fn curious(method: &'static str) -> Arc<Fake> {
    let open: Mutex<Option<Value>> = Mutex::default();
    Fake::new(move |_, message| match message["method"].as_str() {
        Some("tools/call") => {
            *open.lock().unwrap() = Some(message.clone());
            vec![question(method)]
        }
        None => match open.lock().unwrap().take() {
            Some(call) => vec![result(&call, message.clone())],
            None => Vec::new(),
        },
        _ => good(message),
    })
}

/// What a server gets for an answer, if this is the caller.
async fn check(method: &'static str, caller: Arc<dyn Caller>, expected: Value) {
    let upstreams = curious(method).kept();
    settle(&upstreams).await;
    let got = call_for(&upstreams, "{}", caller).await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&got).unwrap(), expected);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_server_asks_reaches_the_caller_and_the_answer_the_server() {
    for method in ["elicitation/create", "sampling/createMessage", "roots/list"] {
        let oracle = Oracle::saying(r#"{"action":"accept"}"#);
        let expected = json!({ "jsonrpc": "2.0", "id": "q-1", "result": { "action": "accept" } });
        check(method, oracle.clone(), expected).await;
        assert_eq!(oracle.questions(), [format!(r#"{method} {{"message":"who?"}}"#)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_is_refused_at_once_and_a_ping_is_not_one() {
    let refused = |method: &str| {
        let text = format!("nobody here answers `{method}`");
        json!({ "jsonrpc": "2.0", "id": "q-1", "error": { "code": -32601, "message": text } })
    };
    check("elicitation/create", Arc::new(()), refused("elicitation/create")).await;
    check("what/is/this", Arc::new(()), refused("what/is/this")).await;
    check("ping", Arc::new(()), json!({ "jsonrpc": "2.0", "id": "q-1", "result": {} })).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_outside_of_any_call_is_refused() {
    let fake = Fake::good();
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let Act::Say(asked) = question("roots/list") else { panic!("it is said") };
    fake.say(asked).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(fake.seen().last().unwrap()["error"]["code"], -32601);
    upstreams.stop().await;
}

/// A caller with a claim to questions: one that lets them be open, and keeps a list of what became
/// of them.
struct Guest {
    name: &'static str,
    client: usize,
    claim: Claim,
    heard: Arc<Mutex<Vec<String>>>,
}

/// Says so when a question is no longer open.
struct Withdrawn<'a>(&'a Guest);

impl Guest {
    fn hear(&self, what: &str) {
        self.heard.lock().unwrap().push(format!("{what} {}", self.name));
    }
}

impl Drop for Withdrawn<'_> {
    fn drop(&mut self) {
        self.0.hear("withdrawn from");
    }
}

impl Caller for Guest {
    fn client(&self) -> usize {
        self.client
    }

    fn claim(&self, _method: &str) -> Claim {
        self.claim
    }

    fn asked<'a>(&'a self, _: &'a str, _: Option<&'a RawValue>) -> Answering<'a> {
        self.hear("asked");
        let withdrawn = Withdrawn(self);
        Box::pin(async move {
            std::future::pending::<()>().await;
            drop(withdrawn);
            Ok(raw("{}"))
        })
    }
}

/// What becomes of a question that a server asks by a pipe while guests call it: `a1 here` is a call
/// of client 1. Then each of these happens: a message of the server, or the end of a call.
async fn check_open(guests: &[&'static str], method: &str, then: &[&str], expected: &[&str]) {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let fake = Fake::on("tools/call", |_, _| Vec::new());
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let mut calls = Vec::new();
    for guest in guests {
        let (name, claim) = guest.split_once(' ').unwrap();
        let claim = match claim {
            "here" => Claim::Here,
            "away" => Claim::Away,
            "unable" => Claim::Unable,
            _ => Claim::Nobody,
        };
        let client = name[1..].parse().unwrap();
        let guest = Arc::new(Guest { name, client, claim, heard: heard.clone() });
        let upstreams = upstreams.clone();
        let call = async move { call_for(&upstreams, "{}", guest).await };
        let mut call = Box::pin(call);
        assert!(futures_util::future::poll_immediate(&mut call).await.is_none());
        calls.push((name, call));
    }
    sleep(Duration::from_millis(1)).await;
    fake.say(json!({ "jsonrpc": "2.0", "id": "q-1", "method": method })).await;
    for what in then {
        sleep(Duration::from_millis(1)).await;
        match *what {
            "cancelled" => {
                let params = json!({ "requestId": "q-1", "reason": "x" });
                fake.say(notification("notifications/cancelled", params)).await;
            }
            "dies" => fake.act(Act::Leave).await,
            name => calls.retain(|(it, _)| *it != name),
        }
    }
    sleep(Duration::from_millis(1)).await;
    let mut got = heard.lock().unwrap().clone();
    let answers = fake.seen().into_iter().filter(|it| it["method"].is_null());
    got.extend(answers.map(|it| it["error"]["message"].to_string()));
    assert_eq!(got, expected, "{guests:?} {method} {then:?}");
    drop(calls);
    upstreams.stop().await;
}

const ELICIT: &str = "elicitation/create";
const UNCLEAR: &str = "\"it is not clear whom `elicitation/create` is for: several clients that \
    could answer have calls under way here, and it does not say for which of these it is\"";
const CALL_OVER: &str = "\"the call is over for which this was asked\"";

#[tokio::test(start_paused = true)]
async fn a_question_of_no_known_call_is_for_the_only_client_that_can_answer() {
    check_open(&["a1 here", "b2 unable"], ELICIT, &[], &["asked a1"]).await;
    check_open(&["a1 here", "b2 unable", "c3 nobody"], ELICIT, &[], &["asked a1"]).await;
    check_open(&["a1 here", "b1 here", "c1 here"], ELICIT, &[], &["asked c1"]).await;
    check_open(&["a1 here", "b2 away"], ELICIT, &[], &["asked a1"]).await;
    check_open(&["a1 unable", "b2 away"], ELICIT, &[], &["asked b2"]).await;
    check_open(&["a1 unable", "b2 unable"], ELICIT, &[], &["asked b2"]).await;
    check_open(&["a1 here", "b2 here"], ELICIT, &[], &[UNCLEAR]).await;
    check_open(&["a1 away", "b2 away"], ELICIT, &[], &[UNCLEAR]).await;
    let nobody = r#""nobody here answers `elicitation/create`""#;
    check_open(&["a1 nobody"], ELICIT, &[], &[nobody]).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_is_withdrawn_when_its_server_says_so_or_dies_or_its_last_call_ends() {
    let check = check_open;
    check(&["a1 here"], ELICIT, &["cancelled"], &["asked a1", "withdrawn from a1"]).await;
    check(&["a1 here"], ELICIT, &["dies"], &["asked a1", "withdrawn from a1"]).await;
    check(&["a1 here"], ELICIT, &["a1"], &["asked a1", "withdrawn from a1", CALL_OVER]).await;
    check(&["a1 here", "b1 here"], ELICIT, &["b1"], &["asked b1"]).await;
    let both = ["asked b1", "withdrawn from b1", CALL_OVER];
    check(&["a1 here", "b1 here"], ELICIT, &["b1", "a1"], &both).await;
    // Roots may be asked for outside of any call.
    check(&["a1 here"], "roots/list", &["a1"], &["asked a1"]).await;
    check(&["a1 here"], "roots/list", &["cancelled"], &["asked a1", "withdrawn from a1"]).await;
}

#[tokio::test(start_paused = true)]
async fn questions_without_end_are_answered_as_far_as_they_may_be_open() {
    let fake = Fake::on("tools/call", |_, _| Vec::new());
    let upstreams = fake.kept();
    settle(&upstreams).await;
    for at in 0..1_000 {
        fake.say(json!({ "jsonrpc": "2.0", "id": at, "method": "roots/list" })).await;
    }
    sleep(Duration::from_secs(1)).await;
    let n_answers = fake.seen().iter().filter(|it| it["error"]["code"] == -32601).count();
    assert!((64..=1_000).contains(&n_answers), "{n_answers}");
    assert_eq!(fake.n_attempts(), 1);
    upstreams.stop().await;
}

/// A server that wants so many rounds of answers before it has a result.
fn rounds(wanted: u64) -> Arc<Fake> {
    Fake::new(move |_, message| {
        if message["method"] != "tools/call" {
            return modern(message);
        }
        let had: u64 =
            message["params"]["requestState"].as_str().map_or(0, |it| it.parse().unwrap());
        if had == wanted {
            return vec![result(
                message,
                json!({ "resultType": "complete", "last": message["params"] }),
            )];
        }
        // Not by way of a value: what is passed on must be what was sent.
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"input_required","inputRequests":{{"b":{{"method":"elicitation/create","params":{{"n":1.0,"big":123456789012345678901}}}},"a":{{"method":"roots/list"}},"odd":7}},"requestState":"{}"}}}}"#,
            message["id"],
            had + 1
        );
        vec![Act::Raw(format!("{answer}\n").into_bytes())]
    })
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_gets_its_answers_with_the_next_round_and_its_state_as_it_was() {
    let fake = rounds(2);
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let oracle = Oracle::saying(r#"{"big":123456789012345678901}"#);
    let got = call_for(&upstreams, r#"{"x":1}"#, oracle.clone()).await.unwrap();
    let last = &serde_json::from_str::<Value>(&got).unwrap()["last"];
    assert_eq!(last["requestState"], "2");
    assert_eq!((&last["name"], &last["arguments"]), (&json!("echo"), &json!({ "x": 1 })));
    let keys: Vec<&String> = last["inputResponses"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["a", "b"]);
    let asked = [
        r#"elicitation/create {"n":1.0,"big":123456789012345678901}"#.to_owned(),
        "roots/list nothing".to_owned(),
    ];
    assert_eq!(oracle.questions(), [asked.clone(), asked].concat());
    assert_eq!(fake.count("tools/call"), 3);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_may_not_ask_for_ever_nor_one_who_does_not_answer() {
    let fake = rounds(100);
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let got = call_for(&upstreams, "{}", Oracle::saying("{}")).await;
    assert_eq!(
        outcome(got),
        "server `fake` was asked, but the answer is lost: it asked more than 16 times"
    );
    assert_eq!(fake.count("tools/call"), 17);
    assert_eq!(
        outcome(call(&upstreams, "{}").await),
        "server `fake` answered with an error: nobody here answers `elicitation/create` (-32601)"
    );
    upstreams.stop().await;
}
