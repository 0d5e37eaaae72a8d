//! What this program becomes when a gateway or the benchmark starts it again.

mod echo;
mod lines;
mod proxy;
mod surgery;
mod web;

use std::io;

use lines::Pace;
use proxy::Upstreams;

/// The argument that makes this program a floor instead of a benchmark.
pub(crate) const COMMAND: &str = "floor";

/// Runs what the arguments name: `echo [PORT]`, or `proxy N [PORT]` with so many servers behind it.
///
/// Without a port it speaks on stdio; there `batches N` is a proxy too.
pub(crate) fn run(args: &[String]) -> io::Result<()> {
    let port = |it: &str| it.parse().map_err(io::Error::other);
    let upstreams = |it: &str| Upstreams::start(it.parse().map_err(io::Error::other)?);
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["echo"] => echo::serve(),
        ["echo", at] => web::echo(port(at)?),
        ["proxy", n] => lines::serve(upstreams(n)?, Pace::Lines),
        ["batches", n] => lines::serve(upstreams(n)?, Pace::Batches),
        ["proxy", n, at] => web::proxy(upstreams(n)?, port(at)?),
        _ => Err(io::Error::other("there is no such floor")),
    }
}
