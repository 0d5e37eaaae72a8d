//! A scan tells which folders it looked into.

use std::{collections::BTreeSet, path::PathBuf};

use super::fixture::Fixture;

/// Says what is outer, inner and linked below the fixture.
#[track_caller]
fn check(tree: &str, outer: &str, inner: &str, files: &str) {
    let fixture = Fixture::new(tree);
    let folders = fixture.scan().folders();
    let shown = |paths: &BTreeSet<PathBuf>| {
        paths.iter().map(|path| fixture.relative(path)).collect::<Vec<_>>().join(" ")
    };
    let shown = [shown(&folders.outer), shown(&folders.inner), shown(&folders.files)];
    assert_eq!(shown, [outer, inner, files]);
}

#[test]
fn folders_on_the_way_to_a_skill_are_outer_and_its_own_are_inner() {
    check(
        "//- custom/group/a/SKILL.md\nname: a | description: d\n//- custom/group/a/scripts/x.sh\n",
        "custom custom/group custom/group/a",
        "custom/group/a/scripts",
        "",
    );
}

#[test]
fn a_folder_in_a_skill_is_outer_if_it_leads_to_another() {
    check(
        "//- custom/a/SKILL.md\nname: a | description: d\n\
         //- custom/a/more/b/SKILL.md\nname: b | description: d\n",
        "custom custom/a custom/a/more custom/a/more/b",
        "",
        "",
    );
}

#[test]
fn a_folder_without_skills_is_outer() {
    check("//- custom/empty/later/notes.txt\n", "custom custom/empty custom/empty/later", "", "");
}

#[test]
fn folders_that_are_not_walked_are_not_told() {
    check("//- custom/.git/objects/x\n", "custom", "", "");
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_told_by_its_real_path() {
    check(
        "//- elsewhere/a/SKILL.md\nname: a | description: d\n//- custom/a -> elsewhere/a\n",
        "custom elsewhere/a",
        "",
        "",
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_is_a_skill_by_a_link_is_told_by_its_real_path() {
    check(
        "//- notes/a.md\nname: a | description: d\n//- custom/a/SKILL.md -> notes/a.md\n",
        "custom custom/a",
        "",
        "notes/a.md",
    );
}
