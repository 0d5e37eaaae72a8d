//! What a session asks of whoever answers its requests.

use std::pin::Pin;

use metier_wire::{Era, Error, Request};
use serde::Serialize;
use tokio::sync::watch;

use crate::call::Call;

/// Answers requests; knows nothing of sessions and transports.
pub trait Responder: Send + Sync + 'static {
    /// How the server introduces itself.
    fn greeting(&self) -> &Greeting;

    /// How often each list has changed so far; clients are told when it moves.
    fn changes(&self) -> watch::Receiver<Changes>;

    /// Whether requests can be answered in full already.
    fn is_ready(&self) -> bool;

    /// Appends the result of `request` to `out`, or says what has to be done first.
    fn answer(&self, request: &Request<'_>, era: Era, out: &mut Vec<u8>) -> Result<Answer, Error>;
}

/// What became of a request.
pub enum Answer {
    /// Its result stands in the buffer.
    Now,
    /// Its result takes work that may wait for something.
    Later(Work),
}

/// Work that ends in the result of one request, as JSON.
pub type Work = Box<dyn FnOnce(Call) -> Pin<Box<dyn Future<Output = Done> + Send>> + Send>;

/// The end of [`Work`].
pub type Done = Result<Body, Error>;

/// A result object, as JSON.
pub enum Body {
    /// It has no `_meta`.
    Plain(Vec<u8>),
    /// It has a `_meta` of its own.
    WithMeta(Vec<u8>),
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
}
