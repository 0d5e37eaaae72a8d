//! The folders that a scan looked into: what to watch in order to hear of the next change.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::{
    disk,
    tree::{Folder, Tree, Visit},
};

/// Folders that a scan looked into, by their real paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// Sources, skills, what lies between them, and folders where one would look for a new skill.
    pub outer: BTreeSet<PathBuf>,
    /// Folders with the other files of a skill.
    pub inner: BTreeSet<PathBuf>,
    /// Files that lie elsewhere and are skill files by a link.
    pub files: BTreeSet<PathBuf>,
}

/// Where a folder lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// In no skill.
    Outer,
    /// In a skill.
    Inner,
}

impl Folders {
    pub(crate) fn new<'a, T: 'a>(trees: impl Iterator<Item = &'a Tree<T>>) -> Folders {
        let mut folders = Folders::default();
        for (path, folder) in trees.flat_map(|tree| &tree.branches) {
            // Below its own path a branch has no links: one question is enough for all of it.
            if let Some(mut real) = disk::real(path) {
                folders.add(&mut real, folder, Side::Outer);
            }
        }
        folders
    }

    /// Adds a folder and all below it; says whether there is a skill among them.
    fn add<T>(&mut self, path: &mut PathBuf, folder: &Folder<T>, side: Side) -> bool {
        if folder.visit != Visit::Made {
            return false;
        }
        if let Some(file) = &folder.skill {
            self.add_linked(&path.join(&file.name));
        }
        let mut leads_to_skill = folder.skill.is_some();
        let below = if leads_to_skill { Side::Inner } else { side };
        for child in &folder.folders {
            path.push(&child.name);
            leads_to_skill |= self.add(path, child, below);
            path.pop();
        }
        let is_inner = side == Side::Inner && !leads_to_skill;
        let known = if is_inner { &mut self.inner } else { &mut self.outer };
        known.insert(path.clone());
        leads_to_skill
    }

    fn add_linked(&mut self, file: &Path) {
        if disk::is_link(file) {
            self.files.extend(disk::real(file));
        }
    }
}
