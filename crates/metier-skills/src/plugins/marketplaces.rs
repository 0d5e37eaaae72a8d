//! The marketplaces on this machine, each read once and only if a plugin asks for it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    PluginPlaces, PluginProblem,
    disk::{Place, Reader},
    folders::folder_inside,
    id::PluginId,
    json::Parsed,
    manifest,
    marketplace::{self, Entry, Known, Marketplace},
};

/// A marketplace's list of plugins, below its folder.
const FILE: &str = ".claude-plugin/marketplace.json";

/// All marketplaces that a plugin may come from.
pub(crate) struct Marketplaces<'a> {
    places: &'a PluginPlaces,
    known: Known,
    opened: BTreeMap<String, Option<Opened>>,
}

/// A plugin's entry and the marketplace that it stands in.
pub(crate) struct Listed {
    pub(crate) entry: Entry,
    /// The marketplace's folder.
    pub(crate) root: Place,
    /// The file that has the entry.
    pub(crate) file: PathBuf,
}

struct Opened {
    root: Place,
    file: PathBuf,
    marketplace: Marketplace,
}

impl<'a> Marketplaces<'a> {
    pub(crate) fn new(places: &'a PluginPlaces, reader: &mut Reader) -> Marketplaces<'a> {
        let file = places.root.join("known_marketplaces.json");
        let known = reader.read(&file, marketplace::known).unwrap_or_default();
        Marketplaces { places, known, opened: BTreeMap::new() }
    }

    /// What the plugin's marketplace says of it. A marketplace may be gone, or have dropped the
    /// plugin, while an older list still lies in the plugin's own folder.
    pub(crate) fn listed(
        &mut self,
        id: &PluginId,
        install: Option<&Path>,
        reader: &mut Reader,
    ) -> Option<Listed> {
        let opened = id.marketplace().and_then(|name| self.opened(name, reader));
        let listed = opened
            .and_then(|it| it.listed(id))
            .or_else(|| open(install?, reader).and_then(|it| it.listed(id)))?;
        reader.note(&listed.value.file, listed.problems);
        Some(listed.value)
    }

    fn opened(&mut self, name: &str, reader: &mut Reader) -> Option<&Opened> {
        if !self.opened.contains_key(name) {
            let known = self.known.get(name).map(|it| self.places.locate(it));
            let usual = self.places.root.join("marketplaces").join(name);
            let opened = known.and_then(|it| open(&it, reader)).or_else(|| open(&usual, reader));
            self.opened.insert(name.to_owned(), opened);
        }
        self.opened.get(name)?.as_ref()
    }
}

impl Opened {
    fn listed(&self, id: &PluginId) -> Option<Parsed<Listed>> {
        let Parsed { value: entry, problems } = self.marketplace.entry(id.name())?;
        let listed = Listed { entry, root: self.root.clone(), file: self.file.clone() };
        Some(Parsed { value: listed, problems })
    }
}

impl Listed {
    /// The plugin's folder inside the marketplace, if it is there.
    pub(crate) fn folder(&self, id: &PluginId) -> Option<Result<Place, PluginProblem>> {
        Some(folder_inside(id, &self.root, self.entry.source.as_deref()?))
    }

    /// The version that the marketplace offers; what is wrong with that copy is of no concern yet.
    pub(crate) fn offers(&self, id: &PluginId) -> Option<String> {
        let folder = self.folder(id).and_then(Result::ok);
        let own = folder
            .and_then(|it| Reader::default().read_inside(&it, manifest::FILE, manifest::parse));
        own.and_then(|it| it.version).or_else(|| self.entry.manifest.version.clone())
    }
}

/// Opens a marketplace by its folder, or by its file, as those from a plain address are kept.
fn open(location: &Path, reader: &mut Reader) -> Option<Opened> {
    let (root, name) = if location.ends_with(FILE) {
        (location.ancestors().nth(2)?, FILE)
    } else if location.is_file() {
        (location.parent()?, location.file_name()?.to_str()?)
    } else {
        (location, FILE)
    };
    let Some(root) = Place::folder(root) else {
        reader.asked.push(root.join(name));
        return None;
    };
    let marketplace = reader.read_inside(&root, name, marketplace::parse)?;
    Some(Opened { file: root.path.join(name), root, marketplace })
}
