//! A search that leaves no index behind.

use memchr::memmem::Finder;

use super::index::{Builder, Entry};
use super::query::{Match, Query};
use super::rank::Hit;

/// One pass over all entries for the sake of one query.
///
/// It finds what an [`Index`](super::index::Index) finds, in the same order, for a fraction of what
/// building one costs.
pub(crate) struct Pass<'a> {
    query: &'a Query,
    builder: Builder,
}

impl Pass<'_> {
    /// Begins with no entry.
    pub(crate) fn new(query: &Query) -> Pass<'_> {
        // What looks like a word may be anywhere, and a single letter is nearly everywhere: then
        // every chunk is wanted, and to look for them first is a waste.
        let is_everywhere = query.mode == Match::Fuzzy || query.words.iter().any(|it| it.len() < 2);
        let words = if is_everywhere { &[] } else { query.words.as_slice() };
        let finders = words.iter().map(|word| Finder::new(word).into_owned()).collect();
        Pass { query, builder: Builder::for_words(finders) }
    }

    /// Looks at the next entry.
    pub(crate) fn add(&mut self, entry: Entry<'_>) {
        self.builder.add(entry);
    }

    /// Every entry that has enough of the query's words, best first.
    pub(crate) fn finish(self) -> Vec<Hit> {
        self.builder.finish().search(self.query)
    }
}
