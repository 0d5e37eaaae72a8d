//! "Did you mean": ids and paths that look like what was asked for.

use std::path::PathBuf;

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
    let scored = listed.map(|(id, skill)| {
        let name = letters(&fold(skill.name()));
        (best([(&whole, &letters(&fold(id))), (&whole, &name), (&last, &name)]), id)
    });
    most_alike(scored, |id| (id.len(), *id))
}

/// The paths most like `asked`, best first: typos, and the same file in another folder.
pub(crate) fn similar_paths(asked: &str, paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    if asked.len() > LONGEST {
        return Vec::new();
    }
    let keys = |path: &str| {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        [letters(&fold(path)), letters(&fold(file))]
    };
    let [whole, file] = keys(asked);
    let scored = paths.map(|path| {
        let [known, known_file] = keys(&path.to_string_lossy());
        (best([(&whole, &known), (&file, &known_file), (&whole, &known_file)]), path)
    });
    most_alike(scored, |path| (path.as_os_str().len(), path.clone()))
}

/// The highest likeness of several pairs.
fn best<const N: usize>(pairs: [(&String, &String); N]) -> f64 {
    pairs.into_iter().map(|(asked, known)| likeness(asked, known)).fold(0.0, f64::max)
}

/// The few that are alike enough, the most alike first.
fn most_alike<T, K: Ord>(scored: impl Iterator<Item = (f64, T)>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut scored: Vec<(f64, T)> = scored.filter(|(score, _)| *score >= ALIKE).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| key(&a.1).cmp(&key(&b.1))));
    scored.into_iter().take(MOST).map(|(_, it)| it).collect()
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
        // Of the distances that forgive swapped letters the one without a hash map in it.
        let longest = asked.chars().count().max(known.chars().count());
        1.0 - strsim::osa_distance(asked, known) as f64 / longest as f64
    };
    let share = short.len() as f64 / long.len() as f64;
    let part = match () {
        () if long.starts_with(short) => 0.8 + share * 0.2,
        () if short.len() >= 3 && long.contains(short) => 0.6 + share * 0.2,
        () => 0.0,
    };
    typos.max(part)
}
