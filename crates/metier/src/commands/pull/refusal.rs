//! Why a skill is not taken, and the next thing to try.

use std::{
    io::{self, ErrorKind},
    path::PathBuf,
};

use metier_upstreams::SkillReadError;
use thiserror::Error;

use super::lock::LockError;

/// Why a skill is not taken.
#[derive(Debug, Error)]
pub(super) enum Refusal {
    #[error("its server makes its files anew each time, so nothing of them can be verified")]
    Dynamic,
    #[error("its name cannot be kept: {0}")]
    Name(&'static str),
    #[error("`{0}` is not the only one of that name there")]
    Twin(String),
    #[error("its server is no longer there")]
    Gone,
    #[error("its file `{path}` cannot be kept: {reason}")]
    Path { path: String, reason: &'static str },
    #[error("its files `{one}` and `{other}` are the same on some machines")]
    Collision { one: String, other: String },
    #[error("its file `{path}` is not what the server listed: it should have {expected}")]
    Content { path: String, expected: String },
    #[error("its file `{path}` cannot be had: {error}")]
    Unread { path: String, error: SkillReadError },
    #[error("its frontmatter is not what the server listed: {0}")]
    Frontmatter(String),
    #[error("`{}` is there already, and was not pulled", .0.display())]
    Foreign(PathBuf),
    #[error("`{}` was changed since it was pulled", .0.display())]
    Edited(PathBuf),
    #[error("`{}` was pulled from elsewhere: `{uri}` of server `{server}`", folder.display())]
    Other { folder: PathBuf, server: String, uri: String },
    #[error("`{}` was pulled from another server of the name `{server}`: {address}", folder.display())]
    OtherServer { folder: PathBuf, server: String, address: String },
    #[error("another pull has just brought something else to `{}`", .0.display())]
    Overtaken(PathBuf),
    #[error("`{}` was changed while it was being replaced", .0.display())]
    Restless(PathBuf),
    #[error("another pull works in `{}` and comes to no end", .0.display())]
    Busy(PathBuf),
    #[error("what was pulled before is not known: {0}")]
    Unreadable(String),
    #[error(transparent)]
    Unlocked(#[from] LockError),
    #[error("`{}` cannot be written: {}", folder.display(), error.kind())]
    Unwritten { folder: PathBuf, error: io::Error },
    #[error("it is in its place, but where it came from is not recorded: {0}")]
    Unrecorded(String),
}

impl Refusal {
    /// The next thing to try.
    pub(super) fn hint(&self) -> &'static str {
        match self {
            Refusal::Dynamic => "load it from the server: `metier mcp` shows it to your agents",
            Refusal::Twin(_) => "pull one of them by its URI: `metier pull SERVER URI`",
            Refusal::Name(_) | Refusal::Path { .. } | Refusal::Collision { .. } => {
                "its owner must rename that"
            }
            Refusal::Content { .. } | Refusal::Frontmatter(_) => {
                "nothing of it was written; pull again, in case it has just changed"
            }
            Refusal::Overtaken(_) | Refusal::Restless(_) | Refusal::Busy(_) => {
                "nothing of it was written; pull again"
            }
            Refusal::Gone => "`metier servers` lists them",
            Refusal::Unreadable(_) => "remove that file, then pull with --force",
            Refusal::Unread { .. } => "nothing of it was written; `metier servers` tells more",
            Refusal::Foreign(_)
            | Refusal::Edited(_)
            | Refusal::Other { .. }
            | Refusal::OtherServer { .. } => "--force replaces it; --to chooses another folder",
            Refusal::Unlocked(error) => error.hint(),
            Refusal::Unwritten { error, .. } if error.kind() == ErrorKind::InvalidFilename => {
                "a name in it is too long for the disk: its owner must rename that"
            }
            Refusal::Unwritten { .. } | Refusal::Unrecorded(_) => "choose another folder with --to",
        }
    }
}
