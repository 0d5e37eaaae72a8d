//! Search over skills: which ones hold the words of a query, best first, and where.
//!
//! Names, descriptions and bodies are cut at white space into *chunks*. A word of a query has no
//! white space, so a text holds the word exactly if one of its chunks does: finding a substring in
//! every body is one sweep over the distinct chunks of all of them.

mod excerpt;
mod index;
mod names;
mod pass;
mod postings;
mod query;
mod rank;
mod text;
mod typo;
mod vocabulary;

#[cfg(test)]
mod tests;

pub(crate) use excerpt::excerpt;
pub(crate) use index::{Builder, Entry, Index};
pub(crate) use pass::Pass;
pub use query::{Match, Query};
pub(crate) use rank::Hit;
