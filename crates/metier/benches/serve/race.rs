//! Contenders that stay up together and take turns.

use std::{io, time::Duration};

use crate::{
    connection::{Connection, drive},
    deck::Deck,
    figures::{Figures, Round, measure},
    lines::Lines,
    plan::Plan,
    request::{Call, Era, deck},
    response::message,
    server::{Channel, Contender, Server},
    shelf::Shelf,
    web::Web,
};

/// How a client reaches its server.
enum Link {
    Stdio(Lines),
    Http(Web, Vec<Connection>),
}

/// One contender, its server and the client that loads it.
pub(crate) struct Lane {
    pub(crate) contender: Contender,
    pub(crate) server: Server,
    link: Link,
}

impl Lane {
    /// Starts a server on stdio, with the handshake done.
    pub(crate) fn stdio(contender: Contender, shelf: &Shelf, channel: Channel) -> io::Result<Lane> {
        let (server, mut lines) = Server::stdio(contender, shelf, channel)?;
        lines.initialize()?;
        Lane { contender, server, link: Link::Stdio(lines) }.verified(shelf)
    }

    /// Starts a server on HTTP, with a session begun and so many connections open.
    pub(crate) fn http(contender: Contender, shelf: &Shelf, n_open: usize) -> io::Result<Lane> {
        let (server, address) = Server::http(contender, shelf)?;
        let mut web = Web::new(address);
        let open = |_| Connection::open(address);
        let mut connections: Vec<Connection> = (0..n_open).map(open).collect::<io::Result<_>>()?;
        web.initialize(&mut connections[0])?;
        Lane { contender, server, link: Link::Http(web, connections) }.verified(shelf)
    }

    /// Starts all contenders; metier goes first, because the floors answer with its list.
    pub(crate) fn all(
        contenders: &[Contender],
        shelf: &Shelf,
        start: impl Fn(Contender) -> io::Result<Lane>,
    ) -> io::Result<Vec<Lane>> {
        let mut lanes = Vec::new();
        for &contender in contenders {
            let mut lane = start(contender)?;
            if contender == Contender::Metier {
                shelf.keep_list(&lane.ask(Call::List, Era::Session, &[])?)?;
            }
            lanes.push(lane);
        }
        Ok(lanes)
    }

    /// Loads the server for a while, with so much in flight.
    pub(crate) fn turn(
        &mut self,
        deck: &mut Deck,
        width: usize,
        length: Duration,
    ) -> io::Result<Round> {
        match &mut self.link {
            Link::Stdio(lines) => lines.drive(deck, width, length),
            Link::Http(_, connections) => drive(&mut connections[..width], deck, length),
        }
    }

    /// Requests of one kind, in the frame of this lane.
    pub(crate) fn deck(&self, call: Call, era: Era, names: &[String]) -> Deck {
        match &self.link {
            Link::Stdio(_) => deck(call, era, names, |body| format!("{body}\n").into()),
            Link::Http(web, _) => web.deck(call, era, names),
        }
    }

    /// The reply to the first request of a kind.
    fn ask(&mut self, call: Call, era: Era, names: &[String]) -> io::Result<Vec<u8>> {
        let mut deck = self.deck(call, era, names);
        let (_, request) = deck.deal();
        match &mut self.link {
            Link::Stdio(lines) => lines.ask(request.trim_ascii_end()),
            Link::Http(_, connections) => Ok(message(&connections[0].ask(request)?.body)?.to_vec()),
        }
    }

    /// A lane whose first answer is right.
    fn verified(mut self, shelf: &Shelf) -> io::Result<Lane> {
        let name = &shelf.names[..1];
        let reply = self.ask(Call::Skill, Era::Session, name)?;
        shelf.verify(&name[0], &reply)?;
        Ok(self)
    }
}

/// What all lanes are asked, and how much of it at once.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) call: Call,
    pub(crate) era: Era,
    pub(crate) width: usize,
}

/// Loads all lanes in turn, round by round, and gives the rounds of each.
pub(crate) fn race(
    lanes: &mut [Lane],
    shelf: &Shelf,
    load: Load,
    plan: &Plan,
) -> io::Result<Vec<Vec<Figures>>> {
    let decks = lanes.iter().map(|it| it.deck(load.call, load.era, &shelf.names));
    let mut decks: Vec<Deck> = decks.collect();
    let mut rounds = vec![Vec::new(); lanes.len()];
    for (lane, deck) in lanes.iter_mut().zip(&mut decks) {
        lane.turn(deck, load.width, plan.turn / 4)?;
    }
    for _ in 0..plan.rounds {
        for ((lane, deck), rounds) in lanes.iter_mut().zip(&mut decks).zip(&mut rounds) {
            let pid = lane.server.pid();
            rounds.push(measure(pid, || lane.turn(deck, load.width, plan.turn))?);
        }
    }
    Ok(rounds)
}
