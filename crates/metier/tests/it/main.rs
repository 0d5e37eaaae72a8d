//! The wire ring: the built binary, seen from outside.

mod agreement;
mod cli;
mod json;
mod support;
mod switching;
mod tidy;
mod writing;
