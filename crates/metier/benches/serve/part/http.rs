//! Calls over HTTP with keep-alive.

use std::io;

use super::{loads, progress};
use crate::{
    plan::Plan,
    race::{Lane, Load},
    request::{Call, Era},
    server::Contender,
    shelf::Shelf,
    table::Table,
};

/// How many connections are open, with one request in flight on each.
const CONNECTIONS: [usize; 2] = [1, 16];

pub(super) fn tables(plan: &Plan) -> io::Result<Vec<Table>> {
    let mut tables = Vec::new();
    for &n_skills in plan.sizes {
        let shelf = Shelf::make(n_skills)?;
        let mut lanes = Lane::all(&Contender::HTTP, &shelf, |it| Lane::http(it, &shelf, 16))?;
        for era in [Era::Session, Era::Stateless] {
            let kind = match era {
                Era::Session => "in a session",
                Era::Stateless => "stateless",
            };
            let title = format!("HTTP {}, {kind}, {n_skills} skills", era.revision());
            progress(&title);
            tables.push(loads(title, &mut lanes, &shelf, &cases(era), plan)?);
        }
    }
    Ok(tables)
}

fn cases(era: Era) -> Vec<(String, Load)> {
    let of = |call: Call| CONNECTIONS.map(|width| Load { call, era, width });
    let label = |load: Load| (format!("{}, {} open", load.call.label(), load.width), load);
    Call::ALL.into_iter().flat_map(of).map(label).collect()
}
