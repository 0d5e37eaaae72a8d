//! Servers behind the surface, one sentence each: fakes on a port of this machine, clients in memory.

mod arrivals;
mod calls;
mod exposure;
pub(super) mod fake;
pub(super) mod fixture;
mod lists;
mod notices;
mod questions;
mod things;
mod under_way;
mod whose;
