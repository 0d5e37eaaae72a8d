//! The four tools: what they are called, what they take, and how a call is carried out.

mod arguments;
mod available;
mod definition;
mod list;
mod load;
mod mime;
mod read;
mod reply;
mod search;
mod summary;

use metier_wire::{Era, Error};
use serde_json::value::RawValue;

use crate::{offer::Offer, tools::arguments::Argument};

pub(crate) use {
    definition::definitions,
    load::Loaded,
    mime::mime_type,
    reply::{Blob, Reply},
};

/// Which names of tools are on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolNames {
    /// Letters, digits, `_` and `-`: what every model API accepts.
    #[default]
    Wire,
    /// Names with dots: `skills.list`.
    Canonical,
}

/// A tool that shows skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Loads one skill.
    Skill,
    /// Lists all skills with their metadata.
    List,
    /// Finds skills by words.
    Search,
    /// Reads the files of a skill.
    Read,
}

/// A call whose arguments are in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Load one skill.
    Load {
        /// Its name.
        name: String,
    },
    /// List all skills.
    List {
        /// What the install name, the name or the description must contain.
        query: Option<String>,
        /// Whether bodies are wanted too.
        include_body: bool,
    },
    /// Find skills.
    Search {
        /// The words.
        query: String,
        /// How many skills to show at most.
        limit: usize,
    },
    /// Read the files of a skill.
    Read {
        /// The skill's name.
        name: String,
        /// Which file; none for a list of them.
        path: Option<String>,
    },
}

/// One line of the table below.
struct Card {
    wire: &'static str,
    canonical: &'static str,
    title: &'static str,
    arguments: &'static [Argument],
}

const CARDS: [Card; 4] = [
    Card {
        wire: "skill",
        canonical: "skill",
        title: "Load Skill",
        arguments: &[Argument::required("name", "Name of the skill to load (case-insensitive)")],
    },
    Card {
        wire: "skills_list",
        canonical: "skills.list",
        title: "List Skills",
        arguments: &[
            Argument::optional(
                "query",
                "Only skills with this text in their install name, name or description",
            ),
            Argument::flag("includeBody", "Add the text of each SKILL.md after its frontmatter"),
        ],
    },
    Card {
        wire: "skills_search",
        canonical: "skills.search",
        title: "Search Skills",
        arguments: &[
            Argument::words("query", "Words to look for, separated by white space"),
            Argument::count("limit", "How many skills to return at most"),
        ],
    },
    Card {
        wire: "skills_read",
        canonical: "skills.read",
        title: "Read Skill File",
        arguments: &[
            Argument::required("name", "Name of the skill (case-insensitive)"),
            Argument::path(
                "path",
                "Path of a file below the skill's base directory; leave it out to list all files",
            ),
        ],
    },
];

impl Tool {
    /// All of them, in the order they are listed.
    pub const ALL: [Tool; 4] = [Tool::Skill, Tool::List, Tool::Search, Tool::Read];

    /// The tool that goes by this name, wire or canonical.
    #[must_use]
    pub fn named(name: &str) -> Option<Tool> {
        Tool::ALL.into_iter().find(|tool| {
            let Card { wire, canonical, .. } = tool.card();
            name == *wire || name == *canonical
        })
    }

    /// What it is called.
    #[must_use]
    pub fn name(self, names: ToolNames) -> &'static str {
        match names {
            ToolNames::Wire => self.card().wire,
            ToolNames::Canonical => self.card().canonical,
        }
    }

    /// Checks the arguments of a call.
    pub fn order(self, arguments: Option<&RawValue>) -> Result<Order, Error> {
        arguments::order(self, arguments.map_or("{}", RawValue::get))
    }

    fn card(self) -> &'static Card {
        &CARDS[self as usize]
    }
}

impl Order {
    /// The skill that is wanted, if it is one.
    pub(crate) fn skill(&self) -> Option<&str> {
        match self {
            Order::Load { name } | Order::Read { name, .. } => Some(name),
            Order::List { .. } | Order::Search { .. } => None,
        }
    }

    /// Whether it reads one small file at most; anything else may take long.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        matches!(self, Order::Load { .. })
    }

    /// Whether the answer must show the present state of the disk.
    #[must_use]
    pub fn wants_fresh(&self) -> bool {
        matches!(self, Order::List { .. } | Order::Search { .. })
    }

    /// Appends the result of the call to `out`, as JSON.
    pub fn fill(&self, offer: &Offer, era: Era, out: &mut Vec<u8>) {
        let reply = Reply { era, out };
        match self {
            Order::Load { name } => load::fill(name, offer, reply),
            Order::List { query, include_body } => {
                let bodies = if *include_body { list::Bodies::Shown } else { list::Bodies::Hidden };
                list::fill(query.as_deref(), bodies, offer, reply);
            }
            Order::Search { query, limit } => search::fill(query, *limit, offer, reply),
            Order::Read { name, path } => read::fill(name, path.as_deref(), offer, reply),
        }
    }
}
