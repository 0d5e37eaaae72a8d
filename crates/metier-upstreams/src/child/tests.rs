//! Children as they are started, end, and are ended.

mod endings;
mod leaks;
mod refusals;

use std::{
    env,
    process::Command,
    time::{Duration, Instant},
};

use rustix::process::{Pid, test_kill_process};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    time::timeout,
};

use super::{Child, ChildStdin, ChildStdout, Group, Guard, Note, Program, TaskTracker};
use crate::spec::Secrets;

/// How long anything may take on a busy machine.
pub(super) const LONG: Duration = Duration::from_secs(60);
/// Set for a test that runs alone in a process of its own.
const ALONE: &str = "METIER_TEST_ALONE";

/// A child and what is needed to have one.
pub(super) struct Run {
    pub(super) child: Child,
    pub(super) lines: Lines<BufReader<ChildStdout>>,
    pub(super) stdin: Option<ChildStdin>,
}

pub(super) fn script(text: &str) -> Program {
    Program {
        command: "/bin/sh".to_owned(),
        args: vec!["-c".to_owned(), text.to_owned()],
        env: Secrets::default(),
        cwd: None,
    }
}

impl Run {
    pub(super) fn start(program: &Program, guard: &Guard) -> Run {
        let (child, stdout, stdin) =
            Child::start(program, &TaskTracker::new(), guard).expect("it starts");
        Run { child, lines: BufReader::new(stdout).lines(), stdin: Some(stdin) }
    }

    pub(super) async fn line(&mut self) -> String {
        let line = timeout(LONG, self.lines.next_line()).await.expect("it comes in time");
        line.expect("it can be read").expect("there is a line")
    }

    /// Reads a line of process ids.
    pub(super) async fn pids(&mut self) -> Vec<i32> {
        self.line().await.split_whitespace().map(|pid| pid.parse().expect("an id")).collect()
    }

    /// How it ended.
    pub(super) async fn ended(&mut self) -> String {
        timeout(LONG, self.child.ended()).await.expect("it ends in time")
    }

    pub(super) async fn stop(mut self) {
        drop(self.stdin.take());
        self.child.stop().await;
    }
}

impl Child {
    pub(super) fn group(&self) -> &Group {
        &self.group
    }

    pub(super) fn forget(&mut self) -> Option<Note> {
        self.note.take()
    }
}

/// Waits until something is so.
#[track_caller]
pub(super) fn eventually<F: FnMut() -> bool>(
    what: &str,
    mut is_so: F,
) -> impl Future<Output = ()> + use<F> {
    let what = format!("{what}, at {}", std::panic::Location::caller());
    async move {
        let deadline = Instant::now() + LONG;
        while !is_so() {
            assert!(Instant::now() < deadline, "never: {what}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Waits until none of these processes is left.
#[track_caller]
pub(super) fn gone(pids: Vec<i32>) -> impl Future<Output = ()> {
    eventually(&format!("{pids:?} are gone"), move || !pids.iter().any(|pid| is_there(*pid)))
}

/// Whether a process runs, or has ended and we did not wait for it.
pub(super) fn is_there(pid: i32) -> bool {
    let exists = test_kill_process(Pid::from_raw(pid).expect("an id")).is_ok();
    // What others have yet to wait for is not our business.
    exists && parent_of_zombie(pid).is_none_or(|parent| parent == std::process::id().cast_signed())
}

/// Whose zombie a process is, if it is one and the system tells.
pub(super) fn parent_of_zombie(pid: i32) -> Option<i32> {
    let (state, parent) = state_and_parent(pid)?;
    (state == "Z").then_some(parent)
}

pub(super) fn state_and_parent(pid: i32) -> Option<(String, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(") ")?;
    let mut fields = after_name.split(' ');
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

/// The command that runs one test of this program in a process of its own.
fn alone(name: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("we know ourselves"));
    let name = format!("child::tests::{name}");
    command.args(["--exact", &name, "--nocapture", "--include-ignored"]).env(ALONE, "1");
    command
}

fn is_alone() -> bool {
    env::var_os(ALONE).is_some()
}
