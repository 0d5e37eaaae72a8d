//! The walk through one source: which folders there are, and which of them are skills.
//!
//! What a skill file says is none of its business: it hands each one to a reader and keeps what comes
//! back in a [`Tree`]. The next walk asks the disk only whether each folder and each skill file still
//! bears the same stamp. The usual walkers list every folder every time, which is why this one is our
//! own.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io::ErrorKind,
    mem,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::SystemTime,
};

use hashbrown::{HashMap, HashSet};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{
    disk::{self, FileId, Listing, Stamp},
    problem::Cause,
    scan::Progress,
    skill::{DISABLED_FILE, SKILL_FILE},
    tree::{Folder, SkillFile, Tree, Visit},
};

/// How many folders may lie between a source and a skill.
const DEEPEST: usize = 16;
/// How many folders of one source are visited; tests need not make so many.
const MOST_FOLDERS: usize = if cfg!(test) { 500 } else { 100_000 };
/// Folders that hold other people's files, never skills; `.metier` holds our own.
const SKIPPED: [&str; 6] = [".git", "node_modules", "target", ".venv", "__pycache__", ".metier"];
/// From this many folders on it pays to share them out among threads.
pub(crate) const WORTH_SHARING: usize = 4;

/// Makes something of a skill file's path and bytes.
pub(crate) type Reader<T> = dyn Fn(&Path, Vec<u8>) -> Result<T, Cause> + Sync;

/// What all walks of one scan share.
pub(crate) struct Walk<'a, T> {
    pub(crate) started: SystemTime,
    pub(crate) progress: &'a Progress,
    /// Makes of a skill file's path and bytes what the walk is for.
    pub(crate) reader: &'a Reader<T>,
    /// Folders that need no second visit.
    pub(crate) visited: HashSet<FileId>,
    /// The real folder that links may not leave.
    pub(crate) fence: Option<PathBuf>,
    /// From how many folders on they are shared out among threads.
    pub(crate) sharing: usize,
    /// How many folders of the source at hand were visited.
    pub(crate) n_folders: AtomicUsize,
}

/// Where a walk stands: a path, and how far it is from the source.
#[derive(Clone, Copy)]
struct Spot<'a> {
    path: &'a Path,
    depth: usize,
}

