//! The disk as any system shows it.

use std::{
    ffi::OsStr,
    fs::{self, File, Metadata},
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

use super::{Entry, FileId, Listing, Names, Stamp};
use crate::problem::Cause;

/// A folder to open files in; none is the working directory, for absolute paths.
#[derive(Default)]
pub(super) struct Handle(PathBuf);

pub(super) fn stamp(path: &Path, metadata: &Metadata) -> io::Result<Stamp> {
    let mut hasher = DefaultHasher::new();
    fs::canonicalize(path)?.hash(&mut hasher);
    let id = FileId(0, hasher.finish());
    Ok(Stamp { id, size: metadata.len(), modified: metadata.modified()?, changed: 0 })
}

/// Opens a folder and lists it, keeping the files that `wanted` names.
pub(crate) fn list(path: &Path, wanted: &dyn Fn(&OsStr) -> bool) -> io::Result<Listing> {
    let stamp = stamp(path, &fs::metadata(path)?)?;
    let mut names = Names::default();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = match entry.file_type()? {
            kind if kind.is_dir() => Entry::Folder,
            kind if kind.is_symlink() => Entry::Link,
            _ => Entry::Other,
        };
        names.add(&entry.file_name(), kind, wanted);
    }
    Ok(Listing { stamp, names: names.sorted(), handle: Handle(path.to_owned()) })
}

pub(super) fn open_in(handle: &Handle, name: &OsStr) -> Result<(File, Stamp), Cause> {
    let path = handle.0.join(name);
    let unreadable = |error: io::Error| Cause::unreadable(&error);
    let metadata = fs::metadata(&path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Cause::NotAFile);
    }
    let stamp = stamp(&path, &metadata).map_err(unreadable)?;
    Ok((File::open(path).map_err(unreadable)?, stamp))
}

/// Opens a file below a folder.
pub(super) fn open_below(folder: &Path, path: &Path) -> Result<(File, Stamp), Cause> {
    open_in(&Handle(folder.to_owned()), path.as_os_str())
}
