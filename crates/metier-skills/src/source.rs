//! A source: one folder that may hold skills, and how much its skills weigh.

use std::{fmt, path::PathBuf, sync::Arc};

use crate::plugins::Plugin;

/// How much a source's skills weigh when several bear one name; the highest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Folders the user named.
    Custom,
    /// Folders of the project that every agent shares.
    UniversalProject,
    /// Folders of the user that every agent shares.
    UniversalGlobal,
    /// Folders of the project that belong to one agent.
    AgentProject,
    /// Folders of the user or the machine that belong to one agent.
    AgentGlobal,
    /// Folders of installed plugins.
    Plugin,
}

/// Where a skill lives, in the one word that users see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// In a folder the user named.
    Custom,
    /// In the project.
    Project,
    /// In the user's home or on the machine.
    Global,
    /// In an installed plugin.
    Plugin,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Location::Custom => "custom",
            Location::Project => "project",
            Location::Global => "global",
            Location::Plugin => "plugin",
        })
    }
}

/// A place that may hold skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The folder that is walked.
    pub folder: PathBuf,
    /// Whose folder it is: `claude`, `codex`, `agents`, `custom`, …
    pub provider: Arc<str>,
    /// How much its skills weigh.
    pub tier: Tier,
    /// The plugin it belongs to, with the folder that its links may not leave.
    pub plugin: Option<Owner>,
}

/// The plugin that owns a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Which plugin.
    pub plugin: Arc<Plugin>,
    /// The plugin's own folder: nothing outside it is read.
    pub install: PathBuf,
}

impl Source {
    /// A source that belongs to no plugin.
    #[must_use]
    pub fn new(tier: Tier, provider: &str, folder: PathBuf) -> Source {
        Source { folder, provider: provider.into(), tier, plugin: None }
    }

    /// Where the source's skills live.
    #[must_use]
    pub fn location(&self) -> Location {
        match self.tier {
            Tier::Custom => Location::Custom,
            Tier::UniversalProject | Tier::AgentProject => Location::Project,
            Tier::UniversalGlobal | Tier::AgentGlobal => Location::Global,
            Tier::Plugin => Location::Plugin,
        }
    }
}