impl<T: Clone + Send + Sync> Walk<'_, T> {
    /// Walks one source, following links, given what the last walk of it saw.
    pub(crate) fn tree(&mut self, root: &Path, previous: Option<&Tree<T>>) -> Tree<T> {
        self.n_folders = AtomicUsize::new(0);
        let previous = previous.filter(|it| it.fence == self.fence);
        let id = disk::stamp_of(root).ok().map(|stamp| stamp.id);
        let mut tree = Tree {
            root: id,
            is_covered: id.is_some_and(|id| self.visited.contains(&id)),
            branches: BTreeMap::new(),
            links: HashMap::new(),
            fence: self.fence.clone(),
            overrun: None,
        };
        let mut level = vec![root.to_owned()];
        while !level.is_empty() {
            let ahead = self.ahead(mem::take(&mut level), &mut tree, previous);
            let visited = self.shared_out(ahead, |path| {
                let before = previous.and_then(|tree| tree.branches.get(&path));
                let folder = self.visit(Spot { path: &path, depth: 0 }, OsString::new(), before)?;
                Some((path, folder))
            });
            for (path, folder) in visited.into_iter().flatten() {
                // A source's own folder may be a skill and yet link to others.
                let links = (path == root || folder.skill.is_none()).then_some(&mut level);
                folder.note(&mut path.clone(), &mut self.visited, links);
                tree.branches.insert(path, folder);
            }
        }
        tree.overrun = (*self.n_folders.get_mut() > MOST_FOLDERS).then_some(MOST_FOLDERS);
        tree
    }

    /// What of these paths is worth a visit: not what was visited, nor the same folder twice.
    fn ahead(
        &self,
        mut paths: Vec<PathBuf>,
        tree: &mut Tree<T>,
        previous: Option<&Tree<T>>,
    ) -> Vec<PathBuf> {
        let mut claimed = HashSet::new();
        paths.retain(|path| match disk::stamp_of(path) {
            Ok(_) if self.leaves_fence(path) => {
                tree.refuse(path, Cause::LeavesPlugin, previous);
                false
            }
            Ok(stamp) => {
                tree.links.insert(path.clone(), stamp.id);
                !self.visited.contains(&stamp.id) && claimed.insert(stamp.id)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if disk::is_link(path) {
                    tree.refuse(path, Cause::DanglingLink, previous);
                }
                false
            }
            Err(_) => true,
        });
        paths
    }

    /// Does the work for each item, on several threads if there are enough of them.
    fn shared_out<I: Send, O: Send>(
        &self,
        items: Vec<I>,
        work: impl Fn(I) -> O + Send + Sync,
    ) -> Vec<O> {
        if items.len() < self.sharing {
            items.into_iter().map(work).collect()
        } else {
            items.into_par_iter().map(work).collect()
        }
    }

    /// Looks at one folder and everything below it. `None`: it is no folder.
    fn visit(
        &self,
        spot: Spot<'_>,
        name: OsString,
        previous: Option<&Arc<Folder<T>>>,
    ) -> Option<Arc<Folder<T>>> {
        if let Some(previous) = previous
            && let (Some(stamp), Some(id)) = (previous.stamp, previous.id)
            && disk::stamp_of(spot.path).is_ok_and(|now| now == stamp)
        {
            return Some(match self.enter(id) {
                Visit::Made => self.visit_same(spot, previous),
                visit => Arc::new(Folder::unseen(name, visit, Some(id))),
            });
        }
        let listing = match disk::list(spot.path, &is_skill_file) {
            Ok(listing) => listing,
            Err(error) => {
                return match error.kind() {
                    ErrorKind::NotFound | ErrorKind::NotADirectory => None,
                    _ => {
                        let folder = Folder::unseen(name, Visit::Omitted, None);
                        Some(Arc::new(folder.troubled(Cause::unreadable(&error))))
                    }
                };
            }
        };
        let id = listing.stamp.id;
        match self.enter(id) {
            Visit::Made => Some(Arc::new(self.visit_new(spot, name, listing, previous))),
            visit => Some(match previous {
                Some(before) if before.visit == visit && before.id == Some(id) => before.clone(),
                _ => Arc::new(Folder::unseen(name, visit, Some(id))),
            }),
        }
    }

    /// Counts a folder in, unless it was visited before or there are too many.
    fn enter(&self, id: FileId) -> Visit {
        if self.visited.contains(&id) {
            return Visit::Earlier;
        }
        if self.n_folders.fetch_add(1, Ordering::Relaxed) >= MOST_FOLDERS {
            return Visit::Omitted;
        }
        self.progress.folders.fetch_add(1, Ordering::Relaxed);
        Visit::Made
    }

    /// Looks at what a folder holds that is known to hold the same names as before.
    fn visit_same(&self, spot: Spot<'_>, previous: &Arc<Folder<T>>) -> Arc<Folder<T>> {
        let skill = previous.skill.as_ref().map(|before| {
            let path = spot.path.join(&before.name);
            self.read(&path, before.name.clone(), Some(before), || disk::read(&path))
        });
        let folders = previous.folders.iter().map(|it| (it.name.clone(), Some(it))).collect();
        let folders = self.visit_below(spot, folders);
        let stamp = |skill: &SkillFile<T>| skill.stamp;
        let same_skill = previous.skill.as_ref().map(stamp) == skill.as_ref().map(stamp)
            && skill.as_ref().is_none_or(|it| it.stamp.is_some());
        let mut pairs = folders.iter().zip(&previous.folders);
        if same_skill && pairs.all(|(now, before)| Arc::ptr_eq(now, before)) {
            return previous.clone();
        }
        Arc::new(Folder {
            name: previous.name.clone(),
            visit: Visit::Made,
            id: previous.id,
            stamp: previous.stamp,
            skill,
            beside: previous.beside.clone(),
            folders,
            links: previous.links.clone(),
            trouble: None,
        })
    }

    /// Looks at what a folder holds that has just been listed.
    fn visit_new(
        &self,
        spot: Spot<'_>,
        name: OsString,
        mut listing: Listing,
        previous: Option<&Arc<Folder<T>>>,
    ) -> Folder<T> {
        let mut folder = Folder::unseen(name, Visit::Made, Some(listing.stamp.id));
        folder.stamp = listing.stamp.settled(self.started);
        let mut names = mem::take(&mut listing.names);
        names.folders.retain(|name| is_walked(name));
        names.links.retain(|name| is_walked(name));
        names.files.sort_by_key(|name| rank(name));
        let mut files = names.files.into_iter();
        let previous = previous.filter(|it| it.id == folder.id);
        folder.skill = files.next().map(|name| {
            let before = previous.and_then(|it| it.skill.as_ref());
            let path = spot.path.join(&name);
            self.read(&path, name.clone(), before, || listing.read(&name))
        });
        drop(listing);
        folder.beside = files.collect();
        folder.links = names.links;
        if spot.depth == DEEPEST && !names.folders.is_empty() {
            return folder.troubled(Cause::TooDeep { deepest: DEEPEST });
        }
        let before = |name: OsString| {
            let before = previous.and_then(|it| it.child(&name));
            (name, before)
        };
        folder.folders = self.visit_below(spot, names.folders.into_iter().map(before).collect());
        folder
    }

    fn visit_below(
        &self,
        spot: Spot<'_>,
        names: Vec<(OsString, Option<&Arc<Folder<T>>>)>,
    ) -> Vec<Arc<Folder<T>>> {
        let visit = |(name, before): (OsString, Option<&Arc<Folder<T>>>)| {
            let path = spot.path.join(&name);
            let below = Spot { path: &path, depth: spot.depth + 1 };
            // A folder that has gone meanwhile keeps its place until its parent is listed again.
            self.visit(below, name.clone(), before)
                .unwrap_or_else(|| Arc::new(Folder::unseen(name, Visit::Omitted, None)))
        };
        self.shared_out(names, visit)
    }

    /// Reads a skill file, unless it is the one that was read before.
    fn read(
        &self,
        path: &Path,
        name: OsString,
        previous: Option<&SkillFile<T>>,
        bytes: impl FnOnce() -> Result<(Stamp, Vec<u8>), Cause>,
    ) -> SkillFile<T> {
        if let Some(previous) = previous
            && previous.name == name
            && previous.stamp.is_some()
            && previous.stamp == disk::stamp_of(path).ok()
        {
            return previous.clone();
        }
        if self.leaves_fence(path) {
            return SkillFile::bad(name, Cause::LeavesPlugin);
        }
        self.progress.files.fetch_add(1, Ordering::Relaxed);
        match bytes() {
            Ok((stamp, bytes)) => {
                let stamp = stamp.settled(self.started);
                SkillFile { name, stamp, content: (self.reader)(path, bytes) }
            }
            Err(cause @ (Cause::TooLong { .. } | Cause::NotAFile)) => {
                let stamp = disk::stamp_of(path).ok().and_then(|stamp| stamp.settled(self.started));
                SkillFile { name, stamp, content: Err(cause) }
            }
            Err(Cause::Unreadable(ErrorKind::NotFound)) if disk::is_link(path) => {
                SkillFile::bad(name, Cause::DanglingLink)
            }
            // What cannot be read now may be readable next time and bear the same stamp.
            Err(cause) => SkillFile::bad(name, cause),
        }
    }

    fn leaves_fence(&self, path: &Path) -> bool {
        !disk::is_inside(path, self.fence.as_deref())
    }
}

/// Whether a folder of that name may hold skills, or files of one.
#[must_use]
pub fn is_walked(name: &OsStr) -> bool {
    !SKIPPED.iter().any(|skipped| name == *skipped)
}

/// Whether a file of that name makes its folder a skill, under any spelling and even if disabled.
#[must_use]
pub fn is_skill_file(name: &OsStr) -> bool {
    rank(name).is_some()
}

/// Which of a folder's files is its skill: the lowest rank. `None`: not a skill file.
fn rank(name: &OsStr) -> Option<u8> {
    let spelled = |wanted: &str| name.eq_ignore_ascii_case(wanted);
    match () {
        () if name == SKILL_FILE => Some(0),
        () if spelled(SKILL_FILE) => Some(1),
        () if name == DISABLED_FILE => Some(2),
        () if spelled(DISABLED_FILE) => Some(3),
        () => None,
    }
}
