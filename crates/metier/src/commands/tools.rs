//! `metier tools`: the tools of all servers, with what they take.

mod cost;

use metier_upstreams::{Roster, ServerName, ToolEntry, ToolRegistry};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    args::ListTools,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    hub::{Known, settled},
    schema::{Schema, outline},
    ui::{Ui, columns, counted, cut, one_line, pad},
};

/// Longer ids and outlines than these do not push what follows further to the right.
const WIDEST: [usize; 2] = [40, 30];

#[derive(Serialize)]
struct ToolsJson<'a> {
    tools: Vec<ToolJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolJson<'a> {
    id: &'a str,
    wire_name: &'a str,
    server: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<&'a RawValue>,
}

pub(crate) fn run(args: &ListTools, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let known = Known::read(&args.reach, environment)?.only(&args.servers)?;
    known.warn(ui)?;
    known.run(ui, Exit::Interrupted.into(), async |upstreams, ui| {
        let roster = settled(upstreams, None, ui).await?;
        let exit = known.tell_absent(&roster, &args.servers, ui)?;
        if args.cost {
            cost::show(&roster, &args.format, ui)?;
            return Ok(exit);
        }
        let words = args.search.as_deref().filter(|it| !it.trim().is_empty());
        let found = found(roster.tools(), words);
        let limit = args.limit.map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX));
        let shown = &found[..found.len().min(limit)];
        if args.format.json {
            ui.json(&ToolsJson { tools: shown.iter().copied().map(ToolJson::from).collect() })?;
        } else {
            print(args, shown, ui)?;
            print_summary(&roster, shown.len(), found.len(), ui)?;
        }
        Ok(exit)
    })
}

/// The tools that some words are about, best first; all of them, in their order, without words.
fn found<'a>(tools: &'a ToolRegistry, words: Option<&str>) -> Vec<&'a ToolEntry> {
    match words {
        Some(words) => tools.search(words, usize::MAX).into_iter().map(|it| it.entry).collect(),
        None => tools.entries().iter().map(AsRef::as_ref).collect(),
    }
}

impl<'a> From<&'a ToolEntry> for ToolJson<'a> {
    fn from(entry: &'a ToolEntry) -> ToolJson<'a> {
        let tool = &entry.tool;
        ToolJson {
            id: &entry.id,
            wire_name: &entry.wire_name,
            server: entry.server.as_str(),
            name: &tool.name,
            title: tool.title().map(Into::into),
            description: tool.description().map(Into::into),
            input_schema: tool.input_schema(),
        }
    }
}

/// By server if they come in their usual order, else best first.
fn print(args: &ListTools, shown: &[&ToolEntry], ui: &mut Ui<'_>) -> Result<(), Failure> {
    let outlines: Vec<String> = shown
        .iter()
        .map(|entry| outline(&Schema::of(&entry.tool).parameters()))
        .map(|outline| one_line(&outline).into_owned())
        .collect();
    let ids = shown.iter().map(|entry| columns(&one_line(&entry.id))).max().unwrap_or(0);
    let widths = [ids, outlines.iter().map(|it| columns(it)).max().unwrap_or(0)];
    let widest = ui.width.map_or(WIDEST, |columns| [columns / 2, columns / 4]);
    let widths = [0, 1].map(|at| widths[at].min(WIDEST[at]).min(widest[at]));
    let mut group = None;
    for (entry, outline) in shown.iter().zip(&outlines) {
        if args.search.is_none() && group != Some(&entry.server) {
            print_heading(entry, shown, group, ui)?;
            group = Some(&entry.server);
        }
        print_row(entry, outline, widths, ui)?;
        if args.schema {
            print_schema(entry, ui)?;
        }
    }
    Ok(())
}

fn print_heading(
    first: &ToolEntry,
    shown: &[&ToolEntry],
    before: Option<&ServerName>,
    ui: &mut Ui<'_>,
) -> Result<(), Failure> {
    let (heading, dim) = (ui.style.heading, ui.style.dim);
    let n_tools = shown.iter().filter(|it| it.server == first.server).count();
    if before.is_some() {
        ui.line("")?;
    }
    Ok(ui.line(format!("{heading}{}{heading:#} {dim}({n_tools}){dim:#}", first.server))?)
}

fn print_row(
    entry: &ToolEntry,
    outline: &str,
    widths: [usize; 2],
    ui: &mut Ui<'_>,
) -> Result<(), Failure> {
    let (name, dim) = (ui.style.name, ui.style.dim);
    let id = pad(&one_line(&entry.id), widths[0]);
    let room = ui.width.map_or(usize::MAX, |width| width.saturating_sub(columns(&id) + 6).max(20));
    let outline = pad(&cut(outline, widths[1]), widths[1]);
    let room = room.saturating_sub(columns(&outline)).max(20);
    let description = entry.tool.description().unwrap_or_default();
    let first_line = description.trim().lines().next().unwrap_or_default();
    let first_line = one_line(first_line);
    let line = format!("  {name}{id}{name:#}  {dim}{outline}{dim:#}  {}", cut(&first_line, room));
    Ok(ui.line(line.trim_end())?)
}

fn print_schema(entry: &ToolEntry, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let schema = serde_json::to_string_pretty(&Schema::of(&entry.tool).0)?;
    for line in schema.lines() {
        ui.verbatim(&format!("      {line}\n"))?;
    }
    Ok(())
}

fn print_summary(
    roster: &Roster,
    n_shown: usize,
    n_found: usize,
    ui: &mut Ui<'_>,
) -> Result<(), Failure> {
    let n_tools = roster.tools().entries().len();
    match n_found {
        0 if n_tools > 0 => return Ok(ui.note("no tool matches")?),
        0 if roster.servers().len() == 0 => {
            ui.note("no servers are configured")?;
            return Ok(ui.note("hint: `metier add` adds one")?);
        }
        0 => return Ok(ui.note("no tools")?),
        _ => ui.note("")?,
    }
    let cut = if n_shown < n_found { format!("{n_shown} of ") } else { String::new() };
    Ok(ui.dim_note(&format!("{cut}{}", counted(n_found, "tool")))?)
}
