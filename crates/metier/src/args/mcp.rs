//! The command line of `metier mcp`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum, ValueHint, builder::NonEmptyStringValueParser};
use metier_surface::Tool;

use super::{MatchMode, Selection, Servers};

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Mcp {
    /// How clients come
    #[arg(long, value_name = "HOW", default_value = "stdio")]
    pub(crate) transport: Transport,
    /// The address to listen at (http and sse)
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    pub(crate) host: String,
    /// The port to listen at; 0 takes any that is free, and the log says which
    #[arg(long, value_name = "PORT", default_value_t = 3000)]
    pub(crate) port: u16,
    /// A name by which clients call this machine, besides its addresses (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// The file with the token that HTTP clients must send (or METIER_TOKEN)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// What the server calls itself
    #[arg(long, value_name = "NAME", default_value = "metier", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) server_name: String,

    /// The tools to offer: skill, skills_list, skills_search, skills_read (comma-separated)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = tool, help_heading = "What clients see")]
    pub(crate) tools: Vec<Tool>,
    /// Which tools of other servers to list
    #[arg(long, value_name = "WHICH", default_value = "auto", help_heading = "What clients see")]
    pub(crate) expose: Expose,
    /// Show skills only, and start no server
    #[arg(long, help_heading = "What clients see")]
    pub(crate) no_servers: bool,
    /// Offer no prompts for skills
    #[arg(long, help_heading = "What clients see")]
    pub(crate) no_prompts: bool,
    /// The names of the tools: skills_list, or skills.list
    #[arg(long, value_name = "HOW", default_value = "wire", help_heading = "What clients see")]
    pub(crate) tool_names: ToolNames,
    /// How the description of `skill` lists the skills
    #[arg(long, value_name = "HOW", default_value = "xml", help_heading = "What clients see")]
    pub(crate) catalog_format: CatalogFormat,
    /// How many characters that list may have; 0 for no bound
    #[arg(long, value_name = "N", default_value_t = 60_000, help_heading = "What clients see")]
    pub(crate) catalog_budget: usize,
    /// Which words of a query a skill must have
    #[arg(
        long = "match",
        value_name = "HOW",
        default_value = "all",
        help_heading = "What clients see"
    )]
    pub(crate) mode: MatchMode,

    /// Look for changes every so many milliseconds, besides watching the folders
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(100..), help_heading = "When to look again")]
    pub(crate) refresh_interval: u64,
    /// Look once, at start
    #[arg(long, conflicts_with = "refresh_interval", help_heading = "When to look again")]
    pub(crate) no_refresh: bool,

    #[command(flatten)]
    pub(crate) logs: Logs,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) servers: Servers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transport {
    /// One client, which starts this program
    Stdio,
    /// Streamable HTTP at /mcp; legacy SSE clients are served too
    Http,
    /// Legacy SSE at /mcp
    Sse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Expose {
    /// Every tool
    All,
    /// Three tools that find, describe and call the others
    Search,
    /// Those that a loaded skill names in `allowed-tools`
    Skills,
    /// `all` up to 40 tools, else `search`
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolNames {
    /// Letters, digits, `_` and `-`, as every model takes them
    Wire,
    /// With dots
    Canonical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CatalogFormat {
    /// `<available_skills>`, an element for each
    Xml,
    /// A line for each
    List,
}

/// What a server says of itself while it runs.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(next_help_heading = "Logs, on stderr")]
pub(crate) struct Logs {
    /// How much to say
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(crate) log_level: LogLevel,
    /// How to say it
    #[arg(long, value_name = "HOW", default_value = "text")]
    pub(crate) log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    /// One JSON object a line
    Json,
}

fn tool(name: &str) -> Result<Tool, String> {
    Tool::named(name.trim()).ok_or_else(|| {
        let names = Tool::ALL.map(|tool| tool.name(metier_surface::ToolNames::Wire));
        format!("there is no such tool; the tools are {}", names.join(", "))
    })
}
