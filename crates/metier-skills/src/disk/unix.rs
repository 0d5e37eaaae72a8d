//! The disk as Unix systems show it: an open folder is asked, not its path again.

use std::{
    ffi::OsStr,
    fs::{File, Metadata},
    io,
    os::{
        fd::{AsFd, BorrowedFd},
        unix::{ffi::OsStrExt, fs::MetadataExt},
    },
    path::Path,
};

use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat},
    io::Errno,
};

use super::{Entry, FileId, Listing, Names, Stamp};
use crate::problem::Cause;

/// A folder to open files in; none is the working directory, for absolute paths.
#[derive(Default)]
pub(super) struct Handle(Option<Dir>);

impl Handle {
    fn fd(&self) -> io::Result<BorrowedFd<'_>> {
        self.0.as_ref().map_or(Ok(CWD), |dir| Ok(dir.fd()?))
    }
}

pub(super) fn stamp(_path: &Path, metadata: &Metadata) -> io::Result<Stamp> {
    Ok(Stamp {
        id: FileId(metadata.dev(), metadata.ino()),
        size: metadata.len(),
        modified: metadata.modified()?,
        changed: metadata.ctime().wrapping_mul(1_000_000_000).wrapping_add(metadata.ctime_nsec()),
    })
}

/// Opens a folder and lists it, keeping the files that `wanted` names.
pub(crate) fn list(path: &Path, wanted: &dyn Fn(&OsStr) -> bool) -> io::Result<Listing> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let file = File::from(openat(CWD, path, flags, Mode::empty())?);
    let stamp = stamp(path, &file.metadata()?)?;
    let mut dir = Dir::new(file)?;
    let mut names = Names::default();
    while let Some(entry) = dir.read() {
        let entry = entry?;
        let bytes = entry.file_name().to_bytes();
        if bytes == b"." || bytes == b".." {
            continue;
        }
        let name = OsStr::from_bytes(bytes);
        let kind = match entry.file_type() {
            // Some file systems do not say.
            FileType::Unknown => {
                let stat = statat(dir.fd()?, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(stat.st_mode)
            }
            kind => kind,
        };
        let kind = match kind {
            FileType::Directory => Entry::Folder,
            FileType::Symlink => Entry::Link,
            _ => Entry::Other,
        };
        names.add(name, kind, wanted);
    }
    Ok(Listing { stamp, names: names.sorted(), handle: Handle(Some(dir)) })
}

pub(super) fn open_in(handle: &Handle, name: &OsStr) -> Result<(File, Stamp), Cause> {
    let folder = handle.fd().map_err(|error| Cause::unreadable(&error))?;
    open_file(folder, Path::new(name), OFlags::empty())
}

/// Opens a file below a folder step by step, so that no link can be put on the way.
pub(super) fn open_below(folder: &Path, path: &Path) -> Result<(File, Stamp), Cause> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = |within: BorrowedFd<'_>, path: &Path| {
        openat(within, path, flags, Mode::empty()).map_err(|it| Cause::unreadable(&it.into()))
    };
    let mut within = open(CWD, folder)?;
    for name in path.parent().into_iter().flatten() {
        within = open(within.as_fd(), Path::new(name))?;
    }
    let name = path.file_name().ok_or(Cause::NotAFile)?;
    open_file(within.as_fd(), Path::new(name), OFlags::NOFOLLOW)
}

fn open_file(within: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<(File, Stamp), Cause> {
    // Without NONBLOCK a pipe that bears the name of a skill would hold everything up.
    let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let unreadable = |error: io::Error| Cause::unreadable(&error);
    let file = openat(within, path, flags, Mode::empty()).map_err(|error| match error {
        // A socket, or a device that is not there.
        Errno::NXIO | Errno::NODEV => Cause::NotAFile,
        error => unreadable(error.into()),
    })?;
    let file = File::from(file);
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Cause::NotAFile);
    }
    Ok((file, stamp(path, &metadata).map_err(unreadable)?))
}
