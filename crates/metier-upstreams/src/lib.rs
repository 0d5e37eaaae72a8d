//! Other MCP servers: connected if they can be, kept alive, known by what they offer.

mod caller;
mod filter;
mod identity;
mod link;
mod spec;

pub use crate::{
    caller::{Answering, Caller},
    filter::{EmptyPattern, ToolFilter},
    identity::Identity,
    link::Member,
    spec::{
        Admission, CALL_TIMEOUT, CONNECT_TIMEOUT, Endpoint, Fallback, NameError, Program, Secrets,
        ServerName, ServerSpec, Site,
    },
};
