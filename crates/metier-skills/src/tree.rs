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
    disk::{self, FileId, Stamp},
    problem::{Cause, Problem},
};

/// The source's own folder, and every folder that a link led to.
#[derive(Debug)]
pub(crate) struct Tree<T> {
    /// Which folder the source really is; absent where there is none.
    pub(crate) root: Option<FileId>,
    /// Whether that folder was visited before.
    pub(crate) is_covered: bool,
    pub(crate) branches: BTreeMap<PathBuf, Arc<Folder<T>>>,
    /// What the source's own path and each link leads to.
    pub(crate) links: HashMap<PathBuf, FileId>,
    /// The real folder that links may not leave.
    pub(crate) fence: Option<PathBuf>,
    /// The source has more folders than this; set if it has.
    pub(crate) overrun: Option<usize>,
}

/// One folder as last seen.
#[derive(Debug)]
pub(crate) struct Folder<T> {
    pub(crate) name: OsString,
    pub(crate) visit: Visit,
    /// Which folder it really is, where that is known.
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

/// Whether a folder was looked at on the way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Here.
    Made,
    /// Before, on another way.
    Earlier,
    /// Not at all.
    Omitted,
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
    /// A folder that was not looked at.
    pub(crate) fn unseen(name: OsString, visit: Visit, id: Option<FileId>) -> Folder<T> {
        Folder {
            name,
            visit,
            id,
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

    /// Calls `look` with the folder and with every folder below it.
    fn each<'a>(&'a self, path: &mut PathBuf, look: &mut impl FnMut(&Path, &'a Folder<T>)) {
        look(path, self);
        for folder in &self.folders {
            path.push(&folder.name);
            folder.each(path, look);
            path.pop();
        }
    }

    /// Notes every folder as visited, and every link as still to follow if anybody wants to know.
    ///
    /// Links in a skill's folder are not followed: what they lead to lies in the folder and is visited
    /// there, or it is no part of the skill.
    pub(crate) fn note(
        &self,
        path: &mut PathBuf,
        visited: &mut HashSet<FileId>,
        mut links: Option<&mut Vec<PathBuf>>,
    ) {
        // A folder in trouble was not seen whole: another way to it may fare better.
        visited.extend(self.id.filter(|_| self.trouble.is_none()));
        if let Some(links) = &mut links {
            links.extend(self.links.iter().map(|name| path.join(name)));
        }
        for folder in &self.folders {
            let links = links.as_deref_mut().filter(|_| folder.skill.is_none());
            path.push(&folder.name);
            folder.note(path, visited, links);
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
    /// Notes why a path was not followed, as the last walk did if it did.
    pub(crate) fn refuse(&mut self, path: &Path, cause: Cause, previous: Option<&Tree<T>>) {
        let before = previous.and_then(|it| it.branches.get(path));
        let before = before.filter(|it| it.trouble.as_ref() == Some(&cause)).cloned();
        let folder = before.unwrap_or_else(|| {
            Arc::new(Folder::unseen(OsString::new(), Visit::Omitted, None).troubled(cause))
        });
        self.branches.insert(path.to_owned(), folder);
    }

    /// Every skill file of the source in the order of its path, and what went wrong on the way.
    pub(crate) fn collect<'a>(
        &'a self,
        root: &Path,
        problems: &mut Vec<Problem>,
    ) -> Vec<Found<'a, T>> {
        let mut found = Vec::new();
        self.each(&mut |path, folder| {
            let problem = |path, cause| Problem { path, cause };
            problems.extend(folder.trouble.clone().map(|cause| problem(path.to_owned(), cause)));
            if let Some(file) = &folder.skill {
                let cause = || Cause::Beside { winner: file.name.clone() };
                let beside = folder.beside.iter();
                problems.extend(beside.map(|name| problem(path.join(name), cause())));
                found.push(Found { folder: path.to_owned(), id: folder.id, file });
            }
        });
        found.sort_by(|a, b| a.folder.as_os_str().cmp(b.folder.as_os_str()));
        // Two links may have led to folders of which one holds the other.
        let mut seen = HashSet::new();
        found.retain(|it| it.id.is_none_or(|id| seen.insert(id)));
        if let Some(most) = self.overrun {
            problems.push(Problem { path: root.to_owned(), cause: Cause::TooManyFolders { most } });
        }
        found
    }

    /// Calls `look` with every folder of the tree.
    pub(crate) fn each<'a>(&'a self, look: &mut impl FnMut(&Path, &'a Folder<T>)) {
        for (path, folder) in &self.branches {
            folder.each(&mut path.clone(), look);
        }
    }

    /// Whether a path stays inside the fence, if there is one.
    pub(crate) fn allows(&self, path: &Path) -> bool {
        disk::is_inside(path, self.fence.as_deref())
    }

    /// Whether it leads to folders that were visited on another way.
    pub(crate) fn leads_elsewhere(&self) -> bool {
        let mut elsewhere = self.links.keys().any(|path| !self.branches.contains_key(path));
        self.each(&mut |_, folder| elsewhere |= folder.visit == Visit::Earlier);
        elsewhere
    }

    /// Whether nothing has changed since another walk.
    pub(crate) fn is_same(&self, other: &Tree<T>) -> bool {
        let same = |((path, a), (before, b)): ((_, _), (_, _))| path == before && Arc::ptr_eq(a, b);
        self.root == other.root
            && self.is_covered == other.is_covered
            && self.links == other.links
            && self.fence == other.fence
            && self.overrun == other.overrun
            && self.branches.len() == other.branches.len()
            && self.branches.iter().zip(&other.branches).all(same)
    }
}
