//! A skill's bundle: the other files of its folder, and nothing outside it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{disk, problem::Cause, skill::Skill};

/// How many files of a bundle are listed.
pub const MOST_FILES: usize = 2_000;

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleFile {
    /// Its path below the skill's folder.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
}

impl Skill {
    /// Reads the skill's file as it is now, whole and byte for byte.
    pub fn read(&self) -> Result<String, Cause> {
        disk::read(&self.file()).and_then(|(_, bytes)| disk::text(bytes))
    }

    /// Lists the files of the skill's folder, at most [`MOST_FILES`], in order of their paths.
    ///
    /// Links that lead out of the folder are left out.
    pub fn files(&self) -> io::Result<Vec<BundleFile>> {
        let real = self.folder.canonicalize()?;
        let mut files = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop()
            && files.len() < MOST_FILES
        {
            let Ok(entries) = fs::read_dir(real.join(&folder)) else { continue };
            for entry in entries.flatten() {
                let path = folder.join(entry.file_name());
                match look(&real, &path, &entry) {
                    Some(Look::Folder) => folders.push(path),
                    Some(Look::File { size }) => files.push(BundleFile { path, size }),
                    None => {}
                }
            }
        }
        files.sort_unstable();
        files.truncate(MOST_FILES);
        Ok(files)
    }
}

enum Look {
    Folder,
    File { size: u64 },
}

/// What an entry is. Linked folders are not entered: what they hold is listed where it lies.
fn look(real: &Path, path: &Path, entry: &fs::DirEntry) -> Option<Look> {
    let kind = entry.file_type().ok()?;
    if kind.is_dir() {
        return Some(Look::Folder);
    }
    let target = entry.path().canonicalize().ok()?;
    let inside = target.starts_with(real) && !path.as_os_str().is_empty();
    let metadata = fs::metadata(&target).ok()?;
    (inside && metadata.is_file()).then_some(Look::File { size: metadata.len() })
}
