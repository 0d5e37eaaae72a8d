//! Noise: what comes out of a server beside its messages, and messages that are odd.

use std::{
    fmt::{self, Write},
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::time::Instant;
use tracing::{
    Event, Metadata, Subscriber,
    field::Field,
    span::{Attributes, Id, Record},
};

use super::{
    call,
    fake::{Act, Fake, good, keep, notification, result},
    outcome, settle, until,
};

const FINE: &str = r#"{"content":[],"got":{"a":1}}"#;

fn line(message: &Value) -> Vec<u8> {
    let Some(Act::Say(answer)) = good(message).pop() else { return Vec::new() };
    format!("{answer}\n").into_bytes()
}

/// What a call comes to if every answer of the server is written like this; the one after it is fine.
async fn check(write: fn(&Value) -> Vec<Act>, expected: &str) {
    let fake = Fake::on("tools/call", move |_, message| {
        let is_first = message["params"]["arguments"]["a"] == 1;
        if is_first { write(message) } else { good(message) }
    });
    let upstreams = fake.kept();
    settle(&upstreams).await;
    assert_eq!(outcome(call(&upstreams, r#"{"a":1}"#).await), expected);
    assert_eq!(outcome(call(&upstreams, "{}").await), r#"{"content":[],"got":{}}"#);
    assert_eq!(fake.n_attempts(), 1);
    upstreams.stop().await;
}

fn raw(parts: &[&[u8]]) -> Vec<Act> {
    vec![Act::Raw(parts.concat())]
}

#[tokio::test(start_paused = true)]
async fn what_is_no_message_is_passed_over() {
    check(|it| raw(&[b"Server running on stdio!\n", &line(it)]), FINE).await;
    check(|it| raw(&[b"\n\r\n  \n", &line(it), b"\n"]), FINE).await;
    check(|it| raw(&[b"\xff\xfe\x00 rubbish\n", &line(it)]), FINE).await;
    check(|it| raw(&[b"{\"jsonrpc\":\"2.0\"}\n{}\n[]\n1\nnull\n\"x\"\n{\n", &line(it)]), FINE)
        .await;
    check(|it| raw(&["[".repeat(100_000).as_bytes(), b"\n", &line(it)]), FINE).await;
    check(|it| raw(&[&b"x".repeat(1 << 20), b"\n", &line(it)]), FINE).await;
}

/// Keeps what is logged on this thread.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<String>>);

impl Subscriber for Logged {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut logged = self.0.lock().unwrap();
        event.record(&mut |field: &Field, value: &dyn fmt::Debug| {
            write!(logged, "{field}={value:?} ").unwrap();
        });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test(start_paused = true)]
async fn what_is_no_message_is_not_logged_but_for_its_length() {
    let noisy = |it: &Value| raw(&[b"token=s3cret\n{\"jsonrpc\":\"s3cret\"}\n", &line(it)]);
    let logged = Logged::default();
    let _logging = tracing::subscriber::set_default(logged.clone());
    // What another thread logs for the first time just now may stay unheard until it is looked at again.
    for _ in 0..1_000 {
        tracing::callsite::rebuild_interest_cache();
        check(noisy, FINE).await;
        if !logged.0.lock().unwrap().is_empty() {
            break;
        }
    }
    let logged = logged.0.lock().unwrap();
    assert!(logged.contains("message=noise among the messages n_bytes=12 "), "{logged}");
    assert!(!logged.contains("s3cret"), "{logged}");
}

#[tokio::test(start_paused = true)]
async fn a_message_may_come_with_marks_and_ends_of_other_systems() {
    check(|it| raw(&[b"\xef\xbb\xbf", &line(it)]), FINE).await;
    check(|it| raw(&[line(it).trim_ascii_end(), b"\r\n"]), FINE).await;
    check(|it| raw(&[b"  \t", &line(it)]), FINE).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_may_come_in_pieces_and_several_at_once() {
    let in_pieces = |message: &Value| {
        let pieces = line(message).into_iter().map(|byte| Act::Raw(vec![byte]));
        pieces.flat_map(|piece| [piece, Act::Wait(Duration::from_millis(10))]).collect()
    };
    check(in_pieces, FINE).await;
    let at_once = |message: &Value| {
        let news = notification("notifications/message", json!({})).to_string();
        raw(&[news.as_bytes(), b"\n", &line(message), news.as_bytes(), b"\n"])
    };
    check(at_once, FINE).await;
    // A server of 2025-03-26 may say several things as one.
    let batch = |message: &Value| {
        let news = notification("notifications/message", json!({})).to_string();
        raw(&[b"[", news.as_bytes(), b",7,", line(message).trim_ascii_end(), b"]\n"])
    };
    check(batch, FINE).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_another_encoding_is_read_as_well_as_can_be() {
    let latin = |message: &Value| {
        let head = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"text":"caf"#, message["id"]);
        raw(&[head.as_bytes(), b"\xe9\"}}\n"])
    };
    check(latin, "{\"text\":\"caf\u{fffd}\"}").await;
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_passes_and_one_that_is_too_long_fails_by_name() {
    let long = |message: &Value| vec![result(message, json!({ "blob": "x".repeat(9 << 20) }))];
    check(long, &format!(r#"{{"blob":"{}"}}"#, "x".repeat(9 << 20))).await;
    const TOO_LONG: &str =
        "server `fake` was asked, but the answer is lost: the answer is longer than 32 MiB";
    fn endless(head: &str, tail: &str) -> Vec<Act> {
        let mut acts = vec![Act::Raw(head.as_bytes().to_vec())];
        acts.extend((0..100).map(|_| Act::Raw(vec![b'x'; 1 << 20])));
        acts.push(Act::Raw(tail.as_bytes().to_vec()));
        acts
    }
    let id_first = |it: &Value| {
        endless(&format!(r#"{{"jsonrpc": "2.0", "id": {}, "result": {{"é":""#, it["id"]), "\"}}\n")
    };
    check(id_first, TOO_LONG).await;
    let id_last = |it: &Value| {
        let tail = format!("{}\"}},\"jsonrpc\":\"2.0\",\"id\":{}}}\n", "é".repeat(10), it["id"]);
        endless(r#"{"result":{"text":""#, &tail)
    };
    check(id_last, TOO_LONG).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_finds_its_question_by_an_id_of_another_spelling() {
    fn spelled(id: &str) -> Vec<Act> {
        raw(&[br#"{"jsonrpc":"2.0","id":"#, id.as_bytes(), b",\"result\":1}\n"])
    }
    check(|it| spelled(&format!("\"{}\"", it["id"])), "1").await;
    check(|it| spelled(&format!("{}.0", it["id"])), "1").await;
}

#[tokio::test(start_paused = true)]
async fn answers_that_nobody_waits_for_are_dropped() {
    let strange = |message: &Value| {
        let foreign =
            |id: Value| Act::Say(json!({ "jsonrpc": "2.0", "id": id, "result": "wrong" }));
        let mut acts = vec![foreign(json!(99)), foreign(json!("abc")), foreign(json!(-1))];
        acts.extend([good(message), good(message)].concat());
        acts
    };
    check(strange, FINE).await;
}

#[tokio::test(start_paused = true)]
async fn an_error_without_an_id_is_for_the_only_one_who_waits() {
    let nameless = |_: &Value| {
        let error = json!({ "code": -32700, "message": "what?" });
        vec![Act::Say(json!({ "jsonrpc": "2.0", "id": null, "error": error }))]
    };
    check(nameless, "server `fake` answered with an error: what? (-32700)").await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_none_fails_its_call_at_once() {
    let none = |why: &str| {
        format!("server `fake` was asked, but the answer is lost: the answer is no message: {why}")
    };
    let no_method = none("there is no `method`");
    check(|it| vec![Act::Say(json!({ "jsonrpc": "2.0", "id": it["id"] }))], &no_method).await;
    let both = |it: &Value| {
        vec![Act::Say(json!({ "jsonrpc": "2.0", "id": it["id"], "result": 1, "error": {} }))]
    };
    check(both, &no_method).await;
    let version = none("`jsonrpc` must be \"2.0\"");
    check(|it| vec![Act::Say(json!({ "id": it["id"], "result": 1 }))], &version).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_reads_costs_its_callers_their_time_and_nobody_else() {
    let frozen = Fake::on("tools/call", |_, _| vec![Act::Freeze]);
    let (upstreams, _) = keep([("fake", frozen.clone()), ("other", Fake::good())]);
    settle(&upstreams).await;
    let began = Instant::now();
    let large = format!(r#"{{"large":"{}"}}"#, "x".repeat(1 << 20));
    let calls = (0..100).map(|_| call(&upstreams, &large));
    let calls = futures_util::future::join_all(calls);
    let other = async {
        for _ in 0..100 {
            let result = upstreams.call("other:echo", None, std::sync::Arc::new(())).await;
            assert_eq!(result.unwrap().get(), r#"{"content":[],"got":{}}"#);
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
    };
    let (outcomes, ()) = tokio::join!(calls, other);
    assert_eq!(began.elapsed(), Duration::from_secs(300));
    for result in outcomes {
        assert_eq!(outcome(result), "server `fake` was silent for 300 s");
    }
    // And then it is left, and met again.
    until(&upstreams, "fake ready fake:echo\nother ready other:echo").await;
    upstreams.stop().await;
}

/// JSON of any shape.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z2026-]{0,12}".prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "tools",
        "name",
        "capabilities",
        "protocolVersion",
        "nextCursor",
        "inputSchema",
        "_meta",
        "supportedVersions",
        "resultType",
        "inputRequests",
        "method",
        "code",
        "message",
        "data",
        "listChanged",
        "resources",
        "prompts",
        "uri",
        "instructions",
        "serverInfo",
        "supported",
    ]);
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(key, it)| (key.to_owned(), it)).collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn json_of_any_shape_ends_nothing_but_what_it_answers(
        method in prop::sample::select(vec!["initialize", "tools/list", "tools/call", "ping"]),
        answer in any_json(),
        is_error: bool,
    ) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.unwrap().block_on(async move {
            let fake = Fake::on(method, move |start, message| match start {
                0 if is_error => {
                    vec![Act::Say(json!({ "jsonrpc": "2.0", "id": message["id"], "error": answer }))]
                }
                0 => vec![result(message, answer.clone())],
                _ => good(message),
            });
            let upstreams = fake.kept();
            settle(&upstreams).await;
            let _ = call(&upstreams, "{}").await;
            tokio::time::sleep(Duration::from_secs(100)).await;
            if fake.n_live() > 0 {
                fake.say(notification("notifications/tools/list_changed", json!({}))).await;
                fake.act(Act::Leave).await;
            }
            until(&upstreams, "fake ready fake:echo").await;
            upstreams.stop().await;
        });
    }
}

#[tokio::test(start_paused = true)]
async fn notifications_of_any_shape_are_heard_without_harm() {
    let fake = Fake::good();
    let upstreams = fake.kept();
    settle(&upstreams).await;
    for method in ["progress", "tools/list_changed", "cancelled", "message", "\u{1f980}"] {
        for params in [json!({}), json!(null), json!([1]), json!({ "progressToken": {} })] {
            fake.say(notification(&format!("notifications/{method}"), params)).await;
        }
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(outcome(call(&upstreams, r#"{"a":1}"#).await), FINE);
    assert_eq!(fake.n_attempts(), 1);
    upstreams.stop().await;
}
