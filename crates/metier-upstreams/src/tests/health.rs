//! Health and return: who counts as there, who as gone, and when the gone are looked for.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    call,
    fake::{Act, Fake, error, good, keep, modern, notification, opener, plan, result, spec},
    outcome, settle, shown, until,
};
use crate::{Identity, ServerSpec, Upstreams, connect::Opener};

const READY: &str = "fake ready fake:echo";
const HOUR: Duration = Duration::from_secs(3600);

/// How often a server that answers `ping` like this is started in an hour.
async fn n_starts(pong: fn(&Value) -> Vec<Act>) -> usize {
    let fake = Fake::on("ping", move |_, message| pong(message));
    let upstreams = fake.kept();
    settle(&upstreams).await;
    sleep(HOUR).await;
    upstreams.stop().await;
    fake.n_attempts()
}

#[tokio::test(start_paused = true)]
async fn whatever_a_server_answers_it_is_there() {
    assert_eq!(n_starts(good).await, 1);
    assert_eq!(n_starts(|it| vec![error(it, -32601, "Method not found")]).await, 1);
    assert_eq!(n_starts(|it| vec![error(it, -32603, "Method not supported")]).await, 1);
    assert_eq!(n_starts(|it| vec![error(it, 0, "Unknown method")]).await, 1);
    assert_eq!(n_starts(|it| vec![result(it, json!("pong"))]).await, 1);
    // Late counts as well, as long as it is not too late three times.
    assert_eq!(n_starts(|it| late(it, 4)).await, 1);
    assert_eq!(n_starts(|it| late(it, 6)).await, 1);
}

