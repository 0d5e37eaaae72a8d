//! Configuration files: found, read, and merged into one [`Settings`].

pub(crate) mod edit;
mod edits;
mod expand;
pub(crate) mod file;
mod memory;
pub(crate) mod outline;
mod reader;
pub(crate) mod servers;
mod trust;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    fmt,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use metier_skills::{Cause, read_text};
use metier_upstreams::{Admission, Endpoint, ServerName, ServerSpec, ToolFilter};

pub(crate) use self::{
    edits::Edits,
    memory::Memory,
    reader::Complaint,
    trust::{ProjectTrust, TrustRecord},
};
use self::{
    file::{Patterns, Said},
    servers::{Entry, Meaning},
};
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
    /// All servers that are known, by name; also those that may not be reached.
    pub(crate) servers: Vec<Configured>,
    /// Which tools exist, of all servers.
    pub(crate) tools: ToolFilter,
    /// Files of the project whose servers nobody has vouched for.
    pub(crate) untrusted: Vec<PathBuf>,
    pub(crate) problems: Vec<ConfigProblem>,
}

/// A server, and the file that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Configured {
    pub(crate) spec: ServerSpec,
    pub(crate) source: PathBuf,
    pub(crate) scope: Scope,
}

/// Something wrong in a configuration file; the rest of it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigProblem {
    pub(crate) path: PathBuf,
    pub(crate) complaint: Complaint,
}

impl fmt::Display for ConfigProblem {
    /// Line, server and reason; the path is told beside it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Complaint { line, server, reason } = &self.complaint;
        if let Some(line) = line {
            write!(f, "line {line}: ")?;
        }
        if let Some(server) = server {
            write!(f, "server `{server}`: ")?;
        }
        f.write_str(reason)
    }
}

/// A file that may hold configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigFile {
    pub(crate) path: PathBuf,
    pub(crate) scope: Scope,
}

/// For whom a file speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The user, everywhere.
    User,
    /// Whoever wrote the project.
    Project,
    /// The user, who named it on the command line.
    Named,
}

/// The user's file of ours, below the folder for configuration.
const OWN_FILE: &str = "metier/config.json";
/// The project's file of ours.
pub(crate) const PROJECT_FILE: &str = ".metier.json";
/// Files of a project; a later one overrides an earlier.
const PROJECT_FILES: [&str; 2] = [".kode.json", PROJECT_FILE];

impl Settings {
    /// Reads every file that counts here, and those that the user named.
    pub(crate) fn read(
        environment: &Environment,
        named: &[PathBuf],
        trust: ProjectTrust,
    ) -> Result<Settings, Failure> {
        Settings::read_again(environment, named, trust, &mut Memory::default())
    }

    /// Reads them again: a file that is broken now counts as it was when it was last good.
    pub(crate) fn read_again(
        environment: &Environment,
        named: &[PathBuf],
        trust: ProjectTrust,
        memory: &mut Memory,
    ) -> Result<Settings, Failure> {
        let mut reading = Reading {
            environment,
            trust,
            memory,
            record: None,
            servers: BTreeMap::new(),
            tools: Patterns::default(),
            settings: Settings::default(),
        };
        for file in standard_files(environment) {
            let read = read_text(&file.path);
            reading.lay(&file, read);
        }
        for path in named {
            let path = environment.absolute(&environment.working_dir, path);
            let read = read_text(&path);
            if let (Err(cause), false) = (&read, reading.memory.knows(&path)) {
                return Err(unreadable(&path, cause));
            }
            reading.lay(&ConfigFile { path, scope: Scope::Named }, read);
        }
        Ok(reading.done())
    }
}

fn unreadable(path: &Path, cause: &Cause) -> Failure {
    let absent = *cause == Cause::Unreadable(ErrorKind::NotFound);
    let exit = if absent { Exit::NotFound } else { Exit::Failed };
    Failure::new(exit, format!("configuration file `{}`: {cause}", path.display()))
        .hinted("check the path given with --config")
}

/// Files on their way to settings.
struct Reading<'a> {
    environment: &'a Environment,
    trust: ProjectTrust,
    memory: &'a mut Memory,
    /// The record of trusted files, once a file needs it.
    record: Option<TrustRecord>,
    servers: BTreeMap<ServerName, Configured>,
    tools: Patterns,
    settings: Settings,
}

