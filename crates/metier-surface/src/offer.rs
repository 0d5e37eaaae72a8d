//! What clients are shown of one catalog: rendered once, read by every request.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use metier_skills::{Catalog, Filter, Match, Query, SearchIndex, SearchResults};

use crate::{
    library::Library,
    served::{Served, ServedSkills},
    tools::{Tool, ToolNames, definitions},
};

/// How a catalog is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// The tools that are offered, in the order they are listed.
    pub tools: Vec<Tool>,
    /// What the tools are called.
    pub names: ToolNames,
    /// How the description of `skill` lists skills.
    pub format: CatalogFormat,
    /// How many characters that list may have; 0 for no bound.
    pub budget: usize,
    /// How many words of a query a skill must have.
    pub mode: Match,
    /// Whether each skill is a prompt too.
    pub prompts: bool,
    /// Which skills of servers exist; those of this machine have been chosen before.
    pub filter: Filter,
}

/// How the description of `skill` lists skills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CatalogFormat {
    /// `<available_skills>` with one `<skill>` for each.
    #[default]
    Xml,
    /// A line `- name: description` for each.
    List,
}

/// What clients are shown of one catalog. Never changes.
#[derive(Debug)]
pub struct Offer {
    catalog: Arc<Catalog>,
    served: Arc<ServedSkills>,
    library: Arc<Library>,
    presentation: Presentation,
    definitions: Arc<[u8]>,
    index: OnceLock<SearchIndex>,
    is_indexing: AtomicBool,
}

impl Default for Presentation {
    fn default() -> Presentation {
        Presentation {
            tools: Tool::ALL.to_vec(),
            names: ToolNames::default(),
            format: CatalogFormat::default(),
            budget: 60_000,
            mode: Match::All,
            prompts: true,
            filter: Filter::default(),
        }
    }
}

impl Presentation {
    /// The offered tool of that name; in either mode both of its names will do.
    pub(crate) fn tool(&self, name: &str) -> Option<Tool> {
        Tool::named(name).filter(|tool| self.tools.contains(tool))
    }

    /// What a model should know before it begins.
    pub(crate) fn instructions(&self) -> String {
        let named = |tool: Tool| self.tools.contains(&tool).then(|| tool.name(self.names));
        let lines = [
            named(Tool::Skill).map(|name| {
                format!("The description of `{name}` lists every skill: call it to load one.")
            }),
            named(Tool::Search).map(|name| format!("Use `{name}` for targeted lookups.")),
            named(Tool::List).map(|name| format!("Use `{name}` for exhaustive metadata.")),
            named(Tool::Read).map(|name| format!("Use `{name}` for the other files of a skill.")),
        ];
        lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}

impl Offer {
    /// Renders a catalog; what looks as it did in the previous offer is shared with it.
    #[must_use]
    pub fn new(catalog: Catalog, presentation: &Presentation, previous: Option<&Offer>) -> Offer {
        Offer::with_served(Arc::new(catalog), Arc::default(), presentation, previous)
    }

    /// The same, with skills that servers have.
    pub(crate) fn with_served(
        catalog: Arc<Catalog>,
        served: Arc<ServedSkills>,
        presentation: &Presentation,
        previous: Option<&Offer>,
    ) -> Offer {
        let definitions = definitions(&catalog, &served, presentation);
        let shared = previous.map(|it| &it.definitions).filter(|before| ***before == *definitions);
        let same = previous.filter(|before| Arc::ptr_eq(&before.catalog, &catalog));
        let library = same.map(|it| Arc::clone(&it.library));
        Offer {
            library: library.unwrap_or_else(|| Arc::new(Library::new(&catalog))),
            definitions: shared.cloned().unwrap_or_else(|| definitions.into()),
            catalog,
            served,
            presentation: presentation.clone(),
            index: OnceLock::new(),
            is_indexing: AtomicBool::new(false),
        }
    }

    /// The definitions of the tools that show skills, separated by commas.
    #[must_use]
    pub fn definitions(&self) -> &[u8] {
        &self.definitions
    }

    /// Whether a client that has seen an earlier offer would see anything new.
    #[must_use]
    pub fn differs_from(&self, earlier: &Offer) -> bool {
        !Arc::ptr_eq(&self.definitions, &earlier.definitions)
            && self.definitions != earlier.definitions
    }

    /// The skills that are offered.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The skills of this machine, each at its place.
    pub(crate) fn library(&self) -> &Library {
        &self.library
    }

    /// Whether each skill of this machine is a prompt too.
    pub(crate) fn has_prompts(&self) -> bool {
        self.presentation.prompts
    }

    /// The skills that servers have.
    pub(crate) fn served(&self) -> &ServedSkills {
        &self.served
    }

    /// The skills of servers that a query finds.
    pub(crate) fn search_served(&self, query: &str) -> Vec<(&Served, usize)> {
        self.served.search(query, self.presentation.mode)
    }

    /// Whether someone should build the index: true once.
    pub(crate) fn wants_index(&self) -> bool {
        !self.is_indexing.swap(true, Relaxed)
    }

    /// Reads every skill, so that later searches need not: meant for the background, once someone
    /// has searched.
    pub fn build_index(&self) {
        self.index.get_or_init(|| SearchIndex::new(&self.catalog));
    }

    /// Searches by the index if there is one, else by one pass over all files.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Option<SearchResults<'_>> {
        let query = Query::new(query, self.presentation.mode)?;
        Some(match self.index.get() {
            Some(index) => self.catalog.search_with(index, &query, limit),
            None => self.catalog.search(&query, limit),
        })
    }

    /// What a tool is called here, if it is offered.
    pub(crate) fn name_of(&self, tool: Tool) -> Option<&'static str> {
        self.presentation.tools.contains(&tool).then(|| tool.name(self.presentation.names))
    }
}
