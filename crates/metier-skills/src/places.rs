//! The places where skills may be, and the sources that lie there now.
//!
//! Folders come and go, so the list of sources is made anew for every scan.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::{
    plugins::{PluginPlaces, PluginReport, plugins},
    problem::{Cause, Problem},
    source::{Owner, Source, Tier},
};

/// Where to look for skills.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Folders the user named, in order.
    pub custom: Vec<PathBuf>,
    /// The well-known folders of the project, the user and the machine, unless they are unwanted.
    pub standard: Option<Standard>,
    /// Claude Code's plugins, unless they are unwanted.
    pub plugins: Option<PluginPlaces>,
}

/// Where the well-known folders are.
#[derive(Clone, Debug)]
pub struct Standard {
    /// The working directory and its parents up to the checkout's root, nearest first.
    pub project: Vec<PathBuf>,
    /// What `~` means.
    pub home: PathBuf,
    /// What `$XDG_CONFIG_HOME` means.
    pub config: PathBuf,
    /// Claude Code's own folder.
    pub claude: PathBuf,
    /// Codex' own folder.
    pub codex: PathBuf,
    /// What `/etc` means.
    pub system: PathBuf,
}

/// The sources of one scan, and what was learned while looking for them.
#[derive(Debug, Default)]
pub struct Sources {
    /// Highest precedence first; not all of them need exist.
    pub list: Vec<Source>,
    /// What became of each installed plugin.
    pub plugins: Vec<PluginReport>,
    /// Broken plugin files.
    pub problems: Vec<Problem>,
    /// Paths that had a say in which plugins there are, also where nothing was.
    pub asked: Vec<PathBuf>,
}

/// Folders that every agent shares, in a project.
const UNIVERSAL_PROJECT: [&str; 3] = [".agents/skills", ".agent/skills", "skills"];
/// Folders that every agent shares, of a user.
const UNIVERSAL_GLOBAL: [&str; 3] =
    ["~/.agents/skills", "~/.agent/skills", "$CONFIG/agents/skills"];

/// An agent's folders in a project, and of a user.
struct Agent {
    provider: &'static str,
    project: &'static [&'static str],
    global: &'static [&'static str],
}

/// Agents in order of precedence, each with the folder first that the agent itself writes to. Those
/// whose folders are `.<agent>/skills` need no entry.
const AGENTS: [Agent; 13] = [
    agent("claude", &[".claude/skills"], &["$CLAUDE/skills"]),
    agent("codex", &[".codex/skills"], &["$CODEX/skills"]),
    agent("gemini", &[".gemini/skills"], &["~/.gemini/skills"]),
    agent(
        "opencode",
        &[".opencode/skills", ".opencode/skill"],
        &["$CONFIG/opencode/skills", "$CONFIG/opencode/skill", "~/.opencode/skills"],
    ),
    agent("goose", &[".goose/skills"], &["$CONFIG/goose/skills", "~/.goose/skills"]),
    agent("kode", &[".kode/skills"], &["~/.kode/skills"]),
    agent("copilot", &[".github/skills", ".copilot/skills"], &["~/.copilot/skills"]),
    agent("cursor", &[".cursor/skills"], &["~/.cursor/skills"]),
    agent("crush", &[".crush/skills"], &["$CONFIG/crush/skills", "~/.crush/skills"]),
    agent("devin", &[".devin/skills"], &["$CONFIG/devin/skills", "~/.devin/skills"]),
    agent("pi", &[".pi/skills"], &["~/.pi/agent/skills", "~/.pi/skills"]),
    agent("windsurf", &[".windsurf/skills"], &["~/.codeium/windsurf/skills", "~/.windsurf/skills"]),
    agent(
        "antigravity",
        &[".antigravity/skills"],
        &["~/.gemini/antigravity/skills", "~/.antigravity/skills"],
    ),
];

/// Folders of the whole machine; they weigh least among the agents' folders.
const MACHINE: [(&str, &str); 2] =
    [("codex", "$SYSTEM/codex/skills"), ("claude", "$SYSTEM/claude-code/.claude/skills")];

/// Hidden folders that belong to no agent.
const NOT_AGENTS: [&str; 9] =
    ["agents", "agent", "git", "github", "hg", "svn", "config", "cache", "local"];

const fn agent(
    provider: &'static str,
    project: &'static [&'static str],
    global: &'static [&'static str],
) -> Agent {
    Agent { provider, project, global }
}

