//! From the start of a process until all tools are listed.

use std::io;

use super::{progress, unless_peer};
use crate::{
    contender::{BARE, Contender, Field},
    figures::{median, millis, paired},
    lane::Lane,
    plan::Plan,
    table::{Table, figure, times},
};

pub(super) fn tables(plan: &Plan, fields: &[Field]) -> io::Result<Vec<Table>> {
    let mut tables = Vec::new();
    for Field { front, contenders } in fields {
        let mut columns = Vec::new();
        for &n_upstreams in plan.sizes {
            progress(&format!("starts, {front} in front, {n_upstreams} behind"));
            columns.push(starts(contenders, n_upstreams, plan)?);
        }
        let title =
            format!("start to all tools listed, {front} in front, median of {}", plan.starts);
        let mut table = Table::new(title, head(plan));
        for (at, contender) in contenders.iter().enumerate() {
            let mut row = vec![contender.label.to_owned()];
            for times_of_all in &columns {
                row.extend(cells(&times_of_all[at], &times_of_all[BARE]));
            }
            table.push(row);
        }
        tables.push(table);
    }
    Ok(tables)
}

fn head(plan: &Plan) -> Vec<String> {
    let columns =
        plan.sizes.iter().flat_map(|it| [format!("{it} behind, ms"), "to bare".to_owned()]);
    [String::new()].into_iter().chain(columns).collect()
}

fn cells(starts: &[f64], bare: &[f64]) -> [String; 2] {
    if starts.is_empty() {
        return ["–".to_owned(), "–".to_owned()];
    }
    [figure(median(starts.iter().copied())), times(paired(starts, bare, |it| *it))]
}

/// Milliseconds of all starts, for each contender.
fn starts(
    contenders: &[&'static Contender],
    n_upstreams: usize,
    plan: &Plan,
) -> io::Result<Vec<Vec<f64>>> {
    let mut starts = vec![Vec::new(); contenders.len()];
    for _ in 0..plan.starts {
        for (contender, starts) in contenders.iter().zip(&mut starts) {
            let lane = unless_peer(contender, Lane::start(contender, n_upstreams))?;
            starts.extend(lane.map(|it| millis(it.listed)));
        }
    }
    Ok(starts)
}
