//! Which file of a folder is its skill, and what is wrong with the others.

use super::fixture::{Fixture, ids};

#[track_caller]
fn check(fixture: &Fixture, listed: &str, problems: &str) {
    assert_eq!(ids(&fixture.catalog()).join(" "), listed);
    assert_eq!(fixture.problems(), problems);
}

#[track_caller]
fn check_tree(tree: &str, listed: &str, problems: &str) {
    check(&Fixture::new(tree), listed, problems);
}

#[test]
fn another_spelling_counts_with_a_warning() {
    check_tree(
        "//- custom/a/skill.md\nname: a | description: d\n",
        "a",
        "custom/a/skill.md: named `skill.md` instead of `SKILL.md`",
    );
}

#[test]
fn another_spelling_beside_the_right_one_is_ignored() {
    check_tree(
        "//- custom/a/Skill.md\nname: wrong | description: d\n\
         //- custom/a/SKILL.md\nname: right | description: d\n",
        "right",
        "custom/a/Skill.md: ignored, because `SKILL.md` stands beside it",
    );
}

#[test]
fn a_skill_without_name_or_description_is_left_out_with_its_reason() {
    check_tree(
        "//- custom/a/SKILL.md\n---\nname: a\n---\n\
         //- custom/b/SKILL.md\n---\ndescription: d\n---\n\
         //- custom/c/SKILL.md\nno head\n\
         //- custom/d/SKILL.md\n---\nname: d\n\
         //- custom/e/SKILL.md\nname: e | description: fine\n",
        "e",
        "custom/a/SKILL.md: `description` is missing\n\
         custom/b/SKILL.md: `name` is missing\n\
         custom/c/SKILL.md: there is no frontmatter: the file does not begin with a line `---`\n\
         custom/d/SKILL.md: line 1: the frontmatter opened here is never closed",
    );
}

#[test]
fn a_file_that_is_not_utf8_is_a_problem_with_its_line() {
    let fixture = Fixture::new("");
    fixture.write("custom/a/SKILL.md", "");
    std::fs::write(fixture.path("custom/a/SKILL.md"), b"---\nname: a\n\xff\n---\n").unwrap();
    check(&fixture, "", "custom/a/SKILL.md: line 3 is not valid UTF-8");
}

#[test]
fn a_file_over_the_bound_is_a_problem() {
    let fixture = Fixture::new("");
    let text = format!("---\nname: a\ndescription: d\n---\n{}", "x".repeat(1 << 20));
    fixture.write("custom/a/SKILL.md", &text);
    check(&fixture, "", "custom/a/SKILL.md: longer than 1024 KiB");
}

#[test]
fn a_skill_reads_back_byte_for_byte() {
    let text =
        "\u{feff}---\r\nname: a\r\ndescription: d\r\n---\r\n\r\n\tcode\r\n```\n  x\n```\n\n\n";
    let fixture = Fixture::new("");
    fixture.write("custom/a/SKILL.md", text);
    assert_eq!(fixture.scan().skills[0].read().unwrap(), text);
}

#[cfg(unix)]
#[test]
fn a_pipe_named_like_a_skill_is_never_opened() {
    let fixture = Fixture::new("//- custom/a/file\nx\n");
    let path = fixture.path("custom/a/SKILL.md");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    check(&fixture, "", "custom/a/SKILL.md: not a regular file");
}

#[test]
fn a_folder_named_like_a_skill_file_is_a_problem() {
    check_tree("//- custom/a/SKILL.md/x\nx\n", "", "custom/a/SKILL.md: not a regular file");
}

#[cfg(unix)]
#[test]
fn a_skill_file_that_leads_nowhere_is_a_problem() {
    let tree = "//- custom/a/SKILL.md -> nowhere\n";
    check_tree(tree, "", "custom/a/SKILL.md: a link that leads nowhere");
}

#[test]
fn characters_that_nobody_sees_are_no_part_of_a_name() {
    check_tree(
        "//- custom/a/SKILL.md\nname: zero\u{200b}\u{202e}width | description: d\n",
        "zerowidth",
        "",
    );
}

#[test]
fn a_body_is_what_follows_the_frontmatter() {
    let fixture = Fixture::new("");
    fixture.write("custom/a/SKILL.md", "---\nname: a\ndescription: d\n---\n\n# A\r\n---\nb\n");
    assert_eq!(fixture.scan().skills[0].read_body().unwrap().trim_start(), "# A\r\n---\nb\n");
}
