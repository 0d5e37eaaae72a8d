//! The library: the skills of this machine as resources, prompts and entries of `skills/list`.
//!
//! ```text
//! Catalog ──▶ Library ──▶ resources/list · prompts/list          rendered with what servers have
//!                │ ─────▶ resources/read · directory/read · completion     one file, one folder
//!                └──────▶ skills/list · skills/get               a page of manifests, read when asked for
//! ```

mod address;
mod answers;
mod completion;
mod entries;
mod files;
mod folders;
mod prompts;
mod watched;

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
};

use metier_skills::{Catalog, SKILL_FILE, Skill};

use self::address::Address;
pub(crate) use self::{
    address::joined,
    answers::{cursor_of, required},
    completion::TEMPLATE,
    entries::{Page, unknown_cursor, write_entry},
    files::{Resource, not_of_a_skill, unknown_resource, write_template},
    prompts::write_prompt,
    watched::WatchedFiles,
};

/// How many parts the place of a skill may have.
const DEEPEST: usize = 32;

/// The skills of one catalog that can be loaded, each at a place of its own. Never changes.
#[derive(Debug, Default)]
pub(crate) struct Library {
    holdings: Vec<Holding>,
    by_place: HashMap<Arc<str>, usize>,
    by_prompt: HashMap<Arc<str>, usize>,
}

/// One skill, and what it is called here.
#[derive(Debug)]
pub(crate) struct Holding {
    pub(crate) skill: Arc<Skill>,
    /// The name that loads it.
    pub(crate) id: Box<str>,
    /// What stands between `skill://~/` and the paths of its files.
    pub(crate) place: Arc<str>,
    /// The name of its prompt.
    pub(crate) prompt: Arc<str>,
}

/// What an address means.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// Something of a skill: a path without percent-encoding, empty for its folder.
    Within(&'a Holding, String),
    /// A folder of skills, as it is written in a URI.
    Above(String),
}

impl Library {
    /// Gives every skill that is listed a place, so that no two share one.
    pub(crate) fn new(catalog: &Catalog) -> Library {
        let mut library = Library::default();
        let mut by_folder: HashMap<&Path, usize> = HashMap::new();
        for entry in catalog.entries() {
            let (skill, Some(id)) = (&entry.skill, &entry.id) else { continue };
            // Nothing can be reached by a path with such a part.
            if matches!(skill.name(), "." | "..") {
                continue;
            }
            let outer = library.around(skill, &by_folder);
            let nested = outer.and_then(|it| address::within(skill, (&it.skill.folder, &it.place)));
            let is_free = |it: &String| !library.by_place.contains_key(it.as_str());
            let places = nested.into_iter().filter(|it| it.split('/').count() <= DEEPEST);
            let Some(place) = places.chain(address::candidates(skill)).find(is_free) else {
                continue;
            };
            let prompt = prompts::name(id, |it| library.by_prompt.contains_key(it));
            by_folder.insert(&skill.folder, library.holdings.len());
            library.add(Holding {
                skill: Arc::clone(skill),
                id: id.clone(),
                place: place.into(),
                prompt: prompt.into(),
            });
        }
        library
    }

    fn add(&mut self, holding: Holding) {
        let at = self.holdings.len();
        self.by_place.insert(Arc::clone(&holding.place), at);
        self.by_prompt.insert(Arc::clone(&holding.prompt), at);
        self.holdings.push(holding);
    }

    /// The skill in whose folder another lies, if both are of one source.
    fn around(&self, skill: &Skill, by_folder: &HashMap<&Path, usize>) -> Option<&Holding> {
        for folder in skill.folder.ancestors().skip(1) {
            if let Some(at) = by_folder.get(folder) {
                return self.holdings.get(*at);
            }
            if folder == skill.source.folder {
                break;
            }
        }
        None
    }

    pub(crate) fn holdings(&self) -> &[Holding] {
        &self.holdings
    }

    /// At which place of the list the skill is whose prompt goes by this name.
    pub(crate) fn prompt(&self, name: &str) -> Option<usize> {
        self.by_prompt.get(name).copied()
    }

    /// The skill whose prompt goes by this name, or that goes by it itself.
    pub(crate) fn prompted(&self, name: &str) -> Option<&Holding> {
        let at = self.prompt(name);
        let at = at.or_else(|| self.holdings.iter().position(|it| *it.id == *name))?;
        self.holdings.get(at)
    }

    /// At which place of the list the skill is whose `SKILL.md` has this URI.
    pub(crate) fn position(&self, uri: &str) -> Option<usize> {
        self.place_of(uri).filter(|(_, path)| path == SKILL_FILE).map(|(at, _)| at)
    }

    /// The same of the skill's own file, whatever that is called.
    pub(crate) fn listed(&self, uri: &str) -> Option<usize> {
        let (at, path) = self.place_of(uri)?;
        (*path == *self.holdings.get(at)?.skill.file_name).then_some(at)
    }

    fn place_of(&self, uri: &str) -> Option<(usize, String)> {
        let Found::Within(holding, path) = self.find(uri)? else { return None };
        Some((*self.by_place.get(&holding.place)?, path))
    }

    /// What a URI means; none if nothing here can have it.
    pub(crate) fn find(&self, uri: &str) -> Option<Found<'_>> {
        let address = Address::of(uri)?;
        let mut splits = address.splits(DEEPEST);
        match splits.find_map(|(place, rest)| Some((self.by_place.get(place.as_str())?, rest))) {
            // A name may have a slash, and so its URI an encoded one; no file's name has any.
            Some((_, rest)) if rest.iter().any(|it| it.contains(['/', '\0'])) => None,
            Some((at, rest)) => Some(Found::Within(self.holdings.get(*at)?, rest.join("/"))),
            None => Some(Found::Above(address.whole())),
        }
    }

    /// Whether a client that has seen an earlier list of resources or prompts would see another.
    pub(crate) fn differs_from(&self, earlier: &Library) -> bool {
        let is_same = |(one, other): (&Holding, &Holding)| {
            one.place == other.place
                && one.prompt == other.prompt
                && one.skill.description() == other.skill.description()
        };
        self.holdings.len() != earlier.holdings.len()
            || !self.holdings.iter().zip(&earlier.holdings).all(is_same)
    }

    /// The parts that follow a place of no skill, in order, each once.
    pub(crate) fn below(&self, place: &str) -> Vec<&str> {
        let mut seen = HashSet::new();
        let rest = |it: &'_ Holding| match place {
            "" => Some(0),
            _ => it.place.strip_prefix(place)?.starts_with('/').then_some(place.len() + 1),
        };
        let parts = self.holdings.iter().filter_map(|it| {
            let rest = &it.place[rest(it)?..];
            Some(rest.split_once('/').map_or(rest, |(part, _)| part))
        });
        let mut parts: Vec<&str> = parts.filter(|it| seen.insert(*it)).collect();
        parts.sort_unstable();
        parts
    }
}

impl Holding {
    /// The URI of the skill's own file, whatever that is called.
    pub(crate) fn own_uri(&self) -> String {
        self.uri(&self.skill.file_name.to_string_lossy())
    }

    /// The URI of a file, given by its path.
    pub(crate) fn uri(&self, path: &str) -> String {
        let parts = path.split('/').map(address::encoded);
        let parts: Vec<String> = std::iter::once(self.place.to_string()).chain(parts).collect();
        address::uri(&parts.join("/"))
    }
}
