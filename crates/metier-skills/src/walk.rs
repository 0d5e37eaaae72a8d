//! The walk through one source: which folders there are, and which of them are skills.
//!
//! What a skill file says is none of its business: it hands each one to a reader and keeps what comes
//! back. A walk leaves a [`Tree`] behind. The next walk asks the disk only whether each folder and each
//! skill file still bears the same stamp, and reads what does not. The usual walkers list every
//! folder every time, which is why this one is our own.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io, mem,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::SystemTime,
};

use hashbrown::HashSet;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{
    disk::{self, FileId, Kind, Stamp},
    problem::{Cause, Problem},
    scan::Progress,
    skill::{DISABLED_FILE, SKILL_FILE},
};

/// How many folders may lie between a source and a skill.
const DEEPEST: usize = 16;
/// How many folders of one source are visited.
const MOST_FOLDERS: usize = 200_000;
/// Folders that hold other people's files, never skills.
const SKIPPED: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];
/// From this many folders on it pays to share them out among threads.
pub(crate) const WORTH_SHARING: usize = 4;

/// What a walk saw: the source's own folder, and every folder that a link led to.
#[derive(Debug)]
pub(crate) struct Tree<T> {
    branches: BTreeMap<PathBuf, Folder<T>>,
    overrun: bool,
}

/// One folder as last seen.
#[derive(Debug)]
struct Folder<T> {
    name: OsString,
    id: Option<FileId>,
    /// Absent while another change could still bear the same stamp.
    stamp: Option<Stamp>,
    skill: Option<SkillFile<T>>,
    /// Files that would be the folder's skill if that one were not there.
    beside: Vec<OsString>,
    folders: Vec<Folder<T>>,
    links: Vec<OsString>,
    trouble: Option<Cause>,
}

/// The file that makes a folder a skill.
#[derive(Clone, Debug)]
pub(crate) struct SkillFile<T> {
    pub(crate) name: OsString,
    stamp: Option<Stamp>,
    pub(crate) content: Result<T, Cause>,
}

/// A skill file, the folder it lies in, and which folder that really is.
pub(crate) struct Found<'a, T> {
    pub(crate) folder: PathBuf,
    pub(crate) id: Option<FileId>,
    pub(crate) file: &'a SkillFile<T>,
}

/// What all walks of one scan share.
pub(crate) struct Walk<'a, T> {
    pub(crate) started: SystemTime,
    pub(crate) progress: &'a Progress,
    /// Makes of a skill file's path what the walk is for.
    pub(crate) reader: &'a (dyn Fn(&Path) -> Result<T, Cause> + Sync),
    /// Folders that need no second visit.
    pub(crate) visited: HashSet<FileId>,
    /// The real folder that links may not leave.
    pub(crate) fence: Option<PathBuf>,
    /// From how many folders on they are shared out among threads.
    pub(crate) sharing: usize,
    /// How many folders of the source at hand were visited.
    pub(crate) n_folders: AtomicUsize,
}

impl<T: Clone + Send + Sync> Walk<'_, T> {
    /// Walks one source, following links, given what the last walk of it saw.
    pub(crate) fn tree(&mut self, root: &Path, previous: Option<&Tree<T>>) -> Tree<T> {
        self.n_folders = AtomicUsize::new(0);
        let mut tree = Tree { branches: BTreeMap::new(), overrun: false };
        let mut level = vec![root.to_owned()];
        while !level.is_empty() {
            for (path, folder) in self.visit_all(mem::take(&mut level), previous) {
                folder.note(&mut path.clone(), &mut self.visited, &mut level);
                tree.branches.insert(path, folder);
            }
        }
        tree.overrun = *self.n_folders.get_mut() > MOST_FOLDERS;
        tree
    }

    /// Visits folders that links of one level lead to; several may lead to the same one.
    fn visit_all(
        &self,
        paths: Vec<PathBuf>,
        previous: Option<&Tree<T>>,
    ) -> Vec<(PathBuf, Folder<T>)> {
        let visit = |path: PathBuf| {
            let before = previous.and_then(|tree| tree.branches.get(&path));
            let name = OsString::new();
            let folder = if path.is_symlink() && !path.exists() {
                Folder::new(name).troubled(Cause::DanglingLink)
            } else {
                self.visit(&path, name, before, 0)?
            };
            Some((path, folder))
        };
        if paths.len() < self.sharing {
            return paths.into_iter().filter_map(visit).collect();
        }
        paths.into_par_iter().filter_map(visit).collect()
    }

    /// Looks at one folder and everything below it. `None`: not a folder, or visited before.
    fn visit(
        &self,
        path: &Path,
        name: OsString,
        previous: Option<&Folder<T>>,
        depth: usize,
    ) -> Option<Folder<T>> {
        let mut folder = Folder::new(name);
        let stamp = match disk::kind(path) {
            Ok(Kind::Folder(stamp)) => stamp,
            Ok(Kind::File(_) | Kind::Other) => return None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return Some(folder.troubled(Cause::unreadable(&error))),
        };
        if self.visited.contains(&stamp.id)
            || self.n_folders.fetch_add(1, Ordering::Relaxed) >= MOST_FOLDERS
        {
            return None;
        }
        if depth == 0 && self.leaves_fence(path) {
            return Some(folder.troubled(Cause::LeavesPlugin));
        }
        folder.id = Some(stamp.id);
        let previous = previous.filter(|it| it.id == Some(stamp.id));
        let subfolders = match previous.filter(|it| it.stamp == Some(stamp)) {
            Some(previous) => folder.list_as(previous),
            None => match folder.list(path) {
                Ok(names) => names,
                Err(cause) => return Some(folder.troubled(cause)),
            },
        };
        folder.stamp = stamp.settled(self.started);
        self.progress.folders.fetch_add(1, Ordering::Relaxed);
        if let Some(file) = folder.skill.take() {
            let before = previous.and_then(|it| it.skill.as_ref());
            folder.skill = Some(self.read(path, file.name, before));
        }
        if depth == DEEPEST && !subfolders.is_empty() {
            return Some(folder.troubled(Cause::TooDeep { deepest: DEEPEST }));
        }
        folder.folders = self.visit_below(path, subfolders, previous, depth + 1);
        Some(folder)
    }

    fn visit_below(
        &self,
        path: &Path,
        names: Vec<OsString>,
        previous: Option<&Folder<T>>,
        depth: usize,
    ) -> Vec<Folder<T>> {
        // What was not visited keeps its place: the next walk may have to.
        let visit = |name: OsString| {
            let before = previous.and_then(|it| it.child(&name));
            self.visit(&path.join(&name), name.clone(), before, depth)
                .unwrap_or_else(|| Folder::new(name))
        };
        if names.len() < self.sharing {
            return names.into_iter().map(visit).collect();
        }
        names.into_par_iter().map(visit).collect()
    }

    /// Reads a skill file, unless it is the one that was read before.
    fn read(&self, folder: &Path, name: OsString, previous: Option<&SkillFile<T>>) -> SkillFile<T> {
        let path = folder.join(&name);
        let stamp = match disk::kind(&path) {
            Ok(Kind::File(stamp)) => stamp,
            Ok(Kind::Folder(_) | Kind::Other) => return SkillFile::bad(name, Cause::NotAFile),
            Err(error) => return SkillFile::bad(name, Cause::unreadable(&error)),
        };
        if let Some(previous) = previous
            && previous.name == name
            && previous.stamp == Some(stamp)
        {
            return previous.clone();
        }
        if self.leaves_fence(&path) {
            return SkillFile::bad(name, Cause::LeavesPlugin);
        }
        self.progress.files.fetch_add(1, Ordering::Relaxed);
        let content = (self.reader)(&path);
        let may_change_unseen = matches!(content, Err(Cause::Unreadable(_)));
        let stamp = stamp.settled(self.started).filter(|_| !may_change_unseen);
        SkillFile { name, stamp, content }
    }

    fn leaves_fence(&self, path: &Path) -> bool {
        self.fence
            .as_ref()
            .is_some_and(|fence| path.canonicalize().map_or(true, |real| !real.starts_with(fence)))
    }
}

