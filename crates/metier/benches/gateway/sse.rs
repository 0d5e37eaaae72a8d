//! The client on the transport before streamable HTTP: answers come on a stream of their own.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use memchr::memmem;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::{
    connection::Connection,
    deck::Deck,
    door::Door,
    figures::Round,
    reply,
    request::{INITIALIZED, initialize},
    response::Response,
};

/// A stream of events, read chunk by chunk.
struct Events {
    stream: TcpStream,
    /// What came and is not yet a whole chunk.
    raw: Vec<u8>,
    /// What was in the chunks and is not yet a whole event.
    text: Vec<u8>,
}

impl Events {
    /// Opens the stream.
    fn open(address: SocketAddr, path: &str) -> io::Result<Events> {
        let mut stream = TcpStream::connect(address)?;
        let head =
            format!("GET {path} HTTP/1.1\r\nhost: {address}\r\naccept: text/event-stream\r\n");
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        let mut events = Events { stream, raw: Vec::new(), text: Vec::new() };
        loop {
            events.fill()?;
            if let Some(at) = memmem::find(&events.raw, b"\r\n\r\n") {
                let head: Vec<u8> = events.raw.drain(..at + 4).collect();
                let is_fine = head.starts_with(b"HTTP/1.1 200");
                return if is_fine { Ok(events) } else { Err(reply::odd(&head)) };
            }
        }
    }

    /// The data of the events that are there, once there are some.
    fn wait(&mut self) -> io::Result<Vec<Vec<u8>>> {
        loop {
            self.unchunk()?;
            let mut found = Vec::new();
            while let Some(at) = memmem::find(&self.text, b"\n\n") {
                let event: Vec<u8> = self.text.drain(..at + 2).collect();
                let data = event.split(|it| *it == b'\n').find_map(|it| it.strip_prefix(b"data: "));
                found.extend(data.map(<[u8]>::to_vec));
            }
            if !found.is_empty() {
                return Ok(found);
            }
            self.fill()?;
        }
    }

    /// Moves whole chunks to the text.
    fn unchunk(&mut self) -> io::Result<()> {
        while let Some(end) = memmem::find(&self.raw, b"\r\n") {
            let size = str::from_utf8(&self.raw[..end]).map_err(io::Error::other)?;
            let size = usize::from_str_radix(size, 16).map_err(io::Error::other)?;
            if self.raw.len() < end + size + 4 {
                break;
            }
            self.text.extend_from_slice(&self.raw[end + 2..end + 2 + size]);
            self.raw.drain(..end + size + 4);
        }
        Ok(())
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut buffer = [0; 1 << 16];
        match self.stream.read(&mut buffer)? {
            0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the stream ended")),
            read => {
                self.raw.extend_from_slice(&buffer[..read]);
                Ok(())
            }
        }
    }
}

/// A session: its stream, and connections for what the client sends.
pub(crate) struct Sse {
    events: Events,
    pub(crate) door: Door,
}

/// What one connection has under way.
#[derive(Clone, Default)]
struct Slot {
    /// Whether what was sent is not yet accepted.
    is_posting: bool,
    /// The call that is not yet answered.
    call: Option<(u32, Instant)>,
}

impl Slot {
    fn is_free(&self) -> bool {
        !self.is_posting && self.call.is_none()
    }
}

impl Sse {
    /// Opens the stream and goes through the handshake.
    pub(crate) fn open(
        address: SocketAddr,
        path: &str,
        connection: &mut Connection,
    ) -> io::Result<Sse> {
        let mut events = Events::open(address, path)?;
        let door = events.wait()?.remove(0);
        let door = Door::new(address, String::from_utf8_lossy(&door).into_owned());
        let mut sse = Sse { events, door };
        sse.ask(&initialize(), connection)?;
        connection.ask(&sse.door.post(INITIALIZED))?;
        Ok(sse)
    }

    /// Sends one request and gives its reply.
    pub(crate) fn ask(&mut self, body: &str, connection: &mut Connection) -> io::Result<Vec<u8>> {
        connection.ask(&self.door.post(body))?;
        loop {
            for message in self.events.wait()? {
                if reply::answered(&message)?.is_some() {
                    return Ok(message);
                }
            }
        }
    }

    /// Keeps one call in flight for each connection for a while.
    pub(crate) fn drive(
        &mut self,
        connections: &mut [Connection],
        deck: &mut Deck,
        length: Duration,
    ) -> io::Result<Round> {
        let mut round = Round::default();
        let mut slots = vec![Slot::default(); connections.len()];
        let began = Instant::now();
        loop {
            if began.elapsed() < length {
                for (slot, connection) in slots.iter_mut().zip(&mut *connections) {
                    if slot.is_free() {
                        let (id, request) = deck.deal();
                        *slot = Slot { is_posting: true, call: Some((id, Instant::now())) };
                        connection.send(request)?;
                    }
                }
            }
            if slots.iter().all(Slot::is_free) {
                round.elapsed = began.elapsed();
                return Ok(round);
            }
            self.advance(connections, &mut slots, &mut round)?;
        }
    }

    /// Waits until something comes, and reads it.
    fn advance(
        &mut self,
        connections: &mut [Connection],
        slots: &mut [Slot],
        round: &mut Round,
    ) -> io::Result<()> {
        let (has_events, ready) = self.ready(connections, slots)?;
        for at in ready {
            slots[at].is_posting = connections[at].advance(accepted)?.is_none();
        }
        if !has_events {
            return Ok(());
        }
        for message in self.events.wait()? {
            let Some(id) = reply::answered(&message)? else { continue };
            let call = slots.iter_mut().find_map(|it| it.call.take_if(|call| call.0 == id));
            if let Some((_, sent)) = call {
                round.record(sent.elapsed(), message.len());
            }
        }
        Ok(())
    }

    /// Whether the stream has something to read, and which connections have.
    fn ready(&self, connections: &[Connection], slots: &[Slot]) -> io::Result<(bool, Vec<usize>)> {
        let posting: Vec<usize> = (0..slots.len()).filter(|&at| slots[at].is_posting).collect();
        let wanted = |&at: &usize| PollFd::new(connections[at].as_fd(), PollFlags::POLLIN);
        let mut asked = vec![PollFd::new(self.events.stream.as_fd(), PollFlags::POLLIN)];
        asked.extend(posting.iter().map(wanted));
        poll(&mut asked, PollTimeout::NONE)?;
        let is_ready: Vec<bool> = asked.iter().map(|it| it.any().unwrap_or(false)).collect();
        let ready = posting.iter().zip(&is_ready[1..]).filter(|it| *it.1).map(|it| *it.0);
        Ok((is_ready[0], ready.collect()))
    }
}

fn accepted(response: &Response<'_>) -> io::Result<()> {
    if response.status / 100 == 2 { Ok(()) } else { Err(reply::odd(&response.body)) }
}
