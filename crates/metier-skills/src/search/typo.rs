//! Words that are almost the one asked for.

/// Fewer letters than this and nearly every word looks like another.
const ONE_TYPO_FROM: usize = 4;
const TWO_TYPOS_FROM: usize = 8;

/// A word of a query that may be misspelled.
pub(super) struct Typo<'a> {
    word: &'a str,
    shape: Shape,
    allowed: usize,
}

/// A word of a text that resembles the one asked for.
pub(super) struct Nearest<'a> {
    pub(super) word: &'a str,
    pub(super) distance: usize,
}

/// What tells most words apart without comparing them letter by letter.
struct Shape {
    n_letters: usize,
    letters: u64,
}

impl<'a> Typo<'a> {
    /// None if the word is too short to be guessed at.
    pub(super) fn new(word: &'a str) -> Option<Typo<'a>> {
        let shape = Shape::new(word);
        let allowed = match shape.n_letters {
            ..ONE_TYPO_FROM => return None,
            ONE_TYPO_FROM..TWO_TYPOS_FROM => 1,
            TWO_TYPOS_FROM.. => 2,
        };
        Some(Typo { word, shape, allowed })
    }

    /// The word in `chunk` that takes the fewest typos: all of it without the punctuation around
    /// it, or one of its parts, so that both `pdf-bilder` and `bilder` find `(pdf-builder)`.
    pub(super) fn nearest<'t>(&self, chunk: &'t str) -> Option<Nearest<'t>> {
        let punctuation = |letter: char| !letter.is_alphanumeric();
        let whole = chunk.trim_matches(punctuation);
        let parts = whole.split(punctuation).filter(|part| part.len() < whole.len());
        std::iter::once(whole)
            .chain(parts)
            .filter_map(|word| Some(Nearest { word, distance: self.distance(word)? }))
            .min_by_key(|it| it.distance)
    }

    fn distance(&self, word: &str) -> Option<usize> {
        let shape = Shape::new(word);
        let apart = self.shape.n_letters.abs_diff(shape.n_letters);
        // One typo takes at most one letter away and brings at most one in.
        let differing = (self.shape.letters ^ shape.letters).count_ones() as usize;
        if apart > self.allowed || differing > 2 * self.allowed {
            return None;
        }
        Some(strsim::osa_distance(self.word, word)).filter(|it| *it <= self.allowed)
    }
}

impl Shape {
    fn new(word: &str) -> Shape {
        word.chars().fold(Shape { n_letters: 0, letters: 0 }, |shape, letter| Shape {
            n_letters: shape.n_letters + 1,
            letters: shape.letters | 1 << (u32::from(letter) % u64::BITS),
        })
    }
}
