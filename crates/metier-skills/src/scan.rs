//! The scan: one pass over all sources, and its result.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicUsize},
    thread,
    time::SystemTime,
};

use hashbrown::{HashMap, HashSet};
use rayon::ThreadPoolBuilder;

use crate::{
    disk::{self, FileId},
    frontmatter::frontmatter,
    problem::{Cause, Problem},
    skill::{DISABLED_FILE, SKILL_FILE, Skill, State, Text},
    source::Source,
    tree::{Found, Tree},
    walk::{Reader, WORTH_SHARING, Walk},
};

/// More threads than this only wait for the same disk.
const MOST_THREADS: usize = 8;

/// What one pass over all sources found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Every skill once, highest precedence first, disabled ones too.
    pub skills: Vec<Arc<Skill>>,
    /// What was left out or looks wrong.
    pub problems: Vec<Problem>,
    /// The sources that exist, and how many skills each one gave.
    pub sources: Vec<(Arc<Source>, usize)>,
    trees: Trees<Arc<Text>>,
}

/// What the last walks saw, by the folder of the source.
type Trees<T> = HashMap<PathBuf, Arc<Tree<T>>>;

/// How far a scan has come; another thread may watch it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Folders looked at so far.
    pub folders: AtomicUsize,
    /// Files read so far.
    pub files: AtomicUsize,
}

/// Whether whole files stay in memory after their frontmatter was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bodies {
    /// Only the frontmatter stays.
    #[default]
    Dropped,
    /// The whole text stays, for a search that follows at once.
    Kept,
}

/// Reads all sources from scratch.
#[must_use]
pub fn scan(sources: &[Source]) -> Scan {
    pass(sources, &Scan::default(), Bodies::Dropped, &Progress::default())
}

/// Reads what has changed since `previous`.
#[must_use]
pub fn rescan(sources: &[Source], previous: &Scan, progress: &Progress) -> Scan {
    pass(sources, previous, Bodies::Dropped, progress)
}

/// Reads all sources, keeping what `bodies` says, while another thread watches the progress.
#[must_use]
pub fn scan_watched(sources: &[Source], bodies: Bodies, progress: &Progress) -> Scan {
    pass(sources, &Scan::default(), bodies, progress)
}

/// Walks every source in order of precedence; the first to show a folder keeps it.
fn pass(sources: &[Source], previous: &Scan, bodies: Bodies, progress: &Progress) -> Scan {
    let read = move |_: &Path, bytes| {
        let whole = disk::text(bytes)?;
        let frontmatter = frontmatter(&whole)?;
        let whole = (bodies == Bodies::Kept).then(|| whole.into_boxed_str());
        Ok(Arc::new(Text { frontmatter, whole }))
    };
    let trees = walk_all(sources, &previous.trees, &read, progress);
    if previous.holds(sources, &trees) {
        return previous.clone();
    }
    let mut scan = Scan::default();
    let mut taken = HashSet::new();
    for (source, tree) in sources.iter().zip(trees) {
        scan.add(source, tree, &mut taken);
    }
    scan
}

/// Walks all sources one after the other, each shared out among a few threads.
pub(crate) fn walk_all<T: Clone + Send + Sync>(
    sources: &[Source],
    previous: &Trees<T>,
    reader: &Reader<T>,
    progress: &Progress,
) -> Vec<Tree<T>> {
    let threads = thread::available_parallelism().map_or(1, |n| n.get().min(MOST_THREADS));
    // One thread, or none to be had: then this one does it all.
    let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build());
    let pool = pool.and_then(Result::ok);
    let mut walk = Walk {
        started: SystemTime::now(),
        progress,
        reader,
        visited: HashSet::new(),
        fence: None,
        sharing: if pool.is_some() { WORTH_SHARING } else { usize::MAX },
        n_folders: AtomicUsize::new(0),
    };
    let mut walk_each = move || {
        let tree = |source: &Source| {
            walk.fence = source.plugin.as_ref().and_then(|owner| owner.install.canonicalize().ok());
            walk.tree(&source.folder, previous.get(&source.folder).map(|tree| &**tree))
        };
        sources.iter().map(tree).collect()
    };
    match pool {
        Some(pool) => pool.install(walk_each),
        None => walk_each(),
    }
}

impl Scan {
    /// Whether walks of these sources that saw these trees have nothing to add.
    fn holds(&self, sources: &[Source], trees: &[Tree<Arc<Text>>]) -> bool {
        let mut present = sources.iter().zip(trees).filter(|(_, tree)| tree.exists());
        let is_known = |before: &Source| {
            present.next().is_some_and(|(source, tree)| {
                *source == *before
                    && self.trees.get(&source.folder).is_some_and(|it| it.is_same(tree))
            })
        };
        self.sources.iter().map(|(source, _)| &**source).all(is_known) && present.next().is_none()
    }

    fn add(&mut self, source: &Source, tree: Tree<Arc<Text>>, taken: &mut HashSet<FileId>) {
        if !tree.exists() {
            return;
        }
        let source = Arc::new(source.clone());
        let before = self.skills.len();
        for found in tree.collect(&source.folder, &mut self.problems) {
            if found.id.is_none_or(|id| taken.insert(id)) {
                self.add_skill(&source, &found);
            }
        }
        self.sources.push((source.clone(), self.skills.len() - before));
        self.trees.insert(source.folder.clone(), Arc::new(tree));
    }

    fn add_skill(&mut self, source: &Arc<Source>, found: &Found<'_, Arc<Text>>) {
        let path = || found.folder.join(&found.file.name);
        let text = match &found.file.content {
            Ok(text) => text.clone(),
            Err(cause) => {
                self.problems.push(Problem { path: path(), cause: cause.clone() });
                return;
            }
        };
        let name = &found.file.name;
        if name != SKILL_FILE && name != DISABLED_FILE {
            self.problems.push(Problem { path: path(), cause: Cause::Spelling(name.clone()) });
        }
        let enabled = name.eq_ignore_ascii_case(SKILL_FILE);
        self.skills.push(Arc::new(Skill {
            source: source.clone(),
            folder: found.folder.clone(),
            file_name: name.clone(),
            state: if enabled { State::Enabled } else { State::Disabled },
            text,
        }));
    }
}
