//! The guard: a shell beside us that ends our children's groups when we are gone, however we went.
//!
//! It reads which groups there are from a pipe whose other end only we hold. The end of that pipe
//! is the one message that even a killed process sends.

use std::{
    collections::BTreeSet,
    io::{self, PipeWriter, Write},
    process::Stdio,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rustix::{io::ioctl_fionbio, process::Pid};
use tokio::process::{Child, Command};

use super::Group;

const SHELL: &str = "/bin/sh";

/// What the shell does. A line `+1` notes group 1, a line `-1` forgets it.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
groups=' '
while read -r note; do
  group=${note#?}
  case $note in
    +*) groups="$groups$group " ;;
    -*) case $groups in
      *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
    esac ;;
  esac
done
tell() { for group in $groups; do kill -s "$1" -- "-$group"; done; }
anybody() { for group in $groups; do kill -s 0 -- "-$group" && return 0; done; return 1; }
tell TERM
tenths=0
while anybody && [ "$tenths" -lt 20 ]; do
  # Not every system can sleep for less than a second.
  if sleep 0.1; then tenths=$((tenths + 1)); else sleep 1; tenths=$((tenths + 10)); fi
done
tell KILL
"#;

/// Ends what is noted when we are gone; clones are the same guard. Begins with its first use.
#[derive(Clone, Default)]
pub(crate) struct Guard(Arc<Mutex<Watch>>);

/// A group that ends with us, for as long as this is held.
pub(crate) struct Note {
    guard: Guard,
    group: i32,
}

#[derive(Default)]
struct Watch {
    shell: Option<Shell>,
    groups: BTreeSet<i32>,
}

/// The shell; when it is dropped the pipe closes, and the runtime waits for it.
struct Shell {
    notes: PipeWriter,
    process: Child,
}

impl Guard {
    /// Sees to it that the shell runs.
    pub(crate) fn wake(&self) {
        // If it does not, that is said with the note that it cannot take.
        let _ = self.watch().wake();
    }

    pub(crate) fn note(&self, group: &Group) -> Note {
        let group = Pid::as_raw(Some(group.id()));
        let mut watch = self.watch();
        watch.groups.insert(group);
        watch.tell(&format!("+{group}\n"));
        if let Err(error) = watch.wake() {
            let kind = error.kind();
            tracing::warn!(%kind, "no {SHELL}: servers will outlive us if we are killed");
        }
        Note { guard: self.clone(), group }
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        let mut watch = self.guard.watch();
        watch.groups.remove(&self.group);
        watch.tell(&format!("-{}\n", self.group));
    }
}

impl Watch {
    /// Sees to it that the shell runs, and knows everything.
    fn wake(&mut self) -> io::Result<()> {
        if self.shell.is_none() {
            let mut shell = Shell::start()?;
            let notes: String = self.groups.iter().map(|group| format!("+{group}\n")).collect();
            shell.notes.write_all(notes.as_bytes())?;
            self.shell = Some(shell);
        }
        Ok(())
    }

    fn tell(&mut self, note: &str) {
        let Some(shell) = &mut self.shell else { return };
        if shell.notes.write_all(note.as_bytes()).is_err() {
            // Killed or stopped by somebody. Were it only left, it would act on what it knows.
            let _ = shell.process.start_kill();
            self.shell = None;
        }
    }
}

impl Shell {
    fn start() -> io::Result<Shell> {
        let (reader, notes) = io::pipe()?;
        // Whatever becomes of the shell, nobody here ever waits for it.
        ioctl_fionbio(&notes, true)?;
        let process = Command::new(SHELL)
            .args(["-c", SCRIPT, "metier-guard"])
            .current_dir("/")
            .stdin(reader)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Shell { notes, process })
    }
}

#[cfg(test)]
mod tests;
