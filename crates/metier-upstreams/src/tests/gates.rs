//! Gates: how many callers are at one server at a time, and what becomes of the others.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::{
    FutureExt, StreamExt,
    future::{join_all, poll_immediate},
    stream::FuturesUnordered,
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    call, call_for,
    fake::{Act, Fake, good, keep, notification, plan, spec},
    outcome, settle,
};
use crate::{
    CallError, Caller, Upstreams,
    gate::{Gate, MOST_AT_ONCE, MOST_WAITING},
};

/// A server that keeps calls until it is told to answer them.
struct Keeper {
    fake: Arc<Fake>,
    calls: Arc<Mutex<Vec<Value>>>,
    upstreams: Upstreams,
}

impl Keeper {
    async fn new() -> Keeper {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let kept = calls.clone();
        let fake = Fake::on("tools/call", move |_, message| {
            kept.lock().unwrap().push(message.clone());
            Vec::new()
        });
        let upstreams = fake.kept();
        settle(&upstreams).await;
        Keeper { fake, calls, upstreams }
    }

    /// How many calls have come.
    async fn n_came(&self) -> usize {
        sleep(Duration::from_millis(1)).await;
        self.fake.count("tools/call")
    }

    /// Answers the oldest call.
    async fn answer(&self) {
        let call = self.calls.lock().unwrap().remove(0);
        self.fake.act(good(&call).remove(0)).await;
    }

    async fn call(&self, at: usize) -> Result<String, CallError> {
        call(&self.upstreams, &at.to_string()).await
    }
}

const BUSY: &str = "server `fake` has too many calls under way";
const SILENT: &str = "server `fake` was silent for 300 s";