impl Reading<'_> {
    /// Lays one file over what the files before it said.
    fn lay(&mut self, file: &ConfigFile, read: Result<String, Cause>) {
        let last = match read {
            Ok(text) if !text.trim().is_empty() => match self.parse(file, &text) {
                Ok(said) => {
                    self.memory.keep(&file.path, &text);
                    return self.add(file, &text, said);
                }
                Err(complaint) => {
                    self.problem(&file.path, complaint);
                    self.memory.last(&file.path)
                }
            },
            Ok(_) | Err(Cause::Unreadable(ErrorKind::NotFound | ErrorKind::NotADirectory)) => {
                self.memory.missed(&file.path)
            }
            Err(cause) => {
                let reason = cause.to_string();
                self.problem(&file.path, Complaint { line: None, server: None, reason });
                self.memory.last(&file.path)
            }
        };
        if let Some(text) = last
            && let Ok(said) = self.parse(file, &text)
        {
            self.add(file, &text, said);
        }
    }

    fn parse(&self, file: &ConfigFile, text: &str) -> Result<Said, Complaint> {
        file::parse(text, folder(&file.path), self.environment)
    }

    fn add(&mut self, file: &ConfigFile, text: &str, mut said: Said) {
        let speaks_of_servers = !said.servers.is_empty() || said.tools != Patterns::default();
        let admission =
            if speaks_of_servers { self.admission(file, text) } else { Admission::Granted };
        if admission == Admission::Granted {
            self.tools.include = said.tools.include.or(self.tools.include.take());
            self.tools.exclude = said.tools.exclude.or(self.tools.exclude.take());
        } else {
            self.distrust(file, text, &mut said);
        }
        for complaint in said.complaints {
            self.problem(&file.path, complaint);
        }
        let dirs = said.dirs.iter();
        let dirs = dirs.map(|dir| self.environment.absolute(folder(&file.path), Path::new(dir)));
        self.settings.skill_dirs.splice(..0, dirs);
        if let Some(include) = said.skills.include {
            self.settings.include = include;
        }
        if let Some(exclude) = said.skills.exclude {
            self.settings.exclude = exclude;
        }
        for entry in said.servers {
            self.server(file, entry, &admission);
        }
    }

    /// Takes the servers of a file as they are written: who does not start them need not set their
    /// variables. Nor do its filters count, which could bring back tools that the user has hidden.
    fn distrust(&mut self, file: &ConfigFile, text: &str, said: &mut Said) {
        self.settings.untrusted.push(file.path.clone());
        let written = file::parse_as_written(text, folder(&file.path), self.environment);
        let written = written.unwrap_or_default();
        said.servers = written.servers;
        said.complaints.retain(|it| it.server.is_none());
        said.complaints.extend(written.complaints.into_iter().filter(|it| it.server.is_some()));
    }

    /// Whether the servers of a file with this very text may start.
    fn admission(&mut self, file: &ConfigFile, text: &str) -> Admission {
        if file.scope != Scope::Project || self.trust == ProjectTrust::Given {
            return Admission::Granted;
        }
        if self.record.is_none() {
            let (record, problem) = TrustRecord::read(self.environment);
            self.settings.problems.extend(problem);
            self.record = Some(record);
        }
        if self.record.as_ref().is_some_and(|record| record.holds(&file.path, text)) {
            return Admission::Granted;
        }
        Admission::Untrusted(format!("run `metier trust` in {}", folder(&file.path).display()))
    }

    /// Lets an entry take the place of an earlier one of its name, unless that one may start and
    /// nobody has vouched for this one.
    fn server(&mut self, file: &ConfigFile, entry: Entry, admission: &Admission) {
        let known = self.servers.get(&entry.name).map(|it| &it.spec.admission);
        if known == Some(&Admission::Granted) && *admission != Admission::Granted {
            return self.put_off(file, &entry);
        }
        let (source, scope) = (file.path.clone(), file.scope);
        match entry.meaning {
            Meaning::Server(spec) => {
                let mut spec = *spec;
                if let (Endpoint::Stdio(program), Scope::Project) = (&mut spec.endpoint, scope) {
                    // What was trusted must not mean another program in another folder.
                    program.cwd.get_or_insert_with(|| folder(&file.path).to_owned());
                }
                if spec.admission == Admission::Granted {
                    spec.admission = admission.clone();
                }
                self.servers.insert(entry.name, Configured { spec, source, scope });
            }
            Meaning::Off => {
                if let Some(known) = self.servers.get_mut(&entry.name) {
                    known.spec.admission = Admission::Disabled;
                    (known.source, known.scope) = (source, scope);
                }
            }
            Meaning::Broken => {
                self.servers.remove(&entry.name);
            }
        }
    }

    /// Says that an entry waits for trust; what is wrong with a broken one was said already.
    fn put_off(&mut self, file: &ConfigFile, entry: &Entry) {
        if entry.meaning != Meaning::Broken {
            let server = Some(entry.name.to_string());
            let reason = "counts once the file is trusted: run `metier trust`".to_owned();
            self.problem(&file.path, Complaint { line: None, server, reason });
        }
    }

    fn problem(&mut self, path: &Path, complaint: Complaint) {
        self.settings.problems.push(ConfigProblem { path: path.to_owned(), complaint });
    }

    fn done(self) -> Settings {
        let (include, exclude) = (self.tools.include, self.tools.exclude);
        let tools = ToolFilter::new(&include.unwrap_or_default(), &exclude.unwrap_or_default());
        Settings {
            servers: self.servers.into_values().collect(),
            // Each pattern was checked when its file was read.
            tools: tools.unwrap_or_default(),
            ..self.settings
        }
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// The user's file of ours.
pub(crate) fn own_file(environment: &Environment) -> Option<PathBuf> {
    environment.standard().map(|it| it.config.join(OWN_FILE))
}

/// The files that count without being named, lowest precedence first.
pub(crate) fn standard_files(environment: &Environment) -> Vec<ConfigFile> {
    let mut files = Vec::new();
    files.extend(environment.home.as_ref().map(|home| home.join(".kode.json")));
    let standard = environment.standard();
    files.extend(standard.as_ref().map(|it| it.config.join(OWN_FILE)));
    let mut files: Vec<_> =
        files.into_iter().map(|path| ConfigFile { path, scope: Scope::User }).collect();
    for dir in standard.iter().flat_map(|it| it.project.iter().rev()) {
        let of_project = PROJECT_FILES.iter().map(|name| dir.join(name));
        files.extend(of_project.map(|path| ConfigFile { path, scope: Scope::Project }));
    }
    files
}
