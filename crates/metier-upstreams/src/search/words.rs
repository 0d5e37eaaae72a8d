//! Words of names, descriptions and queries, in the form in which they are compared.

use std::borrow::Cow;

/// Longer words are no words.
const LONGEST_WORD: usize = 64;
/// How many words of a query count.
const MOST_WORDS: usize = 32;

/// Words of a query that say nothing about a tool.
const EMPTY: [&str; 32] = [
    "a", "an", "and", "any", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i", "in",
    "into", "is", "it", "me", "my", "of", "on", "or", "some", "that", "the", "this", "to", "want",
    "what", "with", "you",
];

/// Plural endings, and what a word that has one ends in otherwise.
const PLURALS: [(&str, &str); 11] = [
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("ies", "y"),
    ("sses", "ss"),
    ("shes", "sh"),
    ("xes", "x"),
    ("tches", "tch"),
    ("rches", "rch"),
    ("nches", "nch"),
    ("s", ""),
];

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) whole: Cow<'a, str>,
    /// What it consists of, if that is more than one: `read` and `file` of `readFile`.
    pub(super) parts: Vec<Cow<'a, str>>,
}

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    runs(text).map(Word::new)
}

/// The words of a query, each once; those that say nothing only if there are no others.
pub(super) fn query_words(query: &str) -> Vec<Word<'_>> {
    let mut found: Vec<Word<'_>> = Vec::new();
    for word in words(query) {
        if found.len() < MOST_WORDS && !found.contains(&word) {
            found.push(word);
        }
    }
    let is_empty = |it: &Word<'_>| EMPTY.contains(&&*it.whole);
    if !found.iter().all(is_empty) {
        found.retain(|it| !is_empty(it));
    }
    found
}

impl Word<'_> {
    fn new(run: &str) -> Word<'_> {
        // Most words by far.
        if run.bytes().all(|it| it.is_ascii_lowercase()) {
            return Word { whole: singular(Cow::Borrowed(run)), parts: Vec::new() };
        }
        let folded = |part: &str| singular(Cow::Owned(part.to_lowercase()));
        let parts: Vec<Cow<'_, str>> = parts(run).into_iter().map(folded).collect();
        Word { whole: folded(run), parts: if parts.len() > 1 { parts } else { Vec::new() } }
    }
}

/// Letters and digits that stand together; what is written without spaces, letter by letter.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(|c: char| !c.is_alphanumeric());
    let pieces = pieces.flat_map(|it| it.split_inclusive(is_unspaced)).flat_map(|it| {
        let last = it.char_indices().next_back().filter(|(_, c)| is_unspaced(*c));
        let (before, last) = it.split_at(last.map_or(it.len(), |(at, _)| at));
        [before, last]
    });
    pieces.filter(|it| !it.is_empty() && it.len() <= LONGEST_WORD)
}

/// Whether a letter belongs to a script that is written without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Cuts `HTTPServer2` into `HTTP`, `Server` and `2`.
fn parts(run: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = run.char_indices().collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 1..letters.len() {
        let (before, (place, here)) = (letters[at - 1].1, letters[at]);
        let after = letters.get(at + 1).map(|(_, c)| *c);
        let begins_word = here.is_uppercase()
            && (before.is_lowercase()
                || before.is_uppercase() && after.is_some_and(char::is_lowercase));
        if begins_word || here.is_numeric() != before.is_numeric() {
            parts.push(&run[start..place]);
            start = place;
        }
    }
    parts.push(&run[start..]);
    parts
}

/// What a word in the plural is called in the singular, nearly.
fn singular(word: Cow<'_, str>) -> Cow<'_, str> {
    if word.len() <= 3 || !word.ends_with('s') {
        return word;
    }
    let ending = PLURALS.iter().find_map(|(plural, singular)| {
        let stem = word.strip_suffix(plural)?.len();
        Some((stem, *singular))
    });
    match (ending, word) {
        (None, word) => word,
        (Some((stem, "")), Cow::Borrowed(word)) => Cow::Borrowed(&word[..stem]),
        (Some((stem, singular)), word) => Cow::Owned(format!("{}{singular}", &word[..stem])),
    }
}
