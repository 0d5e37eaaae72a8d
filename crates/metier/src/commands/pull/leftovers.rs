//! What pulls that were killed left behind: what was set aside comes back, and drafts go with what is spent.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    folder::is_there,
    lock::{FILE, Lock},
    record::OWN_FOLDER,
};

/// What had been set aside to be replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leftover {
    /// It is in its place again; its name.
    Back(String),
    /// Something else has taken its place; where it is.
    Kept(PathBuf),
}

/// Clears away what nobody uses any more.
pub(super) fn sweep(skills: &Path) -> Vec<Leftover> {
    let own = skills.join(OWN_FOLDER);
    let is_ours = own.symlink_metadata().is_ok_and(|it| it.is_dir());
    let is_left = |it: PathBuf| it.ends_with(FILE) || is_draft(&it) || skill(&it).is_some();
    if !is_ours || !found(&own).any(is_left) {
        return Vec::new();
    }
    // Where someone is at work, nothing is left over; else the lock itself goes in the end.
    let Ok(Some(_lock)) = Lock::try_take(skills) else { return Vec::new() };
    let mut leftovers = Vec::new();
    for path in found(&own) {
        if is_draft(&path) {
            let _ = fs::remove_file(path);
        } else if let Some(name) = skill(&path) {
            // What cannot be moved or removed is found the next time.
            leftovers.extend(clear(skills, name, &path).ok().flatten());
        }
    }
    leftovers
}

/// Clears away what is left of one skill's pull, by how far that had come.
fn clear(skills: &Path, name: &str, work: &Path) -> io::Result<Option<Leftover>> {
    let (new, old, place) = (work.join("new"), work.join("old"), skills.join(name));
    // Where the new one is gone, it has taken the place of the old one, which is spent.
    let is_all_there_is = is_there(&old) && is_there(&new);
    let leftover = match (is_all_there_is, is_there(&place)) {
        (true, true) => return Ok(Some(Leftover::Kept(old))),
        (true, false) => {
            fs::rename(&old, place)?;
            Some(Leftover::Back(name.to_owned()))
        }
        (false, _) => None,
    };
    fs::remove_dir_all(work)?;
    Ok(leftover)
}

fn found(own: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(own).into_iter().flatten().flatten().map(|it| it.path())
}

/// Whether it is a record that was not finished.
fn is_draft(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    let number = name.strip_prefix(".pulled.json.").unwrap_or_default();
    let is_file = path.symlink_metadata().is_ok_and(|it| it.is_file());
    is_file && !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit())
}

/// The skill for which such a folder was made, if it was made to put one in its place.
fn skill(work: &Path) -> Option<&str> {
    let (name, chance) = work.file_name()?.to_str()?.rsplit_once('.')?;
    let is_ours = work.symlink_metadata().ok()?.is_dir()
        && !name.is_empty()
        && !name.starts_with('.')
        && chance.len() == 16
        && chance.bytes().all(|it| it.is_ascii_hexdigit())
        && found(work).all(|it| it.ends_with("new") || it.ends_with("old"));
    is_ours.then_some(name)
}

#[cfg(test)]
mod tests;
