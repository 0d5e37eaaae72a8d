//! A rescan reads what has changed, and ends where a full scan would.

use std::{
    fs,
    path::Path,
    sync::{Arc, atomic::Ordering},
};

use proptest::{
    collection::vec,
    prelude::{Strategy, prop_oneof, proptest},
    sample::select,
};

use super::fixture::{Fixture, files, set_modified};
use crate::{Owner, Plugin, Progress, Scan, Source, Tier, rescan, scan};

const TREE: &str = "\
//- custom/a/SKILL.md
name: a | description: d
//- custom/b/SKILL.md
name: b | description: d
//- custom/b/scripts/run.sh
echo
//- custom/broken/SKILL.md
no head
";

/// Rescans and says how many files were read.
fn again(fixture: &Fixture, previous: &Scan) -> (Scan, usize) {
    let progress = Progress::default();
    let scan = rescan(&fixture.sources(), previous, &progress);
    (scan, progress.files.load(Ordering::Relaxed))
}

#[test]
fn nothing_is_read_twice() {
    let fixture = Fixture::new(TREE);
    fixture.settle();
    let first = fixture.scan();
    let (second, n_read) = again(&fixture, &first);
    assert_eq!(n_read, 0);
    assert_eq!(files(&second.skills), files(&first.skills));
    assert_eq!(second.problems, first.problems);
}

#[test]
fn only_the_changed_file_is_read() {
    let fixture = Fixture::new(TREE);
    fixture.settle();
    let first = fixture.scan();
    fixture.write("custom/a/SKILL.md", "name: a | description: another");
    let (second, n_read) = again(&fixture, &first);
    assert_eq!(n_read, 1);
    assert_eq!(second.skills[0].description(), "another");
}

#[test]
fn only_a_new_skill_is_read() {
    let fixture = Fixture::new(TREE);
    fixture.settle();
    let first = fixture.scan();
    fixture.write("custom/c/SKILL.md", "name: c | description: d");
    let (second, n_read) = again(&fixture, &first);
    assert_eq!((n_read, second.skills.len()), (1, 3));
}

#[test]
fn a_rescan_that_finds_nothing_new_is_the_scan_before() {
    let fixture = Fixture::new(TREE);
    fixture.settle();
    let first = fixture.scan();
    assert!(again(&fixture, &first).0.is_same(&first));
    fs::create_dir(fixture.path("custom/empty")).unwrap();
    assert!(!again(&fixture, &first).0.is_same(&first));
}

#[test]
fn skills_are_equal_while_their_whole_files_are() {
    let fixture = Fixture::new("//- custom/a/SKILL.md\n---\nname: a\ndescription: d\n---\none\n");
    let first = fixture.scan();
    assert_eq!(again(&fixture, &first).0.skills, first.skills);
    fixture.write("custom/a/SKILL.md", "---\nname: a\ndescription: d\n---\ntwo\n");
    assert_ne!(again(&fixture, &first).0.skills, first.skills);
}

#[test]
fn a_file_that_changed_a_moment_ago_is_read_again() {
    let fixture = Fixture::new(TREE);
    fixture.settle();
    fixture.write("custom/a/SKILL.md", "name: a | description: d");
    let first = fixture.scan();
    let (_, n_read) = again(&fixture, &first);
    assert_eq!(n_read, 1);
}

#[test]
fn a_folder_that_replaces_another_of_the_same_name_is_read() {
    let fixture = Fixture::new(TREE);
    fixture.write("spare/SKILL.md", "name: a | description: x");
    fixture.settle();
    let first = fixture.scan();
    fs::remove_dir_all(fixture.path("custom/a")).unwrap();
    fs::rename(fixture.path("spare"), fixture.path("custom/a")).unwrap();
    let (second, _) = again(&fixture, &first);
    assert_eq!(second.skills[0].description(), "x");
}

#[test]
fn a_source_that_another_covered_is_walked_when_the_other_goes() {
    let fixture = Fixture::new(TREE);
    fixture.settle();
    let [inner, outer] =
        ["custom/b", "custom"].map(|path| Source::new(Tier::Custom, "custom", fixture.path(path)));
    let first = scan(&[inner, outer.clone()]);
    let second = rescan(&[outer], &first, &Progress::default());
    assert_eq!(second.skills.len(), 2);
}

