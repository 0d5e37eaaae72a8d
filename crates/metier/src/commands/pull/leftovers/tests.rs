//! What is found after a pull was killed, by how far it had come.

use std::fs;

use super::{Leftover, sweep};
use crate::commands::pull::folder::tests::{planted, tree};

/// Files before and after, both as `path=text`; `W` stands for where skill `a` was worked on.
#[track_caller]
fn check(before: &str, after: &str, expected: &[Leftover]) {
    let work = ".metier/a.0123456789abcdef";
    let dir = planted(&before.replace('W', work));
    assert_eq!(sweep(dir.path()), expected, "{before}");
    assert_eq!(tree(dir.path()), after.replace('W', work), "{before}");
}

#[test]
fn what_was_set_aside_comes_back_and_drafts_go() {
    let back = || [Leftover::Back("a".to_owned())];
    check("", "", &[]);
    check("W/new/SKILL.md=n b/SKILL.md=b", "b/SKILL.md=b", &[]);
    check("W/new/SKILL.md=n a/SKILL.md=o", "a/SKILL.md=o", &[]);
    check("W/new/SKILL.md=n W/old/SKILL.md=o", "a/SKILL.md=o", &back());
    check(
        ".metier/.pulled.json.123=x .metier/pulled.json=r a/SKILL.md=n",
        ".metier/pulled.json=r a/SKILL.md=n",
        &[],
    );
}

#[test]
fn what_was_replaced_never_comes_back() {
    check("W/old/SKILL.md=o", "", &[]);
    check("W/old/half=o b/SKILL.md=b", "b/SKILL.md=b", &[]);
    check("W/old/SKILL.md=o a/SKILL.md=n", "a/SKILL.md=n", &[]);
}

#[cfg(unix)]
#[test]
fn a_lock_that_nobody_holds_goes() {
    check(".metier/lock= a/x=x", "a/x=x", &[]);
}

#[test]
fn what_may_be_all_there_is_stays_and_is_named() {
    let dir =
        planted(".metier/a.0123456789abcdef/new/x=n .metier/a.0123456789abcdef/old/x=o a/x=m");
    let before = tree(dir.path());
    let old = dir.path().join(".metier/a.0123456789abcdef/old");
    assert_eq!(sweep(dir.path()), [Leftover::Kept(old)]);
    assert_eq!(tree(dir.path()), before);
}

#[test]
fn what_is_not_certainly_ours_stays() {
    for kept in [
        ".metier/a.0123456789abcdef/notes=x",
        ".metier/a.0123456789abcde/new/x=x",
        ".metier/..0123456789abcdef/old/x=x",
        ".metier/.pulled.json.mine=x",
        ".metier/a.0123456789abcdef=x",
    ] {
        check(kept, kept, &[]);
    }
}

#[test]
fn nothing_is_left_over_while_someone_works_there() {
    let work = ".metier/a.0123456789abcdef/new/x=n";
    let dir = planted(work);
    let lock = crate::commands::pull::lock::Lock::try_take(dir.path()).unwrap();
    sweep(dir.path());
    assert!(lock.is_some() && tree(dir.path()).contains(work));
    drop(lock);
    sweep(dir.path());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
