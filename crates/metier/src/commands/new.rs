//! `metier new`: a skill that passes `validate`, ready to be written.

use std::{
    ffi::OsStr,
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use metier_skills::{Level, SKILL_FILE, is_valid_name, is_walked, suggested_name, validate};
use serde::Serialize;

use crate::{
    args::New,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::text,
    ui::Ui,
};

#[derive(Serialize)]
struct NewJson<'a> {
    name: &'a str,
    path: String,
}

pub(crate) fn run(args: &New, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let name = &args.name;
    if !is_valid_name(name) {
        return Err(bad_name(name));
    }
    if !is_walked(OsStr::new(name)) {
        let message = format!("`{name}` is a folder that agents skip");
        return Err(Failure::new(Exit::Usage, message).hinted(format!("try `{name}-skill`")));
    }
    let content = skill_text(args);
    let findings = validate(name, SKILL_FILE, content.as_bytes());
    if let Some(error) = findings.into_iter().find(|it| it.level == Level::Error) {
        return Err(Failure::new(Exit::Usage, error.message).hinted(error.fix));
    }
    let environment = environment.at_home(args.user_dir.as_deref());
    let folder = parent(args, &environment)?.join(name);
    write(&folder, &content)?;
    let path = folder.join(SKILL_FILE);
    if args.format.json {
        ui.json(&NewJson { name, path: text(&path) })?;
    } else {
        ui.path(&path)?;
        ui.note("hint: write what it does and when to use it, then run `metier validate` on it")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder that will hold the skill's own.
fn parent(args: &New, environment: &Environment) -> Result<PathBuf, Failure> {
    if let Some(dir) = &args.dir {
        return Ok(environment.absolute(&environment.working_dir, dir));
    }
    let agent = args.agent.as_deref().unwrap_or("agents").to_lowercase();
    let standard = environment.standard().ok_or_else(|| {
        Failure::new(Exit::Failed, "your home folder is not known")
            .hinted("say where to write with --dir")
    })?;
    if !args.global && standard.project.is_empty() {
        return Err(Failure::new(Exit::Usage, "your home folder is no project")
            .hinted("write it for all your projects with --global, or say where with --dir"));
    }
    let folder =
        if args.global { standard.global_folder(&agent) } else { standard.project_folder(&agent) };
    folder.ok_or_else(|| {
        Failure::new(Exit::Usage, format!("`{agent}` is not an agent's name"))
            .hinted("write it as in `.claude/skills`: claude, codex, gemini, …")
    })
}

fn skill_text(args: &New) -> String {
    let description = args.description.as_deref().unwrap_or(
        "Says in one sentence what this skill does. Use when a task needs exactly that.",
    );
    let description: String = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = args.name.replace('-', " ");
    format!(
        "---\nname: {}\ndescription: {}\n---\n\n# {title}\n\n\
         Write here what an agent must know to do this well: steps, rules, examples.\n\
         Longer material belongs in files beside this one.\n",
        quote_if_odd(&args.name),
        quote(&description),
    )
}

/// A name that no YAML reader takes for a number, a boolean or nothing stands for itself.
fn quote_if_odd(name: &str) -> String {
    let is_word = name.contains('-') && name.starts_with(char::is_alphabetic);
    if is_word { name.to_owned() } else { quote(name) }
}

/// A YAML string that every reader takes for the same text.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Writes the skill beside its place and moves it there: it is whole, or it is not there.
fn write(folder: &Path, content: &str) -> Result<(), Failure> {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Err(Failure::new(Exit::Usage, "there is no such place"));
    };
    if folder.symlink_metadata().is_ok() {
        return Err(exists(folder));
    }
    let draft = parent.join(format!(".{}.{}", name.to_string_lossy(), process::id()));
    let written = fs::create_dir_all(parent)
        .and_then(|()| fs::create_dir(&draft))
        .and_then(|()| fs::write(draft.join(SKILL_FILE), content))
        .and_then(|()| fs::rename(&draft, folder));
    written.map_err(|error| {
        let _ = fs::remove_dir_all(&draft);
        match error.kind() {
            ErrorKind::DirectoryNotEmpty => exists(folder),
            _ => unwritable(folder, &error),
        }
    })
}

fn exists(folder: &Path) -> Failure {
    Failure::new(Exit::Failed, format!("`{}` exists already", folder.display()))
        .hinted("choose another name, or edit what is there")
}

fn unwritable(folder: &Path, error: &io::Error) -> Failure {
    Failure::new(
        Exit::Failed,
        format!("`{}` cannot be written: {}", folder.display(), error.kind()),
    )
    .hinted("say where to write with --dir")
}

fn bad_name(name: &str) -> Failure {
    let rule = "use 1 to 64 lowercase letters, digits and single hyphens";
    let failure = Failure::new(Exit::Usage, format!("`{name}` is not a skill's name: {rule}"));
    match suggested_name(name) {
        Some(better) => failure.hinted(format!("try `{better}`")),
        None => failure,
    }
}
