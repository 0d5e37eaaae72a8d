//! The few words of a text that show why it was found.

use std::ops::Range;

use super::query::Query;
use super::text::{fold, unfold};

/// How long an excerpt may be, in characters.
const LENGTH: usize = 160;
/// How far a cut may move to fall between two words.
const SLACK: usize = 16;

/// A window of about 160 characters around the first match in the body, else in the description;
/// the description's beginning if there is no match.
pub(crate) fn excerpt(query: &Query, description: &str, body: &str) -> String {
    let around = |text: &str| {
        let range = unfold(text, &query.find(&fold(text))?);
        Some(window(text, &range))
    };
    let opening = || squeeze(description.trim_start().chars(), LENGTH).into_iter().collect();
    around(body).or_else(|| around(description)).unwrap_or_else(opening)
}

fn window(text: &str, range: &Range<usize>) -> String {
    let matched = &text[range.clone()];
    let room = LENGTH.saturating_sub(matched.chars().count());
    let before = |room| squeeze(text[..range.start].chars().rev(), room);
    let after = squeeze(text[range.end..].chars(), room - before(room / 2).len().min(room));
    let before = before(room.saturating_sub(after.len()));
    before.into_iter().rev().chain(matched.chars()).chain(after).collect()
}

/// Takes up to `room` characters with single spaces, and ends with `…` where more would follow.
fn squeeze(mut letters: impl Iterator<Item = char>, room: usize) -> Vec<char> {
    let mut taken = Vec::new();
    while taken.len() < room
        && let Some(letter) = letters.next()
    {
        match letter.is_whitespace() {
            true if taken.last() == Some(&' ') => {}
            true => taken.push(' '),
            false => taken.push(letter),
        }
    }
    if letters.any(|letter| !letter.is_whitespace()) {
        let space = taken.iter().rposition(|letter| *letter == ' ');
        taken.truncate(space.filter(|at| taken.len() - at <= SLACK).unwrap_or(taken.len()));
        taken.push('…');
    } else if taken.last() == Some(&' ') {
        taken.pop();
    }
    taken
}
