//! The environment: everything the program learns from variables, read once.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

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

    /// A variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A folder that a variable names; relative ones do not count.
    pub(crate) fn folder(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// Where configuration lives: `$XDG_CONFIG_HOME`, or `~/.config`.
    pub(crate) fn config_home(&self) -> Option<PathBuf> {
        self.folder("XDG_CONFIG_HOME").or_else(|| Some(self.home.as_ref()?.join(".config")))
    }

    /// The same environment with another home folder, if one is given.
    pub(crate) fn at_home(&self, home: Option<&Path>) -> Environment {
        let mut environment = self.clone();
        if let Some(home) = home {
            environment.home = Some(self.absolute(&self.working_dir, home));
        }
        environment
    }

    /// A path as the user wrote it, made absolute; `~` is the home folder.
    pub(crate) fn absolute(&self, base: &Path, path: &Path) -> PathBuf {
        let expanded = match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path.to_owned(),
        };
        clean(&base.join(expanded))
    }
}

/// Drops `.` and resolves `..` by name, as a shell's `cd` does.
fn clean(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                cleaned.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                cleaned.push(component);
            }
        }
    }
    cleaned
}
