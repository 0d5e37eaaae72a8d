//! "Did you mean": ids that look like what was asked for.

use crate::{key::fold, skill::Skill};

/// How many ids are suggested.
const MOST: usize = 5;
/// Names longer than this are not names; comparing them would take long.
const LONGEST: usize = 128;
/// How alike two names must be, from 0 to 1.
const ALIKE: f64 = 0.6;

/// The ids most like `asked`, best first.
pub(crate) fn similar<'a>(
    asked: &str,
    listed: impl Iterator<Item = (&'a str, &'a Skill)>,
) -> Vec<&'a str> {
    if asked.len() > LONGEST {
        return Vec::new();
    }
    let asked = fold(asked);
    let (whole, last) = (letters(&asked), letters(last_part(&asked)));
    if whole.is_empty() {
        return Vec::new();
    }
    let mut scored: Vec<(f64, &str)> = listed
        .filter_map(|(id, skill)| {
            let name = letters(&fold(skill.name()));
            let score = [(&whole, &letters(&fold(id))), (&whole, &name), (&last, &name)]
                .map(|(asked, known)| likeness(asked, known))
                .into_iter()
                .fold(0.0, f64::max);
            (score >= ALIKE).then_some((score, id))
        })
        .collect();
    scored
        .sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1.len(), a.1).cmp(&(b.1.len(), b.1))));
    scored.into_iter().take(MOST).map(|(_, id)| id).collect()
}

/// What follows the last prefix.
fn last_part(id: &str) -> &str {
    id.rsplit(':').next().unwrap_or(id)
}

/// Letters and digits only: people forget hyphens first.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// 1 for the same letters; a part of the other or a few typos come next.
fn likeness(asked: &str, known: &str) -> f64 {
    let (short, long) = if asked.len() <= known.len() { (asked, known) } else { (known, asked) };
    if short.is_empty() {
        return 0.0;
    }
    let typos = if short.len() * 2 < long.len() {
        0.0
    } else {
        strsim::normalized_damerau_levenshtein(asked, known)
    };
    let share = short.len() as f64 / long.len() as f64;
    let part = match () {
        () if long.starts_with(short) => 0.8 + share * 0.2,
        () if short.len() >= 3 && long.contains(short) => 0.6 + share * 0.2,
        () => 0.0,
    };
    typos.max(part)
}
