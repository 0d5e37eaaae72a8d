//! `metier enable` and `metier disable`: a skill's file is renamed, nothing else.

use std::{fs, path::PathBuf, process::ExitCode, sync::Arc};

use metier_skills::{Bodies, DISABLED_FILE, Pattern, SKILL_FILE, Skill};
use serde::Serialize;

use crate::{
    args::Switch,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::text,
    ui::{Ui, one_line},
    view::View,
};

/// Which way skills are switched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    On,
    Off,
}

/// One renaming.
struct Move {
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
    let moves: Vec<Move> =
        chosen(way, args, &view)?.into_iter().map(|skill| plan(way, skill)).collect();
    let mut done = Vec::new();
    for step in moves {
        let error = if args.dry_run { None } else { perform(&step).err() };
        if !args.format.json {
            report(way, args, &step, error.as_deref(), ui)?;
        }
        done.push(MoveJson { name: step.name, from: text(&step.from), to: text(&step.to), error });
    }
    let failed = done.iter().any(|step| step.error.is_some());
    if args.format.json {
        ui.json(&SwitchJson { dry_run: args.dry_run, skills: done })?;
    } else if done.is_empty() {
        ui.note("nothing to do")?;
    }
    Ok(if failed { Exit::Failed.into() } else { ExitCode::SUCCESS })
}

/// The skills that the command line means, each once.
fn chosen<'a>(way: Way, args: &Switch, view: &'a View) -> Result<Vec<&'a Arc<Skill>>, Failure> {
    let candidates: Vec<&Arc<Skill>> = match way {
        Way::On => view.catalog.disabled().iter().collect(),
        Way::Off => view.catalog.entries().iter().map(|entry| &entry.skill).collect(),
    };
    if args.all {
        return Ok(candidates);
    }
    let mut chosen: Vec<&Arc<Skill>> = Vec::new();
    for name in &args.names {
        let meant = match (way, Pattern::is_glob(name)) {
            (_, true) | (Way::On, false) => matching(name, &candidates)?,
            (Way::Off, false) => vec![&view.find(name)?.skill],
        };
        if meant.is_empty() {
            return Err(nothing_to_switch(way, name, view));
        }
        chosen.extend(
            meant
                .into_iter()
                .filter(|it| !chosen.iter().any(|had| Arc::ptr_eq(had, it)))
                .collect::<Vec<_>>(),
        );
    }
    Ok(chosen)
}

fn matching<'a>(name: &str, candidates: &[&'a Arc<Skill>]) -> Result<Vec<&'a Arc<Skill>>, Failure> {
    let pattern = Pattern::new(name).map_err(|error| Failure::new(Exit::Usage, error))?;
    Ok(candidates.iter().copied().filter(|skill| pattern.matches(skill)).collect())
}

fn nothing_to_switch(way: Way, name: &str, view: &View) -> Failure {
    match (way, view.find(name)) {
        (Way::On, Ok(_)) => {
            Failure::new(Exit::NotFound, format!("skill `{name}` is enabled already"))
        }
        (Way::On, Err(_)) => Failure::new(Exit::NotFound, format!("no disabled skill `{name}`"))
            .hinted("`metier list --disabled` shows them"),
        (Way::Off, _) => Failure::new(Exit::NotFound, format!("no enabled skill matches `{name}`"))
            .hinted("`metier list` shows them"),
    }
}

fn plan(way: Way, skill: &Arc<Skill>) -> Move {
    let to = match way {
        Way::On => SKILL_FILE,
        Way::Off => DISABLED_FILE,
    };
    Move { name: skill.name().to_owned(), from: skill.file(), to: skill.folder.join(to) }
}

/// Renames, unless that would lose a file.
fn perform(step: &Move) -> Result<(), String> {
    if step.to.symlink_metadata().is_ok() {
        return Err(format!("`{}` is there already; remove one of the two", step.to.display()));
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
    let style = ui.style;
    if let Some(error) = error {
        ui.warn(error)?;
        return Ok(());
    }
    let word = match (way, args.dry_run) {
        (Way::On, false) => "enabled",
        (Way::Off, false) => "disabled",
        (Way::On, true) => "would enable",
        (Way::Off, true) => "would disable",
    };
    let (name, dim) = (style.name, style.dim);
    let (skill, path) = (one_line(&step.name), text(&step.from));
    Ok(ui.line(format!("{word} {name}{skill}{name:#} {dim}{}{dim:#}", one_line(&path)))?)
}
