//! Starts: servers that end too soon, hang, or are not there, and what that costs the others.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    call,
    fake::{Act, Fake, error, good, keep, opener, plan, spec},
    settle, shown, until,
};
use crate::{Roster, Upstreams};

/// A server whose first start ends as it gets `method`; the second one stays.
async fn check_ends_at(method: &'static str) {
    let fake = Fake::new(move |start, message| {
        if start == 0 && message["method"] == method { vec![Act::Leave] } else { good(message) }
    });
    let upstreams = fake.kept();
    let began = Instant::now();
    until(&upstreams, "fake waiting (it closed its output)").await;
    assert_eq!(began.elapsed(), Duration::ZERO, "{method}");
    until(&upstreams, "fake ready fake:echo").await;
    assert_eq!((fake.n_attempts(), fake.n_live()), (2, 1), "{method}");
    upstreams.stop().await;
    assert_eq!(fake.n_live(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_while_it_is_met_is_started_once_more_after_a_pause() {
    check_ends_at("initialize").await;
    check_ends_at("notifications/initialized").await;
    check_ends_at("tools/list").await;
}

#[tokio::test(start_paused = true)]
async fn all_calls_under_way_fail_at_once_when_a_server_ends() {
    let fake = Fake::on("tools/call", |_, message| match message["params"]["arguments"]["last"] {
        serde_json::Value::Bool(true) => vec![Act::Leave],
        _ => Vec::new(),
    });
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let began = Instant::now();
    let (one, two, three) = tokio::join!(
        call(&upstreams, "{}"),
        call(&upstreams, "{}"),
        call(&upstreams, r#"{"last":true}"#),
    );
    for lost in [one, two, three] {
        let lost = lost.unwrap_err().to_string();
        assert_eq!(lost, "server `fake` was asked, but the answer is lost: it closed its output");
    }
    assert_eq!(began.elapsed(), Duration::ZERO);
    until(&upstreams, "fake waiting (it closed its output) fake:echo").await;
    until(&upstreams, "fake ready fake:echo").await;
    assert_eq!((fake.n_attempts(), fake.count("tools/call")), (2, 3));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_loop_costs_an_attempt_a_minute_and_as_few_reports() {
    let fake =
        Fake::on("initialize", |_, _| vec![Act::Wait(Duration::from_millis(50)), Act::Leave]);
    let upstreams = fake.kept();
    let mut rosters = upstreams.rosters();
    let mut n_rosters = 0;
    let five_minutes = tokio::time::sleep(Duration::from_secs(300));
    tokio::pin!(five_minutes);
    loop {
        tokio::select! {
            _ = rosters.changed() => n_rosters += 1,
            () = &mut five_minutes => break,
        }
    }
    // 1, 2, 4, 8, 16, 32 and then 60 seconds, each or up to a quarter less.
    let n_attempts = fake.n_attempts();
    assert!((10..=13).contains(&n_attempts), "{n_attempts}");
    assert!(n_rosters <= 1 + 2 * n_attempts, "{n_rosters}");
    assert_eq!(fake.n_live(), 0);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_program_that_does_not_exist_costs_only_itself() {
    let tasks = tokio_util::task::TaskTracker::new();
    let fakes = [("fake".to_owned(), Fake::good())].into();
    let plan = plan([spec("fake"), spec("ghost")]);
    let upstreams = Upstreams::start_with(opener(fakes, &tasks), tasks, plan);
    let roster = settle(&upstreams).await;
    assert_eq!(shown(&roster), "fake ready fake:echo\nghost failed (there is no program `ghost`)");
    upstreams.stop().await;
}

/// A server that takes a second to start.
fn slow() -> Arc<Fake> {
    Fake::on("initialize", |_, message| {
        let mut acts = vec![Act::Wait(Duration::from_secs(1))];
        acts.extend(good(message));
        acts
    })
}

/// How long it takes until so many of some servers are ready.
async fn time_until_ready(fakes: &[(String, Arc<Fake>)], n_good: usize) -> Duration {
    let fakes = fakes.iter().map(|(name, fake)| (name.as_str(), fake.clone()));
    let (upstreams, tasks) = keep(fakes);
    let began = Instant::now();
    let ready = |roster: &Arc<Roster>| {
        let ready = roster.servers().filter(|it| it.standing.phase.word() == "ready");
        ready.count() == n_good
    };
    upstreams.rosters().wait_for(ready).await.unwrap();
    let took = began.elapsed();
    upstreams.stop().await;
    assert!(tasks.is_empty(), "{} tasks are left", tasks.len());
    took
}

/// What the names begin with, how many there are, and of which kind.
type Several<'a> = (&'a str, usize, fn() -> Arc<Fake>);

/// Some of each kind.
fn many(kinds: &[Several<'_>]) -> Vec<(String, Arc<Fake>)> {
    let some = |(name, n, kind): &Several<'_>| {
        (0..*n).map(|at| (format!("{name}{at:02}"), kind())).collect::<Vec<_>>()
    };
    kinds.iter().flat_map(some).collect()
}

#[tokio::test(start_paused = true)]
async fn servers_that_hang_or_are_dead_do_not_delay_the_others() {
    let alone = time_until_ready(&many(&[("good", 10, slow)]), 10).await;
    assert_eq!(alone, Duration::from_secs(1));
    // Whoever comes first by name is started first.
    for (hung, dead) in [("a", "b"), ("y", "z"), ("a", "z")] {
        let all = many(&[("good", 10, slow), (hung, 5, Fake::mute), (dead, 5, Fake::dead)]);
        assert_eq!(time_until_ready(&all, 10).await, alone, "{hung} {dead}");
    }
}

#[tokio::test(start_paused = true)]
async fn of_many_servers_those_that_hang_give_up_their_places_soon() {
    let alone = time_until_ready(&many(&[("good", 30, slow)]), 30).await;
    let all = many(&[("good", 30, slow), ("a", 10, Fake::mute), ("b", 10, Fake::dead)]);
    let beside = time_until_ready(&all, 30).await;
    assert!(beside <= alone + Duration::from_secs(2), "{alone:?} {beside:?}");
}

#[tokio::test(start_paused = true)]
async fn a_first_attempt_that_fails_settles_the_roster() {
    let (upstreams, _) = keep([("dead", Fake::dead()), ("good", Fake::good())]);
    let began = Instant::now();
    let roster = settle(&upstreams).await;
    assert_eq!(shown(&roster), "dead waiting (nobody is there)\ngood ready good:echo");
    assert_eq!(began.elapsed(), Duration::ZERO);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_to_be_met_says_why() {
    let fake = Fake::new(|_, message| match message["id"] {
        serde_json::Value::Null => Vec::new(),
        _ => vec![error(message, -32000, "not today")],
    });
    let upstreams = fake.kept();
    until(&upstreams, "fake waiting (not today (-32000))").await;
    upstreams.stop().await;
}
