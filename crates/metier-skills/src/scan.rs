//! The scan: one pass over all sources, and its result.

use std::{
    hash::BuildHasher,
    path::Path,
    sync::{Arc, LazyLock, atomic::AtomicUsize},
    thread,
    time::SystemTime,
};

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use rayon::ThreadPoolBuilder;

use crate::{
    disk::{self, FileId},
    folders::Folders,
    frontmatter::frontmatter,
    problem::{Cause, Problem},
    reach::Reach,
    skill::{DISABLED_FILE, SKILL_FILE, Skill, State, Text},
    source::Source,
    tree::{Found, Tree},
    walk::{Reader, WORTH_SHARING, Walk},
};

/// More threads than this only wait for the same disk.
const MOST_THREADS: usize = 8;

/// Makes digests that can be compared as long as the program runs.
static DIGEST: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

/// What one pass over all sources found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Every skill once, highest precedence first, disabled ones too.
    pub skills: Vec<Arc<Skill>>,
    /// What was left out or looks wrong.
    pub problems: Vec<Problem>,
    /// Every source and what became of it.
    pub sources: Vec<(Arc<Source>, Outcome)>,
    /// What the walk of each source saw.
    trees: Vec<Arc<Tree<Arc<Text>>>>,
}

/// What became of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is nothing at its path.
    Absent,
    /// A higher source has shown the same folder.
    Covered,
    /// It was walked.
    Walked {
        /// Skills that it leads to, also those that a higher source has shown.
        n_skills: usize,
    },
}

/// What the last walks saw, by the folder of the source.
pub(crate) type Known<'a, T> = HashMap<&'a Path, &'a Tree<T>>;

/// How far a scan has come; another thread may watch it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Folders looked at so far.
    pub folders: AtomicUsize,
    /// Files read so far.
    pub files: AtomicUsize,
}

/// Whether whole files stay in memory after their frontmatter was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bodies {
    /// Only the frontmatter stays.
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
        let (size, digest) = (whole.len() as u64, DIGEST.hash_one(&whole));
        let whole = (bodies == Bodies::Kept).then(|| whole.into_boxed_str());
        Ok(Arc::new(Text { frontmatter, size, digest, whole }))
    };
    let trees = walk_all(sources, &previous.known(), &read, progress);
    if previous.holds(sources, &trees) {
        return previous.clone();
    }
    let mut found = Gathering::default();
    for (source, tree) in sources.iter().zip(trees) {
        found.add(source, tree);
    }
    found.finish()
}

/// Walks all sources one after the other, each shared out among a few threads.
pub(crate) fn walk_all<T: Clone + Send + Sync>(
    sources: &[Source],
    previous: &Known<'_, T>,
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
            walk.fence = source.plugin.as_ref().and_then(|owner| disk::real(&owner.install));
            walk.tree(&source.folder, previous.get(&*source.folder).copied())
        };
        sources.iter().map(tree).collect()
    };
    match pool {
        Some(pool) => pool.install(walk_each),
        None => walk_each(),
    }
}

impl Scan {
    /// Whether a rescan found nothing new and ended in the scan before.
    #[must_use]
    pub fn is_same(&self, other: &Scan) -> bool {
        let mut trees = self.trees.iter().zip(&other.trees);
        self.trees.len() == other.trees.len() && trees.all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// The folders that were looked into; whoever watches them all need not scan.
    #[must_use]
    pub fn folders(&self) -> Folders {
        Folders::new(self.trees.iter().map(|tree| &**tree))
    }

    /// The trees of folders that were walked; one folder may be several sources.
    fn known(&self) -> Known<'_, Arc<Text>> {
        let trees = self.sources.iter().zip(&self.trees);
        let walked = trees.filter(|(_, tree)| !tree.branches.is_empty());
        walked.map(|((source, _), tree)| (&*source.folder, &**tree)).collect()
    }

    /// Whether walks of these sources that saw these trees have nothing to add.
    fn holds(&self, sources: &[Source], trees: &[Tree<Arc<Text>>]) -> bool {
        self.sources.len() == sources.len()
            && self.sources.iter().zip(sources).all(|((before, _), now)| **before == *now)
            && self.trees.iter().zip(trees).all(|(before, now)| before.is_same(now))
    }
}

/// A scan in the making.
#[derive(Default)]
struct Gathering {
    scan: Scan,
    skills: Vec<Skill>,
    /// Where the skill of each real folder stands among the skills, if its file could be read.
    known: HashMap<FileId, Option<usize>>,
}

impl Gathering {
    fn add(&mut self, source: &Source, tree: Tree<Arc<Text>>) {
        let source = Arc::new(source.clone());
        let before = self.skills.len();
        for found in tree.collect(&source.folder, &mut self.scan.problems) {
            if found.id.is_some_and(|id| self.known.contains_key(&id)) {
                continue;
            }
            let id = found.id;
            let skill = self.skill(&source, found);
            let at = skill.as_ref().map(|_| self.skills.len());
            self.known.extend(id.map(|id| (id, at)));
            self.skills.extend(skill);
        }
        let outcome = match (tree.branches.is_empty(), tree.is_covered) {
            (false, _) => Outcome::Walked { n_skills: self.skills.len() - before },
            (true, true) => Outcome::Covered,
            (true, false) => Outcome::Absent,
        };
        self.scan.trees.push(Arc::new(tree));
        self.scan.sources.push((source, outcome));
    }

    fn skill(&mut self, source: &Arc<Source>, found: Found<'_, Arc<Text>>) -> Option<Skill> {
        let name = &found.file.name;
        let mut problem = |cause| {
            self.scan.problems.push(Problem { path: found.folder.join(name), cause });
        };
        let text = match &found.file.content {
            Ok(text) => text.clone(),
            Err(cause) => {
                problem(cause.clone());
                return None;
            }
        };
        if name != SKILL_FILE && name != DISABLED_FILE {
            problem(Cause::Spelling(name.clone()));
        }
        let enabled = name.eq_ignore_ascii_case(SKILL_FILE);
        Some(Skill {
            source: source.clone(),
            also: Vec::new(),
            folder: found.folder,
            file_name: name.clone(),
            state: if enabled { State::Enabled } else { State::Disabled },
            text,
        })
    }

    /// Tells each skill which lower sources lead to it too.
    fn finish(mut self) -> Scan {
        let Scan { sources, trees, .. } = &mut self.scan;
        if trees.iter().any(|tree| tree.leads_elsewhere()) {
            let reach = Reach::new(trees.iter().map(|tree| &**tree));
            for ((source, outcome), tree) in sources.iter_mut().zip(trees.iter()) {
                let reached = tree.root.map(|root| reach.skills_of(root)).unwrap_or_default();
                let reached = reached.iter().filter_map(|id| *self.known.get(id)?);
                // A source without a fence may have followed links that this one may not.
                let reached = reached.filter(|at| tree.allows(&self.skills[*at].folder));
                let reached: Vec<usize> = reached.collect();
                if let Outcome::Walked { n_skills } = outcome {
                    *n_skills = reached.len();
                }
                for at in reached {
                    let skill = &mut self.skills[at];
                    if skill.places().all(|known| known != source) {
                        skill.also.push(source.clone());
                    }
                }
            }
        }
        Scan { skills: self.skills.into_iter().map(Arc::new).collect(), ..self.scan }
    }
}
