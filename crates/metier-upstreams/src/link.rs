//! Links: one live connection to a server. Requests go out, answers and news come in.
//!
//! ```text
//!  Ask ──▶ Link ──▶ Piped (a stream each way: stdio, legacy SSE) ──▶ server
//!            └────▶ Http  (a request each: streamable HTTP)      ──▶ server
//!  Switchboard ◀── every message that comes back, by whichever way
//! ```

mod ask;
mod events;
mod http;
mod legacy_sse;
mod lines;
mod piped;
mod refusal;
mod remote;
mod switchboard;

use std::sync::Arc;

use metier_wire::Error;
use serde::Serialize;
use serde_json::value::RawValue;
use thiserror::Error as ThisError;

pub use self::ask::Member;
pub(crate) use self::{
    ask::{Ask, DISCOVER},
    http::Http,
    legacy_sse::legacy_sse,
    piped::Piped,
    remote::percent_decoded,
    switchboard::{Ending, News, Switchboard},
};

/// One live connection to a server; clones are the same connection.
#[derive(Clone)]
pub(crate) struct Link {
    way: Arc<Way>,
    board: Arc<Switchboard>,
}

/// How messages travel.
pub(crate) enum Way {
    Piped(Piped),
    Http(Http),
}

/// What comes of hearing what a server tells by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It ended for now.
    Ended,
    /// The server tells nothing by itself; there is no use in trying again.
    Unsupported,
}

/// What comes of a request.
pub(crate) type Reply = Result<Box<RawValue>, Failed>;

/// Why a request has no result.
#[derive(Debug, ThisError)]
pub(crate) enum Failed {
    /// The server answered with an error.
    #[error(transparent)]
    Refused(Error),
    /// It did not leave: the server has certainly not seen it.
    #[error("{0}")]
    Unsent(String),
    /// The connection broke; the server may have seen it.
    #[error("{0}")]
    Lost(String),
    /// The server no longer knows our session.
    #[error("the session has expired")]
    Expired,
    /// The server wants to know who we are, or does not want us.
    #[error("{0}")]
    Unauthorized(String),
    /// Nothing was heard for this long.
    #[error("it was silent for {} s", .0.as_secs_f32())]
    Silent(std::time::Duration),
    /// The server answered with something that is no answer to that.
    #[error("{0}")]
    Garbled(String),
    /// What the server offers comes from ourselves.
    #[error("it leads back to this metier: some of the tools that it lists are our own")]
    Loop,
    /// The server answered with an HTTP status that says no more.
    #[error("the server answered with HTTP status {status}{}", detail(text))]
    Status {
        /// Which.
        status: u16,
        /// What else it said, cut.
        text: String,
    },
}

fn detail(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

impl Link {
    pub(crate) fn new(way: Way, board: Arc<Switchboard>) -> Link {
        Link { way: Arc::new(way), board }
    }

    pub(crate) fn board(&self) -> &Arc<Switchboard> {
        &self.board
    }

    /// Sends a request and waits for its result; giving up waiting cancels it.
    pub(crate) async fn request(&self, ask: Ask<'_>) -> Reply {
        match &*self.way {
            Way::Piped(piped) => piped.request(&self.board, ask).await,
            // Much larger than the other, for which it would have to leave room.
            Way::Http(http) => Box::pin(http.request(&self.board, ask)).await,
        }
    }

    /// Tells the server something.
    pub(crate) async fn notify(
        &self,
        method: &str,
        params: Option<&impl Serialize>,
    ) -> Result<(), Failed> {
        let mut message = Vec::new();
        metier_wire::write::notification(&mut message, method, params);
        match &*self.way {
            Way::Piped(piped) => piped.send(message).await,
            Way::Http(http) => http.post(&self.board, message).await,
        }
    }

    /// Hears what a server of the legacy era tells by itself; returns when it no longer does.
    pub(crate) async fn hear(&self) -> Result<Heard, Failed> {
        match &*self.way {
            // It comes by the one stream that is read anyway.
            Way::Piped(_) => {
                self.board.attend();
                self.board.over().await;
                Ok(Heard::Ended)
            }
            Way::Http(http) => http.hear(&self.board).await,
        }
    }

    /// Says goodbye, where that is a message of its own.
    pub(crate) async fn leave(&self) {
        if let Way::Http(http) = &*self.way {
            http.leave(&self.board).await;
        }
    }
}

#[cfg(test)]
pub(crate) mod stub;
