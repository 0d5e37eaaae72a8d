//! From the start of a process to its first list.

use std::{io, time::Instant};

use super::progress;
use crate::{
    figures::{median, millis, paired},
    plan::Plan,
    process::cpu,
    race::Lane,
    request::{Call, Era, deck},
    server::{Channel, Contender, Server},
    shelf::Shelf,
    table::{Table, figure, times},
};

/// One start, in milliseconds.
struct Start {
    /// Until `initialize` was answered.
    greeted: f64,
    /// Until the first list was there.
    listed: f64,
    /// Processor time until then.
    cpu: f64,
}

pub(super) fn tables(plan: &Plan) -> io::Result<Vec<Table>> {
    let head = ["", "", "initialize ms", "first list ms", "cpu ms", "list/bare", "cpu/bare"];
    let title = format!("start, files in the page cache, median of {}", plan.starts);
    let mut table = Table::new(title, &head);
    for n_skills in plan.extremes() {
        progress(&format!("starts with {n_skills} skills"));
        let starts = starts(&Shelf::make(n_skills)?, plan)?;
        for (at, it) in starts.iter().enumerate() {
            let of = |time: fn(&Start) -> f64| figure(median(it.iter().map(time)));
            table.push(vec![
                if at == 0 { format!("{n_skills} skills") } else { String::new() },
                Contender::STDIO[at].label().to_owned(),
                of(|it| it.greeted),
                of(|it| it.listed),
                of(|it| it.cpu),
                times(paired(it, &starts[1], |it| it.listed)),
                times(paired(it, &starts[1], |it| it.cpu)),
            ]);
        }
    }
    Ok(vec![table])
}

/// All starts of each contender.
fn starts(shelf: &Shelf, plan: &Plan) -> io::Result<Vec<Vec<Start>>> {
    drop(Lane::all(&Contender::STDIO, shelf, |it| Lane::stdio(it, shelf, Channel::Pipes))?);
    let mut starts: Vec<Vec<Start>> = Contender::STDIO.map(|_| Vec::new()).into();
    for _ in 0..plan.starts {
        for (contender, starts) in Contender::STDIO.into_iter().zip(&mut starts) {
            starts.push(start(contender, shelf)?);
        }
    }
    Ok(starts)
}

fn start(contender: Contender, shelf: &Shelf) -> io::Result<Start> {
    let mut list = deck(Call::List, Era::Session, &[], |body| body.into());
    let began = Instant::now();
    let (server, mut lines) = Server::stdio(contender, shelf, Channel::Pipes)?;
    lines.initialize()?;
    let greeted = millis(began.elapsed());
    lines.ask(list.deal().1)?;
    let listed = millis(began.elapsed());
    Ok(Start { greeted, listed, cpu: millis(cpu(server.pid())?) })
}
