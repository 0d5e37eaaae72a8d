//! Long runs: a day of bad luck, and a thousand connections, after which nothing is left over.

use std::{
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;

use super::{
    call,
    fake::{Act, Fake, error, good, keep, notification},
    settle, until,
};
use crate::{Upstreams, link::Switchboard};

const DAY: Duration = Duration::from_secs(24 * 3600);
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Numbers that look like chance and are the same in every run.
#[derive(Clone)]
struct Dice(Arc<Mutex<u64>>);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(Arc::new(Mutex::new(seed)))
    }

    /// A number below `sides`.
    fn roll(&self, sides: u64) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % sides
    }
}

/// A server that does, now and then, one of the wrong things.
fn unlucky(dice: Dice, is_calm: Arc<AtomicBool>) -> Arc<Fake> {
    Fake::new(move |_, message| {
        if is_calm.load(Ordering::SeqCst) {
            return good(message);
        }
        let seconds = Duration::from_secs(dice.roll(400));
        let (before, after) = match dice.roll(60) {
            0 => return vec![Act::Leave],
            1 => return vec![Act::Freeze],
            2 => return Vec::new(),
            3 => return vec![error(message, -32603, "bad luck")],
            4 => (Act::Wait(seconds), Act::Raw(b"noise\n".to_vec())),
            5 => (Act::Raw(b"\xff\n{}\n[".to_vec()), Act::Raw(b"\n".to_vec())),
            6 => (Act::Raw(b"\n".to_vec()), Act::Leave),
            7 => {
                let changed = notification("notifications/tools/list_changed", json!({}));
                (Act::Say(changed.clone()), Act::Say(changed))
            }
            8 => {
                let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "roots/list" });
                (Act::Say(asked.clone()), Act::Say(asked))
            }
            _ => return good(message),
        };
        [vec![before], good(message), vec![after]].concat()
    })
}

/// Calls tools at odd times, and gives up on some, until the day is over.
async fn use_them(upstreams: Upstreams, dice: Dice, began: Instant) -> (usize, usize) {
    let (mut n_calls, mut n_fine) = (0, 0);
    while began.elapsed() < DAY {
        sleep(Duration::from_secs(1 + dice.roll(60))).await;
        let name = NAMES[usize::try_from(dice.roll(4)).unwrap()];
        let patience = Duration::from_secs(1 + dice.roll(600));
        let tool = format!("{name}:echo");
        let called = upstreams.call(&tool, None, Arc::new(()));
        let called = tokio::time::timeout(patience, called).await;
        n_calls += 1;
        n_fine += usize::from(matches!(called, Ok(Ok(_))));
    }
    (n_calls, n_fine)
}

/// How many answers are awaited by anyone.
fn n_waiting(upstreams: &Upstreams) -> usize {
    let roster = upstreams.roster();
    roster.servers().map(|it| it.standing.link.as_ref().unwrap().board().n_waiting()).sum()
}

async fn check_a_day(seed: u64) {
    let (dice, is_calm) = (Dice::new(seed), Arc::new(AtomicBool::new(true)));
    let fakes = NAMES.map(|name| (name, unlucky(dice.clone(), is_calm.clone())));
    let (upstreams, tasks) = keep(fakes.clone());
    let all_ready = "a ready a:echo\nb ready b:echo\nc ready c:echo\nd ready d:echo";
    until(&upstreams, all_ready).await;
    let n_tasks = tasks.len();
    is_calm.store(false, Ordering::SeqCst);
    let began = Instant::now();
    let users = (0..3).map(|_| use_them(upstreams.clone(), dice.clone(), began));
    let bad_luck = async {
        while began.elapsed() < DAY {
            sleep(Duration::from_secs(dice.roll(3600))).await;
            fakes[usize::try_from(dice.roll(4)).unwrap()]
                .1
                .away_for(Duration::from_secs(dice.roll(900)));
        }
    };
    let (used, ()) = tokio::join!(futures_util::future::join_all(users), bad_luck);
    let n_calls: usize = used.iter().map(|it| it.0).sum();
    let n_fine: usize = used.iter().map(|it| it.1).sum();
    assert!(n_calls > 3_000 && n_fine > n_calls / 4, "{n_fine} of {n_calls}");
    is_calm.store(true, Ordering::SeqCst);
    // Whoever is frozen is found out, and whoever is away returns.
    sleep(Duration::from_secs(2_000)).await;
    until(&upstreams, all_ready).await;
    assert_eq!((n_waiting(&upstreams), tasks.len()), (0, n_tasks));
    assert_eq!(fakes.each_ref().map(|(_, it)| it.n_live()), [1, 1, 1, 1]);
    assert!(fakes.iter().all(|(_, it)| it.n_attempts() > 10 && it.most_live() == 1));
    upstreams.stop().await;
    assert!(tasks.is_empty());
    assert_eq!(fakes.map(|(_, it)| it.n_live()), [0, 0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn after_a_day_of_bad_luck_nothing_is_left_over() {
    check_a_day(1).await;
}

/// A thousand connections, each of which ends like this; how many boards, tasks and servers are left.
async fn check_a_thousand(end: impl Fn(usize) -> Act) {
    let fake = Fake::new(|start, message: &Value| match message["method"].as_str() {
        // Some do not even come to be.
        Some("initialize") if start % 7 == 3 => vec![Act::Leave],
        Some("tools/list") if start % 7 == 5 => Vec::new(),
        Some("tools/call") => Vec::new(),
        _ => good(message),
    });
    let (upstreams, tasks): (Upstreams, TaskTracker) = keep([("fake", fake.clone())]);
    settle(&upstreams).await;
    let n_tasks = tasks.len();
    let mut boards: Vec<Weak<Switchboard>> = Vec::new();
    while fake.n_attempts() < 1_000 {
        until(&upstreams, "fake ready fake:echo").await;
        let roster = upstreams.roster();
        boards.push(Arc::downgrade(
            roster.servers().next().unwrap().standing.link.as_ref().unwrap().board(),
        ));
        drop(roster);
        let lose = async {
            sleep(Duration::from_millis(1)).await;
            fake.act(end(boards.len())).await;
        };
        let (lost, ()) = tokio::join!(call(&upstreams, "{}"), lose);
        assert!(lost.is_err());
        let is_ready = |it: &Arc<crate::Roster>| super::shown(it).starts_with("fake ready");
        upstreams.rosters().wait_for(|it| !is_ready(it)).await.unwrap();
    }
    until(&upstreams, "fake ready fake:echo").await;
    assert_eq!((tasks.len(), fake.n_live(), fake.most_live()), (n_tasks, 1, 1));
    assert_eq!(boards.iter().filter(|it| it.strong_count() > 0).count(), 0);
    upstreams.stop().await;
    assert!(tasks.is_empty());
}

#[tokio::test(start_paused = true)]
async fn after_a_thousand_connections_and_losses_nothing_is_left_over() {
    check_a_thousand(|_| Act::Leave).await;
    check_a_thousand(|at| if at % 10 == 0 { Act::Freeze } else { Act::Leave }).await;
}
