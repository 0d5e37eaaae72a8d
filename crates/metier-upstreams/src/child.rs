//! Children: the programs behind stdio servers, with everything they start; none outlives us.
//!
//! ```text
//!  Child ── Group (a process group; a job object on Windows)   told to end, then made to
//!    ├───── Stderr (the end of what it complains)               drained for ever
//!    └───── Note  (at the Guard)                                ends the group if we are killed
//! ```
//!
//! What leaves its group on purpose (`setsid`) is out of reach; it hears of our end by its streams.

mod refusal;
mod stderr;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::{
    io,
    path::{self, Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use tokio::{
    process::{ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::task::TaskTracker;

#[cfg(unix)]
use self::unix::{Group, Note, signal_name};
#[cfg(windows)]
use self::windows::{Group, Note, signal_name};

pub(crate) use self::refusal::StartError;
pub use self::stderr::Stderr;
#[cfg(unix)]
pub(crate) use self::unix::Guard;
#[cfg(windows)]
pub(crate) use self::windows::Guard;

use crate::spec::Program;

/// How long a program may take to end after its input was closed, and again after it was told to.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the last words of a program that has ended may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(250);
/// How many characters of those are told as the reason.
const LONGEST_REASON: usize = 300;
/// How a command may end that is written without its extension.
const SUFFIXES: &[&str] = if cfg!(windows) { &["", ".cmd", ".bat"] } else { &[""] };

/// A program that runs for us, with everything it started.
pub(crate) struct Child {
    group: Group,
    /// Held as long as the group may have members.
    note: Option<Note>,
    stderr: Arc<Stderr>,
    drain: JoinHandle<()>,
}

impl Child {
    /// Starts it in a process group of its own; its standard streams come back.
    pub(crate) fn start(
        program: &Program,
        tasks: &TaskTracker,
        guard: &Guard,
    ) -> Result<(Child, ChildStdout, ChildStdin), StartError> {
        // Before the program, so that what lies between its start and its note is one short write.
        guard.wake();
        let mut group = spawn(program).map_err(|error| StartError::new(program, &error))?;
        let note = Some(guard.note(&group));
        let (Some(stdin), Some(stdout), Some(errors)) = group.streams() else {
            group.kill();
            return Err(StartError::new(program, &io::ErrorKind::BrokenPipe.into()));
        };
        let stderr = Arc::<Stderr>::default();
        let drain = tasks.spawn(stderr::drain(errors, stderr.clone()));
        Ok((Child { group, note, stderr, drain }, stdout, stdin))
    }

    /// Resolves when the program itself has ended and says how; what it left behind is killed.
    ///
    /// Cancel-safe, and may be asked again.
    pub(crate) async fn ended(&mut self) -> String {
        let status = self.group.leader_ended().await;
        // At once: as soon as nobody is left, the number of the group may go to somebody else.
        self.kill();
        let _ = timeout(LAST_WORDS, self.group.over()).await;
        self.last_words().await;
        let ending = status.map_or_else(|error| unknown(&error), describe);
        match self.stderr.last_line() {
            Some(line) => ending + ": " + &line.chars().take(LONGEST_REASON).collect::<String>(),
            None => ending,
        }
    }

    /// Ends it, gently at first; whoever holds its input has closed that.
    pub(crate) async fn stop(mut self) {
        let _ = timeout(PATIENCE, self.group.leader_ended()).await;
        for end in [Group::terminate, Group::kill] {
            if self.note.is_none() || self.group.is_over() {
                break;
            }
            end(&mut self.group);
            let _ = timeout(PATIENCE, self.group.over()).await;
        }
        if self.group.is_empty() {
            // Its number may go to somebody else from now on.
            self.note = None;
        }
        self.last_words().await;
    }

    /// The end of what it writes to stderr; can be read while it runs and after.
    pub(crate) fn stderr(&self) -> Arc<Stderr> {
        self.stderr.clone()
    }

    /// Waits until all of stderr is in, if nobody who left the group keeps it open.
    async fn last_words(&mut self) {
        if !self.drain.is_finished() {
            let _ = timeout(LAST_WORDS, &mut self.drain).await;
        }
    }

    fn kill(&mut self) {
        if let Some(note) = self.note.take() {
            self.group.kill();
            drop(note);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
        self.drain.abort();
    }
}

fn spawn(program: &Program) -> io::Result<Group> {
    let mut refusal = io::ErrorKind::NotFound.into();
    for suffix in SUFFIXES {
        match Group::spawn(command(program, suffix)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => refusal = error,
            outcome => return outcome,
        }
    }
    Err(refusal)
}

fn command(program: &Program, suffix: &str) -> Command {
    let mut executable = location(program).into_os_string();
    executable.push(suffix);
    let mut command = Command::new(executable);
    command.args(&program.args).envs(&program.env.0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(cwd) = &program.cwd {
        command.current_dir(cwd);
    }
    command
}

/// Where the program is: a name stays a name, a relative path begins at the folder it starts in.
fn location(program: &Program) -> PathBuf {
    let written = Path::new(&program.command);
    match &program.cwd {
        // Systems differ in whether they change the folder or look for the program first.
        Some(cwd) if is_path(&program.command) => {
            let joined = cwd.join(written);
            path::absolute(&joined).unwrap_or(joined)
        }
        _ => written.to_owned(),
    }
}

/// Whether a command is a path, not a name to look for in `PATH`.
fn is_path(command: &str) -> bool {
    command.contains(path::is_separator)
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), signal_name(status)) {
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended".to_owned(),
    }
}

fn unknown(error: &io::Error) -> String {
    format!("it ended, nobody knows how: {}", error.kind())
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
