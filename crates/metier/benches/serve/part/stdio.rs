//! Calls over stdin and stdout.

use std::io;

use super::{loads, progress};
use crate::{
    plan::Plan,
    race::{Lane, Load},
    request::{Call, Era},
    server::{Channel, Contender},
    shelf::Shelf,
    table::Table,
};

/// How many requests are in flight.
const WINDOWS: [usize; 3] = [1, 16, 64];

pub(super) fn tables(plan: &Plan) -> io::Result<Vec<Table>> {
    let mut tables = Vec::new();
    for &n_skills in plan.sizes {
        let shelf = Shelf::make(n_skills)?;
        for channel in [Channel::Pipes, Channel::Sockets] {
            let over = match channel {
                Channel::Pipes => "pipes",
                Channel::Sockets => "socketpairs, as Node makes them",
            };
            let title = format!("stdio over {over}, {n_skills} skills");
            progress(&title);
            let mut lanes =
                Lane::all(&Contender::STDIO, &shelf, |it| Lane::stdio(it, &shelf, channel))?;
            tables.push(loads(title, &mut lanes, &shelf, &cases(), plan)?);
        }
    }
    Ok(tables)
}

fn cases() -> Vec<(String, Load)> {
    let of = |call: Call| WINDOWS.map(|width| Load { call, era: Era::Session, width });
    let label = |load: Load| (format!("{}, {} in flight", load.call.label(), load.width), load);
    Call::ALL.into_iter().flat_map(of).map(label).collect()
}
