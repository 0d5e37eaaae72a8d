//! What is new in a scan beside the one before.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use metier_skills::{Problem, Scan, Skill};

/// What a scan brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// It is the first.
    First,
    /// It says the same as the one before, though it may have read more to know it.
    Nothing,
    /// Skills came, went or became others; or none did, and the difference lies elsewhere.
    Changes { added: usize, removed: usize, changed: usize },
}

impl News {
    pub(crate) fn between(before: Option<&Scan>, after: &Scan) -> News {
        match before {
            None => News::First,
            Some(before) if is_equal(before, after) => News::Nothing,
            Some(before) => changes(before, after),
        }
    }
}

fn is_equal(before: &Scan, after: &Scan) -> bool {
    before.is_same(after)
        || (before.skills == after.skills
            && before.problems == after.problems
            && before.sources == after.sources)
}

/// Compares skills by their folders.
fn changes(before: &Scan, after: &Scan) -> News {
    let known: HashMap<&Path, &Skill> =
        before.skills.iter().map(|it| (&*it.folder, &**it)).collect();
    let (mut added, mut changed) = (0, 0);
    for skill in &after.skills {
        match known.get(&*skill.folder) {
            None => added += 1,
            Some(before) if **before != **skill => changed += 1,
            Some(_) => {}
        }
    }
    let removed = before.skills.len() + added - after.skills.len();
    News::Changes { added, removed, changed }
}

/// The problems that were not there before.
pub(crate) fn new_problems<'a>(before: &[Problem], after: &'a [Problem]) -> Vec<&'a Problem> {
    if before == after {
        return Vec::new();
    }
    let told = |it: &Problem| (it.path.clone(), it.cause.to_string());
    let known: HashSet<_> = before.iter().map(told).collect();
    after.iter().filter(|it| !known.contains(&told(it))).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use metier_skills::{Places, Progress, rescan};

    use super::*;

    /// Writes `name=text` files, `-name` removing one, and says what the second batch brought.
    #[track_caller]
    fn check(first: &str, second: &str, expected: News) {
        let dir = tempfile::tempdir().unwrap();
        let places = Places { custom: vec![dir.path().to_owned()], ..Places::default() };
        let mut scan = Scan::default();
        let mut news = Vec::new();
        for batch in [first, second] {
            for word in batch.split_whitespace() {
                write(dir.path(), word);
            }
            let after = rescan(&places.sources().list, &scan, &Progress::default());
            news.push(News::between(Some(&scan), &after));
            scan = after;
        }
        assert_eq!(news[1], expected);
    }

    fn write(dir: &Path, word: &str) {
        if let Some(name) = word.strip_prefix('-') {
            return fs::remove_dir_all(dir.join(name)).unwrap();
        }
        let (name, body) = word.split_once('=').unwrap();
        fs::create_dir_all(dir.join(name)).unwrap();
        let text = format!("---\nname: {name}\ndescription: d\n---\n{body}\n");
        fs::write(dir.join(name).join("SKILL.md"), text).unwrap();
    }

    #[test]
    fn a_file_that_is_read_again_and_says_the_same_is_no_news() {
        check("a=one b=one", "a=one", News::Nothing);
    }

    #[test]
    fn a_changed_body_is_news() {
        check("a=one b=one", "a=two", News::Changes { added: 0, removed: 0, changed: 1 });
    }

    #[test]
    fn skills_that_come_and_go_are_counted() {
        check("a=one b=one", "c=one d=one -a", News::Changes { added: 2, removed: 1, changed: 0 });
    }

    #[test]
    fn only_problems_that_were_not_there_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let places = Places { custom: vec![dir.path().to_owned()], ..Places::default() };
        let mut problems = Vec::new();
        let mut told = Vec::new();
        for name in ["a", "b"] {
            fs::create_dir(dir.path().join(name)).unwrap();
            fs::write(dir.path().join(name).join("SKILL.md"), "no head").unwrap();
            let scan = rescan(&places.sources().list, &Scan::default(), &Progress::default());
            told.push(new_problems(&problems, &scan.problems).len());
            problems = scan.problems;
        }
        assert_eq!(told, [1, 1]);
    }
}
