//! Keys: names as they are compared, whatever their case or composition.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// Folds a name for comparison: trimmed, white space collapsed, composed, without case.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        if word.is_ascii() {
            folded.extend(word.chars().map(|c| c.to_ascii_lowercase()));
        } else {
            // Upper case first: it makes one of `ß` and `ss`, of `ς` and `σ`.
            let upper = word.nfc().flat_map(char::to_uppercase);
            folded.extend(upper.flat_map(char::to_lowercase).nfc());
        }
    }
    Cow::Owned(folded)
}
