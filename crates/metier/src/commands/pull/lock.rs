//! The lock of a folder of skills: one at a time looks, puts and records there.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use thiserror::Error;
use tokio::time::{Instant, sleep};

use super::record::OWN_FOLDER;

/// The file in our own folder that is locked.
pub(super) const FILE: &str = "lock";
/// How long someone else may work in the same folder.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is looked whether they still do.
const TICK: Duration = Duration::from_millis(20);

/// Keeps others of our kind out of a folder of skills. Nothing is left of it at the end.
pub(super) struct Lock {
    #[expect(dead_code, reason = "it is held, not used")]
    file: File,
    ground: Ground,
}

/// Why nobody can be kept out of a folder.
#[derive(Debug, Error)]
pub(super) enum LockError {
    #[error("`{}` cannot be written: {}", folder.display(), error.kind())]
    Unwritten { folder: PathBuf, error: io::Error },
    #[error("`{}` cannot be locked: {}", path.display(), error.kind())]
    Unlocked { path: PathBuf, error: io::Error },
    /// Something else has its name.
    #[error("`{}` is in the way: it is no {kind}", path.display())]
    Odd { path: PathBuf, kind: &'static str },
}

impl LockError {
    /// The next thing to try.
    pub(super) fn hint(&self) -> &'static str {
        match self {
            LockError::Unwritten { .. } => "choose another folder with --to",
            LockError::Unlocked { .. } => {
                "if no other pull runs, remove it; or choose another folder with --to"
            }
            LockError::Odd { .. } => "remove it, or choose another folder with --to",
        }
    }
}

impl Lock {
    /// Waits until nobody else works there, though not for ever; the folder is made if need be.
    pub(super) async fn take(skills: &Path) -> Result<Option<Lock>, LockError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let lock = Lock::try_take(skills)?;
            if lock.is_some() || Instant::now() >= deadline {
                return Ok(lock);
            }
            sleep(TICK).await;
        }
    }

    /// The lock, if nobody has it.
    pub(super) fn try_take(skills: &Path) -> Result<Option<Lock>, LockError> {
        let ground = Ground::make(skills)?;
        let path = ground.own.join(FILE);
        let unlocked = |error| LockError::Unlocked { path: path.clone(), error };
        let file = match open(&path) {
            // Whoever had it has just gone, and taken everything along.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unlocked(error)),
            Ok(None) => return Err(LockError::Odd { path, kind: "file" }),
            Ok(Some(file)) => file,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Where nothing can be locked, nobody waits.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(unlocked(error)),
        }
        Ok(is_at(&file, &path).then_some(Lock { file, ground }))
    }

    /// The folder beside the skills that is ours.
    pub(super) fn own(&self) -> &Path {
        &self.ground.own
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Elsewhere who waits could not tell that it is no longer the one that others will find.
        if cfg!(unix) {
            let _ = fs::remove_file(self.ground.own.join(FILE));
        }
    }
}

/// A folder of skills with our own in it. What was made of it goes again, if it is empty at the end.
struct Ground {
    skills: PathBuf,
    own: PathBuf,
    /// How many folders had to be made, that of the skills and those around it.
    n_made: usize,
}

impl Ground {
    fn make(skills: &Path) -> Result<Ground, LockError> {
        let unwritten = |error| LockError::Unwritten { folder: skills.to_owned(), error };
        let n_made = skills.ancestors().take_while(|it| it.symlink_metadata().is_err()).count();
        let ground = Ground { skills: skills.to_owned(), own: skills.join(OWN_FOLDER), n_made };
        fs::create_dir_all(skills).map_err(unwritten)?;
        match fs::create_dir(&ground.own) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // One that leads elsewhere is not ours.
                let is_gone = |it: &io::Error| it.kind() == io::ErrorKind::NotFound;
                match ground.own.symlink_metadata() {
                    Ok(found) if !found.is_dir() => {
                        Err(LockError::Odd { path: ground.own.clone(), kind: "folder" })
                    }
                    Err(error) if !is_gone(&error) => Err(unwritten(error)),
                    _ => Ok(ground),
                }
            }
            // Someone who had made them has just removed them.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ground),
            made => made.map(|()| ground).map_err(unwritten),
        }
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let made = self.skills.ancestors().take(self.n_made);
        let mut folders = std::iter::once(&*self.own).chain(made);
        let _ = folders.try_for_each(fs::remove_dir);
    }
}

/// Opens a file to lock it; none if it is something else. One that leads elsewhere is not ours.
fn open(path: &Path) -> io::Result<Option<File>> {
    let opened = match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if !path.symlink_metadata()?.is_file() {
                return Ok(None);
            }
            OpenOptions::new().write(true).open(path)
        }
        opened => opened,
    };
    opened.map(Some)
}

/// Whether a file is still the one that others find.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |it: fs::Metadata| (it.dev(), it.ino());
    let there = path.symlink_metadata().map(identity).ok();
    there.is_some() && file.metadata().map(identity).ok() == there
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests;