/// A server that answers after so many seconds.
fn late(message: &Value, seconds: u64) -> Vec<Act> {
    vec![Act::Wait(Duration::from_secs(seconds)), result(message, json!({}))]
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_is_gone_whatever_else_it_says() {
    assert!(n_starts(|_| Vec::new()).await > 10);
    let chatter = |_: &Value| vec![Act::Say(notification("notifications/message", json!({})))];
    assert!(n_starts(chatter).await > 10);
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_asked_what_its_revision_has() {
    let fake = Fake::new(|_, message| modern(message));
    let upstreams = fake.kept();
    settle(&upstreams).await;
    sleep(HOUR).await;
    assert_eq!((fake.n_attempts(), fake.count("ping")), (1, 0));
    assert!(fake.count("server/discover") > 100);
    upstreams.stop().await;
}

/// The pauses between attempts, in seconds.
fn pauses(attempts: &[Instant]) -> Vec<f32> {
    attempts.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f32()).collect()
}

/// A server that is away for so long returns, and was looked for by the schedule.
async fn check_away(time: Duration) {
    let fake = Fake::good();
    let upstreams = fake.kept();
    until(&upstreams, READY).await;
    sleep(Duration::from_secs(61)).await;
    let gone = Instant::now();
    fake.away_for(time);
    fake.act(Act::Leave).await;
    until(&upstreams, "fake waiting (it closed its output) fake:echo").await;
    until(&upstreams, READY).await;
    assert!(gone.elapsed() >= time && gone.elapsed() <= time + Duration::from_secs(61));
    let mut times = fake.attempts();
    times[0] = gone;
    for (at, pause) in pauses(&times).into_iter().enumerate() {
        let longest = f32::min(2_f32.powi(i32::try_from(at).unwrap()), 60.0);
        assert!(pause <= longest + 0.01 && pause >= longest * 0.74, "{at}: {pause}");
    }
    assert_eq!(fake.n_live(), 1);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_returns_however_long_it_was_away() {
    check_away(Duration::from_secs(35)).await;
    check_away(Duration::from_secs(600)).await;
    check_away(24 * HOUR).await;
}

#[tokio::test(start_paused = true)]
async fn only_a_stable_minute_makes_the_next_pause_short_again() {
    let fake = Fake::good();
    let upstreams = fake.kept();
    until(&upstreams, READY).await;
    let mut pauses = Vec::new();
    for up in [59, 59, 59, 59, 61, 59] {
        sleep(Duration::from_secs(up)).await;
        let gone = Instant::now();
        fake.act(Act::Leave).await;
        until(&upstreams, "fake waiting (it closed its output) fake:echo").await;
        until(&upstreams, READY).await;
        pauses.push(gone.elapsed().as_secs_f32().ceil());
    }
    // 1, 2, 4 and 8, or a quarter less; then from the start.
    assert!(pauses[3] > 6.0 && pauses[4] <= 1.0 && pauses[5] <= 2.0, "{pauses:?}");
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_comes_and_goes_is_looked_for_less_and_less_and_keeps_its_tools_at_first() {
    let fake = Fake::good();
    let upstreams = fake.kept();
    let mut n_vanished = 0;
    let began = Instant::now();
    while began.elapsed() < HOUR {
        until(&upstreams, READY).await;
        sleep(Duration::from_secs(1)).await;
        fake.act(Act::Leave).await;
        let mut rosters = upstreams.rosters();
        let gone = rosters.wait_for(|it| shown(it).starts_with("fake waiting")).await.unwrap();
        if shown(&gone) != "fake waiting (it closed its output) fake:echo" {
            n_vanished += 1;
        } else {
            assert_eq!(n_vanished, 0);
        }
    }
    assert!(fake.n_attempts() <= 6 + 3600 / 45, "{}", fake.n_attempts());
    assert_eq!(fake.n_attempts() - n_vanished, 5);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn many_servers_that_went_together_do_not_come_back_together() {
    let fakes: Vec<(String, Arc<Fake>)> =
        (0..100).map(|at| (format!("s{at:02}"), Fake::good())).collect();
    let (upstreams, _) = keep(fakes.iter().map(|(name, fake)| (name.as_str(), fake.clone())));
    settle(&upstreams).await;
    for (_, fake) in &fakes {
        fake.away_for(Duration::from_secs(600));
        fake.act(Act::Leave).await;
    }
    sleep(Duration::from_secs(700)).await;
    let mut returns: Vec<Instant> =
        fakes.iter().map(|(_, it)| *it.attempts().last().unwrap()).collect();
    returns.sort();
    // Of a hundred that return within a minute, no second has more than a few.
    let most = returns.iter().map(|from| {
        returns.iter().filter(|it| *it >= from && **it - *from < Duration::from_secs(1)).count()
    });
    assert!(most.max().unwrap() <= 15);
    assert!(upstreams.roster().servers().all(|it| it.standing.phase.word() == "ready"));
    upstreams.stop().await;
}

/// A server that does one thing at a time, and takes so long for a call.
fn single_minded(takes: Duration) -> Arc<Fake> {
    Fake::on("tools/call", move |_, message| {
        let mut acts = vec![Act::Wait(takes)];
        acts.extend(good(message));
        acts
    })
}

fn kept_with(fake: &Arc<Fake>, change: impl Fn(&mut ServerSpec)) -> Upstreams {
    let tasks = tokio_util::task::TaskTracker::new();
    let mut spec = spec("fake");
    change(&mut spec);
    let fakes = [("fake".to_owned(), fake.clone())].into();
    Upstreams::start_with(opener(fakes, &tasks), tasks, plan([spec]))
}

#[tokio::test(start_paused = true)]
async fn a_long_silent_call_is_ended_by_its_deadline_and_not_by_the_server_s_health() {
    let fake = single_minded(Duration::from_secs(290));
    let upstreams = fake.kept();
    settle(&upstreams).await;
    assert_eq!(outcome(call(&upstreams, "{}").await), r#"{"content":[],"got":{}}"#);
    let fake = single_minded(Duration::from_secs(310));
    let upstreams = fake.kept();
    settle(&upstreams).await;
    assert_eq!(outcome(call(&upstreams, "{}").await), "server `fake` was silent for 300 s");
    sleep(HOUR).await;
    // It came to its senses before it was given up.
    assert_eq!(fake.n_attempts(), 1);
    let patient = single_minded(2 * HOUR);
    let upstreams = kept_with(&patient, |spec| spec.call_timeout = 3 * HOUR);
    settle(&upstreams).await;
    assert_eq!(outcome(call(&upstreams, "{}").await), r#"{"content":[],"got":{}}"#);
    assert_eq!(patient.n_attempts(), 1);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_moves_lives_for_hours() {
    let fake = Fake::on("tools/call", |_, message| {
        let token = &message["params"]["_meta"]["progressToken"];
        let mut acts = Vec::new();
        for at in 0..100 {
            let params = json!({ "progressToken": token, "progress": at });
            acts.push(Act::Say(notification("notifications/progress", params)));
            acts.push(Act::Wait(Duration::from_secs(250)));
        }
        acts.extend(good(message));
        acts
    });
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let began = Instant::now();
    assert_eq!(outcome(call(&upstreams, "{}").await), r#"{"content":[],"got":{}}"#);
    assert_eq!(began.elapsed(), Duration::from_secs(25_000));
    assert_eq!(fake.n_attempts(), 1);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_is_left_even_if_it_is_called_all_the_time() {
    let fake = Fake::new(|start, message| match message["method"].as_str() {
        Some("tools/call") if start == 0 => vec![Act::Freeze],
        _ => good(message),
    });
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let began = Instant::now();
    // One call after another, so that there is always one under way.
    while outcome(call(&upstreams, "{}").await) != r#"{"content":[],"got":{}}"# {
        assert!(began.elapsed() < HOUR, "it is never left");
        sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(fake.n_attempts(), 2);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_deadline_without_end_is_none() {
    let fake = single_minded(Duration::from_secs(400));
    let upstreams = kept_with(&fake, |spec| {
        spec.call_timeout = Duration::MAX;
        spec.connect_timeout = Duration::MAX;
    });
    settle(&upstreams).await;
    assert_eq!(outcome(call(&upstreams, "{}").await), r#"{"content":[],"got":{}}"#);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_our_own_costs_one_attempt_and_not_the_server() {
    let tasks = tokio_util::task::TaskTracker::new();
    let fakes = [("fake".to_owned(), Fake::good())].into();
    let (good, n_opened) = (opener(fakes, &tasks), std::sync::atomic::AtomicUsize::new(0));
    let good = Arc::new(good);
    let opener = Opener::new(Identity::new("test", "1"), Arc::new(()), move |endpoint, _| {
        let is_first = n_opened.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        let good = good.clone();
        Box::pin(async move {
            assert!(!is_first, "an opener that panics, once");
            good.open(&super::name("fake"), &endpoint).await
        })
    });
    let upstreams = Upstreams::start_with(opener, tasks.clone(), plan([spec("fake")]));
    until(&upstreams, "fake waiting (metier stumbled over what it said)").await;
    until(&upstreams, READY).await;
    upstreams.stop().await;
    assert!(tasks.is_empty());
}

#[tokio::test(start_paused = true)]
async fn whoever_does_not_want_to_wait_can_have_a_server_tried_at_once() {
    let fake = Fake::dead();
    let upstreams = fake.kept();
    sleep(Duration::from_secs(100)).await;
    fake.away_for(Duration::ZERO);
    assert_eq!(shown(&upstreams.roster()), "fake waiting (nobody is there)");
    let began = Instant::now();
    upstreams.retry(&super::name("fake")).await;
    until(&upstreams, READY).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    upstreams.stop().await;
}
