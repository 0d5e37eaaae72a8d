//! Other MCP servers: connected if they can be, kept alive, known by what they offer.
//!
//! ```text
//!  Plan { ServerSpec… } ──▶ Upstreams ──▶ one keeper a server: connect ─ list ─ probe ─ lost ─ wait ─ …
//!                               ▲                 │ Report
//!        call, read, request ───┘                 ▼
//!                                    hub: the one writer ──▶ watch<Arc<Roster>>
//! ```

mod call;
mod caller;
mod child;
mod connect;
mod doing;
mod filter;
mod greet;
mod hub;
mod identity;
mod link;
mod list;
mod listen;
mod mirror;
mod offer;
mod open;
mod phase;
mod probe;
mod roster;
mod rounds;
mod spec;
mod supervise;
mod upstreams;
mod web;
mod wire_name;

#[cfg(test)]
mod tests;

pub use crate::{
    call::{CallError, Request},
    caller::{Answering, Caller},
    child::Stderr,
    filter::{EmptyPattern, ToolFilter},
    hub::Plan,
    identity::Identity,
    link::Member,
    offer::{Item, Offer, Tool},
    phase::{Cause, Phase},
    roster::{Roster, Server, Standing, ToolEntry, ToolRegistry},
    spec::{
        Admission, CALL_TIMEOUT, CONNECT_TIMEOUT, Endpoint, Fallback, NameError, Program, Secrets,
        ServerName, ServerSpec, Site,
    },
    upstreams::Upstreams,
};
