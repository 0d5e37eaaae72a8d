//! Questions: what servers want to know before they go on, and how each client is asked.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    fake::{Act, CLOSED, Fake, SOON},
    fixture::{Client, Front, Look, error, plan, result},
};

const CALL: &str = r#"{"name":"a__t","arguments":{"x":1}}"#;

fn everything() -> Value {
    json!({ "elicitation": {}, "sampling": {}, "roots": {} })
}

/// What servers may ask.
fn questions() -> [(&'static str, Value); 3] {
    [
        ("elicitation/create", json!({ "message": "who?", "odd": 1.5 })),
        ("sampling/createMessage", json!({ "messages": [], "maxTokens": 5 })),
        ("roots/list", json!({})),
    ]
}

/// A server of an earlier revision that asks in the middle of a call.
fn asking(method: &'static str, params: Value) -> Fake {
    let asked = move |_: &Value| vec![Act::Ask(method, params.clone()), Act::GiveAnswers];
    Fake::legacy().tools(&["t"]).on("tools/call", asked)
}

/// A server of 2026-07-28 that asks by its result, as often as it is told nothing.
fn wanting(method: &'static str, params: Value) -> Fake {
    Fake::modern().tools(&["t"]).on("tools/call", move |message| {
        let (responses, state) =
            (&message["params"]["inputResponses"], &message["params"]["requestState"]);
        vec![Act::Give(match responses {
            Value::Null => {
                let asked = json!({ "k": { "method": method, "params": params } });
                format!(r#"{{"resultType":"input_required","inputRequests":{asked},"requestState":"s \u00e9=="}}"#)
            }
            _ => json!({ "resultType": "complete", "got": responses, "state": state }).to_string(),
        })]
    })
}

/// Calls, answers the one question with this, and says what was asked and what the result is.
async fn converse(client: &mut Client, answer: &Value) -> (Value, Value) {
    let id = client.send("tools/call", CALL);
    let question = client.next().await;
    client.answer(&question, answer);
    (question, client.answer_to(id).await)
}

#[tokio::test]
async fn a_question_reaches_a_client_that_can_be_asked_and_its_answer_the_server() {
    for (method, params) in questions() {
        let front = Front::of(&[("a", &asking(method, params.clone()))]).await;
        let mut client = front.legacy(&everything());
        let (question, answer) = converse(&mut client, &json!({ "odd": [1] })).await;
        assert_eq!((&question["method"], &question["params"]), (&json!(method), &params));
        let got = json!([{ "jsonrpc": "2.0", "result": { "odd": [1] } }]);
        assert_eq!(answer["result"]["answers"], got);
    }
}

#[tokio::test]
async fn what_a_result_asks_for_is_asked_of_a_client_that_knows_no_such_results() {
    for (method, params) in questions() {
        let fake = wanting(method, params.clone());
        let front = Front::of(&[("a", &fake)]).await;
        let mut client = front.legacy(&everything());
        let (question, answer) = converse(&mut client, &json!({ "odd": [1] })).await;
        assert_eq!((&question["method"], &question["params"]), (&json!(method), &params));
        let got =
            json!({ "resultType": "complete", "got": { "k": { "odd": [1] } }, "state": "s é==" });
        assert_eq!(result(&answer), got);
        let seen = fake.seen("tools/call");
        assert_eq!(seen[1].message["params"]["arguments"], json!({ "x": 1 }));
    }
}

#[tokio::test]
async fn what_a_result_asks_for_passes_through_to_a_client_that_knows_such_results() {
    let fake = wanting("elicitation/create", json!({ "message": "who?" }));
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.modern(&json!({ "elicitation": { "form": {} } }));
    let text = client.ask_for_text("tools/call", CALL).await;
    let given = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"who?"}}},"requestState":"s \u00e9=="}}"#;
    assert!(text.ends_with(given), "{text}");
    let again = r#"{"name":"a__t","arguments":{"x":1},"inputResponses":{"k":{ "n":1.0 }},"requestState":"s \u00e9=="}"#;
    let answer = client.ask("tools/call", again).await;
    assert_eq!(answer["result"]["got"], json!({ "k": { "n": 1.0 } }));
    let seen = fake.seen("tools/call").pop().unwrap();
    assert!(
        seen.text.contains(r#""inputResponses":{"k":{ "n":1.0 }},"requestState":"s \u00e9==""#)
    );
    let meta = &seen.message["params"]["_meta"];
    let capabilities = &meta["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(capabilities, &json!({ "elicitation": { "form": {} } }));
}

#[tokio::test]
async fn a_question_in_a_call_ends_the_request_of_a_modern_client_and_its_next_one_goes_on() {
    for (method, params) in questions() {
        let fake = asking(method, params.clone());
        let front = Front::of(&[("a", &fake)]).await;
        let mut client = front.modern(&everything());
        let asked = result(&client.ask("tools/call", CALL).await);
        let (key, request) = only(&asked["inputRequests"]);
        assert_eq!(asked["resultType"], "input_required");
        assert_eq!(request, json!({ "method": method, "params": params }));
        let answer = client.ask("tools/call", retry(&asked, &key, json!({ "odd": [1] }))).await;
        let got = json!([{ "jsonrpc": "2.0", "result": { "odd": [1] } }]);
        assert_eq!(result(&answer)["answers"], got);
        assert_eq!(answer["result"]["resultType"], "complete");
        assert_eq!(fake.seen("tools/call").len(), 1, "it is the same call");
    }
}

#[tokio::test]
async fn a_modern_client_is_asked_as_often_as_a_call_has_questions() {
    let ask = |n: u64| Act::Ask("elicitation/create", json!({ "n": n }));
    let fake = Fake::legacy()
        .tools(&["t"])
        .on("tools/call", move |_| vec![ask(1), ask(2), ask(3), Act::GiveAnswers]);
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.modern(&everything());
    let mut answer = client.ask("tools/call", CALL).await;
    for n in 1..=3 {
        let asked = result(&answer);
        let (key, request) = only(&asked["inputRequests"]);
        assert_eq!(request["params"], json!({ "n": n }));
        answer = client.ask("tools/call", retry(&asked, &key, json!({ "was": n }))).await;
    }
    let got: Vec<_> = result(&answer)["answers"].as_array().unwrap().clone();
    let got: Vec<_> = got.iter().map(|it| it["result"]["was"].clone()).collect();
    assert_eq!(got, [1, 2, 3]);
}

#[tokio::test]
async fn a_client_that_lacks_the_capability_is_not_asked_and_the_server_hears_why() {
    for (method, params) in questions() {
        let capability = method.split('/').next().unwrap();
        let mut able = everything();
        able.as_object_mut().unwrap().remove(capability);
        let front = Front::of(&[("a", &asking(method, params.clone()))]).await;
        let words = format!("the client cannot be asked `{method}`: it has no `{capability}`");
        for mut client in [front.legacy(&able), front.modern(&able)] {
            let answer = client.ask("tools/call", CALL).await;
            assert_eq!(client.asides, [Value::Null; 0]);
            let got = json!([{ "jsonrpc": "2.0", "error": { "code": -32601, "message": words } }]);
            assert_eq!(answer["result"]["answers"], got);
        }
        let front = Front::of(&[("a", &wanting(method, params))]).await;
        let mut client = front.legacy(&able);
        let answer = client.ask("tools/call", CALL).await;
        assert_eq!(client.asides, [Value::Null; 0]);
        assert_eq!(answer["error"], json!({ "code": -32601, "message": words }));
    }
}

#[tokio::test]
async fn a_refusal_of_the_client_is_what_the_server_hears() {
    let front = Front::of(&[("a", &asking("roots/list", json!({})))]).await;
    let mut client = front.legacy(&everything());
    let id = client.send("tools/call", CALL);
    let question = client.next().await;
    client.refuse(&question, r#"{"code":-1,"message":"not now","data":{"n":1}}"#);
    let answer = client.answer_to(id).await;
    let error = json!({ "code": -1, "message": "not now", "data": { "n": 1 } });
    assert_eq!(answer["result"]["answers"], json!([{ "jsonrpc": "2.0", "error": error }]));
}

#[tokio::test]
async fn a_state_that_nobody_knows_makes_no_second_call_of_an_older_server() {
    let fake = asking("roots/list", json!({}));
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.modern(&everything());
    let asked = json!({ "requestState": "0123456789abcdef0123456789abcdef" });
    let answer = client.ask("tools/call", retry(&asked, "question", json!({}))).await;
    assert_eq!(error(&answer).0, -32602, "{answer}");
    assert_eq!(fake.seen("tools/call").len(), 0);
}

#[tokio::test]
async fn a_state_serves_once_and_only_for_the_tool_that_was_called() {
    let fake = asking("roots/list", json!({}));
    let other = Fake::legacy().tools(&["t"]);
    let front = Front::of(&[("a", &fake), ("b", &other)]).await;
    let mut client = front.modern(&everything());
    let asked = result(&client.ask("tools/call", CALL).await);
    let right = retry(&asked, "question", json!({ "roots": [] }));
    let mut wrong = right.clone();
    wrong["name"] = "b__t".into();
    let answer = client.ask("tools/call", &wrong).await;
    assert_eq!(error(&answer).0, -32602, "{answer}");
    let answer = client.ask("tools/call", &right).await;
    assert_eq!(result(&answer)["answers"][0]["result"], json!({ "roots": [] }));
    assert_eq!(error(&client.ask("tools/call", &right).await).0, -32602);
    assert_eq!((fake.seen("tools/call").len(), other.seen("tools/call").len()), (1, 0));
}

#[tokio::test]
async fn a_request_that_does_not_fit_its_state_is_refused_and_does_not_use_it_up() {
    let fake = asking("roots/list", json!({}));
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.modern(&everything());
    let asked = result(&client.ask("tools/call", CALL).await);
    let right = retry(&asked, "question", json!({ "roots": [] }));
    let other = "`requestState` belongs to another request: repeat that with the answer";
    let no_answer = "`inputResponses` must have the answer `question`, an object";
    let wrong: [(&str, Value, &str); 8] = [
        ("requestState", json!(7), "`requestState` must be a string"),
        ("requestState", json!(null), "`requestState` must be a string"),
        ("arguments", json!({ "x": 2 }), other),
        ("arguments", json!(null), other),
        ("inputResponses", json!(null), no_answer),
        ("inputResponses", json!({}), no_answer),
        ("inputResponses", json!({ "answer": {} }), no_answer),
        ("inputResponses", json!({ "question": null }), no_answer),
    ];
    for (member, value, words) in wrong {
        let mut params = right.clone();
        params[member] = value;
        let refused = client.ask("tools/call", &params).await;
        assert_eq!(refused["error"], json!({ "code": -32602, "message": words }), "{params}");
    }
    let without = retry(&asked, "question", json!({ "roots": [] }));
    let mut without_answers = without.as_object().unwrap().clone();
    without_answers.remove("inputResponses");
    let refused = client.ask("tools/call", Value::from(without_answers)).await;
    assert_eq!(refused["error"]["message"], no_answer);
    let answer = client.ask("tools/call", &right).await;
    assert_eq!(result(&answer)["answers"][0]["result"], json!({ "roots": [] }));
    assert_eq!(fake.seen("tools/call").len(), 1);
}

#[tokio::test]
async fn calls_that_wait_for_answers_do_not_get_those_of_others() {
    let front = Front::of(&[("a", &asking("roots/list", json!({})))]).await;
    let (mut one, mut other) = (front.modern(&everything()), front.modern(&everything()));
    let one_asked = result(&one.ask("tools/call", CALL).await);
    let other_asked = result(&other.ask("tools/call", CALL).await);
    assert_ne!(one_asked["requestState"], other_asked["requestState"]);
    let answer = other.ask("tools/call", retry(&other_asked, "question", json!({ "of": 2 }))).await;
    assert_eq!(result(&answer)["answers"][0]["result"], json!({ "of": 2 }));
    let answer = one.ask("tools/call", retry(&one_asked, "question", json!({ "of": 1 }))).await;
    assert_eq!(result(&answer)["answers"][0]["result"], json!({ "of": 1 }));
}

#[tokio::test]
async fn a_question_of_no_call_reaches_the_only_client_that_can_answer_and_nobody_if_two_can() {
    let fake = Fake::legacy();
    let front = Front::of(&[("a", &fake)]).await;
    fake.heard("roots/list", &json!({})).await;
    let mut client = front.legacy(&everything());
    let asked = fake.ask("roots/list", &json!({}));
    let question = client.next().await;
    client.answer(&question, json!({ "roots": [] }));
    assert_eq!(asked.await.unwrap()["result"], json!({ "roots": [] }));
    let _unable = front.legacy(&json!({ "sampling": {} }));
    let _cannot_be_asked = front.modern(&everything());
    let asked = fake.ask("roots/list", &json!({}));
    let question = client.next().await;
    client.answer(&question, json!({ "roots": [] }));
    assert_eq!(asked.await.unwrap()["result"], json!({ "roots": [] }));
    let _other = front.legacy(&everything());
    let refused = fake.ask("roots/list", &json!({})).await.unwrap();
    let words = "it is not clear whom `roots/list` is for: it belongs to no call, and several \
                 clients could answer";
    assert_eq!(refused["error"], json!({ "code": -32601, "message": words }));
}

#[tokio::test]
async fn a_question_that_nobody_answers_any_more_ends_the_call_at_the_server() {
    let fake = asking("roots/list", json!({}));
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.legacy(&everything());
    client.send("tools/call", CALL);
    client.next().await;
    drop(client);
    let called = fake.seen("tools/call")[0].message["id"].clone();
    let cancelled = fake.sees("notifications/cancelled", 1).await.remove(0);
    assert_eq!(cancelled.message["params"]["requestId"], called);
    assert_eq!(fake.sees(CLOSED, 1).await[0].message["id"], called);
}

/// A surface whose servers may not be silent for more than five seconds.
async fn impatient(fake: &Fake) -> Front {
    let mut plan = plan(&[("a", fake)]).await;
    plan.servers[0].call_timeout = Duration::from_secs(5);
    let front = Front::begin(Look::default(), plan);
    front.upstreams.settled(SOON).await;
    front
}

/// Lets a minute pass.
async fn ponder() {
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(60)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_server_is_not_silent_while_a_client_thinks_about_its_question() {
    for fake in [asking("roots/list", json!({})), wanting("roots/list", json!({}))] {
        let front = impatient(&fake).await;
        let mut client = front.legacy(&everything());
        let id = client.send("tools/call", CALL);
        let question = client.next().await;
        ponder().await;
        client.answer(&question, json!({ "roots": [] }));
        let answer = client.answer_to(id).await;
        assert!(answer["result"].is_object(), "{answer}");
    }
}

#[tokio::test]
async fn a_server_is_not_silent_while_its_call_waits_for_a_modern_client() {
    let fake = asking("roots/list", json!({}));
    let front = impatient(&fake).await;
    let mut client = front.modern(&everything());
    let asked = result(&client.ask("tools/call", CALL).await);
    ponder().await;
    let answer = client.ask("tools/call", retry(&asked, "question", json!({ "roots": [] }))).await;
    assert_eq!(result(&answer)["answers"][0]["result"], json!({ "roots": [] }));
}

#[tokio::test]
async fn a_call_whose_client_does_not_come_back_is_cancelled_after_five_minutes() {
    let fake = asking("roots/list", json!({}));
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.modern(&everything());
    let asked = result(&client.ask("tools/call", CALL).await);
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(362)).await;
    tokio::time::resume();
    fake.sees("notifications/cancelled", 1).await;
    let late = retry(&asked, "question", json!({ "roots": [] }));
    assert_eq!(error(&client.ask("tools/call", late).await).0, -32602);
    assert_eq!(fake.seen("tools/call").len(), 1);
}

fn only(requests: &Value) -> (String, Value) {
    let requests = requests.as_object().unwrap();
    assert_eq!(requests.len(), 1);
    let (key, request) = requests.iter().next().unwrap();
    (key.clone(), request.clone())
}

/// The parameters that answer a question.
fn retry(asked: &Value, key: &str, answer: Value) -> Value {
    let mut params: Value = serde_json::from_str(CALL).unwrap();
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] = json!({});
    params["inputResponses"][key] = answer;
    params
}
