//! The wire ring: the built binary, seen from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod agreement;
mod between;
mod cli;
mod client_conformance;
mod clients;
#[cfg(unix)]
mod configuring;
mod conformance;
#[cfg(target_os = "linux")]
mod crowd;
#[cfg(unix)]
mod gateway;
mod json;
mod library;
mod neighbour;
mod peer;
mod programs;
mod pull;
mod real_servers;
mod rules;
mod rust_sdk;
mod served;
mod serving;
mod shop;
mod story;
mod suite_through;
mod support;
mod switching;
mod tidy;
mod transcripts;
mod upstreams;
mod writing;
