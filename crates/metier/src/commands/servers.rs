//! `metier servers`: connects to all servers, and says where each one stands.

mod document;
mod table;

use std::{process::ExitCode, sync::Arc, time::Duration};

use metier_upstreams::{Phase, Roster, Server, Upstreams};
use tokio::time::{MissedTickBehavior, interval};

use self::{document::ServersJson, table::Row};
use crate::{
    args::ListServers,
    config::Edits,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    hub::{Known, is_ready, settled, told},
    ui::{Ui, counted, one_line},
};

/// How often the ages of a table that is followed change.
const TICK: Duration = Duration::from_secs(1);

/// How much is said of each server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Glance,
    /// Also where it comes from, what it calls itself, and what it wrote to its stderr.
    Everything,
}

pub(crate) fn run(args: &ListServers, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let (known, edits) = Known::follow(&args.reach, environment)?;
    let known = known.only(&args.names)?;
    if !args.format.json {
        for problem in known.problems_of_files() {
            ui.warn(&told(problem))?;
        }
    }
    if known.servers.is_empty() && known.broken().next().is_none() && !args.format.json {
        ui.note("no servers are configured")?;
        ui.note(
            "hint: `metier add` adds one, `metier add --from CLIENT` copies those of a client",
        )?;
        return Ok(exit(&known, &Roster::default()));
    }
    if args.watch {
        return known.run(ui, ExitCode::SUCCESS, async |upstreams, ui| {
            follow(args, known.clone(), edits, upstreams, ui).await
        });
    }
    known.run(ui, Exit::Interrupted.into(), async |upstreams, ui| {
        let roster = settled(upstreams, args.timeout, ui).await?;
        if args.format.json {
            ui.json(&ServersJson::new(&known, &roster))?;
        } else {
            print(args, &known, &roster, ui)?;
        }
        Ok(exit(&known, &roster))
    })
}

/// Whether every server that may start is ready.
fn exit(known: &Known, roster: &Roster) -> ExitCode {
    let is_fine = |server: &Arc<Server>| {
        let phase = &server.standing.phase;
        is_ready(server) || matches!(phase, Phase::Untrusted { .. } | Phase::Disabled)
    };
    if known.problems.is_empty() && roster.servers().all(is_fine) {
        ExitCode::SUCCESS
    } else {
        Exit::Failed.into()
    }
}

fn depth(args: &ListServers) -> Depth {
    if args.verbose || args.names.len() == 1 { Depth::Everything } else { Depth::Glance }
}

fn print(
    args: &ListServers,
    known: &Known,
    roster: &Roster,
    ui: &mut Ui<'_>,
) -> Result<(), Failure> {
    for line in table::lines(&rows(args, known, roster), ui.style, ui.width) {
        ui.line(line)?;
    }
    ui.note("")?;
    Ok(ui.dim_note(&summary(known, roster))?)
}

fn rows(args: &ListServers, known: &Known, roster: &Roster) -> Vec<Row> {
    let n_tools = |server: &Server| roster.tools().of(server.name()).count();
    let servers = roster.servers().map(|it| Row::new(it, n_tools(it)));
    let broken = known.broken().map(|(name, problem)| Row::broken(name, told(problem)));
    let mut rows: Vec<Row> = servers.chain(broken).collect();
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    if !args.watch {
        // Nobody stays who would try again.
        rows.iter_mut().for_each(|row| row.next_in = None);
    }
    if depth(args) == Depth::Everything {
        for row in &mut rows {
            let server = roster.servers().find(|it| it.name().as_str() == row.name);
            let source = known.servers.iter().find(|it| it.spec.name.as_str() == row.name);
            if let (Some(server), Some(configured)) = (server, source) {
                row.tell_everything(server, &configured.source);
            }
        }
    }
    rows
}

fn summary(known: &Known, roster: &Roster) -> String {
    let n_servers = roster.servers().len() + known.broken().count();
    let n_ready = roster.servers().filter(|it| is_ready(it)).count();
    let n_tools = roster.tools().entries().len();
    let (servers, tools) = (counted(n_servers, "server"), counted(n_tools, "tool"));
    format!("{n_ready} of {servers} ready, {tools}")
}

/// Shows every change, of servers and of what is configured, until nobody wants to see any more.
async fn follow(
    args: &ListServers,
    mut known: Known,
    edits: Edits,
    upstreams: &Upstreams,
    ui: &mut Ui<'_>,
) -> Outcome {
    let mut rosters = upstreams.rosters();
    let mut editing = Box::pin(edits.next());
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let on_terminal = ui.width.is_some() && !args.format.json;
    let (mut n_drawn, mut told_before) = (0, Vec::new());
    loop {
        let roster = rosters.borrow_and_update().clone();
        if on_terminal {
            let mut lines = table::lines(&rows(args, &known, &roster), ui.style, ui.width);
            lines.extend([String::new(), summary(&known, &roster)]);
            n_drawn = ui.redraw(n_drawn, &lines)?;
        } else {
            told_before = tell_changes(args, &known, &roster, &told_before, ui)?;
        }
        tokio::select! {
            changed = rosters.changed() => if changed.is_err() { return Ok(ExitCode::SUCCESS) },
            _ = tick.tick(), if on_terminal => {}
            (settings, edits) = &mut editing => {
                editing = Box::pin(edits.next());
                known = Known::from(settings).among(&args.names);
                upstreams.follow(known.plan()).await;
            }
        }
    }
}

/// Tells what is not as it was; what was told now.
fn tell_changes(
    args: &ListServers,
    known: &Known,
    roster: &Roster,
    before: &[String],
    ui: &mut Ui<'_>,
) -> Result<Vec<String>, Failure> {
    let now: Vec<String> = rows(args, known, roster).iter().map(Row::in_words).collect();
    if args.format.json && now != before {
        ui.json_line(&ServersJson::new(known, roster))?;
    } else {
        for line in now.iter().filter(|line| !before.contains(line)) {
            ui.line(one_line(line))?;
        }
        ui.flush()?;
    }
    Ok(now)
}
