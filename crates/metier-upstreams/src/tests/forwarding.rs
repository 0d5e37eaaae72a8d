//! Forwarding: calls as clients sent them, and results that ask for more first.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json, value::RawValue};

use super::{
    fake::{Act, Fake, good, modern, result},
    name, raw, settle,
};
use crate::{Answering, Caller, Member, Request, ToolCall, Upstreams};

/// A caller that answers everything with `{"n":…}`, counting up.
#[derive(Default)]
struct Counting(Mutex<u64>);

impl Caller for Counting {
    fn asked<'a>(&'a self, _method: &'a str, _params: Option<&'a RawValue>) -> Answering<'a> {
        let mut n = self.0.lock().unwrap();
        *n += 1;
        let answer = raw(&format!(r#"{{"n":{n}}}"#));
        Box::pin(async { Ok(answer) })
    }
}

/// Members as they are in an object.
fn members(object: &str) -> Vec<(String, Box<RawValue>)> {
    let object: serde_json::Map<String, Value> = serde_json::from_str(object).unwrap();
    object.into_iter().map(|(key, value)| (key, raw(&value.to_string()))).collect()
}

fn borrowed(members: &[(String, Box<RawValue>)]) -> Vec<Member<'_>> {
    members.iter().map(|(key, value)| (&**key, &**value)).collect()
}

async fn forward(upstreams: &Upstreams, params: &str, meta: &str) -> String {
    let roster = upstreams.roster();
    let entry = roster.tools().entries().first().unwrap();
    let (params, meta) = (members(params), members(meta));
    let (params, meta) = (borrowed(&params), borrowed(&meta));
    let call = ToolCall { params: &params, meta: &meta, capabilities: None };
    let result = upstreams.forward(entry, call, Arc::new(())).await.unwrap();
    result.get().to_owned()
}

/// The text in which a call with these parameters reaches a server of the legacy era.
async fn check(tool: &str, params: &str, meta: &str, expected: &str) {
    let fake = Fake::listing(json!([{ "name": tool }]));
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let _ = forward(&upstreams, params, meta).await;
    let call = fake.asked("tools/call").pop().unwrap();
    assert_eq!(call["params"].to_string(), expected);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_is_passed_on_as_it_was_sent_with_the_server_s_own_name_for_the_tool() {
    let token = r#""_meta":{"progressToken":3"#;
    check("echo", "{}", "{}", &format!(r#"{{{token}}},"name":"echo"}}"#)).await;
    let params = r#"{"z":1,"arguments":{"b":1,"a":[2]},"task":{"ttl":9}}"#;
    let sent = r#""z":1,"arguments":{"b":1,"a":[2]},"task":{"ttl":9}"#;
    check("e \"o", params, "{}", &format!(r#"{{{token}}},"name":"e \"o",{sent}}}"#)).await;
    // Its token is not ours.
    let meta = r#"{"progressToken":"x","a/b":1}"#;
    let expected = format!(r#"{{{token},"a/b":1}},"name":"echo","arguments":{{}}}}"#);
    check("echo", r#"{"arguments":{}}"#, meta, &expected).await;
}

/// A server that asks before each result, unless it gets an answer with it.
fn asking() -> Arc<Fake> {
    Fake::new(|_, message| {
        let is_asked = matches!(message["method"].as_str(), Some("tools/call" | "prompts/get"));
        match &message["params"]["inputResponses"] {
            _ if !is_asked => modern(message),
            Value::Null => {
                let requests = json!({ "q": { "method": "roots/list" } });
                let asks = json!({ "resultType": "input_required", "inputRequests": requests });
                vec![result(message, asks)]
            }
            _ => vec![result(message, json!({ "got": message["params"] }))],
        }
    })
}

const ASKS: &str =
    r#"{"resultType":"input_required","inputRequests":{"q":{"method":"roots/list"}}}"#;

#[tokio::test(start_paused = true)]
async fn a_result_that_asks_for_more_is_passed_on_or_put_to_the_caller() {
    let upstreams = asking().kept();
    let roster = settle(&upstreams).await;
    let entry = roster.tools().get("fake:echo").unwrap();
    let caller = Arc::new(Counting::default());
    let answers = |got: &RawValue| -> Value {
        serde_json::from_str::<Value>(got.get()).unwrap()["got"]["inputResponses"].clone()
    };

    let passed_on = upstreams.forward(entry, ToolCall::default(), caller.clone()).await.unwrap();
    assert_eq!(passed_on.get(), ASKS);
    let put = upstreams.forward_through(entry, ToolCall::default(), caller.clone()).await.unwrap();
    assert_eq!(answers(&put), json!({ "q": { "n": 1 } }));

    let request = Request::new("prompts/get", &[]);
    let server = name("fake");
    let passed_on = upstreams.request(&server, request, caller.clone()).await.unwrap();
    assert_eq!(passed_on.get(), ASKS);
    let put = upstreams.request_through(&server, request, caller.clone()).await.unwrap();
    assert_eq!(answers(&put), json!({ "q": { "n": 2 } }));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn answers_of_a_later_round_take_the_place_of_those_before() {
    let fake = Fake::new(|_, message| match message["params"]["requestState"].as_str() {
        _ if message["method"] != "tools/call" => modern(message),
        Some("end") => vec![result(message, json!({ "got": message["params"] }))],
        _ => {
            let requests = json!({ "q": { "method": "roots/list" } });
            let mut asks = json!({ "resultType": "input_required", "inputRequests": requests });
            asks["requestState"] = json!("end");
            vec![result(message, asks)]
        }
    });
    let upstreams = fake.kept();
    let roster = settle(&upstreams).await;
    let entry = roster.tools().get("fake:echo").unwrap();
    let params = members(r#"{"inputResponses":{"old":1},"arguments":{"a":1},"requestState":"a"}"#);
    let params = borrowed(&params);
    let call = ToolCall { params: &params, ..ToolCall::default() };
    let got = upstreams.forward_through(entry, call, Arc::new(Counting::default())).await.unwrap();
    let mut got: Value = serde_json::from_str(got.get()).unwrap();
    got["got"].as_object_mut().unwrap().shift_remove("_meta");
    let params = r#"{"name":"echo","arguments":{"a":1},"inputResponses":{"q":{"n":1}},"requestState":"end"}"#;
    assert_eq!(got["got"].to_string(), params);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn whoever_forwards_to_a_server_that_is_gone_is_told_so() {
    let fake = Fake::on("tools/call", |_, message| {
        vec![Act::Wait(Duration::from_secs(1)), good(message).remove(0)]
    });
    let upstreams = fake.kept();
    let roster = settle(&upstreams).await;
    let entry = roster.tools().get("fake__echo").unwrap();
    upstreams.follow(crate::Plan::default()).await;
    super::until(&upstreams, "").await;
    let gone = upstreams.forward(entry, ToolCall::default(), Arc::new(())).await;
    assert_eq!(gone.unwrap_err().to_string(), "there is no server `fake`");
    upstreams.stop().await;
}
