//! The commands, one file each.

pub(crate) mod add;
pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod list;
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod pull;
pub(crate) mod read;
pub(crate) mod remove;
pub(crate) mod resources;
pub(crate) mod search;
pub(crate) mod servers;
pub(crate) mod show;
pub(crate) mod switch;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod validate;
