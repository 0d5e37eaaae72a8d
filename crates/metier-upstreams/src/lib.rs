//! Other MCP servers: connected if they can be, kept alive, known by what they offer.

mod filter;
mod spec;

pub use crate::{
    filter::{EmptyPattern, ToolFilter},
    spec::{
        Admission, CALL_TIMEOUT, CONNECT_TIMEOUT, Endpoint, Fallback, NameError, Program, Secrets,
        ServerName, ServerSpec, Site,
    },
};
