//! The folder of a skill on the disk: what is there, and the one step in which another takes its place.

use std::{
    fs,
    hash::{BuildHasher, Hasher, RandomState},
    io,
    path::{Path, PathBuf},
};

use metier_skills::{DISABLED_FILE, Digest, SKILL_FILE};

use super::{
    lock::Lock,
    record::{Mark, Marks},
};

/// How many files are looked at: one more than any skill has that can be pulled.
const MOST_FILES: usize = 513;
/// How many bytes they may have together to be worth reading.
const MOST_BYTES: u64 = 16 << 20;

/// What is in the place of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum There {
    Nothing,
    /// A folder of plain files.
    Files {
        marks: Marks,
        own_file: &'static str,
    },
    /// Something else: a link, a file, a folder that holds links or too much.
    Other,
}

impl There {
    /// What the skill's own file is called: one that is switched off stays so.
    pub(super) fn own_file(&self) -> &'static str {
        match self {
            There::Files { own_file, .. } => own_file,
            There::Nothing | There::Other => SKILL_FILE,
        }
    }
}

/// What keeps a folder from being made, if it is not there: a file with its name, or that of one
/// around it.
pub(super) fn obstacle(folder: &Path) -> Option<&Path> {
    let there = folder.ancestors().find(|it| is_there(it));
    there.filter(|it| !it.is_dir())
}

/// What lies in a place now.
pub(super) fn look(folder: &Path) -> There {
    match folder.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => There::Nothing,
        Ok(found) if found.is_dir() => match files(folder) {
            Ok(Some(mut marks)) => {
                let hidden =
                    marks.remove(DISABLED_FILE).filter(|_| !marks.contains_key(SKILL_FILE));
                let own_file = if hidden.is_some() { DISABLED_FILE } else { SKILL_FILE };
                marks.extend(hidden.map(|it| (SKILL_FILE.to_owned(), it)));
                There::Files { marks, own_file }
            }
            Ok(None) | Err(_) => There::Other,
        },
        _ => There::Other,
    }
}

/// The files of a folder, those in folders that agents skip too; none if there is anything else, or
/// more than a skill may have.
fn files(root: &Path) -> io::Result<Option<Marks>> {
    let mut found = Vec::new();
    let (mut folders, mut n_bytes) = (vec![String::new()], 0_u64);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { return Ok(None) };
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(path);
            } else if !kind.is_file() {
                return Ok(None);
            } else if !is_made_by_running(&path) {
                n_bytes = n_bytes.saturating_add(entry.metadata()?.len());
                found.push(path);
            }
            if found.len() > MOST_FILES || folders.len() > MOST_FILES || n_bytes > MOST_BYTES {
                return Ok(None);
            }
        }
    }
    let mark = |path: String| {
        let bytes = fs::read(root.join(&path))?;
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok((path, Mark { size, digest: Digest::of(&bytes).to_string() }))
    };
    found.into_iter().map(mark).collect::<io::Result<Marks>>().map(Some)
}

/// Whether a file is what Python leaves beside a script that is run, and makes anew without being told.
fn is_made_by_running(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    name.ends_with(".pyc") && parts.next() == Some("__pycache__")
}

/// What became of a skill that was to be put in its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Put {
    Done,
    /// It is done, but what was there before cannot be removed; where that is now.
    Left(PathBuf),
    /// What was there is no longer what was seen there, and stays.
    Changed,
}

/// Puts a skill in its place, whole or not at all, if that is still as it was `before`.
///
/// It is written where nobody looks for skills. What was in its place goes there too, comes back if
/// anything fails, and is removed at the end.
pub(super) fn put(
    lock: &Lock,
    folder: &Path,
    files: &[(&str, &[u8])],
    before: &There,
) -> io::Result<Put> {
    let Some(name) = folder.file_name() else { return Err(io::ErrorKind::InvalidInput.into()) };
    // Nobody can have put anything there: the name is new, and so is the folder.
    let chance = RandomState::new().build_hasher().finish();
    let work = lock.own().join(format!("{}.{chance:016x}", name.to_string_lossy()));
    fs::create_dir(&work)?;
    let (new, old) = (work.join("new"), work.join("old"));
    let put = write(&new, files).and_then(|()| exchange(folder, &new, &old, before));
    discard(&new, &old, &put);
    // A folder that still holds something stays.
    let _ = fs::remove_dir(&work);
    match put {
        Ok(Put::Done) if is_there(&old) => Ok(Put::Left(old)),
        put => put,
    }
}

/// Removes the one that is not needed any more.
fn discard(new: &Path, old: &Path, put: &io::Result<Put>) {
    let spent = match put {
        Ok(Put::Done) => old,
        // It could not go back; the new one beside it tells that it is not spent.
        _ if is_there(old) => return,
        _ => new,
    };
    let _ = fs::remove_dir_all(spent).or_else(|_| fs::remove_file(spent));
}

/// Whether anything has that name.
pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn write(folder: &Path, files: &[(&str, &[u8])]) -> io::Result<()> {
    fs::create_dir(folder)?;
    for (path, bytes) in files {
        let path: PathBuf = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)?;
    }
    Ok(())
}

fn exchange(folder: &Path, new: &Path, old: &Path, before: &There) -> io::Result<Put> {
    let was_there = is_there(folder);
    if was_there {
        fs::rename(folder, old)?;
    }
    // What is looked at now can no longer be changed by its name.
    let now = if was_there { look(old) } else { There::Nothing };
    let put =
        if now == *before { fs::rename(new, folder).map(|()| Put::Done) } else { Ok(Put::Changed) };
    if was_there && !matches!(put, Ok(Put::Done)) {
        fs::rename(old, folder)?;
    }
    put
}

#[cfg(test)]
pub(super) mod tests;