fn answered(at: usize) -> String {
    format!(r#"{{"content":[],"got":{at}}}"#)
}

#[tokio::test(start_paused = true)]
async fn so_many_are_under_way_at_a_time_and_the_others_come_in_order() {
    let keeper = Keeper::new().await;
    let calls: FuturesUnordered<_> = (0..MOST_AT_ONCE + 10).map(|at| keeper.call(at)).collect();
    let answering = async {
        for n_more in 0..MOST_AT_ONCE + 10 {
            assert_eq!(keeper.n_came().await, MOST_AT_ONCE + n_more.min(10));
            keeper.answer().await;
        }
    };
    let (answers, ()) = tokio::join!(calls.map(outcome).collect::<Vec<_>>(), answering);
    assert_eq!(answers, (0..MOST_AT_ONCE + 10).map(answered).collect::<Vec<_>>());
    let came: Vec<Value> = keeper.fake.asked("tools/call");
    let came: Vec<&Value> = came.iter().map(|it| &it["params"]["arguments"]).collect();
    assert_eq!(json!(came), json!((0..MOST_AT_ONCE + 10).collect::<Vec<_>>()));
    keeper.upstreams.stop().await;
}

/// A caller of one client.
struct Of(usize);

impl Caller for Of {
    fn client(&self) -> usize {
        self.0
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_with_many_calls_holds_up_another_by_one_of_them() {
    let keeper = Keeper::new().await;
    let call = |client: usize, at: usize| {
        let upstreams = keeper.upstreams.clone();
        let call = async move { call_for(&upstreams, &at.to_string(), Arc::new(Of(client))).await };
        let mut call = Box::pin(call);
        assert!(poll_immediate(&mut call).now_or_never().unwrap().is_none());
        call
    };
    let mut calls: Vec<_> = (0..MOST_AT_ONCE + 100).map(|at| call(1, at)).collect();
    calls.extend([call(2, 1_000), call(3, 2_000), call(2, 1_001)]);
    let going = join_all(calls);
    let answering = async {
        for n_answered in 0..6 {
            assert_eq!(keeper.n_came().await, MOST_AT_ONCE + n_answered);
            keeper.answer().await;
        }
        sleep(Duration::from_millis(1)).await;
        let came = keeper.fake.asked("tools/call");
        came[MOST_AT_ONCE..].iter().map(|it| it["params"]["arguments"].clone()).collect::<Vec<_>>()
    };
    let came = tokio::select! {
        came = answering => came,
        _ = going => panic!("most are not answered"),
    };
    assert_eq!(came, [64, 1_000, 2_000, 65, 1_001, 66]);
    keeper.upstreams.stop().await;
}

#[tokio::test]
async fn a_place_that_comes_when_its_call_has_just_given_up_goes_to_the_next() {
    let gate = Gate::default();
    let mut passes: Vec<_> = (0..MOST_AT_ONCE).map(|_| gate.try_pass().unwrap()).collect();
    let mut waiting: Vec<_> = (0..3).map(|client| Box::pin(gate.pass(client))).collect();
    for it in &mut waiting {
        assert!(poll_immediate(it).await.is_none());
    }
    assert!(gate.try_pass().is_none());
    passes.pop();
    // It was given the place, and does not come for it.
    drop(waiting.remove(0));
    assert!(poll_immediate(&mut waiting[1]).await.is_none());
    let pass = poll_immediate(&mut waiting[0]).await.unwrap().unwrap();
    drop((pass, waiting));
    assert!(gate.try_pass().is_some());
    passes.clear();
    assert_eq!((0..).map_while(|_| gate.try_pass()).take(100).collect::<Vec<_>>().len(), 64);
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_when_too_many_wait_is_told_so_at_once_and_the_others_wait_in_vain() {
    let keeper = Keeper::new().await;
    let began = Instant::now();
    let most = MOST_AT_ONCE + MOST_WAITING;
    let calls = (0..most + 3).map(|at| {
        let keeper = &keeper;
        async move { (outcome(keeper.call(at).await), began.elapsed().as_secs()) }
    });
    let outcomes = join_all(calls).await;
    let (waited, refused) = outcomes.split_at(most);
    assert!(refused.iter().all(|it| *it == (BUSY.to_owned(), 0)), "{refused:?}");
    assert!(waited.iter().all(|it| *it == (SILENT.to_owned(), 300)), "{waited:?}");
    assert_eq!(keeper.n_came().await, MOST_AT_ONCE);
    keeper.upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_time_that_a_call_waits_for_its_turn_counts() {
    let keeper = Keeper::new().await;
    let first = join_all((0..MOST_AT_ONCE).map(|at| keeper.call(at)));
    let late = async {
        sleep(Duration::from_secs(100)).await;
        let began = Instant::now();
        (outcome(keeper.call(77).await), began.elapsed().as_secs())
    };
    let answering = async {
        sleep(Duration::from_secs(200)).await;
        keeper.answer().await;
    };
    let (_, late, ()) = tokio::join!(first, late, answering);
    // It came through after 100 s, and was heard of for none of the 200 s that were left.
    assert_eq!((late, keeper.n_came().await), ((SILENT.to_owned(), 300), 65));
    keeper.upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn whoever_gives_up_waiting_is_in_nobody_s_way() {
    let keeper = Keeper::new().await;
    let mut first: Vec<_> = (0..MOST_AT_ONCE).map(|at| Box::pin(keeper.call(at))).collect();
    for call in &mut first {
        assert!(poll_immediate(call).await.is_none());
    }
    let mut waiting: Vec<_> = (0..MOST_WAITING).map(|at| Box::pin(keeper.call(at))).collect();
    for call in &mut waiting {
        assert!(poll_immediate(call).await.is_none());
    }
    assert_eq!(outcome(keeper.call(7).await), BUSY);
    drop(waiting);
    let mut next = Box::pin(keeper.call(1_000));
    assert!(poll_immediate(&mut next).await.is_none());
    assert_eq!(keeper.n_came().await, 64);
    // Nor is one that gives up what is under way.
    drop(first.pop());
    assert!(poll_immediate(&mut next).await.is_none());
    assert_eq!(keeper.n_came().await, 65);
    keeper.calls.lock().unwrap().drain(..64);
    let (answer, ()) = tokio::join!(next, keeper.answer());
    assert_eq!(outcome(answer), answered(1_000));
    keeper.upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_for_a_turn_is_not_sent_where_nobody_is_and_a_server_that_is_back_has_its_gate()
 {
    let fake = Fake::on("tools/call", |start, message| match start {
        0 if message["params"]["arguments"] == MOST_AT_ONCE - 1 => {
            vec![Act::Wait(Duration::from_secs(5)), Act::Leave]
        }
        0 => Vec::new(),
        _ => good(message),
    });
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let first = join_all((0..MOST_AT_ONCE).map(|at| {
        let upstreams = &upstreams;
        async move { call(upstreams, &at.to_string()).await }
    }));
    let later = async {
        sleep(Duration::from_secs(1)).await;
        outcome(call(&upstreams, "7").await)
    };
    let (first, later) = tokio::join!(first, later);
    let lost = "server `fake` was asked, but the answer is lost: it closed its output";
    assert!(first.into_iter().all(|it| outcome(it) == lost));
    // Nobody is there at the moment, and that is what it is told; it was never sent.
    assert_eq!(later, "server `fake` is waiting: it closed its output");
    assert_eq!(fake.count("tools/call"), MOST_AT_ONCE);
    super::until(&upstreams, "fake ready fake:echo").await;
    let again = join_all((0..200).map(|_| call(&upstreams, "1"))).await;
    assert!(again.into_iter().all(|it| outcome(it) == answered(1)));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_gate_stands_before_one_server_and_what_we_ask_ourselves_needs_none() {
    let (mute, good) = (Fake::on("tools/call", |_, _| Vec::new()), Fake::good());
    let (upstreams, _) = keep([("fake", mute.clone()), ("good", good)]);
    settle(&upstreams).await;
    let calls = join_all((0..MOST_AT_ONCE + 1).map(|_| call(&upstreams, "1")));
    let meanwhile = async {
        sleep(Duration::from_secs(1)).await;
        let other = upstreams.call("good:echo", None, Arc::new(())).await.unwrap();
        assert_eq!(other.get(), r#"{"content":[],"got":{}}"#);
        mute.say(notification("notifications/tools/list_changed", json!({}))).await;
        sleep(Duration::from_secs(1)).await;
        assert_eq!(mute.count("tools/list"), 2);
    };
    let _ = tokio::time::timeout(Duration::from_secs(5), async { tokio::join!(calls, meanwhile) })
        .await;
    assert_eq!((mute.count("tools/list"), mute.count("tools/call")), (2, MOST_AT_ONCE));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_gate_stays_whatever_is_reported_of_the_server_or_planned_for_it() {
    let keeper = Keeper::new().await;
    let mut first: Vec<_> = (0..MOST_AT_ONCE).map(|at| Box::pin(keeper.call(at))).collect();
    for call in &mut first {
        assert!(poll_immediate(call).await.is_none());
    }
    let before = keeper.upstreams.roster();
    keeper.fake.say(notification("notifications/tools/list_changed", json!({}))).await;
    sleep(Duration::from_secs(1)).await;
    keeper.upstreams.follow(plan([spec("fake")])).await;
    sleep(Duration::from_secs(1)).await;
    assert!(!Arc::ptr_eq(&before, &keeper.upstreams.roster()));
    let mut next = Box::pin(keeper.call(1_000));
    assert!(poll_immediate(&mut next).await.is_none());
    assert_eq!((keeper.n_came().await, keeper.fake.count("tools/list")), (MOST_AT_ONCE, 2));
    keeper.upstreams.stop().await;
}
