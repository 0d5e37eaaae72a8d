//! The crate's rules, one sentence each, over whole trees of skills.

mod bundles;
mod filters;
mod fixture;
mod laws;
mod names;
mod reading;
mod rescans;
mod searching;
mod sources;
mod suggestions;
mod tree;
mod verdicts;
