//! `metier trust`: shows what a project's files would start, and remembers that the user agrees.

use std::{path::PathBuf, process::ExitCode};

use metier_skills::{is_hidden, read_text};
use serde::Serialize;

use crate::{
    args::Trust,
    config::{
        Scope, TrustRecord,
        outline::{Outline, filters_tools, outlines},
        standard_files,
    },
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::text as shown,
    ui::{Ui, one_line},
};

/// A file of the project that names servers or tools.
struct Candidate {
    path: PathBuf,
    /// What it holds; this very text is trusted or not.
    text: String,
    servers: Vec<Outline>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Trusted,
    /// It was trusted, but it says something else now.
    Changed,
    Untrusted,
}

#[derive(Serialize)]
struct TrustJson {
    files: Vec<FileJson>,
}

#[derive(Serialize)]
struct FileJson {
    path: String,
    trusted: bool,
    servers: Vec<ServerJson>,
}

#[derive(Serialize)]
struct ServerJson {
    name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    command: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    /// The names of variables and headers that it gets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gets: Vec<String>,
}

/// What the user decided.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decision {
    /// There is nothing to decide.
    None,
    Yes,
    No,
    /// Nobody was there to be asked.
    Unasked,
}

pub(crate) fn run(args: &Trust, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let environment = environment.at_home(args.user_dir.as_deref());
    let (record, problem) = TrustRecord::read(&environment);
    if let Some(problem) = problem {
        ui.warn(&format!("`{}`: {problem}", problem.path.display()))?;
    }
    if args.revoke {
        return revoke(args, record, &environment, ui);
    }
    let mut candidates = candidates(&record, &environment);
    if !args.format.json {
        show(&candidates, ui)?;
    }
    let decision = match () {
        () if candidates.iter().all(|it| it.state == State::Trusted) => Decision::None,
        () if args.yes => Decision::Yes,
        () if args.format.json => Decision::Unasked,
        () => match ui.ask("trust this from now on?")? {
            Some(true) => Decision::Yes,
            Some(false) => Decision::No,
            None => Decision::Unasked,
        },
    };
    if decision == Decision::Yes {
        vouch(&mut candidates, &environment)?;
    }
    tell(args, candidates, decision, ui)
}

fn vouch(candidates: &mut [Candidate], environment: &Environment) -> Result<(), Failure> {
    let record = change(environment, |record| {
        for candidate in &*candidates {
            record.add(&candidate.path, &candidate.text);
        }
    })?;
    for candidate in candidates {
        if record.holds(&candidate.path, &candidate.text) {
            candidate.state = State::Trusted;
        }
    }
    Ok(())
}

fn candidates(record: &TrustRecord, environment: &Environment) -> Vec<Candidate> {
    let files = standard_files(environment).into_iter().filter(|it| it.scope == Scope::Project);
    let candidates = files.filter_map(|file| {
        let text = read_text(&file.path).ok()?;
        let servers = outlines(&text);
        let state = match () {
            () if record.holds(&file.path, &text) => State::Trusted,
            () if record.knows(&file.path) => State::Changed,
            () => State::Untrusted,
        };
        Some(Candidate { path: file.path, text, servers, state })
    });
    candidates.filter(|it| !it.servers.is_empty() || filters_tools(&it.text)).collect()
}

