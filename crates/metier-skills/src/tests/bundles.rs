//! The files of a skill, and nothing outside it.

use std::path::Path;

use proptest::prelude::{any, prop_oneof, proptest};

use super::fixture::Fixture;
use crate::FileError;

/// A skill with files, a secret beside it, and links within and out of it.
const TREE: &str = "\
//- custom/a/SKILL.md
name: a | description: d
//- custom/a/docs/forms.md
Fill them.
//- custom/a/scripts/run.sh
echo
//- custom/a/.git/config
token
//- custom/a/.hidden
x
//- secret/key
private
";

#[cfg(unix)]
const LINKS: &str = "\
//- custom/a/inside -> custom/a/docs/forms.md
//- custom/a/papers -> custom/a/docs
//- custom/a/key -> secret/key
//- custom/a/all -> secret
//- custom/a/nowhere -> secret/none
";
#[cfg(not(unix))]
const LINKS: &str = "";

/// What reading a file of the skill gives: its text, or why there is none.
fn read(fixture: &Fixture, path: &str) -> String {
    match fixture.scan().skills[0].read_file(path) {
        Ok(bytes) => String::from_utf8(bytes).unwrap(),
        Err(FileError::Missing { similar }) => {
            let similar: Vec<_> = similar.iter().map(|it| it.to_string_lossy()).collect();
            format!("missing {}", similar.join(" ")).trim_end().to_owned()
        }
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check_read(path: &str, expected: &str) {
    assert_eq!(read(&Fixture::new(&format!("{TREE}{LINKS}")), path), expected, "{path:?}");
}

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

#[test]
fn a_file_is_read_by_its_path_below_the_folder() {
    check_read("docs/forms.md", "Fill them.\n");
    check_read("./docs//./forms.md", "Fill them.\n");
    check_read(".hidden", "x\n");
    check_read("SKILL.md", "---\nname: a\ndescription: d\n---\n\nBody.\n");
}

#[test]
fn a_path_never_leads_out_of_the_folder() {
    for path in ["..", "../../secret/key", "docs/../../../secret/key", "docs/../SKILL.md"] {
        check_read(path, "leads out of the skill's folder");
    }
    let fixture = Fixture::new(TREE);
    let absolute = fixture.path("custom/a/SKILL.md");
    assert_eq!(read(&fixture, absolute.to_str().unwrap()), "leads out of the skill's folder");
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_inside_the_folder_only() {
    check_read("inside", "Fill them.\n");
    check_read("papers/forms.md", "Fill them.\n");
    check_read("key", "leads out of the skill's folder");
    check_read("all/key", "leads out of the skill's folder");
    check_read("nowhere", "missing");
}

#[cfg(unix)]
#[test]
fn the_skills_own_file_may_be_a_link() {
    let fixture = Fixture::new("//- else/x.md\nname: a | description: d\n");
    fixture.link("custom/a/SKILL.md", "else/x.md");
    assert_eq!(read(&fixture, "SKILL.md"), fixture.scan().skills[0].read().unwrap());
}

#[test]
fn what_is_not_there_is_missing_with_similar_paths() {
    check_read("forms.md", "missing docs/forms.md");
    check_read("docs/from.md", "missing docs/forms.md");
    check_read("scripts/run.sh/x", "missing scripts/run.sh");
    check_read("nothing-like-it", "missing");
    check_read("a\0b", "missing");
    check_read(&"x/".repeat(100_000), "missing");
}

#[test]
fn folders_that_no_walk_enters_are_closed() {
    check_read(".git/config", "missing");
}

#[test]
fn a_folder_is_not_a_file() {
    check_read("docs", "not a regular file");
    check_read(".", "not a regular file");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_never_waited_for() {
    let fixture = Fixture::new(TREE);
    let path = fixture.path("custom/a/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert_eq!(read(&fixture, "pipe"), "not a regular file");
}

#[test]
fn a_file_over_the_bound_is_refused() {
    let fixture = Fixture::new(TREE);
    let grow = |length| {
        let file = std::fs::File::create(fixture.path("custom/a/big")).unwrap();
        file.set_len(length).unwrap();
    };
    grow(16 << 20);
    assert_eq!(read(&fixture, "big").len(), 16 << 20);
    grow((16 << 20) + 1);
    assert_eq!(read(&fixture, "big"), "longer than 16384 KiB");
}

#[test]
fn every_file_that_is_listed_can_be_read() {
    let fixture = Fixture::new(&format!("{TREE}{LINKS}"));
    let skill = &fixture.scan().skills[0];
    for file in skill.files().unwrap().files {
        let bytes = skill.read_file(file.path.to_str().unwrap()).unwrap();
        assert_eq!(bytes.len() as u64, file.size);
    }
}

proptest! {
    #![proptest_config(crate::tests::cases(256))]

    #[test]
    fn no_path_reads_the_secret(
        path in prop_oneof![
            "((\\.|\\.\\.|a|all|docs|key|secret|custom|papers|)/){0,6}(key|\\.\\.|SKILL.md|secret)",
            any::<String>(),
        ],
    ) {
        thread_local! {
            static FIXTURE: Fixture = Fixture::new(&format!("{TREE}{LINKS}"));
        }
        FIXTURE.with(|fixture| {
            assert!(fixture.path("secret/key").is_file());
            assert_ne!(read(fixture, &path), "private\n");
            assert!(Path::new(&path).is_relative() || read(fixture, &path).contains("leads out"));
        });
    }
}

#[cfg(unix)]
#[test]
fn what_takes_the_place_of_a_skill_and_is_none_is_not_read_out() {
    let fixture =
        Fixture::new("//- custom/a/SKILL.md\nname: a | description: A\n//- secret\nkey\n");
    let skill = fixture.scan().skills[0].clone();
    std::fs::remove_file(fixture.path("custom/a/SKILL.md")).unwrap();
    std::os::unix::fs::symlink(fixture.path("secret"), fixture.path("custom/a/SKILL.md")).unwrap();
    assert!(skill.read().is_err());
    assert!(skill.read_file("SKILL.md").is_err());
}
