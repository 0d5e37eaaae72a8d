//! Resident memory after the start and after a load.

use std::io;

use super::progress;
use crate::{
    plan::Plan,
    process::{Memory, settle},
    race::Lane,
    request::{Call, Era},
    server::{Channel, Contender},
    shelf::Shelf,
    table::{Table, figure, times},
};

/// What is in flight while the server is loaded.
const WIDTH: usize = 16;
/// How many turns the load lasts, for each kind of call.
const TURNS: u32 = 40;

pub(super) fn tables(plan: &Plan) -> io::Result<Vec<Table>> {
    let head =
        ["", "", "resident MB", "peak MB", "anonymous MB", "resident/bare", "anonymous/bare"];
    let mut table = Table::new("memory".to_owned(), &head);
    for n_skills in plan.extremes() {
        let shelf = Shelf::make(n_skills)?;
        for transport in ["stdio", "HTTP"] {
            progress(&format!("memory on {transport} with {n_skills} skills"));
            let start = |it| match transport {
                "stdio" => Lane::stdio(it, &shelf, Channel::Pipes),
                _ => Lane::http(it, &shelf, WIDTH),
            };
            let lanes = Lane::all(&Contender::STDIO, &shelf, start)?.into_iter();
            let used = lanes.map(|it| occupied(it, &shelf, plan));
            let used: Vec<[Memory; 2]> = used.collect::<io::Result<_>>()?;
            for (at, when) in ["after start", "after load"].into_iter().enumerate() {
                let label = format!("{n_skills} skills, {transport}, {when}");
                rows(&mut table, &label, &used.iter().map(|it| it[at]).collect::<Vec<_>>());
            }
        }
    }
    Ok(vec![table])
}

fn rows(table: &mut Table, label: &str, used: &[Memory]) {
    let mb = |kb: u64| figure(kb as f64 / 1024.0);
    let bare = used[1];
    for (at, it) in used.iter().enumerate() {
        table.push(vec![
            if at == 0 { label.to_owned() } else { String::new() },
            Contender::STDIO[at].label().to_owned(),
            mb(it.resident),
            mb(it.peak),
            mb(it.anonymous),
            times(it.resident as f64 / bare.resident as f64),
            times(it.anonymous as f64 / bare.anonymous as f64),
        ]);
    }
}

/// Memory before and after a load.
fn occupied(mut lane: Lane, shelf: &Shelf, plan: &Plan) -> io::Result<[Memory; 2]> {
    let pid = lane.server.pid();
    settle(pid)?;
    let before = Memory::of(pid)?;
    for call in Call::ALL {
        let mut deck = lane.deck(call, Era::Session, &shelf.names);
        lane.turn(&mut deck, WIDTH, plan.turn * TURNS)?;
    }
    settle(pid)?;
    Ok([before, Memory::of(pid)?])
}