impl Places {
    /// The sources that these places hold now, highest precedence first.
    #[must_use]
    pub fn sources(&self) -> Sources {
        let custom = self.custom.iter().map(|dir| Source::new(Tier::Custom, "custom", dir.clone()));
        let mut sources = Sources { list: custom.collect(), ..Sources::default() };
        if let Some(standard) = &self.standard {
            sources.list.extend(standard.sources());
        }
        if let Some(places) = &self.plugins {
            let found = plugins(places);
            sources.list.extend(found.sources.into_iter().map(|it| Source {
                folder: it.folder,
                provider: "claude".into(),
                tier: Tier::Plugin,
                plugin: Some(Owner { plugin: it.plugin, install: it.install }),
            }));
            sources.plugins = found.reports;
            sources.asked = found.asked;
            sources.problems.extend(
                found
                    .problems
                    .into_iter()
                    .map(|(path, problem)| Problem { path, cause: Cause::Plugin(problem) }),
            );
        }
        sources
    }
}

impl Standard {
    fn sources(&self) -> Vec<Source> {
        let mut list = Vec::new();
        let mut add = |tier, provider: &str, folder| list.push(Source::new(tier, provider, folder));
        for dir in &self.project {
            for folder in UNIVERSAL_PROJECT {
                add(Tier::UniversalProject, "agents", dir.join(folder));
            }
        }
        for folder in UNIVERSAL_GLOBAL {
            add(Tier::UniversalGlobal, "agents", self.expand(folder));
        }
        for dir in &self.project {
            for agent in &AGENTS {
                for folder in agent.project {
                    add(Tier::AgentProject, agent.provider, dir.join(folder));
                }
            }
            for (provider, folder) in other_agents(dir) {
                add(Tier::AgentProject, &provider, folder);
            }
        }
        for agent in &AGENTS {
            for folder in agent.global {
                add(Tier::AgentGlobal, agent.provider, self.expand(folder));
            }
        }
        for (provider, folder) in other_agents(&self.home) {
            add(Tier::AgentGlobal, &provider, folder);
        }
        for (provider, folder) in MACHINE {
            add(Tier::AgentGlobal, provider, self.expand(folder));
        }
        list
    }

    /// The folder of the project where an agent, or `agents` for all of them, looks for skills.
    #[must_use]
    pub fn project_folder(&self, agent: &str) -> Option<PathBuf> {
        let folder = match AGENTS.iter().find(|it| it.provider == agent) {
            Some(agent) => (*agent.project.first()?).to_owned(),
            None => own_folder(agent)?,
        };
        Some(self.project.first()?.join(folder))
    }

    /// The user's folder where an agent, or `agents` for all of them, looks for skills.
    #[must_use]
    pub fn global_folder(&self, agent: &str) -> Option<PathBuf> {
        match AGENTS.iter().find(|it| it.provider == agent) {
            Some(agent) => Some(self.expand(agent.global.first()?)),
            None => Some(self.home.join(own_folder(agent)?)),
        }
    }

    /// Turns a folder of the tables into a path.
    fn expand(&self, folder: &str) -> PathBuf {
        let (base, rest) = folder.split_once('/').unwrap_or((folder, ""));
        let base = match base {
            "$CONFIG" => &self.config,
            "$CLAUDE" => &self.claude,
            "$CODEX" => &self.codex,
            "$SYSTEM" => &self.system,
            _ => &self.home,
        };
        base.join(rest)
    }
}

/// The folders `.<agent>/skills` of agents that the table does not name, by name.
fn other_agents(dir: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut found: Vec<_> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let agent = name.to_str()?.strip_prefix('.')?;
            let folder = entry.path().join("skills");
            let found = is_agent(agent) && may_be_folder(&folder);
            found.then(|| (agent.to_lowercase(), folder))
        })
        .collect();
    found.sort_unstable();
    found
}

/// A folder, or something that hides behind its permissions: the scan will say so.
fn may_be_folder(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(metadata) => metadata.is_dir(),
        Err(error) => error.kind() == ErrorKind::PermissionDenied,
    }
}

/// `.<agent>/skills`, if a scan would look there.
fn own_folder(agent: &str) -> Option<String> {
    (agent == "agents" || is_agent(agent)).then(|| format!(".{agent}/skills"))
}

/// Whether a hidden folder may belong to an agent that the table does not name.
fn is_agent(name: &str) -> bool {
    let listed = AGENTS.iter().any(|agent| agent.provider == name) || NOT_AGENTS.contains(&name);
    name.starts_with(char::is_alphanumeric)
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
        && !listed
}

/// The working directory and, inside a git checkout, its parents up to the checkout's root.
///
/// The user's home is no project, even where it is a checkout of its own.
#[must_use]
pub fn project_dirs(working_dir: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    // The way to the home may lead through a link that the working directory does not show.
    let home = home.map(real);
    let below_home = |dir: &&Path| home.as_ref().is_none_or(|home| *home != real(dir));
    let dirs: Vec<&Path> = working_dir.ancestors().take_while(below_home).collect();
    let root = dirs.iter().position(|dir| dir.join(".git").exists()).unwrap_or(0);
    dirs.into_iter().take(root + 1).map(Path::to_owned).collect()
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
