//! Catalog and roster in, MCP out: what a client sees, over the transport it comes by.
//!
//! ```text
//! Catalog ── Publisher ──▶ Offer ──▶ Surface ◀── Session ◀── stdio · streamable HTTP · legacy SSE
//! Roster ──── gateway ───▶ Shelf ──────┘ └──▶ calls, back to the server that owns them
//! ```
//!
//! A [`Surface`] answers requests from the newest [`Offer`] and knows nothing of transports; a
//! session knows the protocol and nothing of skills; a transport moves messages and knows neither.
//! [`Server`] joins them. [`Surface::join`] shows what other servers offer beside the skills.

mod call;
mod client;
mod counter;
mod describe;
mod gateway;
mod http;
mod lane;
mod library;
mod lists;
mod meter;
mod offer;
mod replay;
mod responder;
mod serve;
mod served;
mod session;
mod stdio;
mod surface;
mod text;
mod tool_list;
mod tools;

#[cfg(test)]
mod tests;

pub use crate::{
    call::{AskError, Call},
    client::Client,
    counter::Ask,
    gateway::{Cost, Ear, Expose, Size, Watch},
    http::{Guard, Site, Transports},
    offer::{CatalogFormat, Offer, Presentation},
    responder::{
        Answer, Asking, Body, Changes, Done, Greeting, Implementation, Meta, Remark, Responder,
        Watching, Work,
    },
    serve::Server,
    stdio::Stream,
    surface::{Publisher, Surface, surface},
    tools::{Tool, ToolNames},
};

/// The longest message that is taken, by any transport.
const MESSAGE_LIMIT: usize = 4 << 20;
