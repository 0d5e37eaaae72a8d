//! Validation of files, folders and trees.

use super::fixture::Fixture;
use crate::{Progress, validate_all};

#[track_caller]
fn check(tree: &str, path: &str, expected: &[&str]) {
    let fixture = Fixture::new(tree);
    let verdicts = validate_all(&fixture.path(path), &Progress::default());
    let lines: Vec<String> = verdicts
        .iter()
        .map(|it| format!("{} {}", fixture.relative(&it.path), it.is_valid()))
        .collect();
    assert_eq!(lines, expected);
}

const TREE: &str = "\
//- custom/good/SKILL.md
name: good | description: Does good things when asked
//- custom/bad/SKILL.md
name: BAD | description: d
//- custom/off/.SKILL.md
name: off | description: d
";

#[test]
fn a_file_is_judged() {
    check(TREE, "custom/good/SKILL.md", &["custom/good/SKILL.md true"]);
}

#[test]
fn a_skill_folder_is_judged() {
    check(TREE, "custom/bad", &["custom/bad/SKILL.md false"]);
}

#[test]
fn a_tree_is_judged_file_by_file() {
    check(
        TREE,
        "custom",
        &["custom/bad/SKILL.md false", "custom/good/SKILL.md true", "custom/off/.SKILL.md true"],
    );
}

#[test]
fn a_folder_without_skills_has_no_verdict() {
    check(TREE, "project", &[]);
}

#[test]
fn a_file_whose_name_hides_something_is_a_warning() {
    let fixture = Fixture::new(TREE);
    std::fs::write(fixture.path("custom/good/a\u{202e}txt.exe"), "x").unwrap();
    let verdicts = validate_all(&fixture.path("custom/good"), &Progress::default());
    let messages = verdicts[0].findings.iter().map(|it| it.message.as_str());
    let expected = r"the name of `a\u{202e}txt.exe` has hidden characters";
    assert_eq!(messages.filter(|it| it.contains("hidden")).collect::<Vec<_>>(), [expected]);
    assert!(verdicts[0].is_valid());
}
