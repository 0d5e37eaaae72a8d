//! Searching a catalog of real files.

use super::fixture::Fixture;
use crate::{Bodies, Catalog, Filter, Match, Progress, Query, scan_watched};

const TREE: &str = "\
//- custom/pdf/SKILL.md
---
name: pdf
description: Reads forms
---
Fill a form with the tool.
//- custom/forms/SKILL.md
---
name: forms
description: Draws forms for pdf files
---
Nothing else.
//- custom/git/SKILL.md
---
name: git
description: Commits
---
hidden words: form pdf
";

#[track_caller]
fn check(bodies: Bodies, query: &str, expected: &[&str]) {
    let fixture = Fixture::new(TREE);
    let scan = scan_watched(&fixture.sources(), bodies, &Progress::default());
    let catalog = Catalog::new(&scan.skills, &Filter::default());
    let found = catalog.search(&Query::new(query, Match::All).unwrap(), 2);
    let lines: Vec<String> =
        found.results.iter().map(|it| format!("{} {} {}", it.id, it.score, it.excerpt)).collect();
    assert_eq!(lines, expected);
}

#[test]
fn results_come_best_first_with_excerpts_and_within_the_limit() {
    let expected = ["pdf 2 Fill a form with the tool.", "forms 2 Draws forms for pdf files"];
    check(Bodies::Kept, "PDF form", &expected);
}

#[test]
fn bodies_that_were_not_kept_are_read() {
    check(Bodies::Dropped, "hidden", &["git 1 hidden words: form pdf"]);
}
