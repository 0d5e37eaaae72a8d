//! One address at which a client enters, and the session it has there.

use std::{io, net::SocketAddr};

use serde::Deserialize;

use crate::{
    connection::Connection,
    reply,
    request::{INITIALIZED, REVISIONS, initialize_as},
    response::message,
};

/// Where requests go, and what goes along with them.
pub(crate) struct Door {
    address: SocketAddr,
    path: String,
    session: Option<String>,
    revision: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Greeting {
    protocol_version: String,
}

impl Door {
    pub(crate) fn new(address: SocketAddr, path: String) -> Door {
        Door { address, path, session: None, revision: None }
    }

    /// Goes through the handshake; what comes after belongs to this session.
    pub(crate) fn enter(&mut self, connection: &mut Connection) -> io::Result<()> {
        let mut refusal = None;
        for revision in REVISIONS {
            let response = connection.ask(&self.post(&initialize_as(revision)))?;
            let greeting = message(&response.body).and_then(|it| reply::result(it));
            let greeting = greeting.and_then(|it| Ok(serde_json::from_str::<Greeting>(it.get())?));
            match greeting {
                Ok(it) => {
                    self.session = response.session;
                    self.revision = Some(it.protocol_version);
                    let accepted = connection.ask(&self.post(INITIALIZED))?;
                    let is_fine = accepted.status / 100 == 2;
                    return if is_fine { Ok(()) } else { Err(reply::odd(&accepted.body)) };
                }
                Err(error) => refusal = Some(error),
            }
        }
        Err(refusal.unwrap())
    }

    /// A message as it travels.
    pub(crate) fn post(&self, body: &str) -> Vec<u8> {
        let mut head = format!("POST {} HTTP/1.1\r\nhost: {}\r\n", self.path, self.address);
        head += "accept: application/json, text/event-stream\r\n";
        head += "content-type: application/json\r\n";
        head += &format!("content-length: {}\r\n", body.len());
        if let Some(revision) = &self.revision {
            head += &format!("mcp-protocol-version: {revision}\r\n");
        }
        if let Some(session) = &self.session {
            head += &format!("mcp-session-id: {session}\r\n");
        }
        format!("{head}\r\n{body}").into_bytes()
    }
}
