//! Problems: what is wrong with one file or folder, and what to do about it.

use std::{ffi::OsString, io, path::PathBuf};

use thiserror::Error;

use crate::{frontmatter::FrontmatterError, plugins::PluginProblem};

/// Something wrong with one file or folder; the rest of the scan went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub cause: Cause,
}

/// Whether a problem cost anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A skill or a folder was left out.
    Error,
    /// Everything was read, but someone should look.
    Warning,
}

/// What is wrong with a file or folder.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Cause {
    /// The operating system would not let us read.
    #[error("cannot be read: {}", said(*.0))]
    Unreadable(io::ErrorKind),
    /// Longer than any skill should be.
    #[error("longer than {} KiB", longest / 1024)]
    TooLong {
        /// The bound in bytes.
        longest: u64,
    },
    /// Not UTF-8.
    #[error("line {line} is not valid UTF-8")]
    NotText {
        /// The first line with a bad byte.
        line: usize,
    },
    /// A device, pipe or socket bears the name of a skill file.
    #[error("not a regular file")]
    NotAFile,
    /// The frontmatter gives no skill.
    #[error(transparent)]
    Frontmatter(#[from] FrontmatterError),
    /// The file's name is not spelled `SKILL.md`.
    #[error("named `{}` instead of `SKILL.md`", .0.display())]
    Spelling(OsString),
    /// Several files of one folder could be its skill.
    #[error("ignored, because `{}` stands beside it", .winner.display())]
    Beside {
        /// The file that counts.
        winner: OsString,
    },
    /// The walk would go on below this folder.
    #[error("more than {deepest} folders deep; nothing below was looked at")]
    TooDeep {
        /// The bound.
        deepest: usize,
    },
    /// The source holds more folders than a walk visits.
    #[error("more than {most} folders; the rest was not looked at")]
    TooManyFolders {
        /// The bound.
        most: usize,
    },
    /// A link to nothing.
    #[error("a link that leads nowhere")]
    DanglingLink,
    /// A link that leads out of its plugin.
    #[error("leads out of the plugin's folder; not followed")]
    LeavesPlugin,
    /// A file of Claude Code's plugins.
    #[error(transparent)]
    Plugin(#[from] PluginProblem),
}

impl Cause {
    pub(crate) fn unreadable(error: &io::Error) -> Cause {
        Cause::Unreadable(error.kind())
    }

    /// Whether something was left out because of it.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Cause::Spelling(_) | Cause::Beside { .. } | Cause::DanglingLink => Severity::Warning,
            Cause::Unreadable(_)
            | Cause::TooLong { .. }
            | Cause::NotText { .. }
            | Cause::NotAFile
            | Cause::Frontmatter(_)
            | Cause::TooDeep { .. }
            | Cause::TooManyFolders { .. }
            | Cause::LeavesPlugin
            | Cause::Plugin(_) => Severity::Error,
        }
    }

    /// The next thing to do.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Cause::Unreadable(_) => "check its permissions".into(),
            Cause::TooLong { .. } => "move the details into files beside it".into(),
            Cause::NotText { .. } => "save the file as UTF-8".into(),
            Cause::NotAFile => "replace it with a text file".into(),
            Cause::Frontmatter(error) => error.hint(),
            Cause::Spelling(_) => "rename it to `SKILL.md`".into(),
            Cause::Beside { .. } => "remove one of the two".into(),
            Cause::TooDeep { .. } | Cause::TooManyFolders { .. } => {
                "name the folder that holds the skills with `--skill-dir`".into()
            }
            Cause::DanglingLink => "remove the link, or bring back what it leads to".into(),
            Cause::LeavesPlugin => "copy the target into the plugin".into(),
            Cause::Plugin(problem) => problem.hint(),
        }
    }
}

/// The kind of an error in the words of people.
fn said(kind: io::ErrorKind) -> String {
    match kind {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        other => other.to_string(),
    }
}
