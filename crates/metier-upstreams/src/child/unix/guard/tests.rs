//! What the guard does when its pipe closes, and what it survives.

use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use super::Guard;
use crate::child::tests::{LONG, Run, eventually, gone, is_there, parent_of_zombie, script};

impl Guard {
    /// The process that guards.
    pub(in crate::child) fn pid(&self) -> Option<i32> {
        self.watch().shell.as_ref().and_then(|shell| shell.process.id()).map(u32::cast_signed)
    }

    /// Does what our end does.
    fn hang_up(&self) {
        drop(self.watch().shell.take());
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.pid().unwrap()).unwrap(), signal).unwrap();
    }
}

#[tokio::test]
async fn it_begins_with_the_first_child() {
    let guard = Guard::default();
    assert_eq!(guard.pid(), None);
    let run = Run::start(&script("read line"), &guard);
    assert!(guard.pid().is_some());
    run.stop().await;
}

#[tokio::test]
async fn what_is_noted_ends_with_the_pipe() {
    let guard = Guard::default();
    let mut run = Run::start(&script("read line"), &guard);
    guard.hang_up();
    assert_eq!(run.ended().await, "it was ended by signal SIGTERM");
}

#[tokio::test]
async fn what_is_forgotten_stays() {
    let guard = Guard::default();
    let mut stays = Run::start(&script("read line; exit 7"), &guard);
    let mut others = [(); 3].map(|()| Run::start(&script("read line"), &guard));
    drop(stays.child.forget());
    let pid = guard.pid().unwrap();
    guard.hang_up();
    for other in &mut others {
        assert_eq!(other.ended().await, "it was ended by signal SIGTERM");
    }
    gone(vec![pid]).await;
    drop(stays.stdin.take());
    assert_eq!(stays.ended().await, "it ended with exit code 7");
}

#[tokio::test]
async fn with_nothing_noted_it_ends_at_once_and_is_waited_for() {
    let guard = Guard::default();
    Run::start(&script("read line"), &guard).stop().await;
    let pid = guard.pid().unwrap();
    assert!(is_there(pid));
    drop(guard);
    gone(vec![pid]).await;
}

/// The mask of the signals that a process ignores.
#[cfg(target_os = "linux")]
fn ignored_signals(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap()
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn signals_that_end_others_do_not_end_it() {
    let guard = Guard::default();
    let mut run = Run::start(&script("read line"), &guard);
    let pid = guard.pid().unwrap();
    eventually("it ignores signals", || ignored_signals(pid) & 0x4007 == 0x4007).await;
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM] {
        guard.signal(signal);
    }
    drop(Run::start(&script("read line"), &guard));
    assert_eq!(guard.pid(), Some(pid));
    guard.hang_up();
    assert_eq!(run.ended().await, "it was ended by signal SIGTERM");
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn another_takes_over_when_it_was_killed() {
    let guard = Guard::default();
    let mut first = Run::start(&script("read line"), &guard);
    let pid = guard.pid().unwrap();
    guard.signal(Signal::KILL);
    eventually("it is dead", || parent_of_zombie(pid).is_some()).await;
    let mut second = Run::start(&script("read line"), &guard);
    assert_ne!(guard.pid(), Some(pid));
    guard.hang_up();
    for run in [&mut first, &mut second] {
        assert_eq!(run.ended().await, "it was ended by signal SIGTERM");
    }
    gone(vec![pid]).await;
}

#[tokio::test]
async fn nobody_waits_for_it_when_it_is_stuck() {
    let guard = Guard::default();
    let mut run = Run::start(&script("read line; exit 7"), &guard);
    let pid = guard.pid().unwrap();
    guard.signal(Signal::STOP);
    let deadline = Instant::now() + LONG;
    while guard.pid() == Some(pid) {
        assert!(Instant::now() < deadline);
        drop(guard.note(run.child.group()));
    }
    // The stuck one did not act on what it knew.
    gone(vec![pid]).await;
    drop(run.stdin.take());
    assert_eq!(run.ended().await, "it ended with exit code 7");
}
