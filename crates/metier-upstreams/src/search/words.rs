//! Words of names, descriptions and queries, in the form in which they are compared.

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
pub(super) struct Word {
    pub(super) whole: String,
    /// What it consists of, if that is more than one: `read` and `file` of `readFile`.
    pub(super) parts: Vec<String>,
}

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word> {
    runs(text).map(Word::new)
}

/// The words of a query, each once; those that say nothing only if there are no others.
pub(super) fn query_words(query: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    for word in words(query) {
        if found.len() < MOST_WORDS && !found.contains(&word) {
            found.push(word);
        }
    }
    let is_empty = |it: &Word| EMPTY.contains(&it.whole.as_str());
    if !found.iter().all(is_empty) {
        found.retain(|it| !is_empty(it));
    }
    found
}

impl Word {
    fn new(run: &str) -> Word {
        let parts: Vec<String> = parts(run).into_iter().map(folded).collect();
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

/// In lower case and in the singular.
fn folded(word: &str) -> String {
    let mut word = word.to_lowercase();
    let ending = PLURALS.iter().find(|(plural, _)| word.ends_with(plural));
    if let Some((plural, singular)) = ending.filter(|_| word.len() > 3) {
        word.truncate(word.len() - plural.len());
        word.push_str(singular);
    }
    word
}
