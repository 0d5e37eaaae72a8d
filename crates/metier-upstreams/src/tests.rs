//! The rules of upstreams, from pure ones to whole servers in memory.

mod fake;
mod lifecycle;
mod phases;
