//! Failures: why a command could not do its work, and the next thing to try.

use std::{fmt, io, process::ExitCode};

/// What the program's exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It failed, or problems were found.
    Failed = 1,
    /// The command line was wrong.
    Usage = 2,
    /// There is no such thing, or more than one.
    NotFound = 3,
    /// A server wants to know who we are.
    Unauthorized = 4,
    /// The tool itself says that it did not work.
    ToolError = 5,
    /// The user or the system asked the program to end.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command failed, and the next thing to try.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: anyhow::Error,
    /// What else there is to say, a line each.
    pub(crate) details: Vec<String>,
    pub(crate) hint: Option<String>,
    pub(crate) exit: Exit,
}

/// What a command returns: its exit code, or why there is none.
pub(crate) type Outcome = Result<ExitCode, Failure>;

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl fmt::Display) -> Failure {
        Failure { error: anyhow::anyhow!("{message}"), details: Vec::new(), hint: None, exit }
    }

    pub(crate) fn hinted(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }

    pub(crate) fn detailed(self, details: Vec<String>) -> Failure {
        Failure { details, ..self }
    }

    pub(crate) fn io_kind(&self) -> Option<io::ErrorKind> {
        Some(self.error.downcast_ref::<io::Error>()?.kind())
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure { error, details: Vec::new(), hint: None, exit: Exit::Failed }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::from(anyhow::Error::from(error))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::from(io::Error::from(error))
    }
}
