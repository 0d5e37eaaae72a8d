//! The rules of a session, whatever the transport.

use std::sync::Arc;

use metier_wire::Frame;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::fixture::{INITIALIZED, StandIn, initialize, modern, request};
use crate::{
    lane::{Lane, Outgoing},
    session::{Server, Session},
};

/// A client that sends lines and sees what comes back, at once or later.
struct Client {
    stand_in: Arc<StandIn>,
    server: Arc<Server>,
    session: Arc<Session>,
    lane: Lane,
    coming: mpsc::Receiver<Outgoing>,
}

impl Client {
    fn new() -> Client {
        let stand_in = StandIn::new();
        let server = Server::new(stand_in.clone());
        let (lane, coming) = Lane::queue();
        let session = Session::new(&server, Some(lane.clone()));
        Client { stand_in, server, session, lane, coming }
    }

    /// A client that has been through `initialize`.
    fn of(revision: &str) -> Client {
        let client = Client::new();
        client.send(&initialize(revision));
        client.send(INITIALIZED);
        client
    }

    /// Sends a message; what is answered at once is returned.
    fn send(&self, text: &str) -> Value {
        let mut out = Vec::new();
        self.session.take(Frame::read(text.as_bytes()), &|| self.lane.clone(), &mut out);
        if out.is_empty() { Value::Null } else { serde_json::from_slice(&out).unwrap() }
    }

    /// The next message that comes by the lane.
    async fn next(&mut self) -> Value {
        let outgoing = self.coming.recv().await.unwrap();
        serde_json::from_slice(&outgoing.message).unwrap()
    }

    /// What comes by the lane after everything that is under way has come to rest.
    async fn rest(&mut self) -> Option<Value> {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        let outgoing = self.coming.try_recv().ok()?;
        Some(serde_json::from_slice(&outgoing.message).unwrap())
    }
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}

#[tokio::test]
async fn initialize_answers_with_the_revision_and_the_server() {
    let answer = Client::new().send(&initialize("2025-06-18"));
    assert_eq!(
        answer,
        json!({ "jsonrpc": "2.0", "id": 0, "result": {
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "stand-in", "version": "1" },
            "instructions": "Be brief.",
        } })
    );
}

#[tokio::test]
async fn initialize_without_a_version_names_the_field() {
    let answer =
        Client::new().send(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    assert_eq!(code(&answer), -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("protocolVersion"));
}

#[tokio::test]
async fn discover_tells_all_revisions_and_who_answers() {
    let answer = Client::new().send(&modern(1, "server/discover", json!({})));
    assert_eq!(
        answer["result"],
        json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
            "capabilities": { "tools": { "listChanged": true } },
            "instructions": "Be brief.",
            "ttlMs": 3_600_000,
            "cacheScope": "private",
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "stand-in", "version": "1" } },
        })
    );
}

#[tokio::test]
async fn a_request_before_initialize_is_told_what_to_send_first() {
    let client = Client::new();
    let answer = client.send(&request(1, "now"));
    assert_eq!(code(&answer), -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("`initialize`"));
    assert_eq!(client.send(&request(2, "ping"))["result"], json!({}));
}

#[tokio::test]
async fn both_eras_are_served_side_by_side() {
    let client = Client::of("2025-11-25");
    assert_eq!(client.send(&request(1, "now"))["result"], json!({ "came": "now" }));
    let answer = client.send(&modern(2, "now", json!({})));
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "stand-in");
}

#[tokio::test]
async fn each_era_has_methods_that_the_other_does_not_know() {
    let client = Client::of("2025-11-25");
    for method in ["ping", "initialize"] {
        assert_eq!(code(&client.send(&modern(1, method, json!({})))), -32601, "{method}");
    }
    for method in ["server/discover", "subscriptions/listen", "unheard/of"] {
        assert_eq!(code(&client.send(&request(1, method))), -32601, "{method}");
    }
}

