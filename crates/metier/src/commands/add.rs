//! `metier add`: writes a server into our own configuration file, and leaves the rest of it alone.

mod clients;
mod import;
mod translate;

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process::ExitCode,
};

use metier_skills::{Cause, read_text};
use metier_upstreams::ServerName;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    args::{Add, Remote},
    config::{
        PROJECT_FILE, Scope, TrustRecord,
        edit::{EditError, Existing, added},
        own_file,
        servers::{complaint, is_header, is_ourselves, mended},
    },
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    files,
    json::text as shown,
    ui::{Ui, one_line},
};

/// What `add` and `remove` did to one file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditJson {
    pub(crate) path: String,
    pub(crate) dry_run: bool,
    pub(crate) servers: Vec<DoneJson>,
}

#[derive(Serialize)]
pub(crate) struct DoneJson {
    pub(crate) name: String,
    pub(crate) action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

pub(crate) fn run(args: &Add, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let environment = environment.at_home(args.user_dir.as_deref());
    let target = Target::open(args.scope(), &environment)?;
    if let Some(client) = args.from {
        return import::run(client, args, &environment, &target, ui);
    }
    let (name, entry) = entry(args, &environment)?;
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let text = added(&target.text, name, &entry, existing);
    let text = text.map_err(|error| target.refused(&error))?;
    if !args.dry_run {
        target.write(&text)?;
        target.keep_trust(&text, &environment, ui)?;
    }
    if args.format.json {
        let done = DoneJson { name: name.to_owned(), action: "added", source: None, reason: None };
        let path = shown(&target.path);
        ui.json(&EditJson { path, dry_run: args.dry_run, servers: vec![done] })?;
    } else {
        let word = if args.dry_run { "would add" } else { "added" };
        report(word, name, &target.path, ui)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says what was done with one server.
pub(crate) fn report(word: &str, name: &str, path: &Path, ui: &mut Ui<'_>) -> io::Result<()> {
    let (look, dim) = (ui.style.name, ui.style.dim);
    let path = shown(path);
    ui.line(format!("{word} {look}{}{look:#} {dim}{}{dim:#}", one_line(name), one_line(&path)))
}

/// The name and the entry that the command line describes.
fn entry<'a>(args: &'a Add, environment: &Environment) -> Result<(&'a str, Value), Failure> {
    let usage = |message: &str| {
        Failure::new(Exit::Usage, message)
            .hinted("`metier add NAME -- COMMAND`, or `metier add NAME URL`")
    };
    let (name, url) = match (args.names.as_slice(), args.command.is_empty()) {
        ([name], false) => (name, None),
        ([name, url], true) => (name, Some(url)),
        ([_], true) => return Err(usage("neither a command nor a URL was given")),
        ([_, ..], false) => return Err(usage("a command needs one name before the `--`")),
        _ => return Err(usage("one name and one URL are needed")),
    };
    check_name(name)?;
    let entry = match url {
        Some(url) => remote(url, args)?,
        None => local(args, environment)?,
    };
    let entry = Value::Object(entry);
    match complaint(name, &entry) {
        None => Ok((name, entry)),
        Some(reason) => Err(usage(&reason)),
    }
}

fn check_name(name: &str) -> Result<(), Failure> {
    ServerName::new(name).map(drop).map_err(|error| {
        let failure = Failure::new(Exit::Usage, error);
        match mended(name) {
            Some(better) => failure.hinted(format!("try `{better}`")),
            None => failure,
        }
    })
}

fn local(args: &Add, environment: &Environment) -> Result<Map<String, Value>, Failure> {
    let [command, rest @ ..] = args.command.as_slice() else { return Ok(Map::new()) };
    if is_ourselves(command, rest) {
        return Err(Failure::new(Exit::Usage, "metier cannot be a server of its own")
            .hinted("its skills are there without that"));
    }
    let mut entry = Map::from_iter([("command".to_owned(), json!(command))]);
    if !rest.is_empty() {
        entry.insert("args".to_owned(), json!(rest));
    }
    let mut env = Map::new();
    for pair in &args.env {
        // The value may be a secret, so a wrong pair is not repeated.
        let (name, value) =
            pair.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
                Failure::new(Exit::Usage, "a value of --env has no `=`")
                    .hinted("write --env NAME=VALUE")
            })?;
        env.insert(name.to_owned(), json!(value));
    }
    if !env.is_empty() {
        entry.insert("env".to_owned(), Value::Object(env));
    }
    if let Some(cwd) = &args.cwd {
        let cwd = environment.absolute(&environment.working_dir, cwd);
        entry.insert("cwd".to_owned(), json!(shown(&cwd)));
    }
    Ok(entry)
}

