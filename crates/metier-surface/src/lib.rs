//! Catalog in, MCP out: what a client sees, over the transport it comes by.
//!
//! ```text
//! Catalog ── Publisher ──▶ Offer ──▶ Surface ◀── Session ◀── stdio · streamable HTTP · legacy SSE
//! ```
//!
//! A [`Surface`] answers requests from the newest [`Offer`] and knows nothing of transports; a
//! session knows the protocol and nothing of skills; a transport moves messages and knows neither.
//! [`Server`] joins them.

mod call;
mod describe;
mod http;
mod lane;
mod meter;
mod offer;
mod replay;
mod responder;
mod serve;
mod session;
mod stdio;
mod surface;
mod text;
mod tools;

#[cfg(test)]
mod tests;

pub use crate::{
    call::{AskError, Call},
    http::{Guard, Site, Transports},
    offer::{CatalogFormat, Offer, Presentation},
    responder::{Answer, Body, Changes, Done, Greeting, Implementation, Responder, Work},
    serve::Server,
    surface::{Ask, Publisher, Surface, surface},
    tools::{Tool, ToolNames},
};

/// The longest message that is taken, by any transport.
const MESSAGE_LIMIT: usize = 4 << 20;