impl<T> SkillFile<T> {
    fn bad(name: OsString, cause: Cause) -> SkillFile<T> {
        SkillFile { name, stamp: None, content: Err(cause) }
    }
}

impl<T: Clone> Folder<T> {
    fn new(name: OsString) -> Folder<T> {
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
    fn troubled(mut self, cause: Cause) -> Folder<T> {
        self.stamp = None;
        self.trouble = Some(cause);
        self
    }

    fn child(&self, name: &OsStr) -> Option<&Folder<T>> {
        let at = self.folders.binary_search_by(|it| it.name.as_os_str().cmp(name)).ok()?;
        self.folders.get(at)
    }

    /// Takes over what the folder held when it bore the same stamp; returns the subfolders' names.
    fn list_as(&mut self, previous: &Folder<T>) -> Vec<OsString> {
        self.beside.clone_from(&previous.beside);
        self.links.clone_from(&previous.links);
        self.skill.clone_from(&previous.skill);
        previous.folders.iter().map(|it| it.name.clone()).collect()
    }

    /// Asks the disk what the folder holds; returns the subfolders' names.
    fn list(&mut self, path: &Path) -> Result<Vec<OsString>, Cause> {
        let names = disk::list(path, |name| rank(name).is_some())
            .map_err(|error| Cause::unreadable(&error))?;
        let mut files = names.files;
        files.sort_by_key(rank);
        let mut files = files.into_iter();
        self.skill = files.next().map(|name| SkillFile::bad(name, Cause::NotAFile));
        self.beside = files.collect();
        self.links = names.links;
        let mut folders = names.folders;
        folders.retain(|name| !SKIPPED.iter().any(|skipped| name == skipped));
        self.links.retain(|name| !SKIPPED.iter().any(|skipped| name == skipped));
        Ok(folders)
    }

    /// Notes every folder as visited and every link as still to follow.
    fn note(&self, path: &mut PathBuf, visited: &mut HashSet<FileId>, links: &mut Vec<PathBuf>) {
        visited.extend(self.id);
        links.extend(self.links.iter().map(|name| path.join(name)));
        for folder in &self.folders {
            path.push(&folder.name);
            folder.note(path, visited, links);
            path.pop();
        }
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

impl<T: Clone> Tree<T> {
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
        if self.overrun {
            let cause = Cause::TooManyFolders { most: MOST_FOLDERS };
            problems.push(Problem { path: root.to_owned(), cause });
        }
        found
    }

    /// Whether the source's folder is there at all.
    pub(crate) fn exists(&self) -> bool {
        !self.branches.is_empty()
    }
}

/// Which of a folder's files is its skill: the lowest rank. `None`: not a skill file.
fn rank(name: &OsString) -> Option<u8> {
    let spelled = |wanted: &str| name.eq_ignore_ascii_case(wanted);
    match () {
        () if name == SKILL_FILE => Some(0),
        () if spelled(SKILL_FILE) => Some(1),
        () if name == DISABLED_FILE => Some(2),
        () if spelled(DISABLED_FILE) => Some(3),
        () => None,
    }
}
