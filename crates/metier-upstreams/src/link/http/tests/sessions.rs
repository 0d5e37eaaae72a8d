//! Sessions of the legacy era.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio_util::task::TaskTracker;

use super::{Bench, Http, LEGACY};
use crate::{
    identity::Identity,
    link::{
        Ask, Ending, Link, Switchboard, Way,
        stub::{Stub, site, told},
    },
};

const OPEN: &str = "200\ncontent-type: application/json\nmcp-session-id: s-1\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
const HEADERS: &str = "mcp-protocol-version=2025-11-25 mcp-session-id=s-1";

/// A bench whose session is open; `script` begins behind that.
async fn opened(script: &[&str]) -> (Stub, Bench) {
    let stub = Stub::new(&[&[OPEN], script].concat());
    let bench = Bench::new(stub.web(), None);
    assert_eq!(bench.ask("initialize").await, "ok {}");
    bench.link.board().settle(LEGACY.unwrap());
    (stub, bench)
}

#[tokio::test(start_paused = true)]
async fn a_session_is_named_in_every_request_until_it_is_left() {
    let (stub, bench) = opened(&["202", "500", "405", "405"]).await;
    bench.link.notify("notifications/initialized", None::<&()>).await.unwrap();
    bench.ask("tools/list").await;
    bench.link.hear().await.unwrap();
    bench.link.leave().await;
    let expected = format!(
        "POST /mcp initialize\n\
         POST /mcp {HEADERS} notifications/initialized \n\
         POST /mcp {HEADERS} tools/list\n\
         GET /mcp {HEADERS}\n\
         DELETE /mcp {HEADERS}"
    );
    assert_eq!(stub.log(), expected);
}

#[tokio::test(start_paused = true)]
async fn without_a_session_there_is_nothing_to_leave() {
    let stub = Stub::new(&[]);
    Bench::new(stub.web(), LEGACY).link.leave().await;
    assert_eq!(stub.log(), "");
}

#[tokio::test(start_paused = true)]
async fn leaving_waits_for_nobody() {
    let (_, bench) = opened(&["<hang>"]).await;
    let began = tokio::time::Instant::now();
    bench.link.leave().await;
    assert_eq!(began.elapsed().as_secs(), 2);
}

const UNKNOWN: &str = "404\ncontent-type: application/json\n\n{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32001,\"message\":\"Session not found\"}}";

