//! What is left of children: nothing, even if we are killed.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use rustix::process::{Pid, Signal, kill_process};

use super::{
    super::Guard, Run, alone, eventually, gone, is_alone, is_there, script, state_and_parent,
};

/// Ignores all but the end; so does what it starts.
const STUBBORN: &str = "trap '' TERM HUP INT; sleep 1000 & echo $$ $!; while :; do sleep 1; done";
/// Ends when asked to, but not what it starts.
const MEEK: &str = "(trap '' TERM; sleep 1000) & echo $$ $!; wait";

/// Not a test: who is killed by one.
#[tokio::test]
#[ignore = "runs in a process of its own"]
async fn victim() {
    if !is_alone() {
        return;
    }
    let guard = Guard::default();
    let mut runs = [Run::start(&script(STUBBORN), &guard), Run::start(&script(MEEK), &guard)];
    let mut pids = vec![guard.pid().unwrap()];
    for run in &mut runs {
        pids.extend(run.pids().await);
    }
    let pids: Vec<String> = pids.iter().map(ToString::to_string).collect();
    // Where nobody's output is captured.
    writeln!(std::io::stdout(), "pids: {}", pids.join(" ")).unwrap();
    std::future::pending::<()>().await;
}

/// Runs the victim and says who it is and whom it started.
fn start_victim() -> (std::process::Child, Vec<i32>) {
    let mut victim = alone("leaks::victim").stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    let pids = lines.map_while(Result::ok).find_map(|line| {
        let (_, pids) = line.split_once("pids: ")?;
        Some(pids.split(' ').map(|pid| pid.parse().unwrap()).collect::<Vec<i32>>())
    });
    (victim, pids.expect("it says whom it started"))
}

async fn check_nobody_survives(signal: Signal) {
    let (mut victim, pids) = start_victim();
    assert!(pids.len() == 5 && pids.iter().all(|pid| is_there(*pid)), "{pids:?}");
    let id = Pid::from_raw(victim.id().cast_signed()).unwrap();
    kill_process(id, signal).unwrap();
    victim.wait().unwrap();
    gone(pids).await;
}

#[tokio::test]
async fn nobody_survives_when_we_are_killed() {
    tokio::join!(
        check_nobody_survives(Signal::KILL),
        check_nobody_survives(Signal::TERM),
        check_nobody_survives(Signal::ABORT),
    );
}

/// Runs a test that measures this process, so nothing else may run in it.
#[cfg(target_os = "linux")]
#[track_caller]
fn check_alone(name: &str) {
    let status = alone(name).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{name}");
}

#[test]
#[cfg(target_os = "linux")]
fn starts_and_ends_leave_nothing_behind() {
    check_alone("leaks::many_starts_and_ends");
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_that_complains_without_end_neither_waits_nor_costs_memory() {
    check_alone("leaks::flood");
}

/// Writes 100 MB to stderr before it says anything.
const FLOOD: &str = "line=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    yes $line$line$line$line$line$line$line$line | head -c 100000000 >&2
    echo >&2; echo the end >&2; echo done; read line";

#[tokio::test]
#[ignore = "runs in a process of its own"]
#[cfg(target_os = "linux")]
async fn flood() {
    if !is_alone() {
        return;
    }
    let mut run = Run::start(&script(FLOOD), &Guard::default());
    let before = most_memory();
    assert_eq!(run.line().await, "done");
    let stderr = run.child.stderr();
    run.stop().await;
    assert_eq!(stderr.last_line(), Some("the end".to_owned()));
    let (kept, grown) = (stderr.text().len(), most_memory() - before);
    assert!(kept <= 64 << 10 && grown < 4 << 10, "{kept} bytes kept, {grown} KiB grown");
}

/// The most memory that this process ever had, in KiB.
#[cfg(target_os = "linux")]
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    most.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
#[ignore = "runs in a process of its own"]
#[cfg(target_os = "linux")]
async fn many_starts_and_ends() {
    if !is_alone() {
        return;
    }
    start_and_end(3).await;
    let before = open_files();
    start_and_end(200).await;
    eventually("no file is left open", || open_files() == before).await;
}

/// Starts children and lets them end in every way, then waits until no process is left.
#[cfg(target_os = "linux")]
async fn start_and_end(times: usize) {
    let guard = Guard::default();
    for time in 0..times {
        let mut run = Run::start(&script("sleep 1000 & echo; read line; exit 5"), &guard);
        run.line().await;
        match time % 3 {
            0 => run.stop().await,
            1 => drop(run),
            _ => {
                drop(run.stdin.take());
                assert_eq!(run.ended().await, "it ended with exit code 5");
            }
        }
    }
    assert!(guard.pid().is_some());
    drop(guard);
    eventually("no process is left", || children().is_empty()).await;
}

#[cfg(target_os = "linux")]
fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Our children, those that ended included.
#[cfg(target_os = "linux")]
fn children() -> Vec<i32> {
    let names = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name());
    let pids = names.filter_map(|name| name.to_str()?.parse().ok());
    let us = std::process::id().cast_signed();
    pids.filter(|pid| state_and_parent(*pid).is_some_and(|(_, parent)| parent == us)).collect()
}
