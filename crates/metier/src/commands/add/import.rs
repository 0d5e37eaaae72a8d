//! `metier add --from`: copies what another client has into our own file.

use std::{collections::BTreeSet, process::ExitCode};

use metier_upstreams::ServerName;
use serde_json::{Map, Value};

use super::{
    DoneJson, EditJson, Target,
    clients::{Found, places, servers},
    translate::translated,
};
use crate::{
    args::{Add, Client},
    config::{
        Scope,
        edit::{Existing, added, names},
        servers::complaint,
    },
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::text as shown,
    similar::similar,
    ui::{Ui, one_line},
    view::quoted,
};

/// What becomes of one server.
enum Step {
    Add(Map<String, Value>),
    Replace(Map<String, Value>),
    Skip(String),
}

pub(super) fn run(
    client: Client,
    args: &Add,
    environment: &Environment,
    target: &Target,
    ui: &mut Ui<'_>,
) -> Outcome {
    let (mut found, looked) = found(client, environment, ui)?;
    if !args.project {
        // What goes into the user's file is the user's own before it is anyone else's.
        found.sort_by_key(|it| it.place.scope == Scope::Project);
    }
    check_names(args, &found, &looked)?;
    let known = names(&target.text).map_err(|error| target.refused(&error))?;
    let (mut text, mut seen, mut done) = (target.text.clone(), BTreeSet::new(), Vec::new());
    let mut strangers = Vec::new();
    for found in found.iter().filter(|it| args.names.is_empty() || args.names.contains(&it.name)) {
        let step = match seen.contains(&found.name) {
            true => Step::Skip("another of that name comes first".to_owned()),
            false => step(client, args, found, &known, environment),
        };
        let (action, reason) = match step {
            Step::Skip(reason) => ("skipped", Some(reason)),
            Step::Add(entry) => {
                text = put(&text, found, entry, target)?;
                ("added", None)
            }
            Step::Replace(entry) => {
                text = put(&text, found, entry, target)?;
                ("replaced", None)
            }
        };
        seen.insert(found.name.clone());
        if reason.is_none() && found.place.scope == Scope::Project {
            strangers.push(found);
        }
        let source = Some(shown(&found.place.path));
        done.push(DoneJson { name: found.name.clone(), action, source, reason });
    }
    let changed = text != target.text;
    if changed && !args.dry_run {
        target.write(&text)?;
    }
    tell(args, target, done, ui)?;
    warn_of_strangers(args, &strangers, ui)?;
    if changed && args.project && !args.dry_run && !args.format.json {
        ui.note("hint: `metier trust` lets its servers start")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says which servers were written by the project's authors and are the user's own from now on.
fn warn_of_strangers(args: &Add, strangers: &[&Found], ui: &mut Ui<'_>) -> Result<(), Failure> {
    for Found { name, place, .. } in strangers.iter().filter(|_| !args.project) {
        let path = place.path.display();
        ui.warn(&format!(
            "`{name}` comes from the project's file `{path}`: the copy starts without `metier trust`"
        ))?;
    }
    Ok(())
}

fn put(
    text: &str,
    found: &Found,
    entry: Map<String, Value>,
    target: &Target,
) -> Result<String, Failure> {
    added(text, &found.name, &Value::Object(entry), Existing::Replace)
        .map_err(|error| target.refused(&error))
}

/// Every server of the client, and the files that were looked at.
fn found(
    client: Client,
    environment: &Environment,
    ui: &mut Ui<'_>,
) -> Result<(Vec<Found>, BTreeSet<String>), Failure> {
    let standard = environment.standard().ok_or_else(|| {
        Failure::new(Exit::Failed, "your home folder is not known")
            .hinted("say where it is with --user-dir")
    })?;
    let (mut found, mut looked) = (Vec::new(), BTreeSet::new());
    for place in places(client, &standard, environment) {
        let is_new = looked.insert(shown(&place.path));
        match servers(&place) {
            Ok(servers) => found.extend(servers),
            Err(reason) if is_new => {
                ui.warn(&format!("`{}`: {reason}", place.path.display()))?;
            }
            Err(_) => {}
        }
    }
    Ok((found, looked))
}

/// Each server that was named must be there; without names there must be some.
fn check_names(args: &Add, found: &[Found], looked: &BTreeSet<String>) -> Result<(), Failure> {
    let known: Vec<String> = found.iter().map(|it| it.name.clone()).collect();
    if let Some(name) = args.names.iter().find(|name| !known.contains(name)) {
        let failure = Failure::new(Exit::NotFound, format!("that client has no server `{name}`"));
        return Err(match similar(name, &known).as_slice() {
            [] => failure.hinted(format!("looked in {}", files(looked))),
            some => failure.hinted(format!("did you mean {}?", quoted(some.iter().copied(), "or"))),
        });
    }
    if found.is_empty() {
        return Err(Failure::new(Exit::NotFound, "that client has no servers")
            .hinted(format!("looked in {}", files(looked))));
    }
    Ok(())
}

fn files(looked: &BTreeSet<String>) -> String {
    quoted(looked.iter().map(String::as_str), "and")
}

/// What to do with one server.
fn step(
    client: Client,
    args: &Add,
    found: &Found,
    known: &[String],
    environment: &Environment,
) -> Step {
    let Found { name, entry, place } = found;
    // What a checkout brings along must not become trusted by the way.
    if place.scope == Scope::Project && !args.project && !args.names.contains(name) {
        return Step::Skip("it comes with the project: name it to copy it".to_owned());
    }
    if let Err(error) = ServerName::new(name) {
        return Step::Skip(error.to_string());
    }
    let home = environment.home.clone().unwrap_or_default();
    let entry = match translated(client, entry, place, &home) {
        Ok(entry) => entry,
        Err(reason) => return Step::Skip(reason),
    };
    if let Some(reason) = complaint(name, &Value::Object(entry.clone())) {
        return Step::Skip(reason);
    }
    match (known.contains(name), args.force) {
        (false, _) => Step::Add(entry),
        (true, true) => Step::Replace(entry),
        (true, false) => Step::Skip("it is there already: --force replaces it".to_owned()),
    }
}

fn tell(args: &Add, target: &Target, done: Vec<DoneJson>, ui: &mut Ui<'_>) -> Result<(), Failure> {
    if args.format.json {
        let path = shown(&target.path);
        return ui.json(&EditJson { path, dry_run: args.dry_run, servers: done });
    }
    let (look, dim) = (ui.style.name, ui.style.dim);
    for DoneJson { name, action, source, reason } in &done {
        let word = match (*action, args.dry_run) {
            ("added", true) => "would add",
            ("replaced", true) => "would replace",
            (word, _) => word,
        };
        let source = source.as_deref().unwrap_or_default();
        let reason = reason.as_deref().map(|it| format!(": {it}")).unwrap_or_default();
        ui.line(format!(
            "{word} {look}{}{look:#} {dim}from {}{dim:#}{}",
            one_line(name),
            one_line(source),
            one_line(&reason)
        ))?;
    }
    let n_written = done.iter().filter(|it| it.reason.is_none()).count();
    let to = target.path.display();
    Ok(ui.note(match (n_written, args.dry_run) {
        (0, _) => "nothing was written".to_owned(),
        (_, true) => format!("would write {n_written} to {to}"),
        (_, false) => format!("wrote {n_written} to {to}"),
    })?)
}