fn remote(url: &str, args: &Add) -> Result<Map<String, Value>, Failure> {
    let mut entry = Map::new();
    if let Some(transport) = args.transport {
        let word = match transport {
            Remote::Http => "http",
            Remote::Sse => "sse",
        };
        entry.insert("type".to_owned(), json!(word));
    }
    entry.insert("url".to_owned(), json!(url));
    let mut headers = Map::new();
    for header in &args.header {
        let pair = header.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        let (name, value) =
            pair.filter(|(name, value)| is_header(name, value)).ok_or_else(|| {
                Failure::new(Exit::Usage, "a value of --header is no header")
                    .hinted("write --header 'NAME: VALUE'")
            })?;
        headers.insert(name.to_owned(), json!(value));
    }
    if !headers.is_empty() {
        entry.insert("headers".to_owned(), Value::Object(headers));
    }
    Ok(entry)
}

/// The file that is edited.
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    /// What it holds; nothing if it is not there.
    pub(crate) text: String,
    scope: Scope,
    is_new: bool,
    /// Held until the edit is done: two at a time would undo each other.
    _lock: Option<files::Lock>,
}

impl Target {
    /// Our own file: the user's, or that of the project in the working directory.
    pub(crate) fn open(scope: Scope, environment: &Environment) -> Result<Target, Failure> {
        let standard = environment.standard();
        let path = match scope {
            Scope::Project if standard.is_some_and(|it| it.project.is_empty()) => {
                return Err(Failure::new(Exit::Usage, "your home folder is no project")
                    .hinted("leave out --project"));
            }
            Scope::Project => environment.working_dir.join(PROJECT_FILE),
            Scope::User | Scope::Named => own_file(environment).ok_or_else(|| {
                Failure::new(Exit::Failed, "your home folder is not known")
                    .hinted("say where it is with --user-dir")
            })?,
        };
        let lock = files::lock(&path);
        let (text, is_new) = match read_text(&path) {
            Ok(text) => (text, false),
            Err(Cause::Unreadable(ErrorKind::NotFound)) => (String::new(), true),
            Err(cause) => {
                let message = format!("`{}`: {cause}", path.display());
                return Err(Failure::new(Exit::Failed, message).hinted("nothing was written"));
            }
        };
        Ok(Target { path, text, scope, is_new, _lock: lock })
    }

    /// Replaces what the file holds.
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        files::replace(&self.path, text).map_err(|error| {
            let message = format!("`{}` cannot be written: {}", self.path.display(), error.kind());
            Failure::new(Exit::Failed, message).hinted("check who may write there")
        })
    }

    /// Lets a project's file that was trusted stay so: the user made this very change.
    pub(crate) fn keep_trust(
        &self,
        text: &str,
        environment: &Environment,
        ui: &mut Ui<'_>,
    ) -> Result<(), Failure> {
        if self.scope != Scope::Project {
            return Ok(());
        }
        let (record, _) = TrustRecord::read(environment);
        let was_trusted = self.is_new || record.holds(&self.path, &self.text);
        if was_trusted
            && TrustRecord::change(environment, |record| record.add(&self.path, text)).is_ok()
        {
            return Ok(());
        }
        Ok(ui.note("hint: `metier trust` lets its servers start")?)
    }

    /// Why the file was left as it is.
    pub(crate) fn refused(&self, error: &EditError) -> Failure {
        let failure = Failure::new(Exit::Failed, format!("`{}`: {error}", self.path.display()));
        failure.hinted(match error {
            EditError::Exists(_) => "--force replaces it",
            EditError::Missing(_) => "`metier servers` lists them",
            EditError::NotJson { .. } | EditError::NotAnObject(_) => {
                "mend the file; nothing was written"
            }
        })
    }
}
