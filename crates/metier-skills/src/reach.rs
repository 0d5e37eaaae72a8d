//! Which skills a source leads to, by whatever way: a folder that a higher source has shown counts
//! there, but the lower source's name for it works too.

use std::path::PathBuf;

use hashbrown::{HashMap, HashSet};

use crate::{
    disk::FileId,
    tree::{Folder, Tree, Visit},
};

/// Where each visited folder stands in the trees of a scan.
pub(crate) struct Reach<'a, T> {
    folders: HashMap<FileId, Place<'a, T>>,
}

struct Place<'a, T> {
    tree: &'a Tree<T>,
    path: PathBuf,
    folder: &'a Folder<T>,
}

impl<'a, T> Reach<'a, T> {
    pub(crate) fn new(trees: impl Iterator<Item = &'a Tree<T>>) -> Reach<'a, T> {
        let mut folders = HashMap::new();
        for tree in trees {
            tree.each(&mut |path, folder| {
                if let (Visit::Made, Some(id)) = (folder.visit, folder.id) {
                    folders.insert(id, Place { tree, path: path.to_owned(), folder });
                }
            });
        }
        Reach { folders }
    }

    /// The folders of all skills that a folder leads to.
    pub(crate) fn skills_of(&self, root: FileId) -> Vec<FileId> {
        let (mut skills, mut seen) = (Vec::new(), HashSet::new());
        let mut ahead = vec![root];
        while let Some(id) = ahead.pop() {
            let Some(place) = self.folders.get(&id).filter(|_| seen.insert(id)) else { continue };
            skills.extend(place.folder.skill.as_ref().map(|_| id));
            let folders = place.folder.folders.iter().filter_map(|it| it.id);
            let links = place.folder.links.iter();
            let links = links.filter_map(|name| place.tree.links.get(&place.path.join(name)));
            ahead.extend(folders.chain(links.copied()));
        }
        skills
    }
}
