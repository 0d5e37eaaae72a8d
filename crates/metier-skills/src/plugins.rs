//! Claude Code plugins as sources of skills: which are installed, which are on, and which of
//! their folders hold skills.
//!
//! `installed_plugins.json` says which copy of a plugin counts, the settings files say whether it
//! is on, its `plugin.json` and its marketplace's entry say where its skills lie. The cache of
//! plugins is never searched: it keeps old versions for weeks.

mod description;
mod disk;
mod folders;
mod id;
mod installed;
mod json;
mod manifest;
mod marketplace;
mod marketplaces;
mod problem;
mod settings;
mod survey;
#[cfg(test)]
mod tests;

use std::{fmt, path::PathBuf, sync::Arc};

pub use problem::PluginProblem;

/// Where Claude Code keeps its plugins, and who is asking.
#[derive(Clone, Debug)]
pub struct PluginPlaces {
    /// Stands in for `~` in the paths that the files below hold.
    pub home: PathBuf,
    /// The folder of all plugins, `~/.claude/plugins` as a rule.
    pub root: PathBuf,
    /// The list of what is installed, `installed_plugins.json` in `root` as a rule.
    pub manifest: PathBuf,
    /// Settings files, lowest precedence first: user, project, local, managed.
    pub settings: Vec<PathBuf>,
    /// The working directory and its parents up to the checkout's root, nearest first.
    pub project: Vec<PathBuf>,
}

impl PluginPlaces {
    /// Turns a path of Claude Code's own files into one that can be followed.
    pub(crate) fn locate(&self, path: &str) -> PathBuf {
        match path.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with(['/', '\\']) => {
                self.home.join(rest.trim_start_matches(['/', '\\']))
            }
            _ => self.root.join(path),
        }
    }
}

/// A plugin as the catalog names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// The name that its skills carry in front: its manifest's, else the one it is installed by.
    pub name: String,
    /// The marketplace that it came from.
    pub marketplace: Option<String>,
    /// The version that is installed.
    pub version: Option<String>,
}

impl fmt::Display for Plugin {
    /// `name@marketplace version`, as far as they are known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(marketplace) = &self.marketplace {
            write!(f, "@{marketplace}")?;
        }
        self.version.as_ref().map_or(Ok(()), |version| write!(f, " {version}"))
    }
}

/// A folder of a plugin that holds skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginSource {
    /// Whose skills these are.
    pub plugin: Arc<Plugin>,
    /// The plugin's own folder: nothing outside it is read.
    pub install: PathBuf,
    /// A folder with skills at any depth, or the folder of a single skill.
    pub folder: PathBuf,
}

/// Where a plugin stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its skills count.
    Enabled,
    /// Its skills count, though its marketplace offers a newer version.
    Outdated {
        /// The version on offer.
        newest: String,
    },
    /// It is switched off.
    Disabled {
        /// The settings file that says so; without one, it is the plugin's own default.
        by: Option<PathBuf>,
    },
    /// It is installed for another project only.
    OtherProject {
        /// The project that has it.
        project: PathBuf,
    },
    /// Its folder is missing.
    Gone,
    /// The settings switch it on, but no copy of it is known.
    NotInstalled,
    /// It and its marketplace contradict each other, so that Claude Code refuses it too.
    Conflicting,
}

/// One line of `metier doctor` about a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginReport {
    /// What the settings call it: `name@marketplace`.
    pub id: String,
    /// The plugin; its own manifest is read only if it is enabled.
    pub plugin: Arc<Plugin>,
    /// The folder that counts, whether or not it exists.
    pub install: Option<PathBuf>,
    /// Where it stands.
    pub standing: Standing,
}

/// All plugins that Claude Code knows of here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plugins {
    /// Folders to scan, by name of plugin, then marketplace, then in the order listed.
    pub sources: Vec<PluginSource>,
    /// Every plugin once, in the same order.
    pub reports: Vec<PluginReport>,
    /// What is wrong, and with which file.
    pub problems: Vec<(PathBuf, PluginProblem)>,
    /// Every path on which the answer depended, also where nothing was.
    pub asked: Vec<PathBuf>,
}

/// Finds the plugins that count for whoever asks.
///
/// Reads the files that describe plugins, 4 MiB of each at most, and no skill.
#[must_use]
pub(crate) fn plugins(places: &PluginPlaces) -> Plugins {
    let mut plugins = survey::survey(places);
    plugins.sources.sort_by(|a, b| order(&a.plugin).cmp(&order(&b.plugin)));
    plugins.reports.sort_by(|a, b| order(&a.plugin).cmp(&order(&b.plugin)));
    plugins
}

fn order(plugin: &Plugin) -> (&str, Option<&str>) {
    (&plugin.name, plugin.marketplace.as_deref())
}
