//! What a session costs that does nothing.

use std::io;

use super::progress;
use crate::{
    connection::Connection,
    plan::Plan,
    process::{Memory, settle},
    race::Lane,
    server::{Channel, Contender, Server},
    shelf::Shelf,
    table::{Table, figure, times},
    web::Web,
};

/// What an idle client leaves open.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Nothing,
    Stream,
}

/// How many sessions there are before counting begins, so that what comes once is not counted.
const FIRST: usize = 20;

pub(super) fn tables(plan: &Plan) -> io::Result<Vec<Table>> {
    let head = ["", "", "resident KB", "anonymous KB", "resident/bare", "resident/rmcp"];
    let title = format!("memory of one idle session, from {} of them", plan.sessions);
    let mut table = Table::new(title, &head);
    let shelf = Shelf::make(plan.sizes[0])?;
    drop(Lane::all(&Contender::STDIO, &shelf, |it| Lane::stdio(it, &shelf, Channel::Pipes))?);
    for open in [Open::Nothing, Open::Stream] {
        let label = match open {
            Open::Nothing => "no stream",
            Open::Stream => "a stream open, each on its connection",
        };
        progress(&format!("{} idle sessions, {label}", plan.sessions));
        let used = Contender::STDIO.map(|it| session(it, &shelf, open, plan.sessions));
        let used: Vec<[f64; 2]> = used.into_iter().collect::<io::Result<_>>()?;
        for (at, it) in used.iter().enumerate() {
            table.push(vec![
                if at == 0 { label.to_owned() } else { String::new() },
                Contender::STDIO[at].label().to_owned(),
                figure(it[0]),
                figure(it[1]),
                // The bare handler has no sessions; only its connections take room.
                if open == Open::Nothing { "–".to_owned() } else { times(it[0] / used[1][0]) },
                times(it[0] / used[2][0]),
            ]);
        }
    }
    Ok(vec![table])
}

/// Resident and anonymous kilobytes for each of so many sessions.
fn session(
    contender: Contender,
    shelf: &Shelf,
    open: Open,
    n_sessions: usize,
) -> io::Result<[f64; 2]> {
    let (server, address) = Server::http(contender, shelf)?;
    let mut greeting = Connection::open(address)?;
    let mut streams = Vec::new();
    let mut begin = |n_more: usize| {
        for _ in 0..n_more {
            let mut web = Web::new(address);
            web.initialize(&mut greeting)?;
            if open == Open::Stream {
                let mut stream = Connection::open(address)?;
                stream.listen(&web.listen())?;
                streams.push(stream);
            }
        }
        settle(server.pid())?;
        Memory::of(server.pid())
    };
    let before = begin(FIRST)?;
    let after = begin(n_sessions)?;
    let each = |now: u64, then: u64| now.saturating_sub(then) as f64 / n_sessions as f64;
    Ok([each(after.resident, before.resident), each(after.anonymous, before.anonymous)])
}
