//! The files of a skill, and nothing outside it.

use super::fixture::Fixture;

#[track_caller]
fn check(tree: &str, expected: &[&str]) {
    let fixture = Fixture::new(tree);
    let files = fixture.scan().skills[0].files().unwrap();
    let paths: Vec<String> =
        files.files.iter().map(|it| format!("{} {}", it.path.display(), it.size)).collect();
    assert_eq!(paths, expected);
}

#[test]
fn all_files_are_listed_with_their_sizes() {
    check(
        "//- custom/a/SKILL.md\nname: a | description: d\n\
         //- custom/a/scripts/run.sh\necho\n\
         //- custom/a/.git/config\nx\n\
         //- custom/a/.hidden\nx\n",
        &[".hidden 2", "SKILL.md 38", "scripts/run.sh 5"],
    );
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_listed() {
    check(
        "//- custom/a/SKILL.md\nname: a | description: d\n\
         //- secret/key\nx\n\
         //- custom/a/inside -> custom/a/SKILL.md\n\
         //- custom/a/key -> secret/key\n\
         //- custom/a/all -> secret\n",
        &["SKILL.md 38", "inside 38"],
    );
}

#[test]
fn more_files_than_the_bound_are_told() {
    let fixture = Fixture::new("//- custom/a/SKILL.md\nname: a | description: d\n");
    let files = || fixture.scan().skills[0].files().unwrap();
    assert!(!files().is_cut);
    for number in 0..2_001 {
        fixture.write(&format!("custom/a/{number}.txt"), "x");
    }
    assert!(files().is_cut);
    assert_eq!(files().files.len(), 2_000);
}
