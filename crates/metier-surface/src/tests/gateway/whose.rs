//! Whose a question is that a server asks by a way which calls share, and when it is withdrawn.

use axum::{Router, body::Body, http::Request, response::Response};
use serde_json::{Value, json};
use tokio::time::{Duration, pause, resume, sleep};
use tower::ServiceExt;

use super::{
    fake::{Act, Fake},
    fixture::{Client, Front, result},
};
use crate::tests::http::Events;

const CALL: &str = r#"{"name":"a__t"}"#;
const ELICIT: &str = "elicitation/create";

fn able() -> Value {
    json!({ "elicitation": {}, "roots": {} })
}

/// A server whose calls last until the test lets them go on.
async fn slow() -> (Fake, Front) {
    let fake = Fake::legacy()
        .tools(&["t"])
        .on("tools/call", |_| vec![Act::Wait, Act::Give(r#"{"late":true}"#.to_owned())]);
    let front = Front::of(&[("a", &fake)]).await;
    fake.heard(ELICIT, &json!({})).await;
    (fake, front)
}

/// Calls the server, and waits until it was called.
async fn call(client: &mut Client, fake: &Fake) -> u64 {
    let n_calls = fake.seen("tools/call").len();
    let id = client.send("tools/call", CALL);
    fake.sees("tools/call", n_calls + 1).await;
    id
}

#[tokio::test]
async fn a_question_is_for_the_one_caller_that_can_answer_it() {
    let (fake, front) = slow().await;
    let (mut unable, mut one) = (front.legacy(&json!({})), front.legacy(&able()));
    for client in [&mut one, &mut unable] {
        call(client, &fake).await;
        call(client, &fake).await;
    }
    let asked = fake.ask(ELICIT, &json!({ "message": "who?" }));
    let question = one.next().await;
    assert_eq!(question["params"], json!({ "message": "who?" }));
    one.answer(&question, json!({ "action": "decline" }));
    assert_eq!(asked.await.unwrap()["result"], json!({ "action": "decline" }));
    assert_eq!(unable.rest(), [Value::Null; 0]);
}

#[tokio::test]
async fn a_question_that_may_be_for_either_of_two_callers_is_refused_and_says_why() {
    let (fake, front) = slow().await;
    let (mut one, mut other) = (front.legacy(&able()), front.modern(&able()));
    call(&mut one, &fake).await;
    call(&mut other, &fake).await;
    let refused = fake.ask(ELICIT, &json!({})).await.unwrap();
    let words = "it is not clear whom `elicitation/create` is for: several clients that could \
                 answer have calls under way here, and it does not say for which of these it is";
    assert_eq!(refused["error"], json!({ "code": -32601, "message": words }));
    assert_eq!((one.rest(), other.rest()), (vec![], vec![]));
}

#[tokio::test]
async fn a_client_that_was_asked_by_a_result_counts_only_if_nobody_else_is_there() {
    let (fake, front) = slow().await;
    let mut away = front.modern(&able());
    let id = call(&mut away, &fake).await;
    let first = fake.ask(ELICIT, &json!({ "n": 1 }));
    let asked = result(&away.answer_to(id).await);
    let mut there = front.legacy(&able());
    call(&mut there, &fake).await;
    let second = fake.ask(ELICIT, &json!({ "n": 2 }));
    let question = there.next().await;
    assert_eq!(question["params"], json!({ "n": 2 }));
    there.answer(&question, json!({ "of": 2 }));
    assert_eq!(second.await.unwrap()["result"], json!({ "of": 2 }));
    let back = json!({ "name": "a__t", "requestState": asked["requestState"],
        "inputResponses": { "question": { "of": 1 } } });
    away.send("tools/call", &back);
    assert_eq!(first.await.unwrap()["result"], json!({ "of": 1 }));
}

#[tokio::test]
async fn a_client_with_several_calls_is_asked_by_the_newest_of_them() {
    let (fake, front) = slow().await;
    let mut client = front.modern(&able());
    call(&mut client, &fake).await;
    let newest = call(&mut client, &fake).await;
    let asked = fake.ask(ELICIT, &json!({}));
    let round = result(&client.answer_to(newest).await);
    assert_eq!(round["resultType"], "input_required");
    let back = json!({ "name": "a__t", "requestState": round["requestState"],
        "inputResponses": { "question": { "n": 1 } } });
    client.send("tools/call", &back);
    assert_eq!(asked.await.unwrap()["result"], json!({ "n": 1 }));
}

/// A message of the session with that id, or of one that begins.
async fn post(routes: &Router, session: &str, body: Value) -> Response {
    let request = Request::post("/mcp")
        .header("host", "localhost")
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json");
    let request =
        if session.is_empty() { request } else { request.header("mcp-session-id", session) };
    routes.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap()
}

/// Begins a session that listens to nothing, and says its id.
async fn session(routes: &Router) -> String {
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": able(),
        "clientInfo": { "name": "test", "version": "0" } });
    let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let response = post(routes, "", body).await;
    response.headers()["mcp-session-id"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_session_with_two_calls_and_no_stream_of_its_own_is_asked_on_the_stream_of_a_call() {
    let (fake, front) = slow().await;
    let routes = front.routes();
    let session = session(&routes).await;
    let call = |id: u64| {
        let params = json!({ "name": "a__t" });
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        post(&routes, &session, body)
    };
    let answering = async {
        fake.sees("tools/call", 1).await;
        let mut asked = None;
        let asking = async {
            fake.sees("tools/call", 2).await;
            asked = Some(fake.ask(ELICIT, &json!({})));
        };
        let mut events = Events::of(tokio::join!(asking, call(2)).1);
        let question = events.message().await;
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "n": 1 } });
        assert_eq!(post(&routes, &session, answer).await.status(), 202);
        let answer = asked.unwrap().await.unwrap();
        fake.go_on();
        fake.go_on();
        (answer, events.message().await)
    };
    let (_, (answer, last)) = tokio::join!(call(1), answering);
    assert_eq!(
        (&answer["result"], &last["result"]),
        (&json!({ "n": 1 }), &json!({ "late": true }))
    );
}

