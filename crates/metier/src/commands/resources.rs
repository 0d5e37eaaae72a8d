//! `metier resources`: the resources of all servers, and their templates.

use metier_upstreams::{Item, Offer, Roster, Server};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    args::ListResources,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    hub::{Known, settled},
    ui::{Ui, columns, cut, one_line, pad},
};

/// Longer URIs than this do not push what follows further to the right.
const WIDEST_URI: usize = 50;

#[derive(Serialize)]
struct ResourcesJson {
    resources: Vec<Map<String, Value>>,
    templates: Vec<Map<String, Value>>,
}

/// Things of one kind that one server has.
struct Group<'a> {
    heading: String,
    items: Vec<&'a Item>,
}

pub(crate) fn run(args: &ListResources, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let known = Known::read(&args.reach, environment)?.only(&args.servers)?;
    known.warn(ui)?;
    known.run(ui, Exit::Interrupted.into(), async |upstreams, ui| {
        let roster = settled(upstreams, None, ui).await?;
        let exit = known.tell_absent(&roster, &args.servers, ui)?;
        if args.format.json {
            ui.json(&ResourcesJson {
                resources: documents(&roster, |offer| &offer.resources),
                templates: documents(&roster, |offer| &offer.templates),
            })?;
        } else {
            print(&roster, ui)?;
        }
        Ok(exit)
    })
}

/// Every item as it was sent, with the server that sent it.
fn documents(
    roster: &Roster,
    items: impl Fn(&Offer) -> &Vec<std::sync::Arc<Item>>,
) -> Vec<Map<String, Value>> {
    let mut documents = Vec::new();
    for server in roster.servers() {
        for item in server.standing.offer.iter().flat_map(|offer| items(offer)) {
            let sent: Map<String, Value> = serde_json::from_str(item.raw.get()).unwrap_or_default();
            let ours = ("server".to_owned(), Value::String(server.name().to_string()));
            // What the server calls `server` must not pass for ours.
            let sent = sent.into_iter().filter(|(key, _)| key != "server");
            documents.push([ours].into_iter().chain(sent).collect());
        }
    }
    documents
}

fn groups(server: &Server) -> [Group<'_>; 2] {
    let offer = server.standing.offer.as_deref();
    let name = server.name();
    [
        Group {
            heading: name.to_string(),
            items: offer.iter().flat_map(|it| &it.resources).map(|it| &**it).collect(),
        },
        Group {
            heading: format!("{name} · templates"),
            items: offer.iter().flat_map(|it| &it.templates).map(|it| &**it).collect(),
        },
    ]
}

fn print(roster: &Roster, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let groups = roster.servers().flat_map(|it| groups(it)).filter(|it| !it.items.is_empty());
    let groups: Vec<Group<'_>> = groups.collect();
    let widest = ui.width.map_or(WIDEST_URI, |columns| WIDEST_URI.min(columns / 2));
    let uris = groups.iter().flat_map(|it| &it.items).map(|it| columns(&one_line(&it.key)));
    let width = uris.max().unwrap_or(0).min(widest);
    for (number, group) in groups.iter().enumerate() {
        if number > 0 {
            ui.line("")?;
        }
        let (heading, dim, n_items) = (ui.style.heading, ui.style.dim, group.items.len());
        ui.line(format!("{heading}{}{heading:#} {dim}({n_items}){dim:#}", group.heading))?;
        for item in &group.items {
            print_row(item, width, ui)?;
        }
    }
    if groups.is_empty() {
        ui.note("no resources")?;
    }
    Ok(())
}

fn print_row(item: &Item, width: usize, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let (name, dim) = (ui.style.name, ui.style.dim);
    let uri = pad(&one_line(&item.key), width);
    let about = [item.name(), item.description()];
    let about: Vec<String> = about.into_iter().flatten().map(|it| one_line(&it).into()).collect();
    let mime_type = item.mime_type().map(|it| format!("[{}] ", one_line(&it))).unwrap_or_default();
    let used = columns(&uri) + columns(&mime_type) + 4;
    let room = ui.width.map_or(usize::MAX, |columns| columns.saturating_sub(used).max(20));
    let about = about.join(": ");
    let line = format!("  {name}{uri}{name:#}  {dim}{mime_type}{dim:#}{}", cut(&about, room));
    Ok(ui.line(line.trim_end())?)
}
