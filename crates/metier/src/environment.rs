//! The environment: everything the program learns from variables, read once.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Component, Path, PathBuf},
};

use metier_skills::{Standard, project_dirs};

use crate::files::is_program;

/// Variables that name folders which lie in the home otherwise.
const HOME_FOLDERS: [&str; 5] = [
    "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "CLAUDE_CODE_PLUGIN_CACHE_DIR",
    "XDG_STATE_HOME",
];

/// What the program was started in.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The working directory.
    pub working_dir: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// All variables that are text, for `${VAR}` in configuration files.
    pub variables: BTreeMap<String, String>,
}

impl Environment {
    /// Reads the process's environment.
    #[must_use]
    pub fn read() -> Environment {
        Environment {
            working_dir: env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            home: env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            variables: env::vars_os()
                .filter_map(|(key, value)| {
                    Some((key.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
        }
    }

    /// A folder that a variable names; relative ones do not count.
    fn folder(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The same environment with another home folder, if one is given.
    ///
    /// Variables that name folders of the real home do not count then.
    pub(crate) fn at_home(&self, home: Option<&Path>) -> Environment {
        let mut environment = self.clone();
        if let Some(home) = home {
            environment.home = Some(self.absolute(&self.working_dir, home));
            environment.variables.retain(|name, _| !HOME_FOLDERS.contains(&name.as_str()));
        }
        environment
    }

    /// Where the well-known folders are, if the home folder is known.
    pub(crate) fn standard(&self) -> Option<Standard> {
        let home = self.home.clone()?;
        let [config, claude, codex, ..] = HOME_FOLDERS;
        Some(Standard {
            project: project_dirs(&self.working_dir, Some(&home)),
            config: self.folder(config).unwrap_or_else(|| home.join(".config")),
            claude: self.folder(claude).unwrap_or_else(|| home.join(".claude")),
            codex: self.folder(codex).unwrap_or_else(|| home.join(".codex")),
            system: "/etc".into(),
            home,
        })
    }

    /// Where Claude Code's plugins are, if a variable says so.
    pub(crate) fn plugins(&self) -> Option<PathBuf> {
        let [_, _, _, plugins, _] = HOME_FOLDERS;
        self.folder(plugins)
    }

    /// The folder for what programs remember, if the home folder is known.
    pub(crate) fn state(&self) -> Option<PathBuf> {
        let [.., state] = HOME_FOLDERS;
        self.folder(state).or_else(|| Some(self.home.as_ref()?.join(".local/state")))
    }

    /// Whether a program can be found as a shell in that folder would find it.
    pub(crate) fn finds(&self, command: &str, folder: Option<&Path>) -> bool {
        let command = Path::new(command);
        if command.components().count() > 1 {
            return is_program(&folder.unwrap_or(&self.working_dir).join(command));
        }
        let path = self.variables.get("PATH").map_or("", String::as_str);
        env::split_paths(path).any(|folder| is_program(&folder.join(command)))
    }

    /// A path as the user wrote it, made absolute; `~` is the home folder.
    pub(crate) fn absolute(&self, base: &Path, path: &Path) -> PathBuf {
        let expanded = match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path.to_owned(),
        };
        tidied(&base.join(expanded))
    }
}

/// The same path without `.`, and without `..` as far as the folders before it exist.
fn tidied(path: &Path) -> PathBuf {
    let has_parent = path.components().any(|it| it == Component::ParentDir);
    match fs::canonicalize(path) {
        Ok(real) if has_parent => real,
        _ if !has_parent => path.components().collect(),
        _ => without_parents(path),
    }
}

/// Takes `..` back by name: the path leads nowhere yet, so no link can be in the way of its end.
fn without_parents(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                tidied.pop();
            }
            other => tidied.push(other),
        }
    }
    tidied
}
