//! The command line of what uses servers.

use std::{path::PathBuf, time::Duration};

use clap::{Args as ClapArgs, ValueHint};

use super::{Format, Servers};

/// Which servers there are; for every command that uses servers.
#[derive(Clone, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Which servers")]
pub(crate) struct Reach {
    /// Read this configuration file too (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Vec<PathBuf>,
    /// Use this folder in place of your home
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) user_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: Servers,
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ListServers {
    /// Only these
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Stay, and show every change until Ctrl-C
    #[arg(long, short)]
    pub(crate) watch: bool,
    /// Say all that is known of each; one server alone is always shown so
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Wait no longer than this until all are reached
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) reach: Reach,
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ListTools {
    /// Only the tools of these servers
    #[arg(value_name = "SERVER")]
    pub(crate) servers: Vec<String>,
    /// Only tools that these words are about, best first
    #[arg(long, short, value_name = "WORDS")]
    pub(crate) search: Option<String>,
    /// Show at most this many
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,
    /// Show the whole schema of the arguments
    #[arg(long)]
    pub(crate) schema: bool,
    /// Show what listing the tools costs a model, for each server and each `mcp --expose`
    #[arg(long, conflicts_with_all = ["search", "limit", "schema"])]
    pub(crate) cost: bool,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) reach: Reach,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Call {
    /// The tool: `server:tool`
    #[arg(value_name = "SERVER:TOOL")]
    pub(crate) tool: String,
    /// `key=value`, `key:=JSON`, one JSON object, or `-` to read that from stdin
    #[arg(value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,
    /// How long the server may take to be reached, and then be silent
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Print the whole result as the server sent it
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reach: Reach,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ListResources {
    /// Only the resources of these servers
    #[arg(value_name = "SERVER")]
    pub(crate) servers: Vec<String>,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) reach: Reach,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Read {
    /// The resource
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
    /// The server that has it; found out if not said
    #[arg(long, short, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// Write it to this file
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    /// Print the whole result as the server sent it
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reach: Reach,
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Pull {
    /// A server, the address of one that is not configured, or the URI of a skill
    #[arg(value_name = "SERVER|URL|URI")]
    pub(crate) source: Option<String>,
    /// Only these of the server's skills: names, or URIs
    #[arg(value_name = "SKILL")]
    pub(crate) skills: Vec<String>,
    /// Write them into this folder, in place of .agents/skills
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "global")]
    pub(crate) to: Option<PathBuf>,
    /// Write them for all your projects (~/.agents/skills)
    #[arg(long, short)]
    pub(crate) global: bool,
    /// Replace what is there, also if it is not what was pulled before
    #[arg(long)]
    pub(crate) force: bool,
    /// Say what would be pulled, and fetch nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) reach: Reach,
}

/// A time that someone is ready to wait.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|it| *it > 0.0);
    seconds
        .and_then(|it| Duration::try_from_secs_f64(it).ok())
        .ok_or_else(|| "it is not a number of seconds above 0".to_owned())
}
