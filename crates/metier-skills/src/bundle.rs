//! A skill's bundle: the other files of its folder, and nothing outside it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{disk, problem::Cause, skill::Skill, walk::is_walked};

/// How many files and folders of a bundle are looked at.
const MOST_FILES: usize = 2_000;

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

impl Skill {
    /// Reads the skill's file as it is now, whole and byte for byte.
    pub fn read(&self) -> Result<String, Cause> {
        disk::read_text(&self.file())
    }

    /// Lists the files of the skill's folder in the order of their paths.
    ///
    /// Links that lead out of the folder are left out, but for the skill's own file.
    pub fn files(&self) -> io::Result<Bundle> {
        let real = self.folder.canonicalize()?;
        let mut bundle = Bundle::default();
        let mut folders = vec![PathBuf::new()];
        let mut n_seen = 0;
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(real.join(&folder)) else { continue };
            for entry in entries.flatten() {
                n_seen += 1;
                if n_seen > MOST_FILES {
                    bundle.is_cut = true;
                    folders.clear();
                    break;
                }
                let path = folder.join(entry.file_name());
                let is_own = path.as_os_str() == self.file_name;
                match look(&entry, |target| is_own || target.starts_with(&real)) {
                    Some(Look::Folder) => folders.push(path),
                    Some(Look::File { size }) => bundle.files.push(BundleFile { path, size }),
                    None => {}
                }
            }
        }
        bundle.files.sort_unstable();
        Ok(bundle)
    }
}

enum Look {
    Folder,
    File { size: u64 },
}

/// What an entry is. Linked folders are not entered: what they hold is listed where it lies.
fn look(entry: &fs::DirEntry, is_allowed: impl Fn(&Path) -> bool) -> Option<Look> {
    if entry.file_type().ok()?.is_dir() {
        return is_walked(&entry.file_name()).then_some(Look::Folder);
    }
    let target = entry.path().canonicalize().ok()?;
    let metadata = fs::metadata(&target).ok()?;
    (is_allowed(&target) && metadata.is_file()).then_some(Look::File { size: metadata.len() })
}