#[tokio::test]
async fn a_notification_that_nobody_knows_or_comes_early_is_passed_over() {
    let client = Client::new();
    assert_eq!(client.send(INITIALIZED), Value::Null);
    assert_eq!(client.send(r#"{"jsonrpc":"2.0","method":"unheard/of"}"#), Value::Null);
    assert_eq!(client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#), Value::Null);
    assert_eq!(client.send(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#), Value::Null);
    assert_eq!(client.send(&request(2, "ping"))["result"], json!({}));
}

#[tokio::test]
async fn a_panic_answers_its_request_and_costs_nobody_else() {
    let mut client = Client::of("2025-11-25");
    assert_eq!(code(&client.send(&request(1, "panic"))), -32603);
    client.send(&request(2, "panic_later"));
    let answer = client.next().await;
    assert_eq!((code(&answer), &answer["id"]), (-32603, &json!(2)));
    assert_eq!(client.send(&request(3, "now"))["id"], 3);
}

#[tokio::test]
async fn a_cancelled_request_stops_and_gets_no_answer() {
    let mut client = Client::of("2025-11-25");
    client.send(&request(1, "wait"));
    client.stand_in.has_begun(1).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    client.send(&request(2, "later"));
    assert_eq!(client.next().await["id"], 2);
    assert_eq!(client.rest().await, None);
    client.stand_in.has_dropped(1).await;
}

#[tokio::test]
async fn replies_that_nobody_takes_count_as_being_worked_on() {
    let mut client = Client::of("2025-11-25");
    for id in 0..400 {
        client.send(&request(id, "later"));
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
    // 64 fit into the lane; the others wait with their ids, and can still be cancelled.
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":100}}"#);
    let mut ids = Vec::new();
    while let Some(reply) = client.rest().await {
        ids.push(reply["id"].as_u64().unwrap());
    }
    ids.sort_unstable();
    let expected: Vec<u64> = (0..64 + 256).filter(|id| *id != 100).collect();
    assert_eq!(ids, expected);
}

#[tokio::test]
async fn a_slow_request_holds_nobody_up() {
    let mut client = Client::of("2025-11-25");
    client.send(&request(1, "wait"));
    client.send(&request(2, "later"));
    assert_eq!(client.next().await["id"], 2);
    client.stand_in.has_begun(1).await;
    client.stand_in.release.notify_one();
    assert_eq!(client.next().await["id"], 1);
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused() {
    let mut client = Client::of("2025-11-25");
    client.send(&request(1, "wait"));
    assert_eq!(code(&client.send(&request(1, "wait"))), -32600);
    client.stand_in.has_begun(1).await;
    client.stand_in.release.notify_one();
    assert_eq!(client.next().await["result"], json!({ "waited": true }));
}

#[tokio::test]
async fn the_number_of_requests_at_a_time_is_bounded() {
    let client = Client::of("2025-11-25");
    let refused = (1..=300).map(|id| client.send(&request(id, "wait"))).filter(|it| !it.is_null());
    assert_eq!(refused.count(), 300 - 256);
}

#[tokio::test]
async fn progress_comes_before_the_answer_with_the_token_of_the_request() {
    let mut client = Client::of("2025-11-25");
    client.send(
        r#"{"jsonrpc":"2.0","id":1,"method":"progress","params":{"_meta":{"progressToken":"t"}}}"#,
    );
    assert_eq!(
        client.next().await,
        json!({ "jsonrpc": "2.0", "method": "notifications/progress",
            "params": { "progressToken": "t", "progress": 1, "message": "half" } })
    );
    assert_eq!(client.next().await["params"]["progress"], 2);
    assert_eq!(client.next().await["result"], json!({ "progressed": true }));
}

#[tokio::test]
async fn a_request_without_a_token_hears_of_no_progress() {
    let mut client = Client::of("2025-11-25");
    client.send(&request(1, "progress"));
    assert_eq!(client.next().await["result"], json!({ "progressed": true }));
}

#[tokio::test]
async fn the_client_can_be_asked_and_its_answer_arrives() {
    let mut client = Client::of("2025-11-25");
    client.send(&request(1, "ask"));
    let asked = client.next().await;
    assert_eq!(asked["method"], "roots/list");
    let id = &asked["id"];
    client.send(&json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": [] } }).to_string());
    assert_eq!(client.next().await["result"], json!({ "answered": { "roots": [] } }));
}

#[tokio::test]
async fn a_client_of_2026_07_28_is_never_asked() {
    let mut client = Client::new();
    client.send(&modern(1, "ask", json!({})));
    assert_eq!(code(&client.next().await), -32603);
}

#[tokio::test]
async fn list_changed_comes_once_per_change_and_only_after_initialized() {
    let mut client = Client::new();
    client.send(&initialize("2024-11-05"));
    client.stand_in.change();
    assert_eq!(client.rest().await, None);
    client.send(INITIALIZED);
    client.send(INITIALIZED);
    assert_eq!(client.rest().await, None);
    client.stand_in.change();
    client.stand_in.change();
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    assert_eq!(client.next().await, notice);
    assert_eq!(client.rest().await, None);
}

#[tokio::test(start_paused = true)]
async fn list_changed_comes_once_per_burst_and_the_last_change_is_told() {
    let mut client = Client::of("2025-11-25");
    let begin = tokio::time::Instant::now();
    for _ in 0..20 {
        client.stand_in.change();
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    client.next().await;
    client.next().await;
    assert_eq!(begin.elapsed().as_millis() / 100, 5, "the second one waits for the burst to end");
    assert_eq!(client.rest().await, None);
}

#[tokio::test]
async fn a_subscription_is_acknowledged_first_and_its_notices_carry_its_id() {
    let mut client = Client::new();
    let listen =
        json!({ "notifications": { "toolsListChanged": true, "promptsListChanged": true } });
    client.send(&modern(5, "subscriptions/listen", listen));
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": 5 });
    assert_eq!(
        client.next().await,
        json!({ "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
            "params": { "_meta": meta, "notifications": { "toolsListChanged": true } } })
    );
    client.stand_in.change();
    assert_eq!(
        client.next().await,
        json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed",
            "params": { "_meta": meta } })
    );
    client.server.stop.cancel();
    assert_eq!(
        client.next().await,
        json!({ "jsonrpc": "2.0", "id": 5, "result": { "resultType": "complete", "_meta": meta } })
    );
}

#[tokio::test]
async fn a_subscription_hears_only_of_what_it_asked_for() {
    let mut client = Client::new();
    client.send(&modern(5, "subscriptions/listen", json!({ "notifications": {} })));
    assert_eq!(client.next().await["params"]["notifications"], json!({}));
    client.stand_in.change();
    assert_eq!(client.rest().await, None);
}

#[tokio::test]
async fn a_batch_is_answered_where_the_revision_has_batches() {
    let batch = format!("[{},{INITIALIZED},{},5]", request(1, "now"), request(2, "later"));
    let mut client = Client::of("2025-03-26");
    assert_eq!(client.send(&batch), Value::Null);
    let answers = client.next().await;
    let ids: Vec<_> = answers.as_array().unwrap().iter().map(|it| it.get("id").cloned()).collect();
    assert_eq!(ids, [Some(json!(1)), None, Some(json!(2))]);
    let at_once = format!("[{}]", request(1, "now"));
    assert_eq!(client.send(&at_once)[0]["id"], 1);
    assert_eq!(client.send(&format!("[{INITIALIZED}]")), Value::Null);
}

#[tokio::test]
async fn a_batch_is_refused_where_the_revision_has_none() {
    let batch = format!("[{}]", request(1, "now"));
    for client in [Client::new(), Client::of("2024-11-05"), Client::of("2025-06-18")] {
        assert_eq!(code(&client.send(&batch)), -32600);
    }
}
