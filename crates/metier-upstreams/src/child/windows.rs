//! Children on Windows: a job object each, which the system ends with its last handle: ours.

use std::{io, process::ExitStatus};

use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

/// A program and what it started.
pub(crate) struct Group {
    job: Box<dyn ChildWrapper>,
    is_killed: bool,
}

/// Nothing is needed: a job ends with the process that made it.
#[derive(Clone, Default)]
pub(crate) struct Guard;

/// A group that ends with us.
pub(crate) struct Note;

impl Group {
    pub(crate) fn spawn(command: Command) -> io::Result<Group> {
        let mut command = CommandWrap::from(command);
        let job = command.wrap(KillOnDrop).wrap(JobObject).spawn()?;
        Ok(Group { job, is_killed: false })
    }

    /// The streams of the program; they are there once.
    pub(crate) fn streams(
        &mut self,
    ) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.job.stdin().take(), self.job.stdout().take(), self.job.stderr().take())
    }

    /// Resolves when the program itself has ended. Cancel-safe, and may be asked again.
    pub(crate) async fn leader_ended(&mut self) -> io::Result<ExitStatus> {
        // The job itself would wait for everybody.
        self.job.inner_mut().wait().await
    }

    /// Resolves when nobody runs any more.
    pub(crate) async fn over(&mut self) {
        let _ = self.leader_ended().await;
    }

    /// Whether all have been ended; a job does not tell whether they did so themselves.
    pub(crate) fn is_over(&self) -> bool {
        self.is_killed
    }

    /// Whether there is nobody whom it would be wrong to end again: a job is never somebody else's.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_killed
    }

    /// Ends all of them: there is no signal that would ask.
    pub(crate) fn terminate(&mut self) {
        self.kill();
    }

    /// Ends all of them.
    pub(crate) fn kill(&mut self) {
        self.is_killed = self.job.start_kill().is_ok();
    }
}

impl Guard {
    pub(crate) fn wake(&self) {}

    pub(crate) fn note(&self, _group: &Group) -> Note {
        Note
    }
}

/// Signals end no programs here.
pub(crate) fn signal_name(_status: ExitStatus) -> Option<String> {
    None
}