/// Shows what would be started; arguments too, since whoever agrees must see what runs.
fn show(candidates: &[Candidate], ui: &mut Ui<'_>) -> Result<(), Failure> {
    let (heading, name, dim) = (ui.style.heading, ui.style.name, ui.style.dim);
    for candidate in candidates {
        let state = match candidate.state {
            State::Trusted => "trusted",
            State::Changed => "changed since it was trusted",
            State::Untrusted => "not trusted",
        };
        let path = shown(&candidate.path);
        ui.line(format!("{heading}{}{heading:#} ({state})", one_line(&path)))?;
        if filters_tools(&candidate.text) {
            ui.line("  says which tools exist")?;
        }
        for server in &candidate.servers {
            // Both if there are both: an address must not hide a command.
            let command = words(&server.command);
            let what = [command.as_str(), server.url.as_deref().unwrap_or_default()].join(" ");
            ui.line(format!(
                "  {name}{}{name:#}  {}",
                escaped(&server.name),
                escaped(what.trim())
            ))?;
            if let Some(cwd) = &server.cwd {
                ui.line(format!("    {dim}in {}{dim:#}", escaped(cwd)))?;
            }
            if !server.gets.is_empty() {
                let gets = server.gets.join(", ");
                ui.line(format!("    {dim}with {}{dim:#}", escaped(&gets)))?;
            }
        }
    }
    Ok(())
}

/// A text as it is written: what a terminal would not show, or show elsewhere, is spelled out.
fn escaped(text: &str) -> String {
    let spelled =
        |c: char| (c.is_control() || is_hidden(c)).then(|| c.escape_default().to_string());
    text.chars().map(|c| spelled(c).unwrap_or_else(|| c.to_string())).collect()
}

/// A command line, its words told apart.
fn words(command: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_graphic() && !"'\"\\".contains(c);
    let quoted = command.iter().map(|word| {
        let plain = !word.is_empty() && word.chars().all(is_plain);
        if plain { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Says what came of it.
fn tell(args: &Trust, candidates: Vec<Candidate>, decision: Decision, ui: &mut Ui<'_>) -> Outcome {
    let note = match decision {
        Decision::None if candidates.is_empty() => {
            "nothing to trust: no file of this project names servers or tools"
        }
        Decision::None => "nothing to do: all of that is trusted already",
        Decision::Yes => "trusted until a file changes",
        Decision::No => "nothing was trusted",
        Decision::Unasked => "",
    };
    if args.format.json {
        ui.json(&TrustJson { files: candidates.into_iter().map(FileJson::from).collect() })?;
    } else if !note.is_empty() {
        ui.note(note)?;
    }
    match decision {
        Decision::None | Decision::Yes => Ok(ExitCode::SUCCESS),
        Decision::No => Ok(Exit::Failed.into()),
        Decision::Unasked => Err(Failure::new(Exit::Usage, "nobody is here to be asked")
            .hinted("`metier trust --yes` trusts what is shown")),
    }
}

fn revoke(
    args: &Trust,
    mut record: TrustRecord,
    environment: &Environment,
    ui: &mut Ui<'_>,
) -> Outcome {
    let mut files = standard_files(environment);
    files.retain(|it| it.scope == Scope::Project && record.knows(&it.path));
    let forgotten = files.len();
    if forgotten > 0 {
        record = change(environment, |record| {
            for file in &files {
                record.forget(&file.path);
            }
        })?;
    }
    if args.format.json {
        let files = candidates(&record, environment).into_iter().map(FileJson::from).collect();
        ui.json(&TrustJson { files })?;
    } else if forgotten > 0 {
        ui.note("this project's files are trusted no more")?;
    } else {
        ui.note("nothing to do: no file of this project is trusted")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn change(
    environment: &Environment,
    change: impl FnOnce(&mut TrustRecord),
) -> Result<TrustRecord, Failure> {
    TrustRecord::change(environment, change).map_err(|(path, error)| {
        let message = format!("`{}` cannot be written: {}", path.display(), error.kind());
        Failure::new(Exit::Failed, message).hinted("--trust-project trusts them for one command")
    })
}

impl From<Candidate> for FileJson {
    fn from(candidate: Candidate) -> FileJson {
        FileJson {
            path: shown(&candidate.path),
            trusted: candidate.state == State::Trusted,
            servers: candidate.servers.into_iter().map(ServerJson::from).collect(),
        }
    }
}

impl From<Outline> for ServerJson {
    fn from(outline: Outline) -> ServerJson {
        let Outline { name, command, url, cwd, gets } = outline;
        ServerJson { name, command, url, cwd, gets }
    }
}