/// One change to the tree below `custom`.
#[derive(Clone, Debug)]
enum Edit {
    Write(&'static str, &'static str),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    Link(&'static str, &'static str),
}

const PATHS: [&str; 7] = ["a", "b", "a/in", "a/in/deep", "c", "c/d", "other"];
const TEXTS: [&str; 4] = [
    "name: x | description: one",
    "name: y | description: two",
    "broken",
    "name: z | description: ",
];

fn edit() -> impl Strategy<Value = Edit> {
    let path = || select(&PATHS[..]);
    prop_oneof![
        4 => (path(), select(&TEXTS[..])).prop_map(|(path, text)| Edit::Write(path, text)),
        2 => path().prop_map(Edit::Remove),
        1 => (path(), path()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => (path(), path()).prop_map(|(link, target)| Edit::Link(link, target)),
    ]
}

/// Does what can be done of an edit, at a time of its own in the past.
fn perform(fixture: &Fixture, edit: &Edit, time: u64) {
    let below = |path: &str| format!("custom/{path}");
    match edit {
        Edit::Write(path, text) => {
            let file = format!("{}/SKILL.md", below(path));
            let folder = fixture.path(&below(path));
            if fs::create_dir_all(&folder).is_err() {
                return;
            }
            fixture.write(&file, text);
            set_modified(&fixture.path(&file), time);
        }
        Edit::Remove(path) => {
            let path = fixture.path(&below(path));
            let _ =
                if path.is_symlink() { fs::remove_file(path) } else { fs::remove_dir_all(path) };
        }
        Edit::Rename(from, to) => {
            let _ = fs::rename(fixture.path(&below(from)), fixture.path(&below(to)));
        }
        Edit::Link(link, target) => {
            let path = fixture.path(&below(link));
            if !path.exists() && !path.is_symlink() && path.parent().is_some_and(Path::is_dir) {
                fixture.link(&below(link), &below(target));
            }
        }
    }
    for path in ["", "a", "b", "a/in", "a/in/deep", "c", "c/d", "other"] {
        let path = fixture.path(&below(path));
        if path.is_dir() && !path.is_symlink() && recently_changed(&path) {
            set_modified(&path, time);
        }
    }
}

fn recently_changed(path: &Path) -> bool {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    modified.elapsed().is_ok_and(|age| age.as_secs() < 1_000)
}

/// Overlapping sources, one of them fenced.
fn overlapping(fixture: &Fixture) -> Vec<Source> {
    let source = |path: &str, provider| Source::new(Tier::Custom, provider, fixture.path(path));
    let plugin = Plugin { name: "p".to_owned(), marketplace: None, version: None };
    let owner = Owner { plugin: Arc::new(plugin), install: fixture.path("custom/c") };
    vec![
        source("custom/a", "inner"),
        source("custom", "outer"),
        source("custom", "again"),
        Source { plugin: Some(owner), ..source("custom/c", "fenced") },
    ]
}

/// Everything that a scan says.
fn outcome(scan: &Scan) -> [Vec<String>; 3] {
    let skills = scan.skills.iter().map(|it| {
        let also: Vec<&str> = it.also.iter().map(|source| &*source.provider).collect();
        format!("{} {} {} {also:?}", it.file().display(), it.name(), it.description())
    });
    let sources = scan.sources.iter();
    let sources = sources.map(|(source, outcome)| format!("{} {outcome:?}", source.provider));
    let problems = scan.problems.iter().map(|it| format!("{} {}", it.path.display(), it.cause));
    [skills.collect(), sources.collect(), problems.collect()]
}

proptest! {
    #![proptest_config(crate::tests::cases(64))]

    #[cfg(unix)]
    #[test]
    fn a_rescan_after_any_edits_equals_a_full_scan(edits in vec(vec(edit(), 1..4), 1..5)) {
        let fixture = Fixture::new(TREE);
        fixture.settle();
        let sources = overlapping(&fixture);
        let mut previous = scan(&sources);
        let mut time = 0;
        for burst in &edits {
            for edit in burst {
                time += 10;
                perform(&fixture, edit, time);
            }
            let incremental = rescan(&sources, &previous, &Progress::default());
            assert_eq!(outcome(&incremental), outcome(&scan(&sources)), "after {burst:?}");
            previous = incremental;
        }
    }
}
