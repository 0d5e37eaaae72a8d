//! What is asked for.

use std::ops::Range;

use memchr::memmem;

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
    pub(super) name: String,
}

impl Query {
    /// Splits `text` at white space; none if there is nothing else in it.
    pub fn new(text: &str, mode: Match) -> Option<Query> {
        let name = name_key(text);
        let mut words: Vec<String> = Vec::new();
        for word in fold(text).split_ascii_whitespace() {
            if !words.iter().any(|it| it == word) {
                words.push(word.to_owned());
            }
        }
        (!words.is_empty()).then_some(Query { mode, words, name })
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

/// The form in which names are compared: `PDF Tools`, `pdf-tools` and `pdf tools` are one.
pub(super) fn name_key(text: &str) -> String {
    fold(text).split_ascii_whitespace().collect::<Vec<_>>().join("-")
}
