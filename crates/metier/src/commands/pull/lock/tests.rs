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

/// Why a folder cannot be locked, in which something else has the name of ours.
#[cfg(unix)]
#[track_caller]
fn check_odd(plant: impl FnOnce(&Path), expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    plant(&dir.path().join(".metier"));
    let error = Lock::try_take(dir.path()).err().unwrap();
    assert_eq!(error.to_string().replace(&dir.path().display().to_string(), "DIR"), expected);
    assert_eq!(error.hint(), "remove it, or choose another folder with --to");
    assert!(!dir.path().join("there").exists());
}

#[cfg(unix)]
#[test]
fn what_has_the_name_of_the_lock_and_is_none_is_named() {
    use std::os::unix::fs::symlink;
    let odd = "`DIR/.metier/lock` is in the way: it is no file";
    check_odd(|own| fs::create_dir_all(own.join("lock")).unwrap(), odd);
    let plant_link = |own: &Path| {
        fs::create_dir(own).unwrap();
        symlink("../there", own.join("lock")).unwrap();
    };
    check_odd(plant_link, odd);
    let plant_pipe = |own: &Path| {
        fs::create_dir(own).unwrap();
        let made = std::process::Command::new("mkfifo").arg(own.join("lock")).status();
        assert!(made.unwrap().success());
    };
    check_odd(plant_pipe, odd);
    let odd = "`DIR/.metier` is in the way: it is no folder";
    check_odd(|own| symlink("there", own).unwrap(), odd);
    check_odd(|own| fs::write(own, "").unwrap(), odd);
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
