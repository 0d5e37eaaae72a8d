//! A skill's bundle: the other files of its folder, and nothing outside it.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Component, Path, PathBuf},
};

use thiserror::Error;

use crate::{
    disk::{self, Stamp},
    frontmatter::{is_hidden, split},
    problem::Cause,
    similar::similar_paths,
    skill::Skill,
    walk::is_walked,
};

/// How many files and folders of a bundle are looked at.
const MOST_FILES: usize = 2_000;
/// The longest file of a bundle that is read: as long as a whole skill may be that is published.
pub(crate) const LONGEST_FILE: u64 = 16 << 20;

/// The files of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// In the order of their paths.
    pub files: Vec<BundleFile>,
    /// Whether there are more files than are listed.
    pub is_cut: bool,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleFile {
    /// Its path below the skill's folder.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
}

/// Something that lies directly in a folder of a skill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Child {
    /// What it is called there.
    pub name: String,
    /// How many bytes it has; none if it is a folder.
    pub size: Option<u64>,
}

/// Why a file of a skill was not read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FileError {
    /// The path is absolute, climbs, or follows a link out of the folder.
    #[error("leads out of the skill's folder")]
    Outside,
    /// Nothing is there.
    #[error("there is no such file")]
    Missing {
        /// Files of the skill that look alike, best first.
        similar: Vec<PathBuf>,
    },
    /// It is there, but not to be read.
    #[error(transparent)]
    Bad(#[from] Cause),
}

impl Skill {
    /// Reads the skill's file as it is now, whole and byte for byte.
    ///
    /// It may be a link to elsewhere, so what has taken its place and is no skill is not read out.
    pub fn read(&self) -> Result<String, Cause> {
        self.read_own().map(|(_, text)| text)
    }

    /// The same, with the stamp of the very file that was read.
    pub(crate) fn read_own(&self) -> Result<(Stamp, String), Cause> {
        let (stamp, bytes) = disk::read(&self.file())?;
        let text = disk::text(bytes)?;
        split(&text)?;
        Ok((stamp, text))
    }

    /// Reads one file of the skill's folder, of sixteen megabytes at most.
    ///
    /// Every file that [`Skill::files`] lists can be read. Nothing that lies outside the folder, be
    /// it by a link, is opened, whatever changes on the disk meanwhile; the skill's own file alone
    /// may be a link to elsewhere, as it may be in a scan.
    pub fn read_file(&self, path: &str) -> Result<Vec<u8>, FileError> {
        self.read_stamped(path).map(|(_, bytes)| bytes)
    }

    /// The same, with the stamp of the very file that was read.
    pub(crate) fn read_stamped(&self, path: &str) -> Result<(Stamp, Vec<u8>), FileError> {
        let asked = inner(path).ok_or(FileError::Outside)?;
        if asked.as_os_str() == self.file_name {
            let (stamp, text) = self.read_own().map_err(|it| self.explain(it, path))?;
            return Ok((stamp, text.into_bytes()));
        }
        if asked.iter().any(|name| !is_walked(name)) {
            return Err(self.missing(path));
        }
        let unreadable = |error: io::Error| self.explain(Cause::unreadable(&error), path);
        let folder = self.folder.canonicalize().map_err(unreadable)?;
        let real = folder.join(&asked).canonicalize().map_err(unreadable)?;
        let below = real.strip_prefix(&folder).map_err(|_| FileError::Outside)?;
        disk::read_below(&folder, below, LONGEST_FILE).map_err(|it| self.explain(it, path))
    }

    fn explain(&self, cause: Cause, path: &str) -> FileError {
        use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
        match cause {
            Cause::Unreadable(NotFound | NotADirectory | InvalidFilename | InvalidInput) => {
                self.missing(path)
            }
            cause => FileError::Bad(cause),
        }
    }

    fn missing(&self, path: &str) -> FileError {
        let files = self.files().unwrap_or_default().files;
        FileError::Missing { similar: similar_paths(path, files.into_iter().map(|it| it.path)) }
    }

    /// Lists the files of the skill's folder in the order of their paths.
    ///
    /// Links that lead out of the folder are left out, but for the skill's own file.
    pub fn files(&self) -> io::Result<Bundle> {
        let (files, is_cut) = self.stamped_files()?;
        let file = |(path, stamp): (PathBuf, Stamp)| BundleFile { path, size: stamp.size() };
        Ok(Bundle { files: files.into_iter().map(file).collect(), is_cut })
    }

