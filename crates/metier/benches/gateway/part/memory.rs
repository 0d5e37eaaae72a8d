//! Resident memory after a load.

use std::io;

use super::{progress, unless_peer};
use crate::{
    contender::{Contender, Field},
    lane::Lane,
    plan::Plan,
    process::settle,
    table::{Table, figure},
};

/// What is in flight while the gateway is loaded.
const WIDTH: usize = 64;

pub(super) fn tables(plan: &Plan, fields: &[Field]) -> io::Result<Vec<Table>> {
    let mut tables = Vec::new();
    for Field { front, contenders } in fields {
        let title = format!("resident after {WIDTH} in flight, {front} in front");
        let mut table = Table::new(title, head(plan));
        for contender in contenders {
            progress(&format!("memory of {} on {front}", contender.label));
            let sizes = plan.sizes.iter();
            let used = sizes.map(|&it| unless_peer(contender, resident(contender, it, plan)));
            let used: Vec<Option<[u64; 2]>> = used.collect::<io::Result<_>>()?;
            table.push(row(contender, &used, plan));
        }
        tables.push(table);
    }
    Ok(tables)
}

fn head(plan: &Plan) -> Vec<String> {
    let of = |it: &usize| [format!("{it} behind, MB"), "with them".to_owned()];
    let mut head = vec![String::new()];
    head.extend(plan.sizes.iter().flat_map(of));
    head.push("KB for one more".to_owned());
    head
}

fn row(contender: &Contender, used: &[Option<[u64; 2]>], plan: &Plan) -> Vec<String> {
    let mb = |kb: u64| figure(kb as f64 / 1024.0);
    let cells =
        |it: &Option<[u64; 2]>| it.map_or(["–", "–"].map(str::to_owned), |it| it.map(mb));
    let mut row = vec![contender.label.to_owned()];
    row.extend(used.iter().flat_map(cells));
    let [first, .., last] = plan.sizes else { return row };
    row.push(match used {
        [Some([few, _]), .., Some([many, _])] => {
            figure((*many as f64 - *few as f64) / (last - first) as f64)
        }
        _ => "–".to_owned(),
    });
    row
}

/// Kilobytes of a gateway alone, and with all behind it.
fn resident(
    contender: &'static Contender,
    n_upstreams: usize,
    plan: &Plan,
) -> io::Result<[u64; 2]> {
    let mut lane = Lane::start(contender, n_upstreams)?;
    let mut deck = lane.deck();
    lane.prepare(WIDTH)?;
    lane.turn(&mut deck, WIDTH, plan.warm_up)?;
    settle(lane.server.pid())?;
    lane.server.resident()
}
