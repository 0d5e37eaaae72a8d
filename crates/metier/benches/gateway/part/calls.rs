//! Calls, one at a time and many in flight.

use std::io;

use super::{progress, unless_peer};
use crate::{
    contender::{BARE, Field},
    figures::{Figures, medians, paired},
    lane::{Lane, race},
    plan::Plan,
    table::{Table, figure, times},
};

/// How many calls are in flight when there are many.
const MANY: usize = 64;

pub(super) fn tables(plan: &Plan, fields: &[Field]) -> io::Result<Vec<Table>> {
    let mut tables = Vec::new();
    for field in fields {
        for &n_upstreams in plan.sizes {
            let title = format!("{} in front, {n_upstreams} behind", field.front);
            progress(&title);
            tables.push(table(title, field, n_upstreams, plan)?);
        }
    }
    Ok(tables)
}

fn table(title: String, field: &Field, n_upstreams: usize, plan: &Plan) -> io::Result<Table> {
    let mut lanes = Vec::new();
    for contender in &field.contenders {
        lanes.extend(unless_peer(contender, Lane::start(contender, n_upstreams))?);
    }
    let one = race(&mut lanes, 1, plan)?;
    let many = race(&mut lanes, MANY, plan)?;
    let mut table = Table::new(title, head());
    for (at, lane) in lanes.iter().enumerate() {
        let mut row = vec![lane.contender.label.to_owned()];
        let mut push = |rounds: &[Vec<Figures>], of: fn(&Figures) -> f64| {
            row.push(figure(of(&medians(&rounds[at]))));
            row.push(times(paired(&rounds[at], &rounds[BARE], of)));
        };
        push(&one, |it| it.p50);
        push(&one, |it| it.server);
        push(&many, |it| it.per_second);
        push(&many, |it| it.server);
        table.push(row);
    }
    Ok(table)
}

fn head() -> Vec<String> {
    let figures = ["p50 µs".to_owned(), "CPU µs".to_owned()];
    let in_flight = [format!("calls/s, {MANY} in flight"), format!("CPU µs, {MANY} in flight")];
    let mut head = vec![String::new()];
    for name in figures.into_iter().chain(in_flight) {
        head.extend([name, "to bare".to_owned()]);
    }
    head
}
