//! What a session asks of whoever answers its requests.

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use metier_wire::{Era, Error, Meta as Said, Request, Revision};
use serde::Serialize;
use tokio::sync::{broadcast, watch};

use crate::{call::Call, client::Client, gateway::Watch};

/// Answers requests; knows nothing of sessions and transports.
pub trait Responder: Send + Sync + 'static {
    /// How the server introduces itself.
    fn greeting(&self) -> &Greeting;

    /// How often each list has changed so far; clients are told when it moves.
    fn changes(&self) -> watch::Receiver<Changes>;

    /// What clients are told beside that, as it happens.
    fn remarks(&self) -> broadcast::Receiver<Remark> {
        broadcast::channel(1).1
    }

    /// Takes note of a client that has just introduced itself.
    fn meet(&self, client: &Arc<Client>) {
        let _ = client;
    }

    /// Hears what a client says without waiting for an answer.
    fn hear(&self, method: &str) {
        let _ = method;
    }

    /// Begins to hear of changes of a resource, until nobody holds the watch any more.
    fn watch(&self, uri: &str) -> Watching {
        let error = Error::invalid_params(format!("there is no resource `{uri}`"));
        Box::new(|_| Box::pin(async { Err(error) }))
    }

    /// The headers in which an HTTP request of 2026-07-28 must repeat arguments, and what they carry.
    fn mirrored(&self, request: &Request<'_>) -> Vec<(String, String)> {
        let _ = request;
        Vec::new()
    }

    /// Whether requests can be answered in full already.
    fn is_ready(&self) -> bool;

    /// All that can be counted here, in the text format of Prometheus.
    fn metrics(&self, out: &mut String) {
        let _ = out;
    }

    /// Appends the result of a request to `out`, or says what has to be done first.
    fn answer(&self, asking: &Asking<'_>, out: &mut Vec<u8>) -> Result<Answer, Error>;
}

/// A request, and who asks.
pub struct Asking<'a> {
    /// What is asked.
    pub request: &'a Request<'a>,
    /// What the request says of itself.
    pub meta: &'a Said<'a>,
    /// The rules under which it came.
    pub revision: Revision,
    /// Who asks.
    pub client: &'a Arc<Client>,
}

impl Asking<'_> {
    /// The lifecycle under which the request came.
    #[must_use]
    pub fn era(&self) -> Era {
        self.revision.era()
    }
}

/// Something that clients are told without having asked for it just now.
#[derive(Clone, Debug)]
pub enum Remark {
    /// A log message, with its level as a number.
    Log(u8, Bytes),
    /// A resource has changed.
    Updated(Arc<str>),
    /// Anything else.
    Other(Bytes),
}

/// What became of a request.
pub enum Answer {
    /// Its result stands in the buffer.
    Now(Meta),
    /// Its result takes work that may wait for something.
    Later(Work),
}

/// Work that ends in the result of one request, as JSON.
pub type Work = Box<dyn FnOnce(Call) -> Pin<Box<dyn Future<Output = Done> + Send>> + Send>;

/// Work that ends in a watch of a resource, once it is known whose that is.
pub type Watching =
    Box<dyn FnOnce(Call) -> Pin<Box<dyn Future<Output = Result<Arc<Watch>, Error>> + Send>> + Send>;

/// The end of [`Work`].
pub type Done = Result<Body, Error>;

/// A result.
pub struct Body {
    /// An object, as JSON.
    pub result: Vec<u8>,
    /// Whether it is complete in itself.
    pub meta: Meta,
}

/// Whether a result has a `_meta` of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meta {
    /// It has none: the server's name may be put there.
    Absent,
    /// It has one, or wants none.
    Own,
}

impl Body {
    /// A result that has no `_meta`.
    #[must_use]
    pub fn plain(result: Vec<u8>) -> Body {
        Body { result, meta: Meta::Absent }
    }

    /// A result that has a `_meta` of its own.
    #[must_use]
    pub fn with_meta(result: Vec<u8>) -> Body {
        Body { result, meta: Meta::Own }
    }
}

/// How the server introduces itself.
#[derive(Clone, Debug)]
pub struct Greeting {
    /// The server's name and version.
    pub server: Implementation,
    /// What the server can do.
    pub capabilities: serde_json::Value,
    /// What a model should know before it begins.
    pub instructions: String,
}

/// The name of a program.
#[derive(Clone, Debug, Serialize)]
pub struct Implementation {
    /// What it is called.
    pub name: String,
    /// Which one it is.
    pub version: String,
}

/// How often each list that clients see has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The list of tools.
    pub tools: u64,
    /// The lists of resources and their templates.
    pub resources: u64,
    /// The list of prompts.
    pub prompts: u64,
}
