//! The transport of revision 2024-11-05.

use std::net::{IpAddr, Ipv4Addr};

use serde_json::json;

use super::{
    fixture::{INITIALIZED, initialize, request},
    http::{Events, Web},
};
use crate::http::{Guard, Transports};

/// Opens a session at `path`, and says where messages go.
async fn open(web: &Web, path: &str) -> (Events, String) {
    let mut events = Events::of(web.get(path).response().await);
    let endpoint = events.next().await.unwrap();
    assert_eq!(endpoint.name, "endpoint");
    assert!(endpoint.data.starts_with("/messages?sessionId="));
    (events, endpoint.data)
}

#[tokio::test]
async fn a_session_lives_on_a_stream_and_takes_messages_at_its_address() {
    let only = Guard::new(IpAddr::V4(Ipv4Addr::LOCALHOST), &[], None);
    let alone = Web::guarded(only, Transports::LegacySse);
    for (web, path) in
        [(&alone, "/mcp"), (&alone, "/sse"), (&Web::new(), "/mcp"), (&Web::new(), "/sse")]
    {
        let (mut events, address) = open(web, path).await;
        for body in [&initialize("2024-11-05"), INITIALIZED, &request(1, "later"), "garbage"] {
            assert_eq!(web.post(&address, body).response().await.status(), 202);
        }
        assert_eq!(events.message().await["result"]["protocolVersion"], "2024-11-05");
        let answers = [events.message().await, events.message().await];
        assert!(answers.iter().any(|it| it["result"] == json!({ "came": "later" })));
        assert!(answers.iter().any(|it| it["error"]["code"] == -32700));
        web.stand_in.change();
        assert_eq!(events.message().await["method"], "notifications/tools/list_changed");
    }
}

#[tokio::test]
async fn a_message_without_session_is_bad_and_one_for_an_unknown_session_not_found() {
    let web = Web::new();
    assert_eq!(web.post("/messages", &request(1, "ping")).response().await.status(), 400);
    let sent = web.post("/messages?sessionId=nobody", &request(1, "ping"));
    assert_eq!(sent.response().await.status(), 404);
}

#[tokio::test]
async fn what_is_being_worked_on_is_answered_before_the_server_ends() {
    let web = Web::new();
    let (mut events, address) = open(&web, "/sse").await;
    web.post(&address, &initialize("2024-11-05")).response().await;
    events.next().await.unwrap();
    web.post(&address, &request(1, "wait")).response().await;
    web.stand_in.has_begun(1).await;
    let reading = async {
        web.stand_in.release.notify_one();
        (events.message().await, events.next().await)
    };
    let ((), (answer, end)) = tokio::join!(web.server.0.finish(), reading);
    assert_eq!(answer["result"], json!({ "waited": true }));
    assert_eq!(end, None);
}

#[tokio::test]
async fn a_session_ends_with_its_stream() {
    let web = Web::new();
    let (events, address) = open(&web, "/sse").await;
    drop(events);
    assert_eq!(web.post(&address, &request(1, "ping")).response().await.status(), 404);
}
