//! Calls under way: progress, cancellation, and what one has to do with another.

use axum::{body::Body, http::Request};
use metier_wire::Era;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{
    fake::{Act, CLOSED, Fake},
    fixture::{Front, result},
};
use crate::tests::fixture::modern;

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// A server that tells how far it has come.
fn progressing(era: Era) -> Fake {
    Fake::new(era).tools(&["t"]).on("tools/call", |message| {
        let token = message["params"]["_meta"]["progressToken"].clone();
        let say = |n: u64| {
            let params = json!({ "progressToken": token, "progress": n, "total": 2, "odd": [n] });
            Act::Say("notifications/progress", params)
        };
        vec![say(1), say(2), Act::Give(r#"{"resultType":"complete"}"#.to_owned())]
    })
}

/// A server that works until the test lets it go on.
fn waiting(era: Era) -> Fake {
    Fake::new(era)
        .tools(&["t"])
        .on("tools/call", |_| vec![Act::Wait, Act::Give(r#"{"late":true}"#.to_owned())])
}

#[tokio::test]
async fn progress_comes_before_the_result_with_the_clients_own_token() {
    for server in ERAS {
        let front = Front::of(&[("a", &progressing(server))]).await;
        for client in ERAS {
            for token in [json!("mine"), json!(7), json!("7")] {
                let mut client = front.client(client);
                let meta = format!(r#""progressToken":{token}"#);
                client.ask_with("tools/call", r#"{"name":"a__t"}"#, &meta).await;
                let expected = [1, 2].map(|n| {
                    let params =
                        json!({ "progressToken": token, "progress": n, "total": 2, "odd": [n] });
                    json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })
                });
                assert_eq!(client.asides, expected);
            }
        }
    }
}

#[tokio::test]
async fn a_client_that_gave_no_token_hears_of_no_progress() {
    for server in ERAS {
        let front = Front::of(&[("a", &progressing(server))]).await;
        for client in ERAS {
            let mut client = front.client(client);
            client.ask("tools/call", r#"{"name":"a__t"}"#).await;
            assert_eq!(client.rest(), [Value::Null; 0]);
        }
    }
}

/// What a server of that era sees when a call of the client is no longer wanted.
async fn check_cancelled(fake: &Fake, era: Era) {
    let called = fake.seen("tools/call")[0].message["id"].clone();
    assert_eq!(fake.sees(CLOSED, 1).await[0].message["id"], called);
    match era {
        Era::Legacy => {
            let cancelled = fake.sees("notifications/cancelled", 1).await.remove(0);
            assert_eq!(cancelled.message["params"]["requestId"], called);
        }
        Era::Modern => assert_eq!(fake.seen("notifications/cancelled").len(), 0),
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_cancelled_at_the_server_under_its_own_id() {
    for server in ERAS {
        for client in ERAS {
            let fake = waiting(server);
            let front = Front::of(&[("a", &fake)]).await;
            let mut client = front.client(client);
            let id = client.send("tools/call", r#"{"name":"a__t"}"#);
            fake.sees("tools/call", 1).await;
            client.notify("notifications/cancelled", json!({ "requestId": id, "reason": "x" }));
            check_cancelled(&fake, server).await;
            fake.go_on();
            client.ask("tools/list", "{}").await;
            assert_eq!(client.rest(), [Value::Null; 0], "a cancelled call gets no answer");
        }
    }
}

#[tokio::test]
async fn a_client_that_leaves_cancels_its_calls_and_nobody_elses() {
    for server in ERAS {
        let fake = waiting(server);
        let front = Front::of(&[("a", &fake)]).await;
        let mut leaving = front.client(Era::Legacy);
        let mut staying = front.client(Era::Legacy);
        leaving.send("tools/call", r#"{"name":"a__t"}"#);
        fake.sees("tools/call", 1).await;
        let id = staying.send("tools/call", r#"{"name":"a__t"}"#);
        fake.sees("tools/call", 2).await;
        drop(leaving);
        check_cancelled(&fake, server).await;
        // One who waits may be the call that was cancelled.
        fake.go_on();
        fake.go_on();
        assert_eq!(staying.answer_to(id).await["result"], json!({ "late": true }));
    }
}

#[tokio::test]
async fn a_client_that_gives_up_its_request_over_http_cancels_the_call() {
    for server in ERAS {
        let fake = waiting(server);
        let front = Front::of(&[("a", &fake)]).await;
        let body = modern(1, "tools/call", json!({ "name": "a__t" }));
        let request = Request::post("/mcp")
            .header("host", "localhost")
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "a__t");
        let request = request.body(Body::from(body)).unwrap();
        let mut answer = Box::pin(front.routes().oneshot(request));
        tokio::select! {
            _ = fake.sees("tools/call", 1) => {}
            answer = &mut answer => panic!("{answer:?}"),
        }
        drop(answer);
        check_cancelled(&fake, server).await;
    }
}

#[tokio::test]
async fn clients_that_use_the_same_ids_and_tokens_get_their_own_answers() {
    let fake = Fake::legacy().tools(&["t"]).on("tools/call", |message| {
        let (token, who) =
            (&message["params"]["_meta"]["progressToken"], &message["params"]["arguments"]["who"]);
        let params = json!({ "progressToken": token, "progress": 1, "message": who });
        let result = json!({ "who": who }).to_string();
        vec![Act::Wait, Act::Say("notifications/progress", params), Act::Give(result)]
    });
    let front = Front::of(&[("a", &fake)]).await;
    let mut clients: Vec<_> = (0..6).map(|_| front.client(Era::Legacy)).collect();
    for (who, client) in clients.iter_mut().enumerate() {
        let params = json!({ "name": "a__t", "arguments": { "who": who.to_string() } });
        let id = client.send_with("tools/call", params, r#""progressToken":1"#);
        assert_eq!(id, 2, "the first is `initialize`");
    }
    fake.sees("tools/call", clients.len()).await;
    clients.iter().for_each(|_| fake.go_on());
    for (who, client) in clients.iter_mut().enumerate() {
        let answer = client.answer_to(2).await;
        assert_eq!(result(&answer), json!({ "who": who.to_string() }));
        let expected = json!({ "progressToken": 1, "progress": 1, "message": who.to_string() });
        assert_eq!(client.asides[0]["params"], expected);
    }
}

#[tokio::test]
async fn a_server_that_hangs_holds_up_no_call_of_another() {
    let (hanging, fine) = (waiting(Era::Legacy), Fake::legacy().tools(&["t"]));
    let front = Front::of(&[("a", &hanging), ("b", &fine)]).await;
    let mut client = front.client(Era::Legacy);
    let hangs = client.send("tools/call", r#"{"name":"a__t"}"#);
    hanging.sees("tools/call", 1).await;
    for _ in 0..20 {
        let answer = client.ask("tools/call", r#"{"name":"b__t"}"#).await;
        assert_eq!(answer["result"], json!({ "content": [] }));
        assert_eq!(client.asides.len(), 0);
    }
    hanging.go_on();
    assert_eq!(client.answer_to(hangs).await["result"], json!({ "late": true }));
}

#[tokio::test]
async fn calls_are_counted_by_server_tool_and_outcome() {
    let fake = Fake::legacy().tools(&["t", "say \"x\""]).on("tools/call", |message| {
        vec![match message["params"]["arguments"]["do"].as_str().unwrap() {
            "give" => Act::Give("{}".to_owned()),
            "fail" => Act::Give(r#"{"isError":true}"#.to_owned()),
            "refuse" => Act::Refuse(r#"{"code":1,"message":"no"}"#),
            "lose" => Act::Break,
            _ => Act::Wait,
        }]
    });
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.client(Era::Legacy);
    let params = |it: &str| json!({ "name": "a:t", "arguments": { "do": it } });
    for it in ["give", "give", "fail", "refuse", "lose"] {
        client.ask("tools/call", params(it)).await;
    }
    let other = json!({ "name": "a:say \"x\"", "arguments": { "do": "give" } });
    client.ask("tools/call", other).await;
    let id = client.send("tools/call", params("wait"));
    fake.sees("tools/call", 7).await;
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    fake.sees("notifications/cancelled", 1).await;
    let metrics = front.metrics().await;
    let counts: Vec<&str> =
        metrics.lines().filter(|it| it.starts_with("metier_tool_calls_total{")).collect();
    let count = |tool: &str, outcome: &str, n: u64| {
        format!(r#"metier_tool_calls_total{{server="a",tool="{tool}",outcome="{outcome}"}} {n}"#)
    };
    let expected = [
        count(r#"say \"x\""#, "result", 1),
        count("t", "result", 2),
        count("t", "tool_error", 1),
        count("t", "refused", 1),
        count("t", "unanswered", 1),
        count("t", "cancelled", 1),
    ];
    assert_eq!(counts, expected);
    assert!(metrics.contains(r#"metier_tool_seconds_total{server="a",tool="t"} "#), "{metrics}");
}
