//! Children on Unix: a process group each, and a guard that ends the groups if we are killed.

mod group;
mod guard;

pub(crate) use self::guard::Guard;
pub(super) use self::{
    group::{Group, signal_name},
    guard::Note,
};
