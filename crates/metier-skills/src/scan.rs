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
    /// Every source and what became of it.
    pub sources: Vec<(Arc<Source>, Outcome)>,
    trees: Trees<Arc<Text>>,
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
    let mut found = Gathering::default();
    for (source, tree) in sources.iter().zip(trees) {
        found.add(source, tree);
    }
    found.finish()
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
        let is_known = |(((before, _), source), tree): (((&Arc<Source>, _), &Source), &Tree<_>)| {
            let same_tree = match self.trees.get(&source.folder) {
                Some(known) if tree.exists() => known.is_same(tree),
                known => known.is_none() && !tree.exists(),
            };
            **before == *source && same_tree
        };
        let before = self.sources.iter().map(|(source, outcome)| (source, outcome));
        self.sources.len() == sources.len() && before.zip(sources).zip(trees).all(is_known)
    }
}

/// A scan in the making.
#[derive(Default)]
struct Gathering {
    scan: Scan,
    skills: Vec<Skill>,
    /// Where the skill of each real folder stands among the skills.
    known: HashMap<FileId, usize>,
}

impl Gathering {
    fn add(&mut self, source: &Source, tree: Tree<Arc<Text>>) {
        let source = Arc::new(source.clone());
        let before = self.skills.len();
        for found in tree.collect(&source.folder, &mut self.scan.problems) {
            if found.id.is_some_and(|id| self.known.contains_key(&id)) {
                continue;
            }
            if let Some(skill) = self.skill(&source, &found) {
                self.known.extend(found.id.map(|id| (id, self.skills.len())));
                self.skills.push(skill);
            }
        }
        let outcome = match tree.branches.is_empty() {
            false => Outcome::Walked { n_skills: self.skills.len() - before },
            true if tree.exists() => Outcome::Covered,
            true => Outcome::Absent,
        };
        if tree.exists() {
            self.scan.trees.insert(source.folder.clone(), Arc::new(tree));
        }
        self.scan.sources.push((source, outcome));
    }

    fn skill(&mut self, source: &Arc<Source>, found: &Found<'_, Arc<Text>>) -> Option<Skill> {
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
            folder: found.folder.clone(),
            file_name: name.clone(),
            state: if enabled { State::Enabled } else { State::Disabled },
            text,
        })
    }

    /// Tells each skill which lower sources lead to it too.
    fn finish(mut self) -> Scan {
        let trees = || self.scan.trees.values();
        let wanted: HashSet<FileId> = trees().flat_map(|tree| &tree.covered).copied().collect();
        let mut below = HashMap::new();
        if !wanted.is_empty() {
            trees().for_each(|tree| tree.skills_below(&wanted, &mut below));
        }
        for (source, outcome) in &mut self.scan.sources {
            let Some(tree) = self.scan.trees.get(&source.folder) else { continue };
            for id in tree.covered.iter().filter_map(|id| below.get(id)).flatten() {
                let Some(&at) = self.known.get(id) else { continue };
                let skill = &mut self.skills[at];
                if skill.sources().all(|it| it.provider != source.provider) {
                    skill.also.push(source.clone());
                }
                if let Outcome::Walked { n_skills } = outcome {
                    *n_skills += 1;
                }
            }
        }
        Scan { skills: self.skills.into_iter().map(Arc::new).collect(), ..self.scan }
    }
}
