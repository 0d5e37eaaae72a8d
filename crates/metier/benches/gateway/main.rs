//! What a call costs through a gateway beside the least that forwards it, and beside other gateways,
//! in one run.
//!
//! `taskset -c 0 cargo bench -p metier --bench gateway -- [--quick] [PART…]` with the parts `calls`,
//! `start` and `memory`; all of them unless some are named. Behind each gateway stand 1, 5 and 20
//! servers with one tool each, which gives back the text it is sent; in front is one client, on stdio
//! or in a session over HTTP. The servers and the bare proxy are this very program, started again.
//! All gateways stay up together and take turns, round by round. A figure is the median over the
//! rounds, and so is a ratio: turns that follow each other share the weather of the machine.
//!
//! Client, gateway and servers share one core. So a call takes as long as the work in it, nothing runs
//! beside the gateway that it would have to do itself elsewhere, and no core must first be woken up,
//! which on a virtual machine takes longer than the call. Processor time is that of the gateway alone.
//!
//! Other gateways are looked for in the folder that `METIER_PEERS` names (an absolute path); who is
//! not there does not take part. These commands put them there:
//!
//! ```sh
//! cargo install --root $METIER_PEERS/cargo mcp-aggregator mcp-hub mcp-proxy
//! npm install --prefix $METIER_PEERS/npm mcp-hub
//! python3 -m venv $METIER_PEERS/py && $METIER_PEERS/py/bin/pip install fastmcp
//! python3 -m venv $METIER_PEERS/py-proxy && $METIER_PEERS/py-proxy/bin/pip install mcp-proxy 'mcp<2'
//! ```
//!
//! Figures of a process come from `/proc`, so this runs on Linux alone.

#![expect(clippy::unwrap_used, reason = "without its servers a benchmark has nothing to measure")]

#[expect(dead_code, reason = "the other benchmark also leaves streams open")]
#[path = "../serve/connection.rs"]
mod connection;
mod contender;
#[path = "../serve/deck.rs"]
mod deck;
mod door;
#[path = "../serve/figures.rs"]
mod figures;
mod floor;
mod lane;
#[path = "../serve/lines.rs"]
mod lines;
mod link;
mod part;
mod peers;
mod plan;
#[expect(dead_code, reason = "the other benchmark looks at memory more closely")]
#[path = "../serve/process.rs"]
mod process;
#[path = "../serve/reply.rs"]
mod reply;
mod request;
#[path = "../serve/response.rs"]
mod response;
mod server;
mod sse;
mod stage;
mod table;

use std::{env, io};

fn main() -> io::Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.split_first() {
        Some((first, rest)) if first == floor::COMMAND => floor::run(rest),
        _ => part::run(&args),
    }
}
