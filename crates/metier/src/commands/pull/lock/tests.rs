//! Who may work in a folder of skills, and what is left of it.

use std::{fs, path::Path};

use super::Lock;

fn is_free(skills: &Path) -> bool {
    Lock::try_take(skills).unwrap().is_some()
}

#[test]
fn one_at_a_time_works_in_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let lock = Lock::try_take(dir.path()).unwrap();
    assert!(lock.is_some() && !is_free(dir.path()));
    drop(lock);
    assert!(is_free(dir.path()));
}

#[cfg(unix)]
#[test]
fn what_was_made_to_be_locked_and_is_empty_goes_again() {
    let dir = tempfile::tempdir().unwrap();
    let skills = dir.path().join("deep/skills");
    drop(Lock::try_take(&skills).unwrap().unwrap());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    let lock = Lock::try_take(&skills).unwrap().unwrap();
    fs::write(skills.join("a"), "").unwrap();
    drop(lock);
    assert_eq!(fs::read_dir(&skills).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_lock_that_leads_elsewhere_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let there = dir.path().join("there");
    fs::create_dir(dir.path().join(".metier")).unwrap();
    std::os::unix::fs::symlink(&there, dir.path().join(".metier/lock")).unwrap();
    assert!(Lock::try_take(dir.path()).is_err());
    assert!(!there.exists());
}

#[cfg(unix)]
#[test]
fn many_who_come_and_go_are_never_two_at_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let dir = tempfile::tempdir().unwrap();
    let skills = dir.path().join("deep/skills");
    let (inside, total) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while total.load(Ordering::SeqCst) < 200 {
                    if let Some(_lock) = Lock::try_take(&skills).unwrap() {
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        total.fetch_add(1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
}