#[tokio::test]
async fn a_question_for_nobody_who_listens_is_refused_at_once() {
    let (fake, front) = slow().await;
    let routes = front.routes();
    let session = session(&routes).await;
    // One that has just come may be about to listen.
    let early = fake.ask("roots/list", &json!({}));
    let get = || {
        let request = Request::get("/mcp")
            .header("host", "localhost")
            .header("accept", "text/event-stream")
            .header("mcp-session-id", &session);
        routes.clone().oneshot(request.body(Body::empty()).unwrap())
    };
    let mut events = Events::of(get().await.unwrap());
    let question = events.message().await;
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [] } });
    post(&routes, &session, answer).await;
    assert_eq!(early.await.unwrap()["result"], json!({ "roots": [] }));
    drop(events);
    pause();
    sleep(Duration::from_secs(6)).await;
    resume();
    let refused = fake.ask("roots/list", &json!({})).await.unwrap();
    let words =
        "nobody can be asked `roots/list` now: it belongs to no call, and no client listens";
    assert_eq!(refused["error"], json!({ "code": -32601, "message": words }));
}

#[tokio::test]
async fn a_session_that_does_not_listen_in_time_after_all_is_not_waited_for() {
    let (fake, front) = slow().await;
    session(&front.routes()).await;
    let asked = fake.ask("roots/list", &json!({}));
    pause();
    sleep(Duration::from_secs(6)).await;
    resume();
    let refused = asked.await.unwrap();
    assert_eq!(refused["error"]["code"], -32601);
}

/// What a client is told of a question when that happens during its call.
async fn check_withdrawn(happens: impl AsyncFn(&Fake, &Front, &mut Client, u64)) {
    let (fake, front) = slow().await;
    let mut client = front.legacy(&able());
    let id = call(&mut client, &fake).await;
    let asked = fake.ask(ELICIT, &json!({}));
    let question = client.next().await;
    happens(&fake, &front, &mut client, id).await;
    let told = loop {
        let message = client.next().await;
        if message["method"] == "notifications/cancelled" {
            break message;
        }
    };
    let params = json!({ "requestId": question["id"], "reason": "it is no longer wanted" });
    assert_eq!(told["params"], params);
    // What comes too late goes nowhere.
    client.answer(&question, json!({ "action": "decline" }));
    drop(asked);
}

#[tokio::test]
async fn a_client_hears_that_a_question_is_withdrawn() {
    // By its server,
    check_withdrawn(async |fake, _, _, _| {
        fake.say("notifications/cancelled", &json!({ "requestId": "q-0" }));
    })
    .await;
    // because that is gone,
    check_withdrawn(async |_, front, _, _| front.follow(metier_upstreams::Plan::default()).await)
        .await;
    // because the call has its result,
    check_withdrawn(async |fake, _, _, _| fake.go_on()).await;
    // or because the client itself no longer wants it.
    check_withdrawn(async |_, _, client, id| {
        client.notify("notifications/cancelled", json!({ "requestId": id }));
    })
    .await;
}

#[tokio::test]
async fn a_question_that_was_answered_is_not_withdrawn() {
    let (fake, front) = slow().await;
    let mut client = front.legacy(&able());
    let id = call(&mut client, &fake).await;
    let asked = fake.ask(ELICIT, &json!({}));
    let question = client.next().await;
    client.answer(&question, json!({ "action": "decline" }));
    asked.await.unwrap();
    fake.go_on();
    client.answer_to(id).await;
    client.ask("tools/list", "{}").await;
    assert_eq!(client.rest(), [Value::Null; 0]);
}

#[tokio::test]
async fn a_server_hears_it_when_a_client_that_was_asked_by_a_result_does_not_come_back() {
    let (fake, front) = slow().await;
    let mut client = front.modern(&able());
    let id = call(&mut client, &fake).await;
    let asked = fake.ask("roots/list", &json!({}));
    client.answer_to(id).await;
    pause();
    sleep(Duration::from_secs(362)).await;
    resume();
    assert_eq!(asked.await.unwrap()["error"]["message"], "nobody answered");
}