    /// The same with a stamp for each, and whether there are more.
    pub(crate) fn stamped_files(&self) -> io::Result<(Vec<(PathBuf, Stamp)>, bool)> {
        stamped_files(&self.folder, &self.file_name)
    }

    /// The files whose paths have characters that steer or hide text, with those spelled out.
    #[must_use]
    pub fn deceptive_files(&self) -> Vec<String> {
        deceptive_files(&self.folder, &self.file_name)
    }

    /// Lists what lies directly in a folder of the skill, in order; the empty path is its own.
    pub fn list_folder(&self, path: &str) -> Result<Vec<Child>, FileError> {
        let asked = inner(path).ok_or(FileError::Outside)?;
        if asked.iter().any(|name| !is_walked(name)) {
            return Err(FileError::Missing { similar: Vec::new() });
        }
        let unreadable = |error: io::Error| FileError::Bad(Cause::unreadable(&error));
        let real = self.folder.canonicalize().map_err(unreadable)?;
        let folder = real.join(&asked);
        // A linked folder is listed where it lies.
        if folder.canonicalize().map_err(unreadable)? != folder {
            return Err(FileError::Outside);
        }
        let mut children = Vec::new();
        for entry in fs::read_dir(&folder).map_err(unreadable)?.flatten().take(MOST_FILES) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let is_own = asked.as_os_str().is_empty() && *name == *self.file_name;
            let size = match look(&entry, |target| is_own || target.starts_with(&real)) {
                Some(Look::Folder) => None,
                Some(Look::File(stamp)) => Some(stamp.size()),
                None => continue,
            };
            children.push(Child { name, size });
        }
        children.sort_unstable();
        Ok(children)
    }

    /// Tells one state of a file from the next; none if it is not there, or not to be read.
    #[must_use]
    pub fn version(&self, path: &str) -> Option<Version> {
        let asked = inner(path)?;
        if asked.as_os_str() == self.file_name {
            return disk::stamp_of_file(&self.file()).map(Version);
        }
        let folder = self.folder.canonicalize().ok()?;
        let real = folder.join(&asked).canonicalize().ok()?;
        let is_ours = real.starts_with(&folder) && asked.iter().all(is_walked);
        disk::stamp_of_file(&real).filter(|_| is_ours).map(Version)
    }
}

/// The files of a skill's folder whose paths have characters that steer or hide text.
pub(crate) fn deceptive_files(folder: &Path, own: &OsStr) -> Vec<String> {
    let (files, _) = stamped_files(folder, own).unwrap_or_default();
    let paths = files.iter().map(|(path, _)| path.to_string_lossy());
    let spelled = |path: &str| path.chars().flat_map(char::escape_debug).collect();
    paths.filter(|it| it.contains(is_hidden)).map(|it| spelled(&it)).collect()
}

/// The files of a skill's folder with a stamp for each, and whether there are more.
fn stamped_files(folder: &Path, own: &OsStr) -> io::Result<(Vec<(PathBuf, Stamp)>, bool)> {
    let real = folder.canonicalize()?;
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    let (mut n_seen, mut is_cut) = (0, false);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(real.join(&folder)) else { continue };
        for entry in entries.flatten() {
            n_seen += 1;
            if n_seen > MOST_FILES {
                is_cut = true;
                folders.clear();
                break;
            }
            let path = folder.join(entry.file_name());
            let is_own = path.as_os_str() == own;
            match look(&entry, |target| is_own || target.starts_with(&real)) {
                Some(Look::Folder) => folders.push(path),
                Some(Look::File(stamp)) => files.push((path, stamp)),
                None => {}
            }
        }
    }
    files.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    Ok((files, is_cut))
}

/// One state of a file, as far as one can tell without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(Stamp);

/// The path without its `.` parts; none if it could lead out of a folder it is joined to.
fn inner(path: &str) -> Option<PathBuf> {
    let mut inner = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) => inner.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(inner)
}

enum Look {
    Folder,
    File(Stamp),
}

/// What an entry is. Linked folders are not entered: what they hold is listed where it lies.
fn look(entry: &fs::DirEntry, is_allowed: impl Fn(&Path) -> bool) -> Option<Look> {
    let kind = entry.file_type().ok()?;
    if kind.is_dir() {
        return is_walked(&entry.file_name()).then_some(Look::Folder);
    }
    let path = entry.path();
    // Only a link can lead anywhere else.
    let is_here = !kind.is_symlink() || is_allowed(&path.canonicalize().ok()?);
    disk::stamp_of_file(&path).filter(|_| is_here).map(Look::File)
}
