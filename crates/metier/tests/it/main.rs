//! The wire ring: the built binary, seen from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod agreement;
mod cli;
mod clients;
mod conformance;
mod json;
mod peer;
mod rules;
<<<<<<< HEAD
=======
mod rust_sdk;
>>>>>>> 184f26c (metier: real MCP clients meet the built server)
mod serving;
mod support;
mod switching;
mod tidy;
mod transcripts;
mod writing;
