//! `metier remove`: takes a server out of our own configuration file.

use std::process::ExitCode;

use metier_skills::read_text;

use super::add::{DoneJson, EditJson, Target, report};
use crate::{
    args::Remove,
    config::{
        edit::{EditError, names, removed},
        standard_files,
    },
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::text as shown,
    similar::similar,
    ui::{Ui, cut},
    view::quoted,
};

pub(crate) fn run(args: &Remove, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let environment = environment.at_home(args.user_dir.as_deref());
    let target = Target::open(args.scope(), &environment)?;
    let text = removed(&target.text, &args.name).map_err(|error| match error {
        EditError::Missing(name) => missing(&name, &target, &environment),
        other => target.refused(&other),
    })?;
    target.write(&text)?;
    target.keep_trust(&text, &environment, ui)?;
    if args.format.json {
        let name = args.name.clone();
        let done = DoneJson { name, action: "removed", source: None, reason: None };
        let path = shown(&target.path);
        ui.json(&EditJson { path, dry_run: false, servers: vec![done] })?;
    } else {
        report("removed", &args.name, &target.path, ui)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says where the server is, or which one was meant.
fn missing(name: &str, target: &Target, environment: &Environment) -> Failure {
    let path = target.path.display();
    let failure =
        Failure::new(Exit::NotFound, format!("no server `{}` in `{path}`", cut(name, 64)));
    let others = standard_files(environment).into_iter().filter(|it| it.path != target.path);
    let mut elsewhere = others.rev().filter_map(|file| {
        let known = names(&read_text(&file.path).ok()?).ok()?;
        known.iter().any(|it| it == name).then_some(file.path)
    });
    if let Some(file) = elsewhere.next() {
        let hint = match file == environment.working_dir.join(crate::config::PROJECT_FILE) {
            true => format!("it is in `{}`: remove it with --project", file.display()),
            false => format!("it is in `{}`: edit that file", file.display()),
        };
        return failure.hinted(hint);
    }
    let known = names(&target.text).unwrap_or_default();
    match similar(name, &known).as_slice() {
        [] => failure.hinted("`metier servers` lists them"),
        some => failure.hinted(format!("did you mean {}?", quoted(some.iter().copied(), "or"))),
    }
}
