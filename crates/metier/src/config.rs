//! Configuration files: found, read, and merged into one [`Settings`].

mod expand;
mod file;

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use metier_skills::{Cause, read_text};

use crate::{
    environment::Environment,
    failure::{Exit, Failure},
};

/// What all configuration files say together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Folders with skills, highest precedence first.
    pub(crate) skill_dirs: Vec<PathBuf>,
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) problems: Vec<ConfigProblem>,
}

/// Something wrong in a configuration file; the rest of it counts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ConfigProblem {
    pub(crate) path: PathBuf,
    pub(crate) reason: String,
}

/// The user's file of ours, below the folder for configuration.
const OWN_FILE: &str = "metier/config.json";
/// Files of a project; a later one overrides an earlier.
const PROJECT_FILES: [&str; 2] = [".kode.json", ".metier.json"];

impl Settings {
    /// Reads every file that counts here, and those that the user named.
    pub(crate) fn read(environment: &Environment, named: &[PathBuf]) -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        for path in standard_files(environment) {
            match read_text(&path) {
                Ok(text) => settings.add(environment, &path, &text),
                Err(Cause::Unreadable(ErrorKind::NotFound | ErrorKind::NotADirectory)) => {}
                Err(cause) => settings.problem(&path, cause.to_string()),
            }
        }
        for path in named {
            let path = environment.absolute(&environment.working_dir, path);
            let text = read_text(&path).map_err(|cause| {
                let absent = cause == Cause::Unreadable(ErrorKind::NotFound);
                let exit = if absent { Exit::NotFound } else { Exit::Failed };
                Failure::new(exit, format!("configuration file `{}`: {cause}", path.display()))
                    .hinted("check the path given with --config")
            })?;
            settings.add(environment, &path, &text);
        }
        Ok(settings)
    }

    /// Lays one file over what the files before it said.
    fn add(&mut self, environment: &Environment, path: &Path, text: &str) {
        let (file, reasons) = file::parse(text, &environment.variables);
        for reason in reasons {
            self.problem(path, reason);
        }
        let base = path.parent().unwrap_or(Path::new("/"));
        let dirs = file.dirs.iter().map(|dir| environment.absolute(base, Path::new(dir)));
        self.skill_dirs.splice(..0, dirs);
        if let Some(include) = file.include {
            self.include = include;
        }
        if let Some(exclude) = file.exclude {
            self.exclude = exclude;
        }
    }

    fn problem(&mut self, path: &Path, reason: String) {
        self.problems.push(ConfigProblem { path: path.to_owned(), reason });
    }
}

/// The files that count without being named, lowest precedence first.
fn standard_files(environment: &Environment) -> Vec<PathBuf> {
    let mut files = Vec::new();
    files.extend(environment.home.as_ref().map(|home| home.join(".kode.json")));
    let standard = environment.standard();
    files.extend(standard.as_ref().map(|it| it.config.join(OWN_FILE)));
    for dir in standard.iter().flat_map(|it| it.project.iter().rev()) {
        files.extend(PROJECT_FILES.iter().map(|name| dir.join(name)));
    }
    files
}
