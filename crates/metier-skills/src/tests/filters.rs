//! Which skills exist for a user.

use super::fixture::Fixture;
use crate::{Catalog, Filter, PatternError};

const TREE: &str = "\
//- custom/mine/SKILL.md
name: mine | description: d
//- project/.agents/skills/pdf/SKILL.md
name: pdf | description: d
//- home/.codex/skills/pdf/SKILL.md
name: pdf | description: d
//- home/.codex/skills/git/SKILL.md
name: Git-Flow | description: d
//- home/.claude/plugins/installed_plugins.json
{\"plugins\":{\"office@m\":[{\"scope\":\"user\",\"installPath\":\"$ROOT/office\"}]}}
//- office/skills/xlsx/SKILL.md
name: xlsx | description: d
";

#[track_caller]
fn check(include: &[&str], exclude: &[&str], expected: &str) {
    let filter = Filter::new(include, exclude).unwrap();
    let catalog = Catalog::new(&Fixture::new(TREE).scan().skills, &filter);
    assert_eq!(super::fixture::ids(&catalog).join(" "), expected);
}

#[test]
fn no_include_means_all() {
    check(&[], &[], "mine pdf Git-Flow codex:pdf office:xlsx");
}

#[test]
fn a_provider_selects_its_skills() {
    check(&["codex"], &[], "Git-Flow pdf");
    check(&["claude"], &[], "office:xlsx");
}

#[test]
fn a_name_selects_that_name_only() {
    check(&["pdf"], &[], "pdf codex:pdf");
    check(&["codex:pdf"], &[], "pdf");
    check(&["office:xlsx"], &[], "office:xlsx");
    check(&["office"], &[], "office:xlsx");
}

#[test]
fn groups_select_by_place() {
    check(&["@custom"], &[], "mine");
    check(&["@project"], &[], "pdf");
    check(&["@global"], &[], "Git-Flow pdf");
    check(&["@plugins"], &[], "office:xlsx");
    check(&["@plugins:office"], &[], "office:xlsx");
    check(&["@plugins:other"], &[], "");
}

#[test]
fn stars_and_question_marks_match_without_case() {
    check(&["p?f"], &[], "pdf codex:pdf");
    check(&["GIT*"], &[], "Git-Flow");
    check(&["*:x*"], &[], "office:xlsx");
    check(&["p.f"], &[], "");
    check(&["*"], &["?*:*x"], "mine pdf Git-Flow codex:pdf");
}

#[test]
fn exclude_wins_over_include() {
    check(&["codex"], &["git*"], "pdf");
    check(&["pdf"], &["pdf"], "");
}

#[test]
fn patterns_are_separated_by_commas_and_add_up() {
    check(&["mine,git-flow", "xlsx"], &[], "mine Git-Flow office:xlsx");
}

#[test]
fn an_empty_pattern_is_an_error() {
    for list in ["", " ", "a,", ",a", "a,,b"] {
        assert_eq!(Filter::new(&[list], &[]).unwrap_err(), PatternError::Empty, "{list:?}");
    }
}

#[test]
fn an_unknown_group_is_an_error() {
    let error = Filter::new(&[], &["@projects"]).unwrap_err();
    assert_eq!(error, PatternError::UnknownGroup("@projects".to_owned()));
}

#[test]
fn a_filtered_skill_is_not_found_and_not_suggested() {
    let filter = Filter::new(&[], &["git-flow"]).unwrap();
    let catalog = Catalog::new(&Fixture::new(TREE).scan().skills, &filter);
    let meaning = super::fixture::meaning(&catalog, "git-flow", |_| String::new());
    assert_eq!(meaning, "missing");
}
