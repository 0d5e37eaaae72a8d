//! The command line; doc comments are its help.

mod mcp;
mod servers;
mod upstreams;

use std::path::PathBuf;

use clap::{ArgAction, Args as ClapArgs, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

pub(crate) use self::{
    mcp::{CatalogFormat, Expose, LogFormat, LogLevel, Logs, Mcp, ToolNames, Transport},
    servers::{Add, Client, Remote, Remove, Servers, Trust},
    upstreams::{Call, ListResources, ListServers, ListTools, Pull, Reach, Read},
};

/// Every agent skill and MCP server on this machine behind one command line
#[derive(Debug, Parser)]
#[command(name = "metier", version)]
#[command(after_help = "\
Exit codes: 0 done, 1 failed or problems found, 2 wrong usage, 3 not found or ambiguous,
4 authentication needed, 5 the tool answered with an error, 130 interrupted.")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show skills and servers to MCP clients
    #[command(visible_aliases = ["mcp-server", "serve"])]
    Mcp(Mcp),
    /// List the skills that can be loaded
    #[command(visible_alias = "ls")]
    List(List),
    /// Show one skill: its SKILL.md and what belongs to it
    #[command(visible_alias = "info")]
    Show(Show),
    /// Find skills by words in their name, description or text
    Search(Search),
    /// Check SKILL.md files against the Agent Skills specification
    Validate(Validate),
    /// Write a new skill that passes `validate`
    New(New),
    /// Make disabled skills loadable again (`.SKILL.md` becomes `SKILL.md`)
    Enable(Switch),
    /// Hide skills from every agent (`SKILL.md` becomes `.SKILL.md`)
    Disable(Switch),
    /// Say where skills were looked for, what is shadowed or broken, and how to mend it
    Doctor(Doctor),
    /// Connect to the MCP servers, and show where each one stands
    Servers(ListServers),
    /// List the tools that the servers have
    Tools(ListTools),
    /// Call a tool
    Call(Call),
    /// List the resources that the servers have
    Resources(ListResources),
    /// Print a resource
    Read(Read),
    /// Fetch skills that servers have into a folder, verified file by file
    Pull(Pull),
    /// Let the servers start that this project's files name
    Trust(Trust),
    /// Add an MCP server to your configuration
    #[command(override_usage = "\
metier add [OPTIONS] NAME -- COMMAND [ARG]...
       metier add [OPTIONS] NAME URL
       metier add [OPTIONS] --from CLIENT [NAME]...")]
    Add(Add),
    /// Remove an MCP server from your configuration
    #[command(visible_alias = "rm")]
    Remove(Remove),
    /// Print a script that completes commands and skill names in your shell
    Completions(Completions),
}

/// Which skills a command sees; the same for all commands.
#[derive(Clone, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Which skills")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Selection {
    /// Look in this folder first (repeatable)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) skill_dir: Vec<PathBuf>,

    /// Look in this folder and nowhere else
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Option<PathBuf>,

    /// Look only in the folders named by --skill-dir and the configuration
    #[arg(long)]
    pub(crate) no_default_dirs: bool,

    /// Leave out the skills of Claude Code plugins
    #[arg(long)]
    pub(crate) no_plugins: bool,

    /// Show only what these patterns match: name, provider, plugin, provider:name, @project,
    /// @global, @custom, @plugins (comma-separated, `*` and `?`, repeatable)
    #[arg(long, value_name = "PATTERNS")]
    pub(crate) include: Vec<String>,

    /// Leave out what these patterns match; wins over --include
    #[arg(long, value_name = "PATTERNS")]
    pub(crate) exclude: Vec<String>,

    /// Read this configuration file too (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Vec<PathBuf>,

    /// Use this folder in place of your home
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) user_dir: Option<PathBuf>,

    /// Use this file in place of ~/.claude/plugins/installed_plugins.json
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) plugins_file: Option<PathBuf>,

    /// Use this folder in place of ~/.claude/plugins
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) plugins_root: Option<PathBuf>,
}

/// How a command answers.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct Format {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Name the files of each skill
    #[arg(long)]
    pub(crate) files: bool,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

/// Which of the skills found are listed.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[group(multiple = false)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Which {
    /// Show shadowed and disabled skills too
    #[arg(long, short)]
    pub(crate) all: bool,
    /// Show only disabled skills
    #[arg(long)]
    pub(crate) disabled: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    /// The skill: `name`, `provider:name` or `plugin:name`
    pub(crate) name: String,
    /// Print only the path of its SKILL.md
    #[arg(long, conflicts_with = "json")]
    pub(crate) path: bool,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Search {
    /// The words to look for
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// Show at most this many skills
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// Which of the words must be there
    #[arg(long = "match", value_name = "HOW", default_value = "all")]
    pub(crate) mode: MatchMode,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MatchMode {
    /// Every word
    All,
    /// At least one word
    Any,
    /// At least one word, typing mistakes allowed
    Fuzzy,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Validate {
    /// SKILL.md files, skill folders, or folders that hold skills
    #[arg(value_name = "PATH", default_value = ".", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct New {
    /// The skill's name: lowercase letters, digits and single hyphens
    pub(crate) name: String,
    /// What it does and when to use it
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Write it for all your projects (~/.agents/skills)
    #[arg(long, short)]
    pub(crate) global: bool,
    /// Write it for one agent only, into .<agent>/skills
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Write it into this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["global", "agent"])]
    pub(crate) dir: Option<PathBuf>,
    /// Use this folder in place of your home
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) user_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: Format,
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Switch {
    /// Skills by name, or patterns with `*` and `?`
    #[arg(value_name = "NAME", required_unless_present = "all")]
    pub(crate) names: Vec<String>,
    /// All skills that --include and --exclude let through
    #[arg(long, action = ArgAction::SetTrue, conflicts_with = "names")]
    pub(crate) all: bool,
    /// Say what would be renamed, and rename nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Doctor {
    /// Name every place that was looked at, also where nothing is
    #[arg(long, short)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) servers: Servers,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Completions {
    /// Your shell
    pub(crate) shell: Shell,
}
