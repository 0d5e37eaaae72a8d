//! `metier call`: one tool, once.

mod arguments;
mod check;
mod listener;
mod result;

use std::{io, process::ExitCode};

use metier_upstreams::{Roster, ToolEntry};
use serde_json::value::RawValue;
use tokio::sync::mpsc::Receiver;

use self::{
    arguments::Given,
    listener::{Heard, listener},
    result::Answer,
};
use crate::{
    args::Call,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    hub::{Known, Waiting, absence, failure, settled},
    schema::{Schema, usage},
    similar::similar,
    ui::{Ui, cut},
    view::quoted,
};

pub(crate) fn run(args: &Call, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    // Before anything is started: whoever writes to our stdin may take long.
    let given = Given::read(&args.arguments, || io::read_to_string(io::stdin()))?;
    let known = Known::read(&args.reach, environment)?;
    let names = candidates(&args.tool, &known)?;
    let known = known.only(&names)?.within(args.timeout);
    known.warn(ui)?;
    let (listener, news) = listener();
    known.run_for(listener.clone(), ui, Exit::Interrupted.into(), async |upstreams, ui| {
        let roster = settled(upstreams, None, ui).await?;
        let entry = find(&args.tool, &known, &roster, ui)?;
        let schema = Schema::of(&entry.tool);
        let arguments = given.typed(&schema);
        check::check(entry, &schema, &arguments, ui).await?;
        listener.listen_to(&entry.server);
        let calling = upstreams.call(&entry.id, Some(&arguments), listener);
        let result = watch(entry, calling, news, ui).await?;
        let result = result.map_err(|error| failure(&error, &known))?;
        tell(args, entry, &result, ui)
    })
}

/// The servers that may have the tool: nothing else is started.
fn candidates(tool: &str, known: &Known) -> Result<Vec<String>, Failure> {
    if let Some((server, _)) = tool.split_once(':') {
        known.expect(server)?;
        return Ok(vec![server.to_owned()]);
    }
    let names = known.servers.iter().map(|it| it.spec.name.to_string());
    let has_wire_name = |name: &String| {
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        tool.starts_with(&format!("{}__", name.chars().map(safe).collect::<String>()))
    };
    // Without any, all are asked, so that the one that was meant can be named.
    Ok(names.filter(has_wire_name).collect())
}

fn find<'a>(
    tool: &str,
    known: &Known,
    roster: &'a Roster,
    ui: &mut Ui<'_>,
) -> Result<&'a ToolEntry, Failure> {
    if let Some(entry) = roster.tools().get(tool) {
        return Ok(entry);
    }
    let mut servers = roster.servers();
    match (servers.next(), servers.next()) {
        (Some(only), None) => {
            if let Some(failure) = absence(only, known) {
                return Err(failure);
            }
        }
        _ => {
            known.tell_absent(roster, &[], ui)?;
        }
    }
    let ids: Vec<String> = roster.tools().entries().iter().map(|it| it.id.to_string()).collect();
    let hint = match similar(tool, &ids).as_slice() {
        [] => match tool.split_once(':') {
            Some((server, _)) => format!("`metier tools {server}` lists them"),
            None => "`metier tools` lists them".to_owned(),
        },
        some => format!("did you mean {}?", quoted(some.iter().copied(), "or")),
    };
    Err(Failure::new(Exit::NotFound, format!("no tool `{}`", cut(tool, 128))).hinted(hint))
}

/// A mistake in the arguments, with what the tool takes.
fn taking(failure: Failure, entry: &ToolEntry, schema: &Schema) -> Failure {
    match usage(&schema.parameters()) {
        nothing if nothing.is_empty() => {
            failure.hinted(format!("`{}` names no arguments", entry.id))
        }
        usage => failure.hinted(format!("`{}` takes {usage}", entry.id)),
    }
}

/// Waits for a call, and shows what is heard meanwhile.
async fn watch<T>(
    entry: &ToolEntry,
    calling: impl Future<Output = T>,
    mut news: Receiver<Heard>,
    ui: &mut Ui<'_>,
) -> io::Result<T> {
    let mut calling = std::pin::pin!(calling);
    let mut waiting = Waiting::new(format!("calling `{}`", entry.id));
    let mut is_told = false;
    let result = loop {
        tokio::select! {
            biased;
            Some(heard) = news.recv() => {
                // Who tells how far it is gives a better sign of life than we could.
                is_told |= heard.is_progress();
                heard.show(ui)?;
            }
            result = &mut calling => break result,
            () = waiting.tick(ui), if !is_told => waiting.show(ui)?,
        }
    };
    while let Ok(heard) = news.try_recv() {
        heard.show(ui)?;
    }
    if ui.watched {
        ui.status("")?;
    }
    Ok(result)
}

fn tell(args: &Call, entry: &ToolEntry, result: &RawValue, ui: &mut Ui<'_>) -> Outcome {
    let answer = Answer::read(result);
    if args.json {
        ui.json(&result)?;
    } else {
        answer.print(ui)?;
    }
    if answer.is_error {
        return Err(Failure::new(
            Exit::ToolError,
            format!("tool `{}` answered with an error", entry.id),
        ));
    }
    Ok(ExitCode::SUCCESS)
}
