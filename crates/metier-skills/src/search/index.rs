//! Entries in, an index out, which answers queries without their text.

use memchr::memmem::Finder;

use super::names::{Names, name_key};
use super::postings::{Occurrences, Postings};
use super::query::{Match, Query};
use super::rank::{Found, Hit, N_FIELDS, Ranking, occurrence_weights};
use super::text::{chunks_with, fold_into};
use super::vocabulary::{Interner, Vocabulary};

/// What is searched of one skill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// The name it goes by.
    pub(crate) name: &'a str,
    /// What it says it is for.
    pub(crate) description: &'a str,
    /// What it has to say.
    pub(crate) body: &'a str,
}

/// Answers queries over the entries it was built from.
#[derive(Debug)]
pub(crate) struct Index {
    vocabulary: Vocabulary,
    postings: Postings,
    weights: Vec<[f32; N_FIELDS]>,
    names: Names,
}

/// Takes entries one by one; their text may go as soon as they are added.
#[derive(Default)]
pub(crate) struct Builder {
    /// Only chunks with one of these words are kept, if there are any.
    words: Vec<Finder<'static>>,
    interner: Interner,
    occurrences: Occurrences,
    lengths: Vec<[u32; N_FIELDS]>,
    names: Vec<Box<str>>,
    folded: String,
}

impl Index {
    /// Every entry that has enough of the query's words, best first.
    pub(crate) fn search(&self, query: &Query) -> Vec<Hit> {
        let mut ranking = Ranking::new(self.weights.len());
        for word in &query.words {
            let exact = self.frequencies(self.vocabulary.holding(word));
            ranking.count(&exact, Found::Exactly);
            if query.mode == Match::Fuzzy {
                let mut similar = self.frequencies(self.vocabulary.resembling(word));
                for (similar, exact) in similar.iter_mut().zip(&exact) {
                    *similar = if *exact > 0.0 { 0.0 } else { *similar };
                }
                ranking.count(&similar, Found::Nearly);
            }
        }
        ranking.finish(query, &self.names)
    }

    /// How often each entry has one of these chunks, weighted by chunk, field and length.
    fn frequencies(&self, chunks: impl Iterator<Item = (usize, f32)>) -> Vec<f32> {
        let mut frequencies = vec![0.0; self.weights.len()];
        for (chunk, weight) in chunks {
            for (entry, field, count) in self.postings.of(chunk) {
                frequencies[entry] += weight * count * self.weights[entry][field];
            }
        }
        frequencies
    }
}

impl Builder {
    /// A builder that keeps only what a search for these words needs.
    pub(super) fn for_words(words: Vec<Finder<'static>>) -> Builder {
        Builder { words, ..Builder::default() }
    }

    /// Adds the next entry.
    pub(crate) fn add(&mut self, entry: Entry<'_>) {
        let fields = [entry.name, entry.description, entry.body];
        let lengths = fields.map(|text| self.add_field(text));
        self.lengths.push(lengths);
        self.names.push(name_key(entry.name).into());
    }

    /// Puts everything in its place.
    pub(crate) fn finish(self) -> Index {
        Index {
            vocabulary: self.interner.finish(),
            postings: self.occurrences.into_postings(),
            weights: occurrence_weights(&self.lengths),
            names: Names::new(self.names),
        }
    }

    /// Adds one field and says how long it is.
    fn add_field(&mut self, text: &str) -> u32 {
        self.folded.clear();
        fold_into(text, &mut self.folded);
        let mut add = |chunk| {
            if let Some(number) = self.interner.intern(chunk) {
                self.occurrences.add(number);
            }
        };
        match self.words.as_slice() {
            [] => self.folded.split_ascii_whitespace().for_each(&mut add),
            words => chunks_with(&self.folded, words).into_iter().for_each(&mut add),
        }
        self.occurrences.close_field();
        u32::try_from(self.folded.len()).unwrap_or(u32::MAX)
    }
}
