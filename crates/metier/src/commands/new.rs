//! `metier new`: a skill that passes `validate`, ready to be written.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use metier_skills::{SKILL_FILE, is_valid_name, suggested_name};
use serde::Serialize;

use crate::{
    args::New,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::text,
    ui::Ui,
};

#[derive(Serialize)]
struct NewJson {
    name: String,
    path: String,
}

pub(crate) fn run(args: &New, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    if !is_valid_name(&args.name) {
        return Err(bad_name(&args.name));
    }
    let environment = environment.at_home(args.user_dir.as_deref());
    let folder = parent(args, &environment)?.join(&args.name);
    let path = folder.join(SKILL_FILE);
    write(&folder, &path, &skill_text(args))?;
    if args.format.json {
        ui.json(&NewJson { name: args.name.clone(), path: text(&path) })?;
    } else {
        ui.line(path.to_string_lossy())?;
        ui.note("hint: write what it does and when to use it, then run `metier validate` on it")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder that will hold the skill's own.
fn parent(args: &New, environment: &Environment) -> Result<PathBuf, Failure> {
    if let Some(dir) = &args.dir {
        return Ok(environment.absolute(&environment.working_dir, dir));
    }
    let agent = args.agent.as_deref().unwrap_or("agents");
    if !is_valid_name(agent) {
        return Err(Failure::new(Exit::Usage, format!("`{agent}` is not an agent's name"))
            .hinted("write it as in `.claude/skills`: claude, codex, gemini, …"));
    }
    let base = match (args.global, &environment.home) {
        (false, _) => &environment.working_dir,
        (true, Some(home)) => home,
        (true, None) => {
            return Err(Failure::new(Exit::Failed, "your home folder is not known")
                .hinted("say where to write with --dir"));
        }
    };
    Ok(base.join(format!(".{agent}")).join("skills"))
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
        args.name,
        quote(&description),
    )
}

/// A YAML string that every reader takes for the same text.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn write(folder: &Path, path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: &io::Error| {
        let message = format!("`{}` cannot be written: {}", path.display(), error.kind());
        Failure::new(Exit::Failed, message)
    };
    let parent = folder.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(|error| failed(&error))?;
    // Making the folder is the claim to the name: only one of two can succeed.
    fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::new(Exit::Failed, format!("`{}` exists already", folder.display()))
                .hinted("choose another name, or edit what is there")
        }
        _ => failed(&error),
    })?;
    fs::write(path, text).map_err(|error| failed(&error))
}

fn bad_name(name: &str) -> Failure {
    let failure = Failure::new(
        Exit::Usage,
        format!("`{name}` is not a skill's name: use lowercase letters, digits and single hyphens"),
    );
    match suggested_name(name) {
        Some(better) => failure.hinted(format!("try `{better}`")),
        None => failure,
    }
}
