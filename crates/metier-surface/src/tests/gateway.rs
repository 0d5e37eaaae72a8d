//! Servers behind the surface, one sentence each: fakes on a port of this machine, clients in memory.

mod calls;
mod fake;
mod fixture;
mod lists;
