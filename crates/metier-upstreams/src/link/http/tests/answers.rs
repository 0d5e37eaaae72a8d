//! Answers as servers give them.

use std::sync::{Arc, Mutex};

use metier_wire::Revision;
use serde_json::value::RawValue;

use super::{Bench, LEGACY, MODERN, check, check_outcome};
use crate::{
    caller::{Answering, Caller},
    link::{Ask, Heard, stub::Stub},
    offer::Tool,
};

const OK: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#;

#[tokio::test(start_paused = true)]
async fn an_answer_is_a_message_or_a_stream_of_them() {
    for answer in [
        format!("200\ncontent-type: application/json\n\n{OK}"),
        format!("200\ncontent-type: application/json; charset=utf-8\n\n{OK}"),
        format!("200\ncontent-type: application/json\n\n[{OK}]"),
        format!("200\n\n{OK}"),
        format!("200\ncontent-type: text/event-stream\n\ndata: {OK}\n\n"),
        format!("200\ncontent-type: text/event-stream;charset=utf-8\n\nevent: message\ndata: {OK}\n\n"),
        "200\ncontent-type: text/event-stream\n\n: hi\r\rdata: {\"jsonrpc\":\"2.0\",\rdata: \"id\":1,\"result\":{\"a\":1}}\r\r".to_owned(),
        format!("200\ncontent-type: text/event-stream\n\nid: 1\ndata:\n\ndata: {OK}\n\n<hang>"),
    ] {
        check_outcome(LEGACY, &answer, r#"ok {"a":1}"#).await;
        check_outcome(MODERN, &answer, r#"ok {"a":1}"#).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_none_is_told_from_one() {
    let check = async |answer: &str, expected: &str| check_outcome(LEGACY, answer, expected).await;
    let status = |text: &str| format!("status: the server answered with HTTP status {text}");
    check("202", &status("202: it took the request and gave no answer")).await;
    check(
        "200\ncontent-type: text/html\n\n<p>",
        &status("200: what it sent is `text/html`, not an answer"),
    )
    .await;
    let other = r#"{"jsonrpc":"2.0","id":9,"result":{}}"#;
    let json = format!("200\ncontent-type: application/json\n\n{other}");
    check(&json, &status("200: what it sent is not the answer")).await;
    let endpoint =
        "200\ncontent-type: text/event-stream\n\nevent: endpoint\ndata: /messages\n\n<hang>";
    check(endpoint, &status("200: it speaks the older transport, `sse`")).await;
}

#[tokio::test(start_paused = true)]
async fn what_comes_behind_the_answer_is_heard_too() {
    let more = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let answer = format!("200\ncontent-type: text/event-stream\n\ndata: {OK}\n\ndata: {more}\n\n");
    let stub = Stub::new(&[&answer]);
    let bench = Bench::new(stub.web(), LEGACY);
    assert_eq!(bench.ask("tools/list").await, r#"ok {"a":1}"#);
    bench.settle().await;
    assert_eq!(bench.link.board().news().borrow().tools, 1);
}

#[tokio::test(start_paused = true)]
async fn each_revision_has_its_headers() {
    let answer = format!("200\ncontent-type: application/json\n\n{OK}");
    let check = async |revision, expected: &str| {
        let expected = format!("ok {{\"a\":1}}\nPOST /mcp{expected} tools/list");
        check(revision, &[&answer], &expected).await;
    };
    check(None, "").await;
    check(Some(Revision::V2025_03_26), "").await;
    check(Some(Revision::V2025_06_18), " mcp-protocol-version=2025-06-18").await;
    check(LEGACY, " mcp-protocol-version=2025-11-25").await;
    check(MODERN, " mcp-method=tools/list mcp-protocol-version=2026-07-28").await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_call_repeats_its_name_and_what_the_tool_wants_repeated() {
    let stub = Stub::new(&["500", "500"]);
    let bench = Bench::new(stub.web(), MODERN);
    let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
    let (name, arguments) = (raw(r#""sch\u00f6n""#), raw(r#"{"r":"eu"}"#));
    let schema = r#"{"properties":{"r":{"type":"string","x-mcp-header":"Region"}}}"#;
    let tool = Tool::read(&raw(&format!(r#"{{"name":{name},"inputSchema":{schema}}}"#))).unwrap();
    let params = [("arguments", &*arguments)];
    let ask = Ask { tool: Some(&tool), ..Ask::new("tools/call", &params) };
    let _ = bench.link.request(ask).await;
    let _ = bench.link.request(Ask::new("resources/read", &[("uri", &name)])).await;
    let rest = "mcp-name==?base64?c2Now7Zu?=";
    let version = "mcp-protocol-version=2026-07-28";
    let expected = format!(
        "POST /mcp mcp-method=tools/call {rest} mcp-param-region=eu {version} tools/call\n\
         POST /mcp mcp-method=resources/read {rest} {version} resources/read"
    );
    assert_eq!(stub.log(), expected);
}

#[tokio::test(start_paused = true)]
async fn discover_is_modern_before_anything_is_settled() {
    let stub = Stub::new(&["500"]);
    let bench = Bench::new(stub.web(), None);
    bench.ask("server/discover").await;
    let headers = "mcp-method=server/discover mcp-protocol-version=2026-07-28";
    assert_eq!(stub.log(), format!("POST /mcp {headers} server/discover"));
}

/// A caller who keeps what it hears, and answers every question.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Caller for Notes {
    fn progress(&self, params: &RawValue) {
        self.0.lock().unwrap().push(params.get().to_owned());
    }

    fn told(&self, method: &str, _params: Option<&RawValue>) {
        self.0.lock().unwrap().push(method.to_owned());
    }

    fn asked<'a>(&'a self, method: &'a str, _params: Option<&'a RawValue>) -> Answering<'a> {
        self.0.lock().unwrap().push(method.to_owned());
        Box::pin(async { Ok(RawValue::from_string(r#"{"roots":[]}"#.to_owned()).unwrap()) })
    }
}

const STORY: &str = r#"200
content-type: text/event-stream

data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}

data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}

data: {"jsonrpc":"2.0","id":"q","method":"roots/list"}

data: {"jsonrpc":"2.0","id":1,"result":{}}

"#;

#[tokio::test(start_paused = true)]
async fn what_a_server_tells_and_asks_during_a_call_reaches_its_caller() {
    let stub = Stub::new(&[STORY, "202"]);
    let bench = Bench::new(stub.web(), LEGACY);
    let notes = Arc::new(Notes::default());
    assert_eq!(bench.call(notes.clone()).await, "ok {}");
    bench.settle().await;
    let heard = notes.0.lock().unwrap().join("\n");
    let progress = r#"{"progressToken":1,"progress":2}"#;
    assert_eq!(heard, format!("{progress}\nnotifications/message\nroots/list"));
    let reply = r#"{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}"#;
    let version = "mcp-protocol-version=2025-11-25";
    let expected = format!("POST /mcp {version} tools/call\nPOST /mcp {version} {reply}");
    assert_eq!(stub.log(), expected);
}

/// What the caller and the audience hear of a server that tells and asks something in one stream,
/// before and after the answer that it has for `ask`.
async fn check_heard(ask: &str, caller: &str, audience: &str) {
    let said = |at: &str| {
        format!(
            "data: {{\"jsonrpc\":\"2.0\",\"method\":\"{at}/told\"}}\n\n\
             data: {{\"jsonrpc\":\"2.0\",\"id\":\"{at}\",\"method\":\"{at}/asked\"}}\n\n"
        )
    };
    let events = format!("{}data: {OK}\n\n{}", said("before"), said("after"));
    let story = format!("200\ncontent-type: text/event-stream\n\n{events}");
    let (one, all) = (Arc::new(Notes::default()), Arc::new(Notes::default()));
    let web = Stub::new(&[&story, "202", "202", "202", "202"]).web();
    let bench = Bench::heard_by(all.clone(), "https://files.example/mcp", web, LEGACY);
    match ask {
        "tools/call" => assert_eq!(bench.call(one.clone()).await, r#"ok {"a":1}"#),
        "GET" => assert_eq!(bench.link.hear().await.unwrap(), Heard::Ended),
        own => assert_eq!(bench.ask(own).await, r#"ok {"a":1}"#),
    }
    bench.settle().await;
    let heard = |notes: &Notes| notes.0.lock().unwrap().join(" ");
    assert_eq!((heard(&one), heard(&all)), (caller.to_owned(), audience.to_owned()), "{ask}");
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_a_call_is_for_its_caller_alone_and_every_other_for_the_audience() {
    // Once a call is over, nobody hears what still comes by its stream.
    check_heard("tools/call", "before/told before/asked", "").await;
    let all = "before/told after/told before/asked after/asked";
    check_heard("GET", "", all).await;
    check_heard("tools/list", "", all).await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_that_asks_gets_no_answer() {
    let stub = Stub::new(&[STORY]);
    let bench = Bench::new(stub.web(), MODERN);
    assert_eq!(bench.call(Arc::new(Notes::default())).await, "ok {}");
    bench.settle().await;
    assert_eq!(stub.log().lines().count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_news_is_heard_and_taken_up_where_it_ended() {
    let news = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let first =
        format!("200\ncontent-type: text/event-stream\n\nid: 7\nretry: 5000\ndata: {news}\n\n");
    let second = format!("200\ncontent-type: text/event-stream\n\ndata: {news}\n\n<break>");
    let stub = Stub::new(&[&first, &second]);
    let bench = Bench::new(stub.web(), LEGACY);
    let began = tokio::time::Instant::now();
    assert_eq!(bench.link.hear().await.unwrap(), Heard::Ended);
    assert_eq!(began.elapsed().as_secs(), 0);
    let broken = bench.link.hear().await.unwrap_err();
    assert_eq!(broken.to_string(), "the connection broke: cut");
    assert_eq!(began.elapsed().as_secs(), 5);
    let news = bench.link.board().news().borrow().clone();
    assert_eq!((news.tools, news.troubles), (2, 1));
    let version = "mcp-protocol-version=2025-11-25";
    assert_eq!(stub.log(), format!("GET /mcp {version}\nGET /mcp last-event-id=7 {version}"));
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_stream_of_news_says_so_in_many_ways() {
    for answer in ["400", "404", "405", "406", "200\ncontent-type: text/html\n\n<p>"] {
        let bench = Bench::new(Stub::new(&[answer]).web(), LEGACY);
        assert_eq!(bench.link.hear().await.unwrap(), Heard::Unsupported, "{answer}");
    }
    let bench = Bench::new(Stub::new(&["503"]).web(), LEGACY);
    let failed = bench.link.hear().await.unwrap_err();
    assert_eq!(failed.to_string(), "the server answered with HTTP status 503");
}
