//! The crate's questions to the disk: what is there, has it changed, what does it say.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

#[cfg(not(unix))]
pub(crate) use portable::list;
#[cfg(not(unix))]
use portable::{Handle, open_below, open_in, stamp};
#[cfg(unix)]
pub(crate) use unix::list;
#[cfg(unix)]
use unix::{Handle, open_below, open_in, stamp};

use crate::problem::Cause;

/// The longest `SKILL.md` that is read.
const LONGEST_FILE: u64 = 1 << 20;

/// Some file systems keep times to two seconds only: what changed that recently may change again
/// without its time stamp showing it.
const COARSEST_CLOCK: Duration = Duration::from_secs(2);

/// Which file or folder something really is, whatever path led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// How many bytes it has.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The stamp, if it can be trusted to change with the next edit.
    pub(crate) fn settled(self, now: SystemTime) -> Option<Stamp> {
        let age = now.duration_since(self.modified).ok()?;
        (age >= COARSEST_CLOCK).then_some(self)
    }
}

/// A folder that was opened and listed.
pub(crate) struct Listing {
    pub(crate) stamp: Stamp,
    pub(crate) names: Names,
    handle: Handle,
}

/// The names in one folder that matter to a walk, each sorted.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) folders: Vec<OsString>,
    pub(crate) links: Vec<OsString>,
    pub(crate) files: Vec<OsString>,
}

/// What a name in a folder stands for, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Folder,
    Link,
    Other,
}

impl Names {
    fn add(&mut self, name: &OsStr, entry: Entry, wanted: &dyn Fn(&OsStr) -> bool) {
        match entry {
            // A folder that bears a wanted name is told from a file when it is opened.
            _ if wanted(name) => self.files.push(name.to_owned()),
            Entry::Folder => self.folders.push(name.to_owned()),
            Entry::Link => self.links.push(name.to_owned()),
            Entry::Other => {}
        }
    }

    fn sorted(mut self) -> Names {
        for names in [&mut self.folders, &mut self.links, &mut self.files] {
            names.sort_unstable();
        }
        self
    }
}

/// The stamp of what a path leads to.
pub(crate) fn stamp_of(path: &Path) -> io::Result<Stamp> {
    stamp(path, &fs::metadata(path)?)
}

/// The stamp of the file that a path leads to; none if it is no file.
pub(crate) fn stamp_of_file(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    stamp(path, &metadata).ok()
}

/// Whether a link stands at the path.
pub(crate) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// Whether a regular file stands at the path, links followed.
pub(crate) fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// The path with all links followed.
pub(crate) fn real(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Whether a path with all links followed stays inside a real folder, if one is given.
pub(crate) fn is_inside(path: &Path, fence: Option<&Path>) -> bool {
    fence.is_none_or(|fence| real(path).is_some_and(|real| real.starts_with(fence)))
}

impl Listing {
    /// Reads a file of the folder, and the stamp of that very file.
    pub(crate) fn read(&self, name: &OsStr) -> Result<(Stamp, Vec<u8>), Cause> {
        contents(open_in(&self.handle, name)?, LONGEST_FILE)
    }
}

/// Reads a whole file, and the stamp of that very file.
pub(crate) fn read(path: &Path) -> Result<(Stamp, Vec<u8>), Cause> {
    read_bounded(path, LONGEST_FILE)
}

/// Reads at most `longest` bytes; a longer file is a cause of its own, never a cut one.
pub(crate) fn read_bounded(path: &Path, longest: u64) -> Result<(Stamp, Vec<u8>), Cause> {
    contents(open_in(&Handle::default(), path.as_os_str())?, longest)
}

/// Reads a file below a real folder, and the stamp of that very file; a link on the way to it is not
/// followed.
pub(crate) fn read_below(
    folder: &Path,
    path: &Path,
    longest: u64,
) -> Result<(Stamp, Vec<u8>), Cause> {
    contents(open_below(folder, path)?, longest)
}

/// Reads a regular file of at most a megabyte as text.
pub fn read_text(path: &Path) -> Result<String, Cause> {
    read_text_within(path, LONGEST_FILE)
}

/// Reads a regular file of at most so many bytes as text.
pub fn read_text_within(path: &Path, longest: u64) -> Result<String, Cause> {
    read_bounded(path, longest).and_then(|(_, bytes)| text(bytes))
}

/// Bytes as text, or the first line that is none.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, Cause> {
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        Cause::NotText { line: 1 + memchr::memchr_iter(b'\n', good).count() }
    })
}

fn contents((mut file, stamp): (File, Stamp), longest: u64) -> Result<(Stamp, Vec<u8>), Cause> {
    // Room for one byte more tells the end of the file from the end of the room.
    let mut bytes = vec![0; usize::try_from(stamp.size.min(longest)).unwrap_or(0) + 1];
    let mut filled = 0;
    loop {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(n_read) => filled += n_read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Cause::unreadable(&error)),
        }
        if filled as u64 > longest {
            return Err(Cause::TooLong { longest });
        }
        if filled == bytes.len() {
            // The file has grown since it was asked for its length.
            bytes.resize(bytes.len() * 2, 0);
        }
    }
    bytes.truncate(filled);
    Ok((stamp, bytes))
}
