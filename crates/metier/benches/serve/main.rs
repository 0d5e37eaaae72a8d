//! What a call, a start and a session of `metier mcp` cost beside the least that answers the same,
//! in one run.
//!
//! `cargo bench -p metier --bench serve -- [--quick] [PART…]` with the parts `stdio`, `http`,
//! `start`, `memory`, `sessions` and `published`; all of them unless some are named. The floors are this very
//! program, started again: a bare loop (on HTTP a bare axum handler) and a server made of rmcp.
//! All stay up together and take turns, round by round. A figure is the median over the rounds, and
//! so is a ratio: turns that follow each other share the weather of the machine.
//!
//! Figures of a process come from `/proc`, so this runs on Linux alone.

#![expect(clippy::unwrap_used, reason = "without its files a benchmark has nothing to measure")]

mod connection;
#[path = "../../../metier-skills/benches/corpus/mod.rs"]
mod corpus;
mod deck;
mod figures;
mod floor;
mod lines;
mod part;
mod plan;
mod process;
mod race;
mod reply;
mod request;
mod response;
mod server;
mod shelf;
mod table;
mod web;

use std::{env, io};

fn main() -> io::Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.split_first() {
        Some((first, rest)) if first == floor::COMMAND => floor::run(rest),
        _ => part::run(&args),
    }
}
