//! Text as search reads it: in lower case, cut at white space.

use std::ops::Range;

use memchr::memmem::Finder;

/// Appends `text` in lower case; any white space outside ASCII becomes a space.
///
/// Letters are lowered one by one, without regard to their neighbours, so that a part of a text
/// folds as it does within the whole. This is why both small sigmas are one letter here.
pub(super) fn fold_into(text: &str, folded: &mut String) {
    let mut rest = text;
    loop {
        let (plain, other) = rest.split_at(plain_length(rest));
        let start = folded.len();
        folded.push_str(plain);
        folded[start..].make_ascii_lowercase();

        let mut letters = other.chars();
        let Some(letter) = letters.next() else { return };
        folded.extend(fold_letter(letter));
        rest = letters.as_str();
    }
}

/// `text` in lower case, as [`fold_into`] writes it.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// The chunks of a folded text that have one of the words, each as often as it occurs.
pub(super) fn chunks_with<'a>(folded: &'a str, words: &[Finder<'_>]) -> Vec<&'a str> {
    let is_space = |letter: char| letter.is_ascii_whitespace();
    let mut ranges = Vec::new();
    for word in words {
        let mut from = 0;
        while let Some(at) = word.find(&folded.as_bytes()[from..]) {
            let (before, after) = folded.split_at(from + at);
            let start = before.rfind(is_space).map_or(0, |space| space + 1);
            let end = after.find(is_space).map_or(folded.len(), |space| before.len() + space);
            ranges.push((start, end));
            from = end;
        }
    }
    ranges.sort_unstable();
    ranges.dedup();
    ranges.into_iter().map(|(start, end)| &folded[start..end]).collect()
}

/// The part of `text` whose folded form covers `range` of the folded text.
pub(super) fn unfold(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = unfold_offset(text, range.start);
    let last = unfold_offset(text, range.end.saturating_sub(1));
    let end = last + text[last..].chars().next().map_or(0, char::len_utf8);
    start..end
}

/// Where the letter starts that became the byte at `target` of the folded text.
fn unfold_offset(text: &str, target: usize) -> usize {
    let (mut at, mut folded) = (0, 0);
    loop {
        let plain = plain_length(&text[at..]);
        if target < folded + plain {
            return at + target - folded;
        }
        at += plain;
        folded += plain;
        let Some(letter) = text[at..].chars().next() else { return at };
        folded += fold_letter(letter).map(char::len_utf8).sum::<usize>();
        if target < folded {
            return at;
        }
        at += letter.len_utf8();
    }
}

/// How many bytes at the head of `text` fold one to one: ASCII, but for the one kind of white
/// space in it that `split_ascii_whitespace` does not know.
fn plain_length(text: &str) -> usize {
    let is_odd = |byte: &u8| !byte.is_ascii() | (*byte == b'\x0b');
    let mut rest = text.as_bytes();
    // Whole blocks without a way out in the middle are looked at many bytes at a time.
    while let Some((block, tail)) = rest.split_first_chunk::<64>()
        && !block.iter().fold(false, |odd, byte| odd | is_odd(byte))
    {
        rest = tail;
    }
    text.len() - rest.len() + rest.iter().position(is_odd).unwrap_or(rest.len())
}

fn fold_letter(letter: char) -> impl Iterator<Item = char> {
    let letter = match letter {
        'ς' => 'σ',
        space if space.is_whitespace() => ' ',
        other => other,
    };
    letter.to_lowercase()
}
