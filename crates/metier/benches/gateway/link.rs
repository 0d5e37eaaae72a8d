//! How the client reaches a gateway, whatever the transport.

use std::{io, net::SocketAddr, os::fd::AsFd, time::Duration};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::{
    connection::{self, Connection},
    contender::Front,
    deck::Deck,
    door::Door,
    figures::Round,
    lines::Lines,
    response::message,
    sse::Sse,
    stage::Stage,
};

/// An open conversation.
pub(crate) enum Link {
    Stdio(Lines),
    Http(Vec<Door>, Connections),
    Sse(Sse, Connections),
}

impl Link {
    /// Begins a conversation over the network, once somebody listens there.
    pub(crate) fn open(stage: &Stage) -> io::Result<Link> {
        let mut connections = Connections::open(stage.address)?;
        let connection = &mut connections.open[0];
        let path = match stage.front {
            Front::Http(path) => path,
            Front::Sse(path) => {
                let sse = Sse::open(stage.address, path, connection)?;
                return Ok(Link::Sse(sse, connections));
            }
            Front::Stdio => return Err(io::Error::other("stdio has no address")),
        };
        let names: Vec<String> = stage.names().collect();
        let n_doors = if path.contains("{}") { names.len() } else { 1 };
        let mut doors = Vec::new();
        for name in &names[..n_doors] {
            let mut door = Door::new(stage.address, path.replace("{}", name));
            door.enter(connection)?;
            doors.push(door);
        }
        Ok(Link::Http(doors, connections))
    }

    /// At how many addresses the client has entered.
    pub(crate) fn n_doors(&self) -> usize {
        if let Link::Http(doors, _) = self { doors.len() } else { 1 }
    }

    /// A message for one of these addresses, as it travels.
    pub(crate) fn frame(&self, door: usize, body: &str) -> Vec<u8> {
        match self {
            Link::Stdio(_) => format!("{body}\n").into_bytes(),
            Link::Http(doors, _) => doors[door].post(body),
            Link::Sse(sse, _) => sse.door.post(body),
        }
    }

    /// Sends one request and gives its reply.
    pub(crate) fn ask(&mut self, door: usize, body: &str) -> io::Result<Vec<u8>> {
        match self {
            Link::Stdio(lines) => lines.ask(body.as_bytes()),
            Link::Http(doors, connections) => {
                let connection = &mut connections.live(1)?[0];
                Ok(message(&connection.ask(&doors[door].post(body))?.body)?.to_vec())
            }
            Link::Sse(sse, connections) => sse.ask(body, &mut connections.live(1)?[0]),
        }
    }

    /// Makes sure that so many calls can be in flight.
    pub(crate) fn prepare(&mut self, width: usize) -> io::Result<()> {
        match self {
            Link::Stdio(_) => Ok(()),
            Link::Http(_, connections) | Link::Sse(_, connections) => {
                connections.live(width).map(|_| ())
            }
        }
    }

    /// Keeps so many calls in flight for a while.
    pub(crate) fn drive(
        &mut self,
        deck: &mut Deck,
        width: usize,
        length: Duration,
    ) -> io::Result<Round> {
        match self {
            Link::Stdio(lines) => lines.drive(deck, width, length),
            Link::Http(_, connections) => {
                connection::drive(&mut connections.open[..width], deck, length)
            }
            Link::Sse(sse, connections) => sse.drive(&mut connections.open[..width], deck, length),
        }
    }
}

/// Keep-alive connections to one address.
pub(crate) struct Connections {
    address: SocketAddr,
    open: Vec<Connection>,
}

impl Connections {
    fn open(address: SocketAddr) -> io::Result<Connections> {
        Ok(Connections { address, open: vec![Connection::open(address)?] })
    }

    /// So many connections, those anew that the server has closed: some do after a few idle seconds.
    fn live(&mut self, n: usize) -> io::Result<&mut [Connection]> {
        for connection in &mut self.open {
            let mut asked = [PollFd::new(connection.as_fd(), PollFlags::POLLIN)];
            if poll(&mut asked, PollTimeout::ZERO)? > 0 {
                *connection = Connection::open(self.address)?;
            }
        }
        while self.open.len() < n {
            self.open.push(Connection::open(self.address)?);
        }
        Ok(&mut self.open[..n])
    }
}
