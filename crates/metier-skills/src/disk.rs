//! The crate's questions to the disk: what is there, has it changed, what does it say.

use std::{
    ffi::OsString,
    fs, io,
    path::Path,
    time::{Duration, SystemTime},
};

use crate::problem::Cause;

/// The longest `SKILL.md` that is read.
pub(crate) const LONGEST_FILE: u64 = 1 << 20;

/// Some file systems keep times to two seconds only: what changed that recently may change again
/// without its time stamp showing it.
const COARSEST_CLOCK: Duration = Duration::from_secs(2);

/// Which file or folder something really is, whatever path led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId(u64, u64);

/// Tells one version of a file or folder from the next without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) id: FileId,
    size: u64,
    modified: SystemTime,
    changed: i64,
}

impl Stamp {
    /// The stamp, if it can be trusted to change with the next edit.
    pub(crate) fn settled(self, now: SystemTime) -> Option<Stamp> {
        let age = now.duration_since(self.modified).ok()?;
        (age >= COARSEST_CLOCK).then_some(self)
    }
}

/// What a path leads to, links followed.
pub(crate) enum Kind {
    Folder(Stamp),
    File(Stamp),
    /// A device, a pipe or a socket: nothing that is safe to open.
    Other,
}

/// Asks what stands at `path`, following links.
pub(crate) fn kind(path: &Path) -> io::Result<Kind> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_dir() && !metadata.is_file() {
        return Ok(Kind::Other);
    }
    let stamp = stamp(path, &metadata)?;
    Ok(if metadata.is_dir() { Kind::Folder(stamp) } else { Kind::File(stamp) })
}

#[cfg(unix)]
fn stamp(_path: &Path, metadata: &fs::Metadata) -> io::Result<Stamp> {
    use std::os::unix::fs::MetadataExt;
    Ok(Stamp {
        id: FileId(metadata.dev(), metadata.ino()),
        size: metadata.len(),
        modified: metadata.modified()?,
        changed: metadata.ctime().wrapping_mul(1_000_000_000).wrapping_add(metadata.ctime_nsec()),
    })
}

#[cfg(not(unix))]
fn stamp(path: &Path, metadata: &fs::Metadata) -> io::Result<Stamp> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    fs::canonicalize(path)?.hash(&mut hasher);
    Ok(Stamp {
        id: FileId(0, hasher.finish()),
        size: metadata.len(),
        modified: metadata.modified()?,
        changed: 0,
    })
}

/// The names in one folder that matter to a walk, each sorted.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) folders: Vec<OsString>,
    pub(crate) links: Vec<OsString>,
    pub(crate) files: Vec<OsString>,
}

/// Lists a folder, keeping the files that `wanted` names.
pub(crate) fn list(path: &Path, wanted: impl Fn(&OsString) -> bool) -> io::Result<Names> {
    let mut names = Names::default();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let kind = entry.file_type()?;
        if wanted(&name) && !kind.is_dir() {
            names.files.push(name);
        } else if kind.is_dir() {
            names.folders.push(name);
        } else if kind.is_symlink() {
            names.links.push(name);
        }
    }
    names.folders.sort_unstable();
    names.links.sort_unstable();
    names.files.sort_unstable();
    Ok(names)
}

/// Reads a whole text file that [`kind`] has called a file.
pub(crate) fn read(path: &Path) -> Result<String, Cause> {
    let bytes = read_bounded(path, LONGEST_FILE)?;
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        Cause::NotText { line: 1 + memchr::memchr_iter(b'\n', good).count() }
    })
}

/// Reads at most `longest` bytes; a longer file is a cause of its own, never a cut one.
pub(crate) fn read_bounded(path: &Path, longest: u64) -> Result<Vec<u8>, Cause> {
    use io::Read;
    let file = fs::File::open(path).map_err(|error| Cause::unreadable(&error))?;
    let length = file.metadata().map_err(|error| Cause::unreadable(&error))?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(longest)).unwrap_or(0) + 1);
    file.take(longest + 1).read_to_end(&mut bytes).map_err(|error| Cause::unreadable(&error))?;
    if bytes.len() as u64 > longest {
        return Err(Cause::TooLong { longest });
    }
    Ok(bytes)
}
