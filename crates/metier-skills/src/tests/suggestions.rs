//! What is suggested when a name means nothing.

use super::fixture::Fixture;

#[track_caller]
fn check(names: &str, asked: &str, expected: &str) {
    let fixture = Fixture::new("");
    for name in names.split(' ') {
        let skill = format!("name: {name} | description: d");
        fixture.write(&format!("project/.claude/skills/{name}/SKILL.md"), &skill);
    }
    let meaning = fixture.meaning(asked);
    assert_eq!(meaning, format!("missing {expected}").trim_end());
}

#[test]
fn typing_mistakes_are_forgiven() {
    check("pdf git docker", "pfd", "pdf");
    check("kubernetes-helper git", "kubernets-helper", "kubernetes-helper");
}

#[test]
fn parts_of_a_name_are_enough() {
    check("kubernetes-helper git", "kubernetes", "kubernetes-helper");
    check("kubernetes-helper git", "helper", "kubernetes-helper");
}

#[test]
fn hyphens_do_not_matter() {
    check("code-review", "codereview", "code-review");
}

#[test]
fn a_wrong_prefix_is_forgiven() {
    check("pdf git", "codex:pdf", "pdf");
}

#[test]
fn there_are_at_most_five() {
    check("aaa1 aaa2 aaa3 aaa4 aaa5 aaa6", "aaa", "aaa1 aaa2 aaa3 aaa4 aaa5");
}

#[test]
fn what_is_nothing_like_it_is_not_suggested() {
    check("pdf git docker", "zebra", "");
}
