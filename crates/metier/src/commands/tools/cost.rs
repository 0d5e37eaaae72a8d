//! `metier tools --cost`: what listing the tools costs a model.

use metier_surface::{Cost, Expose, Size};
use metier_upstreams::Roster;
use serde::Serialize;

use crate::{
    args::Format,
    failure::Failure,
    ui::{Ui, columns, one_line, pad},
};

#[derive(Serialize)]
struct CostJson {
    servers: Vec<RowJson>,
    modes: Vec<RowJson>,
}

#[derive(Serialize)]
struct RowJson {
    name: String,
    tools: usize,
    characters: usize,
    tokens: usize,
}

/// Prints it as a table, or as JSON.
pub(super) fn show(roster: &Roster, format: &Format, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let Cost { servers, modes } = Cost::of(roster);
    let servers: Vec<RowJson> =
        servers.iter().map(|(name, size)| row(name.as_str(), *size)).collect();
    let modes: Vec<RowJson> = modes.iter().map(|(mode, size)| row(word(*mode), *size)).collect();
    if format.json {
        return ui.json(&CostJson { servers, modes });
    }
    print(("server", &servers), ui)?;
    ui.line("")?;
    print(("--expose", &modes), ui)?;
    ui.note("")?;
    Ok(ui.dim_note(
        "tokens are estimated: 4 characters each; `skills` adds what loaded skills name",
    )?)
}

fn row(name: &str, Size { tools, characters }: Size) -> RowJson {
    RowJson {
        name: name.to_owned(),
        tools,
        characters,
        tokens: Size { tools, characters }.tokens(),
    }
}

fn word(mode: Expose) -> &'static str {
    match mode {
        Expose::All => "all",
        Expose::Search => "search",
        Expose::Skills => "skills",
        Expose::Auto => "auto",
    }
}

fn print((first, rows): (&str, &[RowJson]), ui: &mut Ui<'_>) -> Result<(), Failure> {
    let (name, heading) = (ui.style.name, ui.style.heading);
    let names = rows.iter().map(|it| columns(&one_line(&it.name)));
    let width = names.chain([columns(first)]).max().unwrap_or(0);
    let first = pad(first, width);
    ui.line(format!("{heading}{first}  tools  characters  tokens{heading:#}"))?;
    for row in rows {
        let RowJson { tools, characters, tokens, .. } = row;
        let shown = pad(&one_line(&row.name), width);
        ui.line(format!("{name}{shown}{name:#}  {tools:>5}  {characters:>10}  {tokens:>6}"))?;
    }
    Ok(())
}
