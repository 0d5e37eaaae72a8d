//! Searching a catalog of real files.

use super::fixture::Fixture;
use crate::{
    Bodies, Catalog, Filter, Match, Progress, Query, SearchIndex, SearchResults, scan_watched,
};

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
    let query = Query::new(query, Match::All).unwrap();
    assert_eq!(lines(&catalog.search(&query, 2)), expected);
    assert_eq!(lines(&catalog.search_with(&SearchIndex::new(&catalog), &query, 2)), expected);
}

fn lines(found: &SearchResults<'_>) -> Vec<String> {
    found.results.iter().map(|it| format!("{} {} {}", it.id, it.score, it.excerpt)).collect()
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

#[test]
fn an_index_answers_as_a_pass_does() {
    let fixture = Fixture::new(TREE);
    fixture
        .write("home/.claude/skills/pdf/SKILL.md", "name: pdf | description: Hidden by a copy\n");
    fixture.write("home/.codex/skills/x/SKILL.md", "name: x | description: form of pdf\n");
    let catalog = fixture.catalog();
    let index = SearchIndex::new(&catalog);
    for asked in ["pdf", "form", "PDF form", "hidden words", "fromz", "o", "nowhere", "forms pdf x"]
    {
        for mode in [Match::All, Match::Any, Match::Fuzzy] {
            for limit in [0, 1, 25] {
                let query = Query::new(asked, mode).unwrap();
                let (pass, indexed) =
                    (catalog.search(&query, limit), catalog.search_with(&index, &query, limit));
                assert_eq!(indexed.total, pass.total, "{asked} {mode:?}");
                assert_eq!(lines(&indexed), lines(&pass), "{asked} {mode:?}");
            }
        }
    }
}

#[test]
fn an_index_of_another_catalog_does_no_harm() {
    let index = SearchIndex::new(&Fixture::new(TREE).catalog());
    let query = Query::new("pdf", Match::All).unwrap();
    assert!(Catalog::default().search_with(&index, &query, 9).results.is_empty());
}
