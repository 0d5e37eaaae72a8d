//! Folders as they are found, and as they are left.

use std::{fs, io, path::Path};

use metier_skills::SKILL_FILE;
use tempfile::TempDir;

use super::{Put, There, discard, look, write};
use crate::commands::pull::{
    leftovers::{Leftover, sweep},
    lock::Lock,
};

/// Puts a skill in its place while nobody else does.
fn put(folder: &Path, files: &[(&str, &[u8])], before: &There) -> io::Result<Put> {
    let lock = Lock::try_take(folder.parent().unwrap()).map_err(io::Error::other)?.unwrap();
    super::put(&lock, folder, files, before)
}

/// All files below a folder with what they say.
pub(in crate::commands::pull) fn tree(folder: &Path) -> String {
    let mut lines = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(it) = folders.pop() {
        for entry in fs::read_dir(it).unwrap().flatten() {
            let path = entry.path();
            let shown = path.strip_prefix(folder).unwrap().display().to_string();
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(path),
                kind if kind.is_file() => {
                    lines.push(format!("{shown}={}", fs::read_to_string(&path).unwrap()));
                }
                _ => lines.push(format!("{shown}@")),
            }
        }
    }
    lines.sort();
    lines.join(" ")
}

/// A folder with files, written as `path=text`.
pub(in crate::commands::pull) fn planted(files: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files.split_whitespace().filter_map(|it| it.split_once('=')) {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

/// What is seen of the skill `a`: its files, and what its own is called.
#[track_caller]
fn check_look(files: &str, expected: &str) {
    let dir = planted(files);
    let seen = match look(&dir.path().join("a")) {
        There::Nothing => "nothing".to_owned(),
        There::Other => "other".to_owned(),
        There::Files { marks, own_file } => {
            let paths = marks.keys().map(String::as_str).collect::<Vec<_>>().join(" ");
            format!("{own_file}: {paths}")
        }
    };
    assert_eq!(seen, expected, "{files}");
}

#[test]
fn every_file_counts_but_what_running_a_script_leaves() {
    check_look("", "nothing");
    check_look("a=x", "other");
    check_look("a/SKILL.md=x a/b/c=y a/.d=z", "SKILL.md: .d SKILL.md b/c");
    check_look("a/SKILL.md=x a/.git/HEAD=y a/target/z=z", "SKILL.md: .git/HEAD SKILL.md target/z");
    check_look("a/SKILL.md=x a/b/__pycache__/y.pyc=y", "SKILL.md: SKILL.md");
    check_look("a/__pycache__/y=y a/z.pyc=z", "SKILL.md: __pycache__/y z.pyc");
}

#[test]
fn a_skill_that_is_switched_off_is_the_same_skill() {
    check_look("a/.SKILL.md=x", ".SKILL.md: SKILL.md");
}

#[test]
fn a_new_skill_appears_whole_and_nothing_else_does() {
    let dir = planted("");
    let skills = dir.path().join("deep/skills");
    let files: [(&str, &[u8]); 2] = [(SKILL_FILE, b"x"), ("b/c", b"y")];
    assert_eq!(put(&skills.join("a"), &files, &There::Nothing).unwrap(), Put::Done);
    assert_eq!(tree(&skills), "a/SKILL.md=x a/b/c=y");
    assert!(!skills.join(".metier").exists());
}

#[test]
fn nothing_of_the_old_stays_when_another_takes_its_place() {
    let dir = planted("a/SKILL.md=old a/b/c=old .metier/pulled.json=kept");
    let folder = dir.path().join("a");
    assert_eq!(put(&folder, &[(SKILL_FILE, b"new")], &look(&folder)).unwrap(), Put::Done);
    assert_eq!(tree(dir.path()), ".metier/pulled.json=kept a/SKILL.md=new");
}

#[test]
fn what_cannot_be_written_whole_leaves_everything_as_it_was() {
    let dir = planted("a/SKILL.md=old a/b=old");
    let long = "n".repeat(300);
    let folder = dir.path().join("a");
    assert!(put(&folder, &[(SKILL_FILE, b"new"), (&long, b"y")], &look(&folder)).is_err());
    assert_eq!(tree(dir.path()), "a/SKILL.md=old a/b=old");
    assert!(!dir.path().join(".metier").exists());
}

#[cfg(unix)]
#[test]
fn a_link_is_replaced_and_what_it_leads_to_stays() {
    let dir = planted("there/SKILL.md=old");
    let folder = dir.path().join("a");
    std::os::unix::fs::symlink(dir.path().join("there"), &folder).unwrap();
    assert_eq!(look(&folder), There::Other);
    assert_eq!(put(&folder, &[(SKILL_FILE, b"new")], &There::Other).unwrap(), Put::Done);
    assert_eq!(tree(dir.path()), "a/SKILL.md=new there/SKILL.md=old");
}

#[test]
fn what_was_changed_while_another_was_written_stays() {
    let dir = planted("a/SKILL.md=old a/notes=mine");
    let put = |before: &There| put(&dir.path().join("a"), &[(SKILL_FILE, b"new")], before);
    let seen = planted("a/SKILL.md=old");
    assert_eq!(put(&look(&seen.path().join("a"))).unwrap(), Put::Changed);
    assert_eq!(put(&There::Nothing).unwrap(), Put::Changed);
    assert_eq!(tree(dir.path()), "a/SKILL.md=old a/notes=mine");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_that_bears_our_name() {
    let dir = planted("there/SKILL.md=kept skills/b/SKILL.md=kept");
    let skills = dir.path().join("skills");
    std::os::unix::fs::symlink(dir.path().join("there"), skills.join(".metier")).unwrap();
    assert!(put(&skills.join("a"), &[(SKILL_FILE, b"new")], &There::Nothing).is_err());
    assert_eq!(tree(&dir.path().join("there")), "SKILL.md=kept");
    assert!(!skills.join("a").exists());
}

#[cfg(unix)]
#[test]
fn a_folder_with_a_link_in_it_is_no_copy_of_anything() {
    let dir = planted("a/SKILL.md=x b=y");
    std::os::unix::fs::symlink(dir.path().join("b"), dir.path().join("a/b")).unwrap();
    assert_eq!(look(&dir.path().join("a")), There::Other);
}

/// Whether permissions bind whoever runs this; they do not bind root.
#[cfg(unix)]
fn is_bound(folder: &Path) -> bool {
    fs::write(folder.join("probe"), "").map(|()| fs::remove_file(folder.join("probe"))).is_err()
}

#[cfg(unix)]
#[test]
fn what_was_replaced_and_cannot_be_removed_is_named_and_never_comes_back() {
    use std::os::unix::fs::PermissionsExt;
    let dir = planted("a/SKILL.md=old a/b/c=old");
    let folder = dir.path().join("a");
    let allow = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode));
    allow(&folder.join("b"), 0o555).unwrap();
    let is_bound = is_bound(&folder.join("b"));
    let left = match put(&folder, &[(SKILL_FILE, b"new")], &look(&folder)).unwrap() {
        Put::Left(old) => Some(old),
        put => {
            assert_eq!(put, Put::Done);
            None
        }
    };
    assert_eq!(left.is_some(), is_bound);
    assert_eq!(fs::read(folder.join(SKILL_FILE)).unwrap(), b"new");
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(sweep(dir.path()), []);
    assert!(!folder.exists());
    if let Some(old) = left {
        allow(&old.join("b"), 0o755).unwrap();
        sweep(dir.path());
    }
    assert_eq!(tree(dir.path()), "");
}

#[cfg(unix)]
#[test]
fn what_could_not_go_back_comes_back_with_the_next_sweep() {
    let dir = planted("skills/a/SKILL.md=old");
    let skills = dir.path().join("skills");
    let lock = Lock::try_take(&skills).unwrap().unwrap();
    let work = lock.own().join("a.0123456789abcdef");
    fs::create_dir(&work).unwrap();
    let (new, old) = (work.join("new"), work.join("old"));
    write(&new, &[(SKILL_FILE, b"new")]).unwrap();
    fs::rename(skills.join("a"), &old).unwrap();
    discard(&new, &old, &Err(io::ErrorKind::Other.into()));
    drop(lock);
    assert_eq!(sweep(&skills), [Leftover::Back("a".to_owned())]);
    assert_eq!(tree(&skills), "a/SKILL.md=old");
}
