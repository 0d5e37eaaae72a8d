//! The parts of the benchmark, each of which gives its tables.

mod calls;
mod memory;
mod start;

use std::io;

use crate::{
    contender::{Contender, Field},
    plan::{Plan, QUICK, WHOLE},
    table::Table,
};

type Part = fn(&Plan, &[Field]) -> io::Result<Vec<Table>>;

const PARTS: [(&str, Part); 3] =
    [("calls", calls::tables), ("start", start::tables), ("memory", memory::tables)];

/// Runs the parts that were named, or all, and prints what they found.
#[expect(clippy::print_stdout, reason = "the tables are the result")]
pub(crate) fn run(args: &[String]) -> io::Result<()> {
    let plan = if args.iter().any(|it| it == "--quick") { &QUICK } else { &WHOLE };
    let named: Vec<&String> = args.iter().filter(|it| !it.starts_with("--")).collect();
    let fields = Field::all();
    for (name, part) in PARTS {
        if named.is_empty() || named.iter().any(|it| *it == name) {
            part(plan, &fields)?.iter().for_each(|it| println!("{it}"));
        }
    }
    Ok(())
}

/// Says on stderr what is being measured.
#[expect(clippy::print_stderr, reason = "a long run should show that it goes on")]
fn progress(what: &str) {
    eprintln!("measuring {what}");
}

/// What was found, unless a peer cannot be measured: that is said, and the others go on.
fn unless_peer<T>(contender: &Contender, found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if contender.is_peer() => {
            progress(&format!("goes on without {error}"));
            Ok(None)
        }
        found => found.map(Some),
    }
}
