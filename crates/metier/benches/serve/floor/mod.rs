//! The floors: servers that do the least, each another way.

mod bare;
mod skills;
mod typed;
mod web;

use std::io;

use skills::Skills;
use tokio::runtime::Builder;

/// The argument that makes this program a floor instead of a benchmark.
pub(crate) const COMMAND: &str = "floor";

/// Runs the floor that the arguments name: contender, transport, folder of skills, file of the list.
pub(crate) fn run(args: &[String]) -> io::Result<()> {
    let [contender, transport, root, list] = args else {
        return Err(io::Error::other("a floor takes four arguments"));
    };
    let skills = Skills::read(root.as_ref(), list.as_ref())?;
    match (&**contender, &**transport) {
        ("bare", "stdio") => bare::serve(&skills),
        ("bare", _) => web::serve_bare(skills, &mut Builder::new_multi_thread()),
        ("bare, one thread", _) => web::serve_bare(skills, &mut Builder::new_current_thread()),
        (_, "stdio") => typed::serve(skills),
        _ => web::serve_typed(skills),
    }
}
