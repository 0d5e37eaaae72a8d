//! MCP messages as they travel: read and written without opening what need not be opened.
//!
//! ```text
//! bytes ── Frame::read ──▶ Message { id, method, params: raw } ── … ──▶ write::* ──▶ bytes
//! ```
//!
//! One pass over the bytes gives envelope, id and method; parameters, results and errors stay as
//! they were sent. [`Revision`] and [`Era`] say which rules a message lives under, [`Meta`] reads
//! what a request says of itself, [`header`] what HTTP repeats of it, and [`sse`] frames it as an
//! event. Nothing here waits, reads a socket, or knows what a tool is.
//!
//! ```
//! use metier_wire::{Frame, Message, write};
//!
//! let Ok(Frame::One(Message::Request(request))) =
//!     Frame::read(br#"{"jsonrpc":"2.0","id":"a-1","method":"ping"}"#)
//! else { panic!("a request") };
//! assert_eq!(request.method, "ping");
//!
//! let mut out = Vec::new();
//! write::result(&mut out, request.id, |out| out.extend_from_slice(b"{}"));
//! assert_eq!(out, br#"{"jsonrpc":"2.0","id":"a-1","result":{}}"#);
//! ```

mod ends;
mod error;
pub mod header;
mod id;
mod members;
mod message;
mod meta;
mod revision;
pub mod sse;
mod text;
pub mod write;

#[cfg(test)]
mod tests;

pub use crate::{
    ends::Ends,
    error::Error,
    id::{Id, IdKey},
    members::Members,
    message::{Fault, Frame, Message, Notification, Outcome, Request, Response},
    meta::{Meta, SERVER_INFO},
    revision::{Era, Revision},
    text::Text,
};
