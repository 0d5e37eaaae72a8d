//! What servers, and what is between us and them, do wrong.

use std::time::Duration;

use tokio::time::timeout;

use super::{Bench, LEGACY, MODERN, check, check_outcome};
use crate::link::stub::Stub;

const SSE: &str = "200\ncontent-type: text/event-stream\n\n";
const LIST: &str = "POST /mcp mcp-protocol-version=2025-11-25 tools/list";
const AGAIN: &str = "GET /mcp last-event-id=7 mcp-protocol-version=2025-11-25";
const OK: &str = r#"data: {"jsonrpc":"2.0","id":1,"result":{}}"#;

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_early_is_taken_up_again_where_the_server_lets_us() {
    let cut = format!("{SSE}id: 7\nretry: 10\ndata:\n\n");
    let answer = format!("{SSE}{OK}\n\n");
    check(LEGACY, &[&cut, &answer], &format!("ok {{}}\n{LIST}\n{AGAIN}")).await;
    let broken = format!("{cut}<break>");
    check(LEGACY, &[&broken, "503", &answer], &format!("ok {{}}\n{LIST}\n{AGAIN}\n{AGAIN}")).await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_polled_waits_as_long_as_the_server_wants() {
    let cut = format!("{SSE}id: 7\nretry: 60000\ndata:\n\n");
    let stub = Stub::new(&[&cut, SSE, SSE, &format!("{SSE}{OK}\n\n")]);
    let bench = Bench::new(stub.web(), LEGACY);
    let began = tokio::time::Instant::now();
    assert_eq!(bench.ask("tools/list").await, "ok {}");
    assert_eq!(began.elapsed().as_secs(), 180);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_cannot_be_taken_up_is_lost() {
    let early = "lost: the stream ended before the answer";
    check(LEGACY, &[SSE], &format!("{early}\n{LIST}")).await;
    let broken = format!("{SSE}<break>");
    check(LEGACY, &[&broken], &format!("lost: the connection broke: cut\n{LIST}")).await;
    let cut = format!("{SSE}id: 7\ndata:\n\n");
    check(LEGACY, &[&cut, "405"], &format!("{early}\n{LIST}\n{AGAIN}")).await;
    let tries = [AGAIN; 5].join("\n");
    check(LEGACY, &[&cut], &format!("{early}\n{LIST}\n{tries}")).await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_stream_is_never_taken_up_again() {
    let cut = format!("{SSE}id: 7\ndata:\n\n");
    check_outcome(MODERN, &cut, "lost: the stream ended before the answer").await;
}

#[tokio::test(start_paused = true)]
async fn a_body_that_breaks_off_is_lost_and_trouble() {
    let bench =
        Bench::new(Stub::new(&["200\ncontent-type: application/json\n\n{<break>"]).web(), LEGACY);
    assert_eq!(bench.ask("tools/list").await, "lost: the connection broke: cut");
    assert_eq!(bench.link.board().news().borrow().troubles, 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_has_a_greatest_length() {
    let long = "x".repeat(33 << 20);
    let too_long = "garbled: the answer is longer than 32 MiB";
    check_outcome(LEGACY, &format!("200\ncontent-type: application/json\n\n{long}"), too_long)
        .await;
    check_outcome(LEGACY, &format!("{SSE}data: {long}\n\n<hang>"), too_long).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_given_up_is_cancelled_in_the_way_of_its_era() {
    for answer in ["<hang>".to_owned(), format!("{SSE}<hang>"), format!("{SSE}id: 7\ndata:\n\n")] {
        for (revision, method, cancels) in [
            (LEGACY, "tools/list", true),
            (LEGACY, "initialize", false),
            (MODERN, "tools/list", false),
        ] {
            let stub = Stub::new(&[&answer, "<hang>", "202"]);
            let bench = Bench::new(stub.web(), revision);
            let _ = timeout(Duration::from_millis(1500), bench.ask(method)).await;
            bench.settle().await;
            let reason = r#"{"requestId":1,"reason":"the caller no longer waits"}"#;
            let told = stub.log().ends_with(&format!(" notifications/cancelled {reason}"));
            assert_eq!(told, cancels, "{}", stub.log());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_status_is_told_with_what_the_server_says_of_it() {
    let check = async |answer: &str, expected: &str| {
        let expected = format!("status: the server answered with HTTP status {expected}");
        check_outcome(LEGACY, answer, &expected).await;
        check_outcome(MODERN, answer, &expected).await;
    };
    check("500", "500").await;
    check("502\ncontent-type: text/html\n\n<h1>Bad</h1>", "502").await;
    check("503\ncontent-type: text/plain\n\nout\n to lunch", "503: out to lunch").await;
    check("404\ncontent-type: application/json\n\n{\"no\":1}", "404: {\"no\":1}").await;
    check("429\nretry-after: 30", "429: it wants to be asked again after 30 s").await;
    check("400\ncontent-type: text/plain\n\n<hang>", "400").await;
    let long = format!("500\ncontent-type: text/plain\n\n{}", "é".repeat(300));
    check(&long, &format!("500: {}…", "é".repeat(200))).await;
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_protocol_counts_more_than_its_status() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}"#;
    let nobody = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"what?"}}"#;
    for status in [200, 400, 404, 405, 500] {
        for body in [error, nobody] {
            let answer = format!("{status}\ncontent-type: application/json\n\n{body}");
            check_outcome(LEGACY, &answer, "refused: what? (-32601)").await;
            check_outcome(MODERN, &answer, "refused: what? (-32601)").await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_not_authorized_is_told_what_is_missing() {
    let check = async |answer: &str, expected: &str| check_outcome(LEGACY, answer, expected).await;
    let wants = "unauthorized: the server wants an `Authorization` header (HTTP status 401)";
    check("401", wants).await;
    let challenge = r#"www-authenticate: Bearer error="x", scope="a b", resource_metadata="https://a.example/.well-known/x?secret=1""#;
    let told = "with scope `a b`; how to get one is told at `https://a.example/.well-known/x`";
    check(&format!("401\n{challenge}"), &format!("{wants}, {told}")).await;
    let scope = "403\nwww-authenticate: Bearer error=\"insufficient_scope\", scope=\"write\"";
    let forbids = "unauthorized: the server forbids this (HTTP status 403)";
    check(scope, &format!("{forbids}, with scope `write`")).await;
    check("403", forbids).await;
    let origin = r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"bad origin"}}"#;
    let json = format!("403\ncontent-type: application/json\n\n{origin}");
    check(&json, &format!("{forbids}: bad origin")).await;
}

#[tokio::test(start_paused = true)]
async fn a_redirect_is_followed_within_the_origin_alone() {
    let answer =
        "200\ncontent-type: application/json\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    let there = LIST.replace("/mcp ", "/mcp/?a=b ");
    for status in [301, 302, 307, 308] {
        let redirect = format!("{status}\nlocation: /mcp/?a=b");
        check(LEGACY, &[&redirect, answer], &format!("ok {{}}\n{LIST}\n{there}")).await;
    }
    let away = "307\nlocation: https://evil.example/mcp?token=1";
    let moved = "it has moved to `https://evil.example/mcp`; use that address if you trust it";
    let status = "status: the server answered with HTTP status";
    check(LEGACY, &[away, answer], &format!("{status} 307: {moved}\n{LIST}")).await;
    let http = "301\nlocation: http://files.example/mcp";
    let moved = moved.replace("https://evil", "http://files");
    check(LEGACY, &[http, answer], &format!("{status} 301: {moved}\n{LIST}")).await;
}

#[tokio::test(start_paused = true)]
async fn a_redirect_in_a_circle_ends() {
    let around = "307\nlocation: /mcp";
    let stub = Stub::new(&[around; 20]);
    let bench = Bench::new(stub.web(), LEGACY);
    let moved = "it has moved to `https://files.example/mcp`; use that address if you trust it";
    let expected = format!("status: the server answered with HTTP status 307: {moved}");
    assert_eq!(bench.ask("tools/list").await, expected);
    assert_eq!(stub.log().lines().count(), 6);
}
