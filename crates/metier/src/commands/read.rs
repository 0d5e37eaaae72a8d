//! `metier read`: one resource, from the server that has it.

use std::{path::Path, process::ExitCode, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use metier_upstreams::{Item, Roster, ServerName, Upstreams};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    args::Read,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    files::replace_bytes,
    hub::{Known, absence, awaited, failure, settled},
    similar::similar,
    ui::{Ui, cut},
    view::quoted,
};

/// What a server answers to `resources/read`.
#[derive(Deserialize)]
struct Contents {
    #[serde(default)]
    contents: Vec<Content>,
}

#[derive(Deserialize)]
struct Content {
    text: Option<String>,
    blob: Option<String>,
}

/// One part of a resource.
enum Part {
    Text(String),
    Bytes(Vec<u8>),
}

pub(crate) fn run(args: &Read, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let named: Vec<String> = args.server.iter().cloned().collect();
    let known = Known::read(&args.reach, environment)?;
    named.iter().try_for_each(|name| known.expect(name))?;
    let known = known.only(&named)?;
    known.warn(ui)?;
    let output = args.output.as_deref();
    let output = output.map(|it| environment.absolute(&environment.working_dir, it));
    known.run(ui, Exit::Interrupted.into(), async |upstreams, ui| {
        let roster = settled(upstreams, None, ui).await?;
        let server = owner(args, &known, &roster, ui)?;
        let result = read(&server, &args.uri, upstreams, &known, ui).await?;
        if args.json {
            ui.json(&result)?;
        } else {
            hand_out(&args.uri, &parts(&result, &server)?, output.as_deref(), ui)?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

async fn read(
    server: &ServerName,
    uri: &str,
    upstreams: &Upstreams,
    known: &Known,
    ui: &mut Ui<'_>,
) -> Result<Box<RawValue>, Failure> {
    let reading = upstreams.read(server, uri, Arc::new(()));
    let result = awaited(format!("reading `{uri}`"), reading, ui).await?;
    result.map_err(|error| failure(&error, known))
}

/// The server to ask.
fn owner(
    args: &Read,
    known: &Known,
    roster: &Roster,
    ui: &mut Ui<'_>,
) -> Result<ServerName, Failure> {
    if let (Some(_), Some(server)) = (&args.server, roster.servers().next()) {
        return absence(server, known).map_or_else(|| Ok(server.name().clone()), Err);
    }
    let resources = roster.resources();
    let listed = resources.entries().iter().filter(|it| *it.item.key == *args.uri);
    let mut owners: Vec<&ServerName> = listed.map(|it| &it.server).collect();
    if owners.is_empty() {
        let fitting = resources.templates().iter().filter(|it| it.fits(&args.uri));
        owners = fitting.map(|it| &it.server).collect();
        // A server may have several; they come by server.
        owners.dedup();
    }
    match owners.as_slice() {
        [only] => Ok((*only).clone()),
        [] => {
            known.tell_absent(roster, &[], ui)?;
            Err(missing(&args.uri, roster))
        }
        several => {
            let names = quoted(several.iter().map(|it| it.as_str()), "and");
            let message = format!("`{}` is ambiguous: {names} have it", cut(&args.uri, 200));
            Err(Failure::new(Exit::NotFound, message).hinted("choose one with --server"))
        }
    }
}

fn missing(uri: &str, roster: &Roster) -> Failure {
    let offers = roster.servers().filter_map(|it| it.standing.offer.as_ref());
    let items = offers.flat_map(|it| it.resources.iter().chain(&it.templates));
    let uris: Vec<String> = items.map(|it: &Arc<Item>| it.key.to_string()).collect();
    let hint = match similar(uri, &uris).as_slice() {
        [] => "`metier resources` lists them; --server asks a server that does not list it".into(),
        some => format!("did you mean {}?", quoted(some.iter().copied(), "or")),
    };
    Failure::new(Exit::NotFound, format!("no server has `{}`", cut(uri, 200))).hinted(hint)
}

/// What a result holds.
fn parts(result: &RawValue, server: &ServerName) -> Result<Vec<Part>, Failure> {
    let garbled = |what: &str| {
        Failure::new(Exit::Failed, format!("server `{server}` answered with {what}"))
            .hinted("--json shows its answer as it is")
    };
    let contents: Contents =
        serde_json::from_str(result.get()).map_err(|_| garbled("something that is no resource"))?;
    let parts = contents.contents.into_iter().map(|content| match content {
        Content { text: Some(text), .. } => Ok(Part::Text(text)),
        Content { blob: Some(blob), .. } => {
            STANDARD.decode(blob.trim()).map(Part::Bytes).map_err(|_| garbled("broken base64"))
        }
        Content { text: None, blob: None } => Ok(Part::Text(String::new())),
    });
    parts.collect()
}

/// Writes the parts one after another, to the file or to stdout.
fn hand_out(
    uri: &str,
    parts: &[Part],
    output: Option<&Path>,
    ui: &mut Ui<'_>,
) -> Result<(), Failure> {
    if let Some(path) = output {
        let bytes: Vec<u8> = parts.iter().flat_map(Part::bytes).copied().collect();
        return replace_bytes(path, &bytes).map_err(|error| {
            let message = format!("`{}` cannot be written: {error}", path.display());
            Failure::new(Exit::Failed, message).hinted("choose another file with --output")
        });
    }
    let on_terminal = ui.width.is_some();
    for part in parts {
        match part {
            Part::Text(text) => {
                ui.verbatim(text)?;
                if on_terminal && !text.ends_with('\n') {
                    ui.line("")?;
                }
            }
            Part::Bytes(bytes) if on_terminal => {
                let message = format!("`{}` is no text", cut(uri, 200));
                let hint = format!("--output FILE writes its {} bytes to a file", bytes.len());
                return Err(Failure::new(Exit::Failed, message).hinted(hint));
            }
            Part::Bytes(bytes) => ui.bytes(bytes)?,
        }
    }
    Ok(())
}

impl Part {
    fn bytes(&self) -> &[u8] {
        match self {
            Part::Text(text) => text.as_bytes(),
            Part::Bytes(bytes) => bytes,
        }
    }
}
