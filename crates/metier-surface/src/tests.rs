//! Sessions and transports with a stand-in that answers, in memory.

mod fixture;
mod http;
mod sessions;
mod sse;
mod stdio;
mod tools;
