//! Entries in, an index out, which answers queries without their text.

use memchr::memmem::Finder;

use super::postings::{Occurrences, Postings};
use super::query::{Match, Query, name_key};
use super::rank::{Found, Hit, N_FIELDS, Names, Ranking, occurrence_weights};
use super::text::fold_into;
use super::vocabulary::{Interner, Vocabulary};

/// What is searched of one skill.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The name it goes by.
    pub name: &'a str,
    /// What it says it is for.
    pub description: &'a str,
    /// What it has to say.
    pub body: &'a str,
}

/// Answers queries over the entries it was built from.
#[derive(Debug)]
pub struct Index {
    vocabulary: Vocabulary,
    postings: Postings,
    weights: Vec<[f32; N_FIELDS]>,
    names: Names,
}

/// Takes entries one by one; their text may go as soon as they are added.
#[derive(Default)]
pub struct Builder {
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
    pub fn search(&self, query: &Query) -> Vec<Hit> {
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
    /// A builder whose index knows this query only, at a fraction of the price.
    ///
    /// It gives the same hits in the same order. A fuzzy query still takes the whole vocabulary.
    pub fn for_query(query: &Query) -> Builder {
        let words = match query.mode {
            Match::Fuzzy => Vec::new(),
            Match::All | Match::Any => {
                query.words.iter().map(|word| Finder::new(word).into_owned()).collect()
            }
        };
        Builder { words, ..Builder::default() }
    }

    /// Adds the next entry.
    pub fn add(&mut self, entry: Entry<'_>) {
        let fields = [entry.name, entry.description, entry.body];
        let lengths = fields.map(|text| self.add_field(text));
        self.lengths.push(lengths);
        self.names.push(name_key(entry.name).into());
    }

    /// Puts everything in its place.
    pub fn finish(self) -> Index {
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
            words => chunks_with(words, &self.folded).into_iter().for_each(&mut add),
        }
        self.occurrences.close_field();
        u32::try_from(self.folded.len()).unwrap_or(u32::MAX)
    }
}

/// The chunks of a text that have one of the words, each as often as it occurs.
fn chunks_with<'a>(words: &[Finder<'_>], text: &'a str) -> Vec<&'a str> {
    let mut ranges = Vec::new();
    for word in words {
        let mut from = 0;
        while let Some(at) = word.find(&text.as_bytes()[from..]) {
            let (before, after) = text.split_at(from + at);
            let is_space = |letter: char| letter.is_ascii_whitespace();
            let start = before.rfind(is_space).map_or(0, |space| space + 1);
            let end = after.find(is_space).map_or(text.len(), |space| before.len() + space);
            ranges.push((start, end));
            from = end;
        }
    }
    ranges.sort_unstable();
    ranges.dedup();
    ranges.into_iter().map(|(start, end)| &text[start..end]).collect()
}
