//! What is published of a skill, and which skills cannot be.

use std::fs;

use super::fixture::{Fixture, set_modified};
use crate::{Digests, manifests};

/// The manifest of the only skill: its frontmatter, then `path size digest` a line, digests cut short.
fn manifest(fixture: &Fixture, digests: &Digests) -> String {
    let scan = fixture.scan();
    match manifests(&scan.skills, digests).pop().unwrap() {
        Ok(manifest) => {
            let file = |it: &crate::ManifestFile| {
                format!("\n{} {} {:.15}", it.path, it.size, it.digest.to_string())
            };
            let head = serde_json::to_string(&manifest.frontmatter).unwrap();
            head + &manifest.files.iter().map(file).collect::<String>()
        }
        Err(unfit) => format!("! {unfit}"),
    }
}

#[track_caller]
fn check(tree: &str, expected: &str) {
    let fixture = Fixture::new(tree);
    assert_eq!(manifest(&fixture, &Digests::default()), expected);
    let is_fit = fixture.scan().skills[0].is_fit().is_ok();
    assert_eq!(is_fit, !expected.starts_with('!'), "{expected}");
}

/// A head whose skill is not published, and why not.
#[track_caller]
fn check_head(head: &str, word: &str) {
    let fixture = Fixture::new(&format!("//- custom/a/SKILL.md\n---\n{head}\n---\n"));
    let said = manifest(&fixture, &Digests::default());
    assert!(said.starts_with("! ") && said.contains(word), "{head:?}: {said}");
}

#[test]
fn every_file_is_published_with_the_size_and_the_digest_of_its_bytes() {
    check(
        "//- custom/a/SKILL.md\n---\nname: a\ndescription: d\nmetadata:\n  v: \"1\"\n---\nHi\n\
         //- custom/a/sub/b c.txt\nabc\n\
         //- custom/a/.git/config\nx\n",
        "{\"name\":\"a\",\"description\":\"d\",\"metadata\":{\"v\":\"1\"}}\n\
         SKILL.md 53 sha256:f269e462\n\
         sub/b c.txt 4 sha256:edeaaff3",
    );
}

#[test]
fn a_file_that_changes_is_read_again_and_one_that_does_not_is_not() {
    let fixture =
        Fixture::new("//- custom/a/SKILL.md\nname: a | description: d\n//- custom/a/b\none\n");
    fixture.settle();
    let digests = Digests::default();
    let first = manifest(&fixture, &digests);
    assert_eq!(manifest(&fixture, &digests), first);
    fixture.write("custom/a/b", "two\n");
    let second = manifest(&fixture, &digests);
    assert_ne!(second, first);
    // A file too young to be trusted is not remembered.
    fs::write(fixture.path("custom/a/b"), "six\n").unwrap();
    assert_ne!(manifest(&fixture, &digests), second);
}

#[test]
fn a_stamp_that_is_set_back_does_not_hide_another_length() {
    let fixture =
        Fixture::new("//- custom/a/SKILL.md\nname: a | description: d\n//- custom/a/b\none\n");
    fixture.settle();
    let digests = Digests::default();
    let first = manifest(&fixture, &digests);
    fs::write(fixture.path("custom/a/b"), "longer\n").unwrap();
    set_modified(&fixture.path("custom/a/b"), 0);
    assert_ne!(manifest(&fixture, &digests), first);
}

#[cfg(unix)]
#[test]
fn a_link_within_the_folder_is_published_and_one_that_leaves_it_is_not() {
    check(
        "//- custom/a/SKILL.md\nname: a | description: d\n\
         //- custom/a/b\nabc\n\
         //- custom/a/c -> custom/a/b\n\
         //- secret\nx\n\
         //- custom/a/out -> secret\n",
        "{\"name\":\"a\",\"description\":\"d\"}\n\
         SKILL.md 38 sha256:7c09f9b2\n\
         b 4 sha256:edeaaff3\n\
         c 4 sha256:edeaaff3",
    );
}

