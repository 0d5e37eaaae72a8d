//! Loops: a server whose tools come from ourselves is not used.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    fake::{Fake, notification, result},
    settle, shown, until,
};
use crate::{Cause, Identity, Phase, Upstreams};

const LOOP: &str =
    "fake failed (it leads back to this metier: some of the tools that it lists are our own)";
const READY: &str = "fake ready fake:echo";

fn kept(fake: &Arc<Fake>) -> Upstreams {
    fake.kept_by(Identity::new("test", "1").instance("us"), Arc::new(()))
}

/// What a server with this `_meta` beside its tools is to us, and which gateways are behind it.
async fn check(meta: Value, expected: &str, instances: &[&str]) {
    let fake = Fake::on("tools/list", move |_, message| {
        vec![result(message, json!({ "tools": [{ "name": "echo" }], "_meta": meta }))]
    });
    let upstreams = kept(&fake);
    let roster = settle(&upstreams).await;
    assert_eq!(shown(&roster), expected);
    let offer = roster.servers().find_map(|it| it.standing.offer.clone());
    let seen: Vec<Box<str>> = offer.map(|it| it.instances.clone()).unwrap_or_default();
    assert_eq!(seen, instances.iter().map(|it| (*it).into()).collect::<Vec<Box<str>>>());
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_tools_come_through_us_has_failed_and_offers_nothing() {
    check(json!({ "metier/instances": ["us"] }), LOOP, &[]).await;
    check(json!({ "metier/instances": ["them", "us"] }), LOOP, &[]).await;
    let many: Vec<String> = (0..1_000).map(|at| format!("{at}")).chain(["us".to_owned()]).collect();
    check(json!({ "metier/instances": many }), LOOP, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn of_two_that_name_each_other_only_the_one_with_the_greater_id_leaves() {
    check(json!({ "metier/instances": ["ut", "us"] }), READY, &["us", "ut"]).await;
    check(json!({ "metier/instances": ["ur", "us"] }), LOOP, &[]).await;
    // What is further away does not matter: the one before it looks after that.
    check(json!({ "metier/instances": ["ur", "zz", "us"] }), LOOP, &[]).await;
}

/// Keeps this server as a process of that id.
fn kept_as(fake: &Arc<Fake>, id: &str) -> Upstreams {
    fake.kept_by(Identity::new("test", "1").instance(id), Arc::new(()))
}

#[tokio::test(start_paused = true)]
async fn two_that_meet_at_the_same_moment_do_not_both_lose_the_other() {
    // Each has just heard from the other that it is behind it.
    let behind = |nearest: &'static str, other: &'static str| {
        Fake::on("tools/list", move |_, message| {
            let meta = json!({ "metier/instances": [nearest, other] });
            vec![result(message, json!({ "tools": [{ "name": "echo" }], "_meta": meta }))]
        })
    };
    let (one, other) = (kept_as(&behind("2", "1"), "1"), kept_as(&behind("1", "2"), "2"));
    until(&one, READY).await;
    until(&other, LOOP).await;
    one.stop().await;
    other.stop().await;
}

#[tokio::test(start_paused = true)]
async fn other_gateways_behind_a_server_are_known_by_their_ids() {
    let instances = json!({ "metier/instances": ["b", "a", "b"], "other": 1 });
    check(instances, READY, &["a", "b"]).await;
    check(json!({}), READY, &[]).await;
    // Neither is one of ours if we have no id that could be named.
    let fake = Fake::on("tools/list", |_, message| {
        let meta = json!({ "metier/instances": ["", "us"] });
        vec![result(message, json!({ "tools": [{ "name": "echo" }], "_meta": meta }))]
    });
    let upstreams = fake.kept();
    until(&upstreams, READY).await;
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn ids_of_odd_shape_cost_only_themselves() {
    for odd in [json!(7), json!(null), json!("us"), json!({ "us": 1 })] {
        check(json!({ "metier/instances": odd }), READY, &[]).await;
    }
    for odd in [json!(7), json!(null), json!(["us"])] {
        check(odd, READY, &[]).await;
    }
    check(json!({ "metier/instances": [7, "a", null, ["us"]] }), READY, &["a"]).await;
}

#[tokio::test(start_paused = true)]
async fn ids_that_are_too_long_or_too_many_are_left_out() {
    let (longest, longer) = ("ö".repeat(64), "ö".repeat(65));
    check(json!({ "metier/instances": [longest, longer] }), READY, &[&longest]).await;
    let many: Vec<String> = (0..1_000).map(|at| format!("{at:03}")).collect();
    let kept: Vec<&str> = many[..64].iter().map(|it| &**it).collect();
    check(json!({ "metier/instances": many }), READY, &kept).await;
}

#[tokio::test(start_paused = true)]
async fn every_page_counts() {
    let fake = Fake::on("tools/list", |_, message| {
        let page = match message["params"]["cursor"].as_str() {
            None => json!({ "tools": [{ "name": "echo" }], "nextCursor": "2" }),
            Some(_) => json!({ "tools": [], "_meta": { "metier/instances": ["us"] } }),
        };
        vec![result(message, page)]
    });
    let upstreams = kept(&fake);
    settle(&upstreams).await;
    assert_eq!(shown(&upstreams.roster()), LOOP);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_comes_later_ends_the_connection_and_one_that_is_gone_is_found_out() {
    let instances = Arc::new(Mutex::new(json!([])));
    let told = instances.clone();
    let fake = Fake::on("tools/list", move |_, message| {
        let meta = json!({ "metier/instances": *told.lock().unwrap() });
        vec![result(message, json!({ "tools": [{ "name": "echo" }], "_meta": meta }))]
    });
    let upstreams = kept(&fake);
    until(&upstreams, READY).await;
    *instances.lock().unwrap() = json!(["us"]);
    fake.say(notification("notifications/tools/list_changed", json!({}))).await;
    until(&upstreams, LOOP).await;
    let began = Instant::now();
    let phase = upstreams.roster().servers().next().unwrap().standing.phase.clone();
    assert!(matches!(phase, Phase::Failed { cause: Cause::Loop, .. }), "{phase:?}");
    sleep(Duration::from_secs(299)).await;
    assert_eq!((fake.n_attempts(), fake.n_live()), (1, 0));
    // It may be mended by then.
    *instances.lock().unwrap() = json!(["them"]);
    until(&upstreams, READY).await;
    assert_eq!((fake.n_attempts(), began.elapsed().as_secs()), (2, 300));
    upstreams.stop().await;
}
