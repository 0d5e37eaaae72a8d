//! What is watched, and which events matter: folders in, a sorted set and a judgement out.
//!
//! Every folder is watched by its real path and by itself, never with all below it. So the path of an
//! event is a watched folder, or something that lies in one.

use std::{
    collections::BTreeSet,
    ops::Bound,
    path::{Path, PathBuf},
    sync::Arc,
};

use metier_skills::{Folders, is_skill_file, is_walked};
use notify::event::{AccessKind, AccessMode, Event, EventKind, ModifyKind};

use super::pace::Hearing;

/// How many folders are watched; tests need not make so many.
pub(crate) const MOST_FOLDERS: usize = if cfg!(test) { 300 } else { 20_000 };

/// What a scan looked into.
#[derive(Debug)]
pub(crate) struct Ground {
    folders: BTreeSet<PathBuf>,
    /// Files elsewhere that links led to.
    pub(crate) files: BTreeSet<PathBuf>,
    /// Whether these are all the folders.
    pub(crate) hearing: Hearing,
}

/// Paths that matter, and the folders to watch in order to hear of them.
#[derive(Debug)]
pub(crate) struct Lookout {
    pub(crate) ground: Arc<Ground>,
    /// Folders that only lead to a path that is awaited.
    posts: BTreeSet<PathBuf>,
    /// Sources and files that matter in themselves, there or not.
    awaited: BTreeSet<PathBuf>,
}

/// What an event has changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    /// What a file says.
    Content,
    /// What there is.
    Presence,
}

impl Ground {
    /// The folders with the other files of a skill matter least: where there are too many, they are
    /// left out.
    pub(crate) fn new(found: Folders) -> Ground {
        let Folders { outer: mut folders, inner, files } = found;
        let fits = folders.len() + inner.len() <= MOST_FOLDERS;
        if fits {
            folders.extend(inner);
        }
        let hearing = if fits { Hearing::Whole } else { Hearing::Partial };
        Ground { folders, files, hearing }
    }
}

impl Lookout {
    /// Looks into the folders of a scan.
    pub(crate) fn over(ground: Arc<Ground>) -> Lookout {
        Lookout { ground, posts: BTreeSet::new(), awaited: BTreeSet::new() }
    }

    /// Waits for a path to appear, change or go: where it stands, and where it leads if it is a link.
    ///
    /// `real` follows links, and knows which paths exist. `busy` is a folder where too much happens.
    pub(crate) fn expect(
        &mut self,
        path: &Path,
        busy: Option<&Path>,
        real: &impl Fn(&Path) -> Option<PathBuf>,
    ) {
        let mut above = path.ancestors().skip(1);
        let nearest = above.find_map(|it| Some((real(it)?, path.strip_prefix(it).ok()?)));
        let stands = nearest.map(|(post, rest)| (post.join(rest), post));
        let leads = real(path).and_then(|it| Some((it.clone(), it.parent()?.to_owned())));
        for (awaited, post) in [stands, leads].into_iter().flatten() {
            if busy.is_none_or(|busy| !busy.starts_with(&post)) {
                self.awaited.insert(awaited);
                self.posts.insert(post);
            }
        }
    }

    /// Every folder to watch.
    pub(crate) fn folders(&self) -> BTreeSet<&Path> {
        self.ground.folders.iter().chain(&self.posts).map(PathBuf::as_path).collect()
    }

    /// Whether it was made of the same scan, and awaits the same.
    pub(crate) fn is_same(&self, other: &Lookout) -> bool {
        Arc::ptr_eq(&self.ground, &other.ground)
            && self.posts == other.posts
            && self.awaited == other.awaited
    }

    /// Whether a scan may find something new after this event.
    pub(crate) fn concerns(&self, event: &Event) -> bool {
        let matters = |touch| event.paths.iter().any(|path| self.matters(path, touch));
        event.need_rescan() || touch(event.kind).is_some_and(matters)
    }

    fn matters(&self, path: &Path, touch: Touch) -> bool {
        self.leads_to_awaited(path)
            || self.is_looked_for(path, touch)
            || (touch == Touch::Presence && self.ground.folders.contains(path))
    }

    /// Whether the path, or something below it, is awaited.
    fn leads_to_awaited(&self, path: &Path) -> bool {
        at_or_below(&self.awaited, path).next().is_some()
    }

    /// Whether a scan would look at the path in a folder that it looks into.
    fn is_looked_for(&self, path: &Path, touch: Touch) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        // A link is created like a file, whatever it leads to.
        (touch == Touch::Presence || is_skill_file(name))
            && is_walked(name)
            && self.ground.folders.contains(folder)
    }
}

/// The paths of a set that lie at or below one, which need not be in it.
pub(crate) fn at_or_below<'a>(
    paths: &'a BTreeSet<PathBuf>,
    top: &Path,
) -> impl Iterator<Item = &'a PathBuf> {
    // Paths are ordered by their parts, so these stand side by side.
    let from = paths.range::<Path, _>((Bound::Included(top), Bound::Unbounded));
    from.take_while(move |path| path.starts_with(top))
}

/// What an event of this kind changes. Our own reading makes events too, and they change nothing.
fn touch(kind: EventKind) -> Option<Touch> {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any) => Some(Touch::Content),
        EventKind::Access(_) => None,
        _ => Some(Touch::Presence),
    }
}

#[cfg(test)]
mod tests;