#[test]
fn the_files_of_a_skill_within_another_belong_to_both() {
    let fixture = Fixture::new(
        "//- custom/a/SKILL.md\nname: a | description: d\n\
         //- custom/a/b/SKILL.md\nname: b | description: d\n",
    );
    let scan = fixture.scan();
    let paths = |at: usize| -> Vec<String> {
        let manifest = scan.skills[at].manifest(&Digests::default()).unwrap();
        manifest.files.into_iter().map(|it| it.path).collect()
    };
    assert_eq!(
        (paths(0), paths(1)),
        (vec!["SKILL.md".into(), "b/SKILL.md".into()], vec!["SKILL.md".into()])
    );
}

#[test]
fn names_that_clients_refuse_are_not_published() {
    for name in ["A", "a b", "a--b", "-a", "a-", "a_b", "ünï", "a:b", "7", "x\u{301}"] {
        check_head(&format!("name: {name}\ndescription: d"), "the name must be");
    }
    check_head(&format!("name: {}\ndescription: d", "a".repeat(65)), "the name must be");
    check(
        "//- custom/other/SKILL.md\nname: a-7 | description: d\n",
        "{\"name\":\"a-7\",\"description\":\"d\"}\nSKILL.md 40 sha256:5a11bc7c",
    );
}

#[test]
fn fields_that_the_specification_forbids_are_not_published() {
    check_head(&format!("name: a\ndescription: {}", "d".repeat(1025)), "`description`");
    check_head("name: a\ndescription: d\ncompatibility: \"\"", "`compatibility`");
    check_head("name: a\ndescription: d\ncompatibility: [x]", "`compatibility`");
    check_head("name: a\ndescription: d\nmetadata:\n  version: 1.0", "`metadata`");
    check_head("name: a\ndescription: d\nmetadata:", "`metadata`");
}

#[test]
fn a_head_that_had_to_be_repaired_is_not_published() {
    check_head("name: a\ndescription: Use when: always", "others may read");
    check_head("Name: a\ndescription: d", "the name must be");
}

#[test]
fn a_file_by_another_name_is_not_published() {
    let tree = "//- custom/a/skill.md\nname: a | description: d\n";
    check(tree, "! its file is not named `SKILL.md`");
}

#[test]
fn more_files_or_bytes_than_the_protocol_allows_are_not_published() {
    let skill = "//- custom/a/SKILL.md\nname: a | description: d\n";
    let files = |n: usize| (0..n).map(|at| format!("//- custom/a/{at}\nx\n")).collect::<String>();
    check(&format!("{skill}{}", files(512)), "! it has more than 512 files");
    let fixture = Fixture::new(&format!("{skill}{}", files(511)));
    assert!(!manifest(&fixture, &Digests::default()).starts_with('!'));
    let fixture = Fixture::new(skill);
    let file = fs::File::create(fixture.path("custom/a/large")).unwrap();
    file.set_len((16 << 20) - 38).unwrap();
    assert!(!manifest(&fixture, &Digests::default()).starts_with('!'));
    file.set_len((16 << 20) - 37).unwrap();
    assert_eq!(
        manifest(&fixture, &Digests::default()),
        "! its files have more than 16 MiB together"
    );
}

#[test]
fn every_published_file_can_be_read_and_is_what_was_published() {
    let fixture = Fixture::new(
        "//- custom/a/SKILL.md\nname: a | description: d\n//- custom/a/deep/er/b.txt\nabc\n",
    );
    let scan = fixture.scan();
    let manifest = scan.skills[0].manifest(&Digests::default()).unwrap();
    for file in manifest.files {
        let bytes = scan.skills[0].read_file(&file.path).unwrap();
        assert_eq!((bytes.len() as u64, crate::Digest::of(&bytes)), (file.size, file.digest));
    }
}
