//! `metier enable` and `metier disable`: a skill's file is renamed, nothing else.

use std::{fs, path::PathBuf, process::ExitCode, ptr, sync::Arc};

use metier_skills::{Bodies, Catalog, DISABLED_FILE, Entry, Lookup, Pattern, SKILL_FILE, Skill};
use serde::Serialize;

use crate::{
    args::Switch,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::text,
    ui::{Ui, one_line},
    view::{View, ambiguous},
};

/// Which way skills are switched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    On,
    Off,
}

/// One renaming.
struct Move {
    /// What the skill is called.
    id: String,
    name: String,
    from: PathBuf,
    to: PathBuf,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SwitchJson {
    dry_run: bool,
    skills: Vec<MoveJson>,
}

#[derive(Serialize)]
struct MoveJson {
    id: String,
    name: String,
    from: String,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(crate) fn enable(args: &Switch, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    run(Way::On, args, environment, ui)
}

pub(crate) fn disable(args: &Switch, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    run(Way::Off, args, environment, ui)
}

fn run(way: Way, args: &Switch, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let view = View::open(&args.selection, environment, Bodies::Dropped, ui)?;
    let chosen = chosen(way, args, &view)?;
    let mut done = Vec::new();
    for step in chosen.iter().map(|entry| plan(way, entry)) {
        let error = is_free(&step).and_then(|()| perform(&step, args)).err();
        if !args.format.json {
            report(way, args, &step, error.as_deref(), ui)?;
        }
        let Move { id, name, from, to } = step;
        done.push(MoveJson { id, name, from: text(&from), to: text(&to), error });
    }
    let failed = done.iter().any(|step| step.error.is_some());
    if args.format.json {
        ui.json(&SwitchJson { dry_run: args.dry_run, skills: done })?;
    } else if done.is_empty() {
        ui.note(format!("nothing to do: all of that is {} already", way.word()))?;
    } else if way == Way::Off && !failed && !args.dry_run {
        tell_heirs(&chosen, &view, ui)?;
    }
    Ok(if failed { Exit::Failed.into() } else { ExitCode::SUCCESS })
}

impl Way {
    fn word(self) -> &'static str {
        match self {
            Way::On => "enabled",
            Way::Off => "disabled",
        }
    }
}

/// Says which copies the names of disabled skills mean now.
fn tell_heirs(gone: &[&Entry], view: &View, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let skills: Vec<&Arc<Skill>> = gone.iter().map(|entry| &entry.skill).collect();
    let left = view.without(&skills);
    for id in gone.iter().filter_map(|entry| entry.id.as_deref()) {
        if let Lookup::Found(heir) = left.find(id) {
            ui.note(format!("`{id}` is now {}", text(&heir.skill.file())))?;
        }
    }
    Ok(())
}

/// The skills that the command line means, each once; those already switched are left out.
fn chosen<'a>(way: Way, args: &Switch, view: &'a View) -> Result<Vec<&'a Entry>, Failure> {
    let (from, to) = match way {
        Way::On => (&view.disabled, &view.catalog),
        Way::Off => (&view.catalog, &view.disabled),
    };
    if args.all {
        return Ok(from.entries().iter().collect());
    }
    let mut chosen: Vec<&Entry> = Vec::new();
    for name in &args.names {
        let meant = if Pattern::is_glob(name) {
            matching(name, way, from, to)?
        } else {
            named(name, way, from, to)?
        };
        for entry in meant {
            if !chosen.iter().any(|had| ptr::eq(*had, entry)) {
                chosen.push(entry);
            }
        }
    }
    Ok(chosen)
}

fn matching<'a>(
    name: &str,
    way: Way,
    from: &'a Catalog,
    to: &Catalog,
) -> Result<Vec<&'a Entry>, Failure> {
    let pattern = Pattern::new(name).map_err(|error| Failure::new(Exit::Usage, error))?;
    let is_meant = |entry: &&Entry| pattern.matches(&entry.skill);
    let found: Vec<_> = from.entries().iter().filter(is_meant).collect();
    if found.is_empty() && !to.entries().iter().any(|entry| is_meant(&entry)) {
        return Err(nothing(name, way, &[]));
    }
    Ok(found)
}

fn named<'a>(
    name: &str,
    way: Way,
    from: &'a Catalog,
    to: &Catalog,
) -> Result<Vec<&'a Entry>, Failure> {
    match from.find(name) {
        Lookup::Found(entry) => Ok(vec![entry]),
        Lookup::Ambiguous(entries) => Err(ambiguous(name, &entries)),
        Lookup::Missing { similar } => match to.find(name) {
            Lookup::Missing { .. } => Err(nothing(name, way, &similar)),
            Lookup::Found(_) | Lookup::Ambiguous(_) => Ok(Vec::new()),
        },
    }
}

fn nothing(name: &str, way: Way, similar: &[&str]) -> Failure {
    let (state, list) = match way {
        Way::On => ("disabled", "`metier list --disabled` shows them"),
        Way::Off => ("enabled", "`metier list` shows them"),
    };
    let failure = Failure::new(Exit::NotFound, format!("no {state} skill `{name}`"));
    match similar.first() {
        Some(similar) => failure.hinted(format!("did you mean `{similar}`?")),
        None => failure.hinted(list),
    }
}

fn plan(way: Way, entry: &Entry) -> Move {
    let skill = &entry.skill;
    let to = match way {
        Way::On => SKILL_FILE,
        Way::Off => DISABLED_FILE,
    };
    let name = skill.name().to_owned();
    let id = entry.id.as_deref().map_or_else(|| name.clone(), str::to_owned);
    Move { id, name, from: skill.file(), to: skill.folder.join(to) }
}

/// Whether renaming would lose no file.
fn is_free(step: &Move) -> Result<(), String> {
    match step.to.symlink_metadata() {
        Ok(_) => Err(format!("`{}` is there already; remove one of the two", step.to.display())),
        Err(_) => Ok(()),
    }
}

fn perform(step: &Move, args: &Switch) -> Result<(), String> {
    if args.dry_run {
        return Ok(());
    }
    fs::rename(&step.from, &step.to)
        .map_err(|error| format!("`{}` cannot be renamed: {}", step.from.display(), error.kind()))
}

fn report(
    way: Way,
    args: &Switch,
    step: &Move,
    error: Option<&str>,
    ui: &mut Ui<'_>,
) -> Result<(), Failure> {
    if let Some(error) = error {
        ui.failure(&Failure::new(Exit::Failed, error));
        return Ok(());
    }
    let word = match (args.dry_run, way) {
        (false, way) => way.word(),
        (true, Way::On) => "would enable",
        (true, Way::Off) => "would disable",
    };
    let (name, dim) = (ui.style.name, ui.style.dim);
    let (skill, path) = (one_line(&step.id), text(&step.from));
    Ok(ui.line(format!("{word} {name}{skill}{name:#} {dim}{}{dim:#}", one_line(&path)))?)
}
