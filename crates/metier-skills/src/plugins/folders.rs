//! Which folders of a plugin hold its skills.

use std::path::{Path, PathBuf};

use super::{
    PluginProblem,
    description::Description,
    disk::{Inside, Place},
    id::PluginId,
    manifest,
    problem::short,
};

/// Folders that one plugin may list.
const MOST_FOLDERS: usize = 1_000;

/// Where a plugin keeps its skills unless it says otherwise.
pub(crate) const DEFAULT: &str = "skills";

/// Folders in the order listed, each once, and the problems with the rest.
#[derive(Default)]
pub(crate) struct Folders {
    pub(crate) places: Vec<Place>,
    pub(crate) problems: Vec<(PathBuf, PluginProblem)>,
}

/// Finds the folders: the default one, then what the manifest lists, then what the entry lists.
///
/// Lists add to the default, with one exception: plugins whose folder is the marketplace's own
/// share one `skills`, so the entry of each says which part of it is its own.
pub(crate) fn folders(plugin: &Description<'_>) -> Folders {
    let mut folders = Folders::default();
    let listed = plugin.listed.as_ref().filter(|it| !it.entry.manifest.skills.is_empty());
    if !listed.is_some_and(|it| it.entry.is_at_root()) {
        folders.add_default(plugin);
    }
    folders.add_listed(plugin, &plugin.install.path.join(manifest::FILE), &plugin.own.skills);
    if let Some(listed) = listed {
        folders.add_listed(plugin, &listed.file, &listed.entry.manifest.skills);
    } else if plugin.own.skills.is_empty() {
        folders.add_single(plugin);
    }
    folders
}

impl Folders {
    fn add_default(&mut self, plugin: &Description<'_>) {
        match plugin.install.follow(DEFAULT) {
            Inside::Found(place) if place.real.is_dir() => self.add(place),
            Inside::Found(_) | Inside::Missing => {}
            refused => {
                let problem = refusal(plugin.id, DEFAULT, &refused);
                self.problems.push((plugin.install.path.join(DEFAULT), problem));
            }
        }
    }

    /// A plugin without folders of skills may be one skill itself.
    fn add_single(&mut self, plugin: &Description<'_>) {
        if !plugin.install.path.join(DEFAULT).is_dir() && plugin.install.holds_skill() {
            self.add(plugin.install.clone());
        }
    }

    fn add_listed(&mut self, plugin: &Description<'_>, file: &Path, listed: &[String]) {
        if listed.len() > MOST_FOLDERS {
            let plugin = plugin.id.to_string();
            let problem = PluginProblem::TooManyFolders { plugin, most: MOST_FOLDERS };
            self.problems.push((file.to_owned(), problem));
        }
        for relative in listed.iter().take(MOST_FOLDERS) {
            match folder_inside(plugin.id, &plugin.install, relative) {
                Ok(place) => self.add(place),
                Err(problem) => self.problems.push((file.to_owned(), problem)),
            }
        }
    }

    fn add(&mut self, place: Place) {
        if self.places.iter().all(|it| it.real != place.real) {
            self.places.push(place);
        }
    }
}

/// Follows the path of a plugin to a folder that really lies in `folder`.
pub(crate) fn folder_inside(
    id: &PluginId,
    folder: &Place,
    relative: &str,
) -> Result<Place, PluginProblem> {
    match folder.follow(relative) {
        Inside::Found(place) if place.real.is_dir() => Ok(place),
        refused => Err(refusal(id, relative, &refused)),
    }
}

fn refusal(id: &PluginId, path: &str, inside: &Inside) -> PluginProblem {
    let (plugin, path) = (id.to_string(), short(path));
    match inside {
        Inside::Outside => PluginProblem::Outside { plugin, path },
        Inside::Found(_) | Inside::Missing | Inside::Unreadable(_) => {
            PluginProblem::NotAFolder { plugin, path }
        }
    }
}
