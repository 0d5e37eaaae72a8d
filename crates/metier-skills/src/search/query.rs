//! What is asked for.

use std::collections::HashSet;
use std::ops::Range;

use memchr::memmem;

use super::names::name_key;
use super::text::fold;
use super::typo::Typo;

/// How many of a query's words must be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// Every word.
    All,
    /// At least one; more are better.
    Any,
    /// At least one, and longer words may have typos.
    Fuzzy,
}

/// The words to look for, in lower case and each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub(super) mode: Match,
    pub(super) words: Vec<String>,
    /// All of it, as the name it may be.
    pub(super) name: String,
}

impl Query {
    /// Splits `text` at white space; none if there is nothing else in it.
    pub fn new(text: &str, mode: Match) -> Option<Query> {
        let folded = fold(text);
        let mut seen = HashSet::new();
        let words = folded.split_ascii_whitespace().filter(|word| seen.insert(*word));
        let words: Vec<String> = words.map(str::to_owned).collect();
        (!words.is_empty()).then_some(Query { mode, words, name: name_key(text) })
    }

    /// How many words an entry must have to be a hit.
    pub(super) fn needed(&self) -> usize {
        match self.mode {
            Match::All => self.words.len(),
            Match::Any | Match::Fuzzy => 1,
        }
    }

    /// The first place in a folded text where one of the words is, else one that looks like it.
    pub(super) fn find(&self, folded: &str) -> Option<Range<usize>> {
        let range = |word: &str| {
            let at = memmem::find(folded.as_bytes(), word.as_bytes())?;
            Some(at..at + word.len())
        };
        let exact = self.words.iter().filter_map(|word| range(word));
        exact.min_by_key(|it| it.start).or_else(|| range(self.find_typo(folded)?))
    }

    fn find_typo<'a>(&self, folded: &'a str) -> Option<&'a str> {
        let typos: Vec<Typo> = match self.mode {
            Match::Fuzzy => self.words.iter().filter_map(|word| Typo::new(word)).collect(),
            Match::All | Match::Any => return None,
        };
        let mut chunks = folded.split_ascii_whitespace();
        chunks.find_map(|chunk| typos.iter().find_map(|typo| Some(typo.nearest(chunk)?.word)))
    }
}
