//! Keep-alive connections, one request in flight on each.

use std::{
    borrow::Cow,
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    os::fd::{AsFd, BorrowedFd},
    time::{Duration, Instant},
};

use memchr::memmem;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::{
    deck::Deck,
    figures::Round,
    reply,
    response::{Response, message, whole},
};

/// One connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    end: usize,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> io::Result<Connection> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: vec![0; 1 << 17], end: 0 })
    }

    /// Sends a request and does not wait.
    pub(crate) fn send(&mut self, request: &[u8]) -> io::Result<()> {
        self.stream.write_all(request)
    }

    /// Sends a request and waits for all of its response.
    pub(crate) fn ask(&mut self, request: &[u8]) -> io::Result<Response<'static>> {
        self.send(request)?;
        loop {
            self.fill()?;
            if let Some(it) = whole(&self.buffer[..self.end])? {
                let body = Cow::Owned(it.body.into_owned());
                let response = Response { body, ..it };
                self.end = 0;
                return Ok(response);
            }
        }
    }

    /// Sends a request whose response never ends, and waits for its head.
    pub(crate) fn listen(&mut self, request: &[u8]) -> io::Result<()> {
        self.send(request)?;
        while memmem::find(&self.buffer[..self.end], b"\r\n\r\n").is_none() {
            self.fill()?;
        }
        // A client that only waits needs no room to read into.
        let head = std::mem::take(&mut self.buffer);
        if head.starts_with(b"HTTP/1.1 200") { Ok(()) } else { Err(reply::odd(&head)) }
    }

    /// Reads once; what is taken from the response if that was the last of it.
    pub(crate) fn advance<T>(
        &mut self,
        take: impl FnOnce(&Response<'_>) -> io::Result<T>,
    ) -> io::Result<Option<T>> {
        self.fill()?;
        let Some(response) = whole(&self.buffer[..self.end])? else { return Ok(None) };
        let taken = take(&response)?;
        self.end = 0;
        Ok(Some(taken))
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        let read = self.stream.read(&mut self.buffer[self.end..])?;
        if read == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server hung up"));
        }
        self.end += read;
        Ok(())
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// Keeps one request in flight on each connection for a while.
pub(crate) fn drive(
    connections: &mut [Connection],
    deck: &mut Deck,
    length: Duration,
) -> io::Result<Round> {
    let mut round = Round::default();
    let mut sent = vec![None; connections.len()];
    let began = Instant::now();
    for (connection, sent) in connections.iter_mut().zip(&mut sent) {
        *sent = Some(Instant::now());
        connection.send(deck.deal().1)?;
    }
    while sent.iter().any(Option::is_some) {
        for at in ready(connections, &sent)? {
            let Some(bytes) = connections[at].advance(answered)? else { continue };
            let now = Instant::now();
            if let Some(then) = sent[at].take() {
                round.record(now - then, bytes);
            }
            if now - began < length {
                sent[at] = Some(now);
                connections[at].send(deck.deal().1)?;
            }
        }
    }
    round.elapsed = began.elapsed();
    Ok(round)
}

/// The size of a response, if there is a reply in it.
fn answered(response: &Response<'_>) -> io::Result<usize> {
    let id = reply::answered(message(&response.body)?)?;
    id.map(|_| response.length).ok_or_else(|| reply::odd(&response.body))
}

/// Which of the connections that wait for something have something to read.
fn ready(connections: &[Connection], sent: &[Option<Instant>]) -> io::Result<Vec<usize>> {
    let waiting: Vec<usize> = (0..sent.len()).filter(|&at| sent[at].is_some()).collect();
    if connections.len() == 1 {
        return Ok(waiting);
    }
    let wanted = |&at: &usize| PollFd::new(connections[at].as_fd(), PollFlags::POLLIN);
    let mut asked: Vec<PollFd> = waiting.iter().map(wanted).collect();
    poll(&mut asked, PollTimeout::NONE)?;
    let answers = waiting.iter().zip(&asked);
    Ok(answers.filter(|(_, it)| it.any().unwrap_or(false)).map(|(&at, _)| at).collect())
}
