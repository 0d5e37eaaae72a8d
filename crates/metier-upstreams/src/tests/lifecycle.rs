//! A server's life: met, kept, lost, met again. All of it in memory, on a clock that does not wait.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio::time::Instant;

use super::{
    call,
    fake::{Act, Fake, error, good, result},
    shown, until,
};

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_is_ready_with_its_tools() {
    let upstreams = Fake::good().kept();
    let roster = upstreams.settled(Duration::from_secs(30)).await;
    assert_eq!(shown(&roster), "fake ready fake:echo");
    let entry = roster.tools().get("fake__echo").unwrap();
    assert_eq!(entry.tool.raw.get(), r#"{"name":"echo","odd":1}"#);
    assert_eq!(
        call(&upstreams, r#"{"a":1.0}"#).await.unwrap(),
        r#"{"content":[],"got":{"a":1.0}}"#
    );
    upstreams.stop().await;
    assert_eq!(shown(&upstreams.roster()), "fake stopped");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_goes_away_comes_back_and_its_tools_stay_meanwhile() {
    let fake = Fake::new(|_, message| match message["method"].as_str() {
        Some("tools/call") => vec![Act::Leave],
        _ => good(message),
    });
    let upstreams = fake.kept();
    upstreams.settled(Duration::from_secs(30)).await;
    let lost = call(&upstreams, "{}").await.unwrap_err();
    assert_eq!(
        lost.to_string(),
        "server `fake` was asked, but the answer is lost: it closed its output"
    );
    until(&upstreams, "fake waiting (it closed its output) fake:echo").await;
    let down = call(&upstreams, "{}").await.unwrap_err();
    assert_eq!(down.to_string(), "server `fake` is waiting: it closed its output");
    until(&upstreams, "fake ready fake:echo").await;
    assert_eq!(fake.n_attempts(), 2);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up_for_a_while_and_tried_again() {
    let fake = Fake::new(|start, message| if start < 3 { Vec::new() } else { good(message) });
    let upstreams = fake.kept();
    let began = Instant::now();
    until(&upstreams, "fake waiting (it was not ready within 30 s)").await;
    until(&upstreams, "fake ready fake:echo").await;
    let took = began.elapsed().as_secs();
    // Three times thirty seconds, and pauses of one, two and four, or somewhat less.
    assert!((95..=97).contains(&took), "{took}");
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_tools_cannot_be_listed_is_in_error_and_offers_none() {
    let fake = Fake::new(|start, message| match message["method"].as_str() {
        Some("tools/list") if start == 0 => vec![error(message, -32603, "no")],
        _ => good(message),
    });
    let upstreams = fake.kept();
    until(&upstreams, "fake waiting (`tools/list` failed: no (-32603))").await;
    until(&upstreams, "fake ready fake:echo").await;
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_comes_back_without_its_tools_offers_none() {
    let fake = Fake::new(|start, message| match message["method"].as_str() {
        Some("tools/list") if start == 1 => vec![error(message, -32603, "no")],
        Some("tools/call") => vec![Act::Leave],
        _ => good(message),
    });
    let upstreams = fake.kept();
    upstreams.settled(Duration::from_secs(30)).await;
    call(&upstreams, "{}").await.unwrap_err();
    until(&upstreams, "fake waiting (it closed its output) fake:echo").await;
    until(&upstreams, "fake waiting (`tools/list` failed: no (-32603))").await;
    until(&upstreams, "fake ready fake:echo").await;
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_a_server_that_is_just_being_met() {
    let upstreams = Fake::good().kept();
    assert_eq!(call(&upstreams, "1").await.unwrap(), r#"{"content":[],"got":1}"#);
    let unknown = upstreams.call("fake:other", None, Arc::new(())).await.unwrap_err();
    assert_eq!(unknown.to_string(), "there is no tool `fake:other`");
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_no_longer_answers_is_lost_after_three_misses() {
    let fake = Fake::new(|start, message| match message["method"].as_str() {
        Some("ping") if start == 0 => Vec::new(),
        _ => good(message),
    });
    let upstreams = fake.kept();
    upstreams.settled(Duration::from_secs(30)).await;
    let began = Instant::now();
    until(&upstreams, "fake waiting (it no longer answers) fake:echo").await;
    assert_eq!(began.elapsed().as_secs(), 30 + 5 + 10 + 5 + 10 + 5);
    until(&upstreams, "fake ready fake:echo").await;
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn any_answer_to_a_ping_proves_that_a_server_lives() {
    let fake = Fake::new(|_, message| match message["method"].as_str() {
        Some("ping") => vec![error(message, -32601, "unknown method")],
        _ => good(message),
    });
    let upstreams = fake.kept();
    upstreams.settled(Duration::from_secs(30)).await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(shown(&upstreams.roster()), "fake ready fake:echo");
    assert_eq!(fake.n_attempts(), 1);
    assert!(fake.count("ping") > 100);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_changes_lists_once_more() {
    let fake = Fake::new(|_, message| match message["method"].as_str() {
        Some("tools/list") => {
            let name = format!("tool{}", message["id"]);
            vec![result(message, json!({ "tools": [{ "name": name }] }))]
        }
        _ => good(message),
    });
    let upstreams = fake.kept();
    until(&upstreams, "fake ready fake:tool2").await;
    for _ in 0..1_000 {
        fake.say(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
    }
    until(&upstreams, "fake ready fake:tool3").await;
    assert_eq!(fake.count("tools/list"), 2);
    upstreams.stop().await;
}
