//! A gateway that is up, and the client that loads it.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use serde::Deserialize;

use crate::{
    contender::{Contender, Front},
    deck::Deck,
    figures::{Figures, Round, measure},
    link::Link,
    plan::Plan,
    reply,
    request::{self, TEXT},
    server::Server,
    stage::Stage,
};

/// How long a gateway may take until it lists all tools.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the client waits before it asks again.
const PAUSE: Duration = Duration::from_millis(1);

/// One contender, its process and its client.
pub(crate) struct Lane {
    pub(crate) contender: &'static Contender,
    pub(crate) server: Server,
    link: Link,
    /// The tools by their names, and at which address.
    tools: Vec<(usize, String)>,
    /// How long it took until all tools were listed.
    pub(crate) listed: Duration,
}

#[derive(Deserialize)]
struct List {
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
}

#[derive(Deserialize)]
struct Answer {
    content: Vec<Text>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

impl Lane {
    /// Starts a gateway in front of so many servers and waits until it lists all of their tools.
    pub(crate) fn start(contender: &'static Contender, n_upstreams: usize) -> io::Result<Lane> {
        let stage = Stage::new(contender.front, n_upstreams)?;
        let n_tools = contender.n_tools(n_upstreams);
        let began = Instant::now();
        let (mut server, mut link) = begin(contender, stage, began)?;
        let tools = loop {
            let tools = echoes(&mut link).map_err(|it| told(contender, &server, &it))?;
            if tools.len() == n_tools {
                break tools;
            }
            wait(contender, &mut server, began, &format!("{} tools are listed", tools.len()))?;
        };
        let mut lane = Lane { contender, server, link, tools, listed: began.elapsed() };
        lane.verify()?;
        Ok(lane)
    }

    /// Makes sure that every tool gives the right answer.
    pub(crate) fn verify(&mut self) -> io::Result<()> {
        for (door, name) in &self.tools {
            let reply = self.link.ask(*door, &request::call(name));
            let reply = reply.map_err(|it| told(self.contender, &self.server, &it))?;
            let answer: Answer = serde_json::from_str(reply::result(&reply)?.get())?;
            if answer.content.iter().all(|it| it.text != TEXT) {
                return Err(told(self.contender, &self.server, &reply::odd(&reply)));
            }
        }
        Ok(())
    }

    /// Calls of all tools in turn.
    pub(crate) fn deck(&self) -> Deck {
        Deck::new(
            self.tools.iter().map(|(door, name)| self.link.frame(*door, &request::call(name))),
        )
    }

    /// Makes sure that so many calls can be in flight.
    pub(crate) fn prepare(&mut self, width: usize) -> io::Result<()> {
        self.link.prepare(width).map_err(|it| told(self.contender, &self.server, &it))
    }

    /// Loads the gateway for a while.
    pub(crate) fn turn(
        &mut self,
        deck: &mut Deck,
        width: usize,
        length: Duration,
    ) -> io::Result<Round> {
        let round = self.link.drive(deck, width, length);
        round.map_err(|it| told(self.contender, &self.server, &it))
    }
}

/// Loads all lanes in turn, round by round, and gives the rounds of each.
pub(crate) fn race(lanes: &mut [Lane], width: usize, plan: &Plan) -> io::Result<Vec<Vec<Figures>>> {
    let mut decks: Vec<Deck> = lanes.iter().map(Lane::deck).collect();
    let mut rounds = vec![Vec::new(); lanes.len()];
    for (lane, deck) in lanes.iter_mut().zip(&mut decks) {
        lane.prepare(width)?;
        lane.turn(deck, width, plan.warm_up)?;
    }
    for _ in 0..plan.rounds {
        for ((lane, deck), rounds) in lanes.iter_mut().zip(&mut decks).zip(&mut rounds) {
            lane.prepare(width)?;
            let pid = lane.server.pid();
            rounds.push(measure(pid, || lane.turn(deck, width, plan.turn))?);
        }
    }
    lanes.iter_mut().try_for_each(Lane::verify)?;
    Ok(rounds)
}

/// Starts a gateway and goes through the handshake, again and again while it does not yet listen.
fn begin(contender: &Contender, stage: Stage, began: Instant) -> io::Result<(Server, Link)> {
    if contender.front == Front::Stdio {
        let (server, mut lines) = Server::start_stdio(contender, stage)?;
        lines.initialize().map_err(|it| told(contender, &server, &it))?;
        return Ok((server, Link::Stdio(lines)));
    }
    let mut server = Server::start(contender, stage)?;
    loop {
        match Link::open(&server.stage) {
            Ok(link) => return Ok((server, link)),
            Err(error) => wait(contender, &mut server, began, &error.to_string())?,
        }
    }
}

/// The names of the tools that give back a text, and the addresses they are at.
fn echoes(link: &mut Link) -> io::Result<Vec<(usize, String)>> {
    let mut echoes = Vec::new();
    for door in 0..link.n_doors() {
        let reply = link.ask(door, &request::list())?;
        let list: List = serde_json::from_str(reply::result(&reply)?.get())?;
        let names = list.tools.into_iter().map(|it| it.name);
        echoes.extend(names.filter(|it| it.ends_with("echo")).map(|it| (door, it)));
    }
    Ok(echoes)
}

/// Waits a moment, if there is still hope.
fn wait(contender: &Contender, server: &mut Server, began: Instant, state: &str) -> io::Result<()> {
    if server.has_ended() || began.elapsed() > PATIENCE {
        return Err(told(contender, server, &io::Error::other(state.to_owned())));
    }
    thread::sleep(PAUSE);
    Ok(())
}

/// An error with the name of the gateway and its last words.
fn told(contender: &Contender, server: &Server, error: &io::Error) -> io::Error {
    let words = server.stage.last_words();
    io::Error::other(format!("`{}`: {error}\n{words}", contender.label))
}
