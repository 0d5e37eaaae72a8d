//! The distinct chunks of all texts, in one string so that one sweep finds a word in all of them.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use memchr::memmem;

use super::typo::Typo;

/// Stands after every chunk; no word has it.
const SEPARATOR: u8 = b'\n';

/// How much an occurrence counts: as a whole word, at the beginning of one, elsewhere in one.
const WHOLE: f32 = 1.0;
const BEGINNING: f32 = 0.5;
const INSIDE: f32 = 0.2;

/// All chunks, numbered in order of appearance.
#[derive(Debug)]
pub(super) struct Vocabulary {
    text: String,
    /// Where each chunk starts, and the end of the text.
    starts: Vec<u32>,
}

/// Gives each chunk its number.
#[derive(Default)]
pub(super) struct Interner {
    vocabulary: Vocabulary,
    known: HashTable<Known>,
    hasher: DefaultHashBuilder,
}

/// A chunk in the table. With its hash at hand, a table that grows need not read every chunk.
struct Known {
    hash: u32,
    start: u32,
    number: u32,
}

impl Default for Vocabulary {
    fn default() -> Vocabulary {
        Vocabulary { text: String::new(), starts: vec![0] }
    }
}

impl Vocabulary {
    /// The chunks that hold `word`, and how well it fits where it fits best.
    pub(super) fn holding(&self, word: &str) -> impl Iterator<Item = (usize, f32)> {
        let mut places = memmem::find_iter(self.text.as_bytes(), word).peekable();
        let mut next = 0;
        std::iter::from_fn(move || {
            let first = places.next()?;
            next = self.first_after(first, next);
            let end = self.starts[next] as usize;
            let mut best = self.fit(first, word);
            while let Some(further) = places.next_if(|at| *at < end) {
                best = best.max(self.fit(further, word));
            }
            Some((next - 1, best))
        })
    }

    /// The chunks that hold something like `word`, and how near it comes.
    pub(super) fn resembling(&self, word: &str) -> impl Iterator<Item = (usize, f32)> {
        let typo = Typo::new(word);
        let n_chunks = if typo.is_some() { self.n_chunks() } else { 0 };
        (0..n_chunks).filter_map(move |number| {
            let nearest = typo.as_ref()?.nearest(self.chunk(number))?;
            Some((number, WHOLE / (1 + nearest.distance) as f32))
        })
    }

    fn n_chunks(&self) -> usize {
        self.starts.len() - 1
    }

    fn chunk(&self, number: usize) -> &str {
        &self.text[self.starts[number] as usize..self.starts[number + 1] as usize - 1]
    }

    fn fit(&self, at: usize, word: &str) -> f32 {
        match (self.is_edge(at), self.is_edge(at + word.len())) {
            (true, true) => WHOLE,
            (true, false) => BEGINNING,
            (false, _) => INSIDE,
        }
    }

    /// Whether a word may begin or end here: not between two letters or digits.
    fn is_edge(&self, at: usize) -> bool {
        let (before, after) = self.text.split_at(at);
        !(before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric))
    }

    /// The first chunk that starts after `at`, looked for in growing steps: most are near.
    fn first_after(&self, at: usize, from: usize) -> usize {
        let is_before = |start: &u32| *start as usize <= at;
        let mut reach = 1;
        while self.starts.get(from + reach).is_some_and(is_before) {
            reach *= 2;
        }
        let end = self.starts.len().min(from + reach);
        from + self.starts[from..end].partition_point(is_before)
    }
}

impl Interner {
    /// The number of a chunk, new or known; none once the vocabulary is as long as it can be.
    pub(super) fn intern(&mut self, chunk: &str) -> Option<u32> {
        let Interner { vocabulary: Vocabulary { text, starts }, known, hasher } = self;
        let hash = hasher.hash_one(chunk) as u32;
        let is_same = |it: &Known| {
            let rest = &text.as_bytes()[it.start as usize..];
            let rest = rest.strip_prefix(chunk.as_bytes());
            it.hash == hash && rest.is_some_and(|rest| rest.first() == Some(&SEPARATOR))
        };
        if let Some(known) = known.find(spread(hash), is_same) {
            return Some(known.number);
        }
        let start = u32::try_from(text.len()).ok()?;
        let end = u32::try_from(text.len() + chunk.len() + 1).ok()?;
        let number = u32::try_from(starts.len() - 1).ok()?;
        text.push_str(chunk);
        text.push(char::from(SEPARATOR));
        starts.push(end);
        known.insert_unique(spread(hash), Known { hash, start, number }, |it| spread(it.hash));
        Some(number)
    }

    pub(super) fn finish(mut self) -> Vocabulary {
        self.vocabulary.text.shrink_to_fit();
        self.vocabulary.starts.shrink_to_fit();
        self.vocabulary
    }
}

/// A table takes the place from one end of a hash and a tag from the other.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << u32::BITS | u64::from(hash)
}
