//! Refusals: why a program did not start, and what to do about it.

use std::{io, path::Path};

use thiserror::Error;

use super::{is_path, location};
use crate::spec::Program;

/// Why a program did not start. Arguments and variables are never part of it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum StartError {
    /// Nothing of that name is in `PATH`.
    #[error("`{0}` is not in `PATH`: install it, or give its whole path as `command`")]
    NotInPath(String),
    /// Nothing of that name is in the `PATH` that it was given.
    #[error("`{0}` is not in the `PATH` that `env` sets: correct that, or give its whole path")]
    NotInOwnPath(String),
    /// There is nothing at that path.
    #[error("`{0}` does not exist: correct `command`")]
    NoFile(String),
    /// It names a program that runs it, and that one does not exist.
    #[error("`{0}` needs an interpreter that does not exist: install what its first line names")]
    NoInterpreter(String),
    /// It may not be run, or is nothing that can be.
    #[error("`{0}` is not executable: run `chmod +x {0}`, or name its interpreter as `command`")]
    NotExecutable(String),
    /// The folder to start in is not there.
    #[error(
        "the folder `{cwd}` to start `{command}` in does not exist: create it, or correct `cwd`"
    )]
    NoFolder {
        /// What was to start.
        command: String,
        /// Where.
        cwd: String,
    },
    /// What is there is no folder.
    #[error("`{cwd}` to start `{command}` in is not a folder: correct `cwd`")]
    NotAFolder {
        /// What was to start.
        command: String,
        /// Where.
        cwd: String,
    },
    /// It can never be started as it is written.
    #[error("`{command}` cannot be started: {kind}; correct `args` or `env`")]
    Unusable {
        /// What was to start.
        command: String,
        /// What is wrong.
        kind: io::ErrorKind,
    },
    /// The system cannot start it now.
    #[error("`{command}` cannot be started: {reason}; it is tried again")]
    Busy {
        /// What was to start.
        command: String,
        /// What the system says.
        reason: String,
    },
}

impl StartError {
    /// Whether trying again is of no use until somebody changes something.
    pub(crate) const fn is_permanent(&self) -> bool {
        !matches!(self, StartError::Busy { .. })
    }

    /// Says what an error of the system means for this program.
    pub(super) fn new(program: &Program, error: &io::Error) -> StartError {
        let command = program.command.clone();
        if let Some(cwd) = program.cwd.as_deref().filter(|cwd| !cwd.is_dir()) {
            return no_folder(command, cwd);
        }
        match error.kind() {
            io::ErrorKind::NotFound => not_found(program),
            io::ErrorKind::PermissionDenied => StartError::NotExecutable(command),
            kind @ (io::ErrorKind::InvalidInput | io::ErrorKind::ArgumentListTooLong) => {
                StartError::Unusable { command, kind }
            }
            _ if is_no_program(error) => StartError::NotExecutable(command),
            _ => StartError::Busy { command, reason: reason(error) },
        }
    }
}

fn no_folder(command: String, cwd: &Path) -> StartError {
    let is_there = cwd.exists();
    let cwd = cwd.display().to_string();
    if is_there {
        StartError::NotAFolder { command, cwd }
    } else {
        StartError::NoFolder { command, cwd }
    }
}

fn not_found(program: &Program) -> StartError {
    let command = program.command.clone();
    let sets_path = || program.env.0.keys().any(|key| key.eq_ignore_ascii_case("PATH"));
    match is_path(&command) {
        true if location(program).exists() => StartError::NoInterpreter(command),
        true => StartError::NoFile(command),
        false if sets_path() => StartError::NotInOwnPath(command),
        false => StartError::NotInPath(command),
    }
}

/// Whether the system says that the file is there and may be run, but is no program.
fn is_no_program(error: &io::Error) -> bool {
    /// `ENOEXEC` or `ERROR_BAD_EXE_FORMAT`.
    const NO_PROGRAM: i32 = if cfg!(windows) { 193 } else { 8 };
    error.raw_os_error() == Some(NO_PROGRAM)
}

/// What the system says, without the number that it adds.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    words.to_lowercase()
}
