//! How programs end, and how they are ended.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{super::Guard, Run, gone, is_there, script};

/// Starts a process that stays, and says who it is.
const LEAVES_ONE: &str = "sleep 1000 & echo $$ $!;";

/// Runs a script to its end.
async fn check(text: &str, expected: &str) {
    let mut run = Run::start(&script(text), &Guard::default());
    assert_eq!(run.ended().await, expected);
    assert_eq!(run.ended().await, expected, "the second time");
}

/// Runs a script that starts others; says what it and they are called.
async fn family(rest: &str) -> (Run, Vec<i32>) {
    let mut run = Run::start(&script(&format!("{LEAVES_ONE} {rest}")), &Guard::default());
    let pids = run.pids().await;
    assert!(pids.len() == 2 && pids.iter().all(|pid| is_there(*pid)), "{pids:?}");
    (run, pids)
}

#[tokio::test]
async fn an_exit_code_is_told() {
    check("exit 0", "it ended with exit code 0").await;
    check("exit 1", "it ended with exit code 1").await;
}

#[tokio::test]
async fn a_signal_is_told_by_name() {
    check("kill -SEGV $$", "it was ended by signal SIGSEGV").await;
    check("kill -KILL $$", "it was ended by signal SIGKILL").await;
}

#[tokio::test]
async fn the_last_line_of_stderr_is_told() {
    check("echo why >&2; echo because >&2; exit 3", "it ended with exit code 3: because").await;
}

#[tokio::test]
async fn the_last_line_is_told_though_others_hold_stderr() {
    check("sleep 1000 & echo because >&2; exit 3", "it ended with exit code 3: because").await;
}

#[tokio::test]
async fn waiting_for_the_end_may_be_given_up() {
    let mut run = Run::start(&script("read line; exit 7"), &Guard::default());
    let soon = Duration::from_millis(1);
    assert!(tokio::time::timeout(soon, run.child.ended()).await.is_err());
    drop(run.stdin.take());
    assert_eq!(run.ended().await, "it ended with exit code 7");
}

#[tokio::test]
async fn a_wrapper_leaves_nobody_after_stop() {
    let (run, pids) = family("wait").await;
    run.stop().await;
    assert!(!pids.iter().any(|pid| is_there(*pid)), "{pids:?}");
}

#[tokio::test]
async fn a_wrapper_leaves_nobody_after_drop() {
    let (run, pids) = family("wait").await;
    drop(run);
    gone(pids).await;
}

#[tokio::test]
async fn a_wrapper_that_is_killed_leaves_nobody() {
    let (mut run, pids) = family("wait").await;
    kill_process(Pid::from_raw(pids[0]).unwrap(), Signal::KILL).unwrap();
    assert_eq!(run.ended().await, "it was ended by signal SIGKILL");
    assert!(!pids.iter().any(|pid| is_there(*pid)), "{pids:?}");
}

#[tokio::test]
async fn a_wrapper_that_ends_by_itself_leaves_nobody() {
    let (mut run, pids) = family("read line; exit 0").await;
    drop(run.stdin.take());
    assert_eq!(run.ended().await, "it ended with exit code 0");
    assert!(!pids.iter().any(|pid| is_there(*pid)), "{pids:?}");
}

#[tokio::test]
async fn a_wrapper_that_ends_while_it_is_stopped_leaves_nobody() {
    let (run, pids) = family("read line; exit 0").await;
    run.stop().await;
    assert!(!pids.iter().any(|pid| is_there(*pid)), "{pids:?}");
}

#[tokio::test]
async fn a_program_that_ends_with_its_input_is_not_signalled() {
    let text = "trap 'echo signalled >&2' TERM; echo; cat; echo bye >&2";
    let mut run = Run::start(&script(text), &Guard::default());
    run.line().await;
    let stderr = run.child.stderr();
    run.stop().await;
    assert_eq!(stderr.text(), "bye\n");
}

#[tokio::test]
async fn a_program_that_stays_is_asked_to_end() {
    let text = "trap 'echo asked >&2; exit' TERM; sleep 1000 & echo; wait";
    let mut run = Run::start(&script(text), &Guard::default());
    run.line().await;
    let stderr = run.child.stderr();
    run.stop().await;
    assert_eq!(stderr.text(), "asked\n");
}

#[tokio::test]
async fn those_who_outlive_the_asked_wrapper_may_finish() {
    let text = "(trap 'sleep 0.3; echo finished >&2; exit' TERM; sleep 1000 & echo; wait) &
        trap 'exit' TERM; wait";
    let mut run = Run::start(&script(text), &Guard::default());
    run.line().await;
    let stderr = run.child.stderr();
    run.stop().await;
    assert_eq!(stderr.text(), "finished\n");
}

#[tokio::test]
async fn a_program_that_ignores_everything_is_killed_in_time() {
    let text = "trap '' TERM; echo $$; while :; do sleep 1; done";
    let mut run = Run::start(&script(text), &Guard::default());
    let pids = run.pids().await;
    let began = Instant::now();
    run.stop().await;
    let took = began.elapsed().as_secs();
    assert!((4..20).contains(&took), "{took}");
    assert!(!is_there(pids[0]));
}

#[tokio::test]
async fn giving_up_a_stop_kills_at_once() {
    let text = "trap '' TERM; echo $$; while :; do sleep 1; done";
    let mut run = Run::start(&script(text), &Guard::default());
    let pids = run.pids().await;
    let soon = Duration::from_millis(1);
    assert!(tokio::time::timeout(soon, run.stop()).await.is_err());
    gone(pids).await;
}