#[tokio::test(start_paused = true)]
async fn a_session_that_the_server_does_not_know_has_expired() {
    for answer in ["404", "404\ncontent-type: text/plain\n\nno such session", UNKNOWN] {
        let (_, bench) = opened(&[answer]).await;
        assert_eq!(bench.ask("tools/list").await, "expired: the session has expired");
        let ending = bench.link.board().news().borrow().ending.clone();
        assert_eq!(ending, Some(Ending::Expired));
        assert_eq!(bench.ask("tools/list").await, "unsent: the connection is over");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_found_by_a_server_that_knows_the_session_is_no_expired_session() {
    let pong =
        "200\ncontent-type: application/json\n\n{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}";
    let (_, bench) = opened(&["404", pong, "404", pong, "404", pong]).await;
    let lost = "status: the server answered with HTTP status 404";
    assert_eq!(bench.ask("tools/call").await, lost);
    assert_eq!(bench.ask("tools/call").await, lost);
    assert!(!bench.link.board().is_over());
    // Not for ever.
    assert_eq!(bench.ask("tools/call").await, "expired: the session has expired");
}

#[tokio::test(start_paused = true)]
async fn all_requests_that_an_expired_session_refuses_may_be_sent_again() {
    let (_, bench) = opened(&[UNKNOWN; 20]).await;
    let outcomes = join_all((0..20).map(|_| bench.ask("tools/list"))).await;
    assert_eq!(outcomes, vec!["expired: the session has expired"; 20]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_taken_before_the_session_expired_is_lost() {
    let stream = "200\ncontent-type: text/event-stream\n\n<hang>";
    let (_, bench) = opened(&[stream, UNKNOWN]).await;
    let outcomes = tokio::join!(bench.ask("tools/list"), bench.ask("tools/list"));
    let (lost, expired) = ("lost: the connection is over", "expired: the session has expired");
    assert_eq!(outcomes, (lost.to_owned(), expired.to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_stream_whose_session_expires_is_lost_and_not_sent_again() {
    let cut = "200\ncontent-type: text/event-stream\n\nid: 7\ndata:\n\n";
    let (stub, bench) = opened(&[cut, UNKNOWN]).await;
    assert!(bench.ask("tools/list").await.starts_with("lost: "));
    // The last one asks whether it is the session that is not there.
    assert_eq!(stub.log().lines().count(), 4);
    assert!(bench.link.board().is_over());
}

#[tokio::test(start_paused = true)]
async fn a_method_that_the_server_does_not_know_is_no_session_that_it_does_not_know() {
    let error = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"what?"}}"#;
    let (_, bench) = opened(&[&format!("404\ncontent-type: application/json\n\n{error}")]).await;
    assert_eq!(bench.ask("x/y").await, "refused: what? (-32601)");
    assert!(!bench.link.board().is_over());
}

const BAD: &str = "400\ncontent-type: application/json\n\n{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"no session\"}}";

#[tokio::test(start_paused = true)]
async fn a_session_has_also_expired_if_a_bad_request_is_all_that_the_server_sees() {
    for answer in [BAD, "400\ncontent-type: text/plain\n\nno session"] {
        let (stub, bench) = opened(&[answer; 40]).await;
        let outcomes = join_all((0..20).map(|_| bench.ask("tools/list"))).await;
        assert_eq!(outcomes, vec!["expired: the session has expired"; 20]);
        assert_eq!(stub.log().lines().filter(|line| line.ends_with(" ping")).count(), 20);
        assert_eq!(bench.ask("tools/list").await, "unsent: the connection is over");
    }
}

#[tokio::test(start_paused = true)]
async fn a_bad_request_among_good_ones_is_no_expired_session() {
    let pong = r#"200
content-type: application/json

{"jsonrpc":"2.0","id":3,"result":{}}"#;
    let unknown = r#"400
content-type: application/json

{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"what is ping?"}}"#;
    for answer in [pong, unknown, "<hang>"] {
        let (_, bench) = opened(&[BAD, answer]).await;
        assert_eq!(bench.ask("tools/list").await, "refused: no session (-32000)");
        assert!(!bench.link.board().is_over());
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrong_address_is_no_expired_session() {
    let bench = Bench::new(Stub::new(&["404"]).web(), None);
    let expected = "status: the server answered with HTTP status 404";
    assert_eq!(bench.ask("initialize").await, expected);
    assert!(!bench.link.board().is_over());
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_ends_takes_its_requests_with_it() {
    let bench = Bench::new(Stub::new(&["<hang>"]).web(), LEGACY);
    let end = async { bench.link.board().end(&Ending::Lost("gone".to_owned())) };
    let (outcome, ()) = tokio::join!(bench.ask("tools/list"), end);
    assert_eq!(outcome, "lost: the connection is over");
}

/// What goes out with these headers and this address.
async fn check_site(url: &str, headers: &[(&str, &str)], expected: &str) {
    let (stub, tasks) = (Stub::new(&["401"]), TaskTracker::new());
    let said = match Http::new(&site(url, headers), stub.web(), &tasks) {
        Err(failed) => failed.to_string(),
        Ok(http) => {
            let board = Switchboard::new(Arc::new(Identity::new("metier", "1")), Arc::new(()));
            let link = Link::new(Way::Http(http), board);
            let outcome = told(link.request(Ask::new("initialize", &[])).await);
            format!("{}\n{outcome}", stub.log())
        }
    };
    assert_eq!(said, expected);
}

#[tokio::test(start_paused = true)]
async fn headers_of_the_configuration_go_along_and_are_not_shown() {
    let refused = "unauthorized: the server does not accept the `Authorization` header that it was sent (HTTP status 401)";
    let sent = |value: &str| format!("POST /mcp authorization={value} initialize\n{refused}");
    let url = "https://a.example/mcp";
    check_site(url, &[("authorization", "Bearer x")], &sent("Bearer x")).await;
    check_site("https://u:p%40@a.example/mcp", &[], &sent("Basic dTpwQA==")).await;
    check_site(url, &[("a b", "secret")], "`a b` is not the name of a header").await;
    check_site(url, &[("a", "sec\nret")], "the value of header `a` cannot be sent").await;
    check_site("ftp://a.example", &[], "`ftp` is no way to a server: use `https`").await;
}
