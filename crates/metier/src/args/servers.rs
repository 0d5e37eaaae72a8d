//! The command line of what concerns servers.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum, ValueHint};

use super::Format;
use crate::config::{ProjectTrust, Scope};

/// Which servers may start; for every command that uses servers.
#[derive(Clone, Copy, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Which servers")]
pub(crate) struct Servers {
    /// Let the servers of this project's files start this time
    #[arg(long)]
    pub(crate) trust_project: bool,
}

impl Servers {
    pub(crate) fn trust(self) -> ProjectTrust {
        if self.trust_project { ProjectTrust::Given } else { ProjectTrust::Recorded }
    }
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Trust {
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Trust this project's files no more
    #[arg(long, conflicts_with = "yes")]
    pub(crate) revoke: bool,
    /// Use this folder in place of your home
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) user_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: Format,
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Add {
    /// What to call the server, then its URL; with --from, the servers to copy
    #[arg(value_name = "NAME", required_unless_present = "from")]
    pub(crate) names: Vec<String>,
    /// The program to start and its arguments
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "from")]
    pub(crate) command: Vec<String>,
    /// Copy the servers that another client has
    #[arg(long, value_name = "CLIENT", conflicts_with_all = ["env", "header", "transport", "cwd"])]
    pub(crate) from: Option<Client>,
    /// A variable for the program; `${VAR}` in it is replaced at every start (repeatable)
    #[arg(long, short, value_name = "NAME=VALUE", requires = "command")]
    pub(crate) env: Vec<String>,
    /// A header for every request; `${VAR}` in it is replaced (repeatable)
    #[arg(long, short = 'H', value_name = "NAME: VALUE", conflicts_with = "command")]
    pub(crate) header: Vec<String>,
    /// What is spoken at the URL; found out if not said
    #[arg(long, short, value_name = "HOW", conflicts_with = "command")]
    pub(crate) transport: Option<Remote>,
    /// The folder to start the program in
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "command")]
    pub(crate) cwd: Option<PathBuf>,
    /// Write into .metier.json of this folder, for everyone who works here
    #[arg(long, short)]
    pub(crate) project: bool,
    /// Replace a server of the same name
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Use this folder in place of your home
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) user_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// A client whose servers can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Remote {
    /// Streamable HTTP
    Http,
    /// Legacy SSE
    Sse,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Remove {
    /// The server
    pub(crate) name: String,
    /// Remove it from .metier.json of this folder
    #[arg(long, short)]
    pub(crate) project: bool,
    /// Use this folder in place of your home
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) user_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: Format,
}

impl Add {
    /// Whose file is written.
    pub(crate) fn scope(&self) -> Scope {
        if self.project { Scope::Project } else { Scope::User }
    }
}

impl Remove {
    /// Whose file is written.
    pub(crate) fn scope(&self) -> Scope {
        if self.project { Scope::Project } else { Scope::User }
    }
}
