//! The client on HTTP: what it sends to a server, and the session it has there.

use std::{io, net::SocketAddr};

use crate::{
    connection::Connection,
    deck::Deck,
    reply,
    request::{self, Call, Era, INITIALIZED, initialize},
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
        request::deck(call, era, names, |body| self.post(era, call.method(), body))
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
