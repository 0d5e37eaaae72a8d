//! Plans and ends: servers come, change and go while others stay; nobody is left waiting.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};

use super::{
    call,
    fake::{Act, Fake, good, keep, opener, plan, spec},
    name, outcome, settle, shown, until,
};
use crate::{Admission, Endpoint, Plan, Request, ServerSpec, Upstreams};

/// The same server, to be started in another way.
fn edited(server: &str, argument: &str) -> ServerSpec {
    let mut spec = spec(server);
    if let Endpoint::Stdio(program) = &mut spec.endpoint {
        program.args.push(argument.to_owned());
    }
    spec
}

#[tokio::test(start_paused = true)]
async fn only_a_server_that_is_to_be_reached_in_another_way_is_started_anew() {
    let (a, b, c) = (Fake::good(), Fake::good(), Fake::good());
    let tasks = tokio_util::task::TaskTracker::new();
    let fakes = [("a", &a), ("b", &b), ("c", &c)].map(|(name, it)| (name.to_owned(), it.clone()));
    let opener = opener(fakes.into(), &tasks);
    let upstreams = Upstreams::start_with(opener, tasks.clone(), plan([spec("a"), spec("b")]));
    until(&upstreams, "a ready a:echo\nb ready b:echo").await;
    upstreams.follow(plan([spec("a"), edited("b", "x"), spec("c")])).await;
    until(&upstreams, "a ready a:echo\nb ready b:echo\nc ready c:echo").await;
    assert_eq!([&a, &b, &c].map(|it| (it.n_attempts(), it.n_live())), [(1, 1), (2, 1), (1, 1)]);
    upstreams.follow(plan([edited("b", "x"), spec("c")])).await;
    until(&upstreams, "b ready b:echo\nc ready c:echo").await;
    for _ in 0..10 {
        upstreams.follow(plan([spec("c"), edited("b", "x")])).await;
    }
    sleep(Duration::from_secs(1)).await;
    assert_eq!([&a, &b, &c].map(|it| (it.n_attempts(), it.n_live())), [(1, 0), (2, 1), (1, 1)]);
    assert_eq!([&a, &b, &c].map(|it| it.most_live()), [1, 1, 1]);
    upstreams.stop().await;
    assert!(tasks.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_edited_or_taken_out_and_put_back_never_runs_twice_at_a_time() {
    let fake = Fake::good();
    let (upstreams, tasks) = keep([("fake", fake.clone())]);
    settle(&upstreams).await;
    let n_tasks = tasks.len();
    for at in 0..50 {
        upstreams.follow(Plan::default()).await;
        upstreams.follow(plan([edited("fake", &at.to_string())])).await;
        upstreams.follow(plan([edited("fake", "other")])).await;
        if at % 3 == 0 {
            until(&upstreams, "fake ready fake:echo").await;
        }
    }
    until(&upstreams, "fake ready fake:echo").await;
    assert_eq!((fake.n_live(), fake.most_live(), tasks.len()), (1, 1, n_tasks));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_to_a_server_that_is_taken_out_fails_at_once() {
    let fake = Fake::on("tools/call", |_, _| Vec::new());
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let began = Instant::now();
    let taken_out = async {
        sleep(Duration::from_secs(1)).await;
        upstreams.follow(Plan::default()).await;
    };
    let (lost, ()) = tokio::join!(call(&upstreams, "{}"), taken_out);
    let expected = "server `fake` was asked, but the answer is lost: it was left";
    assert_eq!((outcome(lost).as_str(), began.elapsed().as_secs()), (expected, 1));
    assert_eq!(outcome(call(&upstreams, "{}").await), "there is no tool `fake:echo`");
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_may_not_be_reached_is_not_until_it_may() {
    let fake = Fake::good();
    let (upstreams, _) = keep([("fake", fake.clone())]);
    let admitted = |admission| plan([ServerSpec { admission, ..spec("fake") }]);
    upstreams.follow(admitted(Admission::Disabled)).await;
    until(&upstreams, "fake disabled").await;
    upstreams.follow(admitted(Admission::Untrusted("say so first".to_owned()))).await;
    until(&upstreams, "fake untrusted (say so first)").await;
    assert_eq!(fake.n_live(), 0);
    let request = Request { method: "ping", ..Request::default() };
    let refused = upstreams.request(&name("fake"), request, Arc::new(())).await.unwrap_err();
    assert_eq!(refused.to_string(), "server `fake` is untrusted: say so first");
    upstreams.follow(admitted(Admission::Granted)).await;
    until(&upstreams, "fake ready fake:echo").await;
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_end_comes_at_once_whatever_is_under_way_and_everyone_is_told() {
    let busy = Fake::on("tools/call", |_, _| vec![Act::Freeze]);
    let listing = Fake::on("tools/list", |_, _| Vec::new());
    let (upstreams, tasks) = keep([
        ("fake", busy.clone()),
        ("hangs", Fake::mute()),
        ("lists", listing),
        ("waits", Fake::dead()),
    ]);
    until(
        &upstreams,
        "fake ready fake:echo\nhangs connecting\nlists connecting\nwaits waiting (nobody is there)",
    )
    .await;
    let request = Request { method: "ping", ..Request::default() };
    let hangs = name("hangs");
    let calls = async {
        tokio::join!(call(&upstreams, "{}"), upstreams.request(&hangs, request, Arc::new(())))
    };
    let stop = async {
        sleep(Duration::from_secs(1)).await;
        let began = Instant::now();
        upstreams.stop().await;
        assert_eq!(began.elapsed(), Duration::ZERO);
    };
    let ((busy_call, waiting_call), ()) = tokio::join!(calls, stop);
    let expected = "server `fake` was asked, but the answer is lost: it was left";
    assert_eq!(outcome(busy_call), expected);
    assert_eq!(waiting_call.unwrap_err().to_string(), "server `hangs` is stopped");
    let roster = upstreams.roster();
    assert_eq!(shown(&roster), "fake stopped\nhangs stopped\nlists stopped\nwaits stopped");
    assert!(tasks.is_empty(), "{} tasks are left", tasks.len());
    assert_eq!(busy.n_live(), 0);
    // And it is the end.
    upstreams.follow(plan([spec("fake")])).await;
    upstreams.stop().await;
    assert_eq!(busy.n_attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn servers_end_when_nobody_is_left_who_could_want_them() {
    let fake = Fake::good();
    let (upstreams, tasks) = keep([("fake", fake.clone())]);
    settle(&upstreams).await;
    let another = upstreams.clone();
    drop(upstreams);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(fake.n_live(), 1);
    drop(another);
    tasks.close();
    tasks.wait().await;
    assert_eq!(fake.n_live(), 0);
}

#[tokio::test(start_paused = true)]
async fn of_two_servers_of_one_name_the_later_counts() {
    let fake = Fake::new(|_, message| good(message));
    let (upstreams, _) = keep([("fake", fake.clone())]);
    settle(&upstreams).await;
    let disabled = ServerSpec { admission: Admission::Disabled, ..spec("fake") };
    upstreams.follow(plan([spec("fake"), disabled])).await;
    until(&upstreams, "fake disabled").await;
    upstreams.stop().await;
}
