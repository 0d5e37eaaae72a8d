//! The parts of the benchmark, each of which gives its tables.

mod http;
mod memory;
mod published;
mod sessions;
mod start;
mod stdio;

use std::io;

use crate::{
    figures::{medians, paired},
    plan::{Plan, QUICK, WHOLE},
    race::{Lane, Load, race},
    shelf::Shelf,
    table::{Table, figure, times},
};

type Part = fn(&Plan) -> io::Result<Vec<Table>>;

const PARTS: [(&str, Part); 6] = [
    ("stdio", stdio::tables),
    ("http", http::tables),
    ("start", start::tables),
    ("memory", memory::tables),
    ("sessions", sessions::tables),
    ("published", published::tables),
];

/// Runs the parts that were named, or all, and prints what they found.
#[expect(clippy::print_stdout, reason = "the tables are the result")]
pub(crate) fn run(args: &[String]) -> io::Result<()> {
    let plan = if args.iter().any(|it| it == "--quick") { &QUICK } else { &WHOLE };
    let named: Vec<&String> = args.iter().filter(|it| !it.starts_with("--")).collect();
    for (name, part) in PARTS {
        if named.is_empty() || named.iter().any(|it| *it == name) {
            part(plan)?.iter().for_each(|it| println!("{it}"));
        }
    }
    Ok(())
}

/// Says on stderr what is being measured.
#[expect(clippy::print_stderr, reason = "a long run should show that it goes on")]
fn progress(what: &str) {
    eprintln!("measuring {what}");
}

const LOAD_HEAD: [&str; 11] = [
    "",
    "",
    "calls/s",
    "cpu µs",
    "p50 µs",
    "p99 µs",
    "KB",
    "driver µs",
    "cpu/bare",
    "p50/bare",
    "calls/bare",
];

/// One table of loads, all lanes under each.
fn loads(
    title: String,
    lanes: &mut [Lane],
    shelf: &Shelf,
    loads: &[(String, Load)],
    plan: &Plan,
) -> io::Result<Table> {
    let mut table = Table::new(title, &LOAD_HEAD);
    for (label, load) in loads {
        let turns = race(lanes, shelf, *load, plan)?;
        for (at, turns_of_one) in turns.iter().enumerate() {
            let it = medians(turns_of_one);
            let to_bare = |figure| times(paired(turns_of_one, &turns[1], figure));
            table.push(vec![
                if at == 0 { label.clone() } else { String::new() },
                lanes[at].contender.label().to_owned(),
                figure(it.per_second),
                figure(it.server),
                figure(it.p50),
                figure(it.p99),
                figure(it.bytes / 1024.0),
                figure(it.driver),
                to_bare(|it| it.server),
                to_bare(|it| it.p50),
                to_bare(|it| it.per_second),
            ]);
        }
    }
    Ok(table)
}
