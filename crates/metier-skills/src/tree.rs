//! What a walk through one source saw, kept for the next walk.
//!
//! Folders are shared between walks: one that looks the same, with everything below it, *is* the same
//! value, so that two trees can be compared by a glance at their roots.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::Arc,
};

use hashbrown::{HashMap, HashSet};

use crate::{
    disk::{FileId, Stamp},
    problem::{Cause, Problem},
};

/// The source's own folder, and every folder that a link led to.
#[derive(Debug)]
pub(crate) struct Tree<T> {
    pub(crate) branches: BTreeMap<PathBuf, Arc<Folder<T>>>,
    /// Folders that the source or its links lead to and that were visited before.
    pub(crate) covered: Vec<FileId>,
    /// The source has more folders than this; set if it has.
    pub(crate) overrun: Option<usize>,
}

/// One folder as last seen.
#[derive(Debug)]
pub(crate) struct Folder<T> {
    pub(crate) name: OsString,
    /// Absent where the folder was not looked at.
    pub(crate) id: Option<FileId>,
    /// Absent while another change could still bear the same stamp.
    pub(crate) stamp: Option<Stamp>,
    pub(crate) skill: Option<SkillFile<T>>,
    /// Files that would be the folder's skill if that one were not there.
    pub(crate) beside: Vec<OsString>,
    /// In the order of their names.
    pub(crate) folders: Vec<Arc<Folder<T>>>,
    pub(crate) links: Vec<OsString>,
    pub(crate) trouble: Option<Cause>,
}

/// The file that makes a folder a skill, and what a reader made of it.
#[derive(Clone, Debug)]
pub(crate) struct SkillFile<T> {
    pub(crate) name: OsString,
    pub(crate) stamp: Option<Stamp>,
    pub(crate) content: Result<T, Cause>,
}

/// A skill file, the folder it lies in, and which folder that really is.
pub(crate) struct Found<'a, T> {
    pub(crate) folder: PathBuf,
    pub(crate) id: Option<FileId>,
    pub(crate) file: &'a SkillFile<T>,
}

impl<T> Folder<T> {
    /// A folder of which nothing is known.
    pub(crate) fn new(name: OsString) -> Folder<T> {
        Folder {
            name,
            id: None,
            stamp: None,
            skill: None,
            beside: Vec::new(),
            folders: Vec::new(),
            links: Vec::new(),
            trouble: None,
        }
    }

    /// Without a stamp it will be looked at again next time.
    pub(crate) fn troubled(mut self, cause: Cause) -> Folder<T> {
        self.stamp = None;
        self.trouble = Some(cause);
        self
    }

    /// The subfolder of that name.
    pub(crate) fn child(&self, name: &OsStr) -> Option<&Arc<Folder<T>>> {
        let at = self.folders.binary_search_by(|it| it.name.as_os_str().cmp(name)).ok()?;
        self.folders.get(at)
    }

    /// Whether it was passed by without a look.
    pub(crate) fn is_unseen(&self) -> bool {
        self.id.is_none() && self.trouble.is_none()
    }

    /// Notes every folder as visited and every link as still to follow.
    pub(crate) fn note(
        &self,
        path: &mut PathBuf,
        visited: &mut HashSet<FileId>,
        links: &mut Vec<PathBuf>,
    ) {
        visited.extend(self.id);
        links.extend(self.links.iter().map(|name| path.join(name)));
        for folder in &self.folders {
            path.push(&folder.name);
            folder.note(path, visited, links);
            path.pop();
        }
    }

    fn skills_below(
        &self,
        wanted: &HashSet<FileId>,
        inside: &mut Vec<FileId>,
        below: &mut HashMap<FileId, Vec<FileId>>,
    ) {
        let depth = inside.len();
        inside.extend(self.id.filter(|id| wanted.contains(id)));
        if let (Some(id), Some(_)) = (self.id, &self.skill) {
            inside.iter().for_each(|wanted| below.entry(*wanted).or_default().push(id));
        }
        for folder in &self.folders {
            folder.skills_below(wanted, inside, below);
        }
        inside.truncate(depth);
    }

    /// Gathers what the folder and everything below it hold.
    fn collect<'a>(
        &'a self,
        path: &mut PathBuf,
        found: &mut Vec<Found<'a, T>>,
        out: &mut Vec<Problem>,
    ) {
        if let Some(cause) = &self.trouble {
            out.push(Problem { path: path.clone(), cause: cause.clone() });
        }
        if let Some(file) = &self.skill {
            out.extend(self.beside.iter().map(|name| Problem {
                path: path.join(name),
                cause: Cause::Beside { winner: file.name.clone() },
            }));
            found.push(Found { folder: path.clone(), id: self.id, file });
        }
        for folder in &self.folders {
            path.push(&folder.name);
            folder.collect(path, found, out);
            path.pop();
        }
    }
}

impl<T> SkillFile<T> {
    /// A file that gave nothing; it will be looked at again next time.
    pub(crate) fn bad(name: OsString, cause: Cause) -> SkillFile<T> {
        SkillFile { name, stamp: None, content: Err(cause) }
    }
}

impl<T> Tree<T> {
    /// Every skill file of the source in the order of its path, and what went wrong on the way.
    pub(crate) fn collect<'a>(
        &'a self,
        root: &Path,
        problems: &mut Vec<Problem>,
    ) -> Vec<Found<'a, T>> {
        let mut found = Vec::new();
        for (path, folder) in &self.branches {
            folder.collect(&mut path.clone(), &mut found, problems);
        }
        found.sort_by(|a, b| a.folder.as_os_str().cmp(b.folder.as_os_str()));
        if let Some(most) = self.overrun {
            problems.push(Problem { path: root.to_owned(), cause: Cause::TooManyFolders { most } });
        }
        found
    }

    /// Whether the source's folder is there at all.
    pub(crate) fn exists(&self) -> bool {
        !self.branches.is_empty() || !self.covered.is_empty()
    }

    /// Adds, for each of the `wanted` folders, the skill folders in it and below it.
    pub(crate) fn skills_below(
        &self,
        wanted: &HashSet<FileId>,
        below: &mut HashMap<FileId, Vec<FileId>>,
    ) {
        for folder in self.branches.values() {
            folder.skills_below(wanted, &mut Vec::new(), below);
        }
    }

    /// Whether nothing has changed since another walk.
    pub(crate) fn is_same(&self, other: &Tree<T>) -> bool {
        let same = |((path, a), (before, b)): ((_, _), (_, _))| path == before && Arc::ptr_eq(a, b);
        self.overrun == other.overrun
            && self.covered == other.covered
            && self.branches.len() == other.branches.len()
            && self.branches.iter().zip(&other.branches).all(same)
    }
}
