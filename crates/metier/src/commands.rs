//! The commands, one file each.

pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod list;
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod switch;
pub(crate) mod validate;
