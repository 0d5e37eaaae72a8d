//! The rules of upstreams, from pure ones to whole servers in memory.

mod phases;
