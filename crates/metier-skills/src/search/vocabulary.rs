//! The distinct chunks of all texts, in one string so that one sweep finds a word in all of them.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use memchr::memmem;

use super::typo::Typo;

/// Stands after every chunk; no word has it.
const SEPARATOR: char = '\n';

/// How much an occurrence counts: the whole word, the beginning of one, the middle of one.
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

/// A chunk in the table. Its hash is kept, so that a table that grows need not read all chunks.
struct Known {
    hash: u32,
    number: u32,
    start: u32,
}

impl Default for Vocabulary {
    fn default() -> Vocabulary {
        Vocabulary { text: String::new(), starts: vec![0] }
    }
}

impl Vocabulary {
    pub(super) fn n_chunks(&self) -> usize {
        self.starts.len() - 1
    }

    fn chunk(&self, number: usize) -> &str {
        &self.text[self.starts[number] as usize..self.starts[number + 1] as usize - 1]
    }

    fn bytes(&self, number: usize) -> &[u8] {
        &self.text.as_bytes()[self.starts[number] as usize..self.starts[number + 1] as usize - 1]
    }

    /// The first number from `from` on whose chunk starts after `at`; near ones are found fast.
    fn next_after(&self, from: usize, at: usize) -> usize {
        let mut reach = 1;
        while self.starts.get(from + reach).is_some_and(|start| *start as usize <= at) {
            reach *= 2;
        }
        let near = &self.starts[from..self.starts.len().min(from + reach)];
        from + near.partition_point(|start| *start as usize <= at)
    }

    /// The chunks that hold `word`, and how well it stands in each.
    pub(super) fn holding(&self, word: &str) -> impl Iterator<Item = (usize, f32)> {
        let finder = memmem::Finder::new(word).into_owned();
        let mut next = 0;
        std::iter::from_fn(move || {
            let from = self.starts[next] as usize;
            let at = from + finder.find(&self.text.as_bytes()[from..])?;
            next = self.next_after(next, at);
            let chunk = self.chunk(next - 1);
            let mut start = at - self.starts[next - 1] as usize;
            let mut weight = standing(chunk, start, start + finder.needle().len());
            while weight < WHOLE
                && let Some(more) = finder.find(&chunk.as_bytes()[start + 1..])
            {
                start += more + 1;
                weight = standing(chunk, start, start + finder.needle().len()).max(weight);
            }
            Some((next - 1, weight))
        })
    }

    /// The chunks that hold something like `word`, and how near it comes.
    pub(super) fn resembling(&self, word: &str) -> impl Iterator<Item = (usize, f32)> {
        let typo = Typo::new(word);
        (0..self.n_chunks()).filter_map(move |number| {
            let nearest = typo.as_ref()?.nearest(self.chunk(number))?;
            Some((number, WHOLE / (1 + nearest.distance) as f32))
        })
    }
}

/// A table looks at both ends of a hash.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// How well the word at `start..end` stands in its chunk.
fn standing(chunk: &str, start: usize, end: usize) -> f32 {
    match (is_edge(chunk, start), is_edge(chunk, end)) {
        (true, true) => WHOLE,
        (true, false) => BEGINNING,
        (false, _) => INSIDE,
    }
}

/// Whether a word may begin or end here: not between two letters or digits.
fn is_edge(chunk: &str, at: usize) -> bool {
    let (before, after) = chunk.split_at(at);
    !(before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric))
}

impl Interner {
    /// The number of a chunk, new or known; none once the vocabulary is as long as it can be.
    pub(super) fn intern(&mut self, chunk: &str) -> Option<u32> {
        let Interner { vocabulary, known, hasher } = self;
        let hash = hasher.hash_one(chunk.as_bytes()) as u32;
        let is_same = |it: &Known| {
            let text = &vocabulary.text.as_bytes()[it.start as usize..];
            it.hash == hash && text.get(chunk.len()) == Some(&b'\n') && text[..chunk.len()] == *chunk.as_bytes()
        };
        if let Some(known) = known.find(spread(hash), is_same) {
            return Some(known.number);
        }
        let start = u32::try_from(vocabulary.text.len()).ok()?;
        let end = u32::try_from(vocabulary.text.len() + chunk.len() + 1).ok()?;
        let number = u32::try_from(vocabulary.n_chunks()).ok()?;
        vocabulary.text.push_str(chunk);
        vocabulary.text.push(SEPARATOR);
        vocabulary.starts.push(end);
        known.insert_unique(spread(hash), Known { hash, number, start }, |it| spread(it.hash));
        Some(number)
    }

    pub(super) fn finish(mut self) -> Vocabulary {
        self.vocabulary.text.shrink_to_fit();
        self.vocabulary.starts.shrink_to_fit();
        self.vocabulary
    }
}
