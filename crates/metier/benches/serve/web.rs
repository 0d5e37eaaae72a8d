//! The client on HTTP: keep-alive connections, one request in flight on each.

use std::{
    borrow::Cow,
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use memchr::memmem;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::{
    figures::Round,
    reply,
    request::{Call, Deck, Era, INITIALIZED, initialize},
    response::{Response, message, whole},
};

/// Where a server is reached, and the session it gave us.
#[derive(Clone)]
pub(crate) struct Web {
    pub(crate) address: SocketAddr,
    session: Option<String>,
}

impl Web {
    pub(crate) fn new(address: SocketAddr) -> Web {
        Web { address, session: None }
    }

    /// Goes through the handshake; what comes after belongs to this session.
    pub(crate) fn initialize(&mut self, connection: &mut Connection) -> io::Result<()> {
        self.session = None;
        let era = Era::Session;
        let reply = connection.ask(&self.post(era, "initialize", &initialize()))?;
        self.session = reply.session;
        let accepted = connection.ask(&self.post(era, "notifications/initialized", INITIALIZED))?;
        if accepted.status / 100 != 2 {
            return Err(reply::odd(&accepted.body));
        }
        Ok(())
    }

    /// All requests of one kind, framed for this session.
    pub(crate) fn deck(&self, call: Call, era: Era, names: &[String]) -> Deck {
        Deck::new(call, era, names, |body| self.post(era, call.method(), body))
    }

    /// A request that opens the session's stream.
    pub(crate) fn listen(&self) -> Vec<u8> {
        let head = self.head("GET", "text/event-stream");
        let revision = Era::Session.revision();
        format!("{head}mcp-protocol-version: {revision}\r\n{}\r\n", self.session_header())
            .into_bytes()
    }

    fn post(&self, era: Era, method: &str, body: &str) -> Vec<u8> {
        let mut head = self.head("POST", "application/json, text/event-stream");
        head += "content-type: application/json\r\n";
        head += &format!("content-length: {}\r\n", body.len());
        if method != "initialize" {
            head += &format!("mcp-protocol-version: {}\r\n", era.revision());
        }
        head += &match (era, method) {
            (Era::Session, _) => self.session_header(),
            (Era::Stateless, "tools/call") => {
                format!("mcp-method: {method}\r\nmcp-name: skill\r\n")
            }
            (Era::Stateless, _) => format!("mcp-method: {method}\r\n"),
        };
        format!("{head}\r\n{body}").into_bytes()
    }

    fn head(&self, verb: &str, accept: &str) -> String {
        format!("{verb} /mcp HTTP/1.1\r\nhost: {}\r\naccept: {accept}\r\n", self.address)
    }

    fn session_header(&self) -> String {
        self.session.as_ref().map_or(String::new(), |it| format!("mcp-session-id: {it}\r\n"))
    }
}

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

    /// Sends a request and waits for all of its response.
    pub(crate) fn ask(&mut self, request: &[u8]) -> io::Result<Response<'static>> {
        self.stream.write_all(request)?;
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
        self.stream.write_all(request)?;
        while memmem::find(&self.buffer[..self.end], b"\r\n\r\n").is_none() {
            self.fill()?;
        }
        // A client that only waits needs no room to read into.
        let head = std::mem::take(&mut self.buffer);
        if head.starts_with(b"HTTP/1.1 200") { Ok(()) } else { Err(reply::odd(&head)) }
    }

    /// Reads once; the id and the size of the response if that was the last of it.
    fn advance(&mut self) -> io::Result<Option<(u32, usize)>> {
        self.fill()?;
        let Some(response) = whole(&self.buffer[..self.end])? else { return Ok(None) };
        let id = reply::answered(message(&response.body)?)?;
        self.end = 0;
        id.map(|id| Some((id, response.length))).ok_or_else(|| io::Error::other("no reply"))
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
        connection.stream.write_all(deck.deal().1)?;
    }
    while sent.iter().any(Option::is_some) {
        for at in ready(connections, &sent)? {
            let Some((_, bytes)) = connections[at].advance()? else { continue };
            let now = Instant::now();
            if let Some(then) = sent[at].take() {
                round.record(now - then, bytes);
            }
            if now - began < length {
                sent[at] = Some(now);
                connections[at].stream.write_all(deck.deal().1)?;
            }
        }
    }
    round.elapsed = began.elapsed();
    Ok(round)
}

/// Which of the connections that wait for something have something to read.
fn ready(connections: &[Connection], sent: &[Option<Instant>]) -> io::Result<Vec<usize>> {
    let waiting: Vec<usize> = (0..sent.len()).filter(|&at| sent[at].is_some()).collect();
    if connections.len() == 1 {
        return Ok(waiting);
    }
    let wanted = |&at: &usize| PollFd::new(connections[at].stream.as_fd(), PollFlags::POLLIN);
    let mut asked: Vec<PollFd> = waiting.iter().map(wanted).collect();
    poll(&mut asked, PollTimeout::NONE)?;
    let answers = waiting.iter().zip(&asked);
    Ok(answers.filter(|(_, it)| it.any().unwrap_or(false)).map(|(&at, _)| at).collect())
}
