//! Process groups: a program and what it starts, signalled as one.

use std::{io, os::unix::process::ExitStatusExt, process::ExitStatus, time::Duration};

use rustix::process::{
    Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid,
};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// How often one looks whether anybody is left.
const GLANCE: Duration = Duration::from_millis(20);

/// A program that leads a process group, and the others in it.
pub(crate) struct Group {
    leader: Child,
    id: Pid,
}

impl Group {
    pub(crate) fn spawn(mut command: Command) -> io::Result<Group> {
        let mut leader = command.process_group(0).spawn()?;
        let id = leader.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let Some(id) = id else {
            leader.start_kill()?;
            return Err(io::ErrorKind::Other.into());
        };
        Ok(Group { leader, id })
    }

    /// Its number, which is that of the program.
    pub(crate) fn id(&self) -> Pid {
        self.id
    }

    /// The streams of the program; they are there once.
    pub(crate) fn streams(
        &mut self,
    ) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.leader.stdin.take(), self.leader.stdout.take(), self.leader.stderr.take())
    }

    /// Resolves when the program itself has ended. Cancel-safe, and may be asked again.
    pub(crate) async fn leader_ended(&mut self) -> io::Result<ExitStatus> {
        self.leader.wait().await
    }

    /// Resolves when nobody runs any more.
    pub(crate) async fn over(&mut self) {
        let _ = self.leader_ended().await;
        while !self.is_over() {
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Whether nobody runs any more.
    pub(crate) fn is_over(&self) -> bool {
        // No id: the program has ended and was waited for.
        let leader_ended = self.leader.id().is_none();
        leader_ended && (self.is_empty() || have_all_ended(self.id))
    }

    /// Whether nobody is left who could be signalled.
    pub(crate) fn is_empty(&self) -> bool {
        if self.leader.id().is_none() {
            self.bury();
        }
        test_kill_process_group(self.id).is_err()
    }

    /// Asks all of them to end.
    pub(crate) fn terminate(&mut self) {
        let _ = kill_process_group(self.id, Signal::TERM);
    }

    /// Ends all of them.
    pub(crate) fn kill(&mut self) {
        let _ = kill_process_group(self.id, Signal::KILL);
    }

    /// Waits for members that became our children when their parents ended, as happens to the
    /// first process of a container.
    fn bury(&self) {
        while let Ok(Some(_)) = waitpgid(self.id, WaitOptions::NOHANG) {}
    }
}

/// Whether those who are left have ended, and only their parents were not told yet: where the first
/// process of a system is slow to ask, that takes seconds, and in many containers for ever.
#[cfg(target_os = "linux")]
fn have_all_ended(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    let mut states = processes.flatten().filter_map(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).ok()?;
        // `id (name) state parent group …`, and a name may hold anything.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?.to_owned();
        let of_group = fields.nth(1)?.parse() == Ok(Pid::as_raw(Some(group)));
        of_group.then_some(state)
    });
    states.all(|state| state == "Z")
}

#[cfg(not(target_os = "linux"))]
fn have_all_ended(_group: Pid) -> bool {
    false
}

/// The name of the signal that ended a program, if one did.
pub(crate) fn signal_name(status: ExitStatus) -> Option<String> {
    let signal = status.signal()?;
    let named = NAMES.iter().find(|(known, _)| known.as_raw() == signal);
    Some(named.map_or_else(|| signal.to_string(), |(_, name)| (*name).to_owned()))
}

/// The signals that end programs in practice.
const NAMES: [(Signal, &str); 14] = [
    (Signal::HUP, "SIGHUP"),
    (Signal::INT, "SIGINT"),
    (Signal::QUIT, "SIGQUIT"),
    (Signal::ILL, "SIGILL"),
    (Signal::TRAP, "SIGTRAP"),
    (Signal::ABORT, "SIGABRT"),
    (Signal::BUS, "SIGBUS"),
    (Signal::FPE, "SIGFPE"),
    (Signal::KILL, "SIGKILL"),
    (Signal::SEGV, "SIGSEGV"),
    (Signal::PIPE, "SIGPIPE"),
    (Signal::ALARM, "SIGALRM"),
    (Signal::TERM, "SIGTERM"),
    (Signal::SYS, "SIGSYS"),
];
