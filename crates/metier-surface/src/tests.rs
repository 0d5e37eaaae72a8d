//! Sessions and transports with a stand-in that answers, in memory.

mod fixture;
mod gateway;
mod http;
mod library;
mod sessions;
mod sse;
mod stdio;
mod tools;
