//! Registries of tools and prompts: everything of that kind that exists, by id and by wire name.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, OnceLock},
};

use serde_json::value::RawValue;

use crate::{
    filter::ToolFilter,
    mirror,
    offer::{Item, Tool},
    roster::Server,
    search::Index,
    spec::ServerName,
    wire_name::wire_names,
};

/// Every tool that exists, by its id and by its wire name.
#[derive(Debug, Default)]
pub struct ToolRegistry {
    /// By server, then by tool.
    entries: Vec<Arc<ToolEntry>>,
    names: Names,
    /// The words of all tools. Most processes never search.
    index: OnceLock<Index>,
}

/// One tool and its names.
#[derive(Debug)]
pub struct ToolEntry {
    /// `server:tool`.
    pub id: Arc<str>,
    /// `server__tool`, as models take it.
    pub wire_name: Arc<str>,
    /// Whose it is.
    pub server: ServerName,
    /// What it is.
    pub tool: Arc<Tool>,
}

impl ToolEntry {
    /// The headers in which HTTP requests of 2026-07-28 repeat arguments of a call, and what they carry.
    #[must_use]
    pub fn headers(&self, arguments: &RawValue) -> Vec<(String, String)> {
        mirror::headers(&self.tool, &[("arguments", arguments)])
    }
}

/// A tool that a search found.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The tool.
    pub entry: &'a ToolEntry,
    /// How well it fits; only worth something beside the others of one search.
    pub score: f64,
}

/// Every prompt that exists, by its id and by its wire name.
#[derive(Debug, Default)]
pub struct PromptRegistry {
    /// By server, then by prompt.
    entries: Vec<PromptEntry>,
    names: Names,
}

/// One prompt and its names.
#[derive(Clone, Debug)]
pub struct PromptEntry {
    /// `server:prompt`.
    pub id: Arc<str>,
    /// `server__prompt`.
    pub wire_name: Arc<str>,
    /// Whose it is.
    pub server: ServerName,
    /// What it is.
    pub prompt: Arc<Item>,
}

/// At which place of a list the thing with a name is.
#[derive(Debug, Default)]
struct Names {
    /// By id and by wire name; only ids have a colon.
    by_name: HashMap<Arc<str>, usize>,
    /// By what its server calls it; none where several do.
    by_own: HashMap<Box<str>, Option<usize>>,
}

impl ToolRegistry {
    /// The tools of some servers that all filters let through.
    pub(crate) fn new(
        servers: &BTreeMap<ServerName, Arc<Server>>,
        filter: &ToolFilter,
    ) -> ToolRegistry {
        let mut found: Vec<(ServerName, Arc<Tool>)> = Vec::new();
        for server in servers.values() {
            for tool in server.standing.offer.iter().flat_map(|offer| &offer.tools) {
                let id = id(server.name().as_str(), &tool.name);
                if filter.shows(&tool.name, &id) && server.spec.tools.shows(&tool.name, &id) {
                    found.push((server.name().clone(), tool.clone()));
                }
            }
        }
        let named = named(found, |tool| &tool.name);
        let entry = |(id, wire_name, server, tool)| ToolEntry { id, wire_name, server, tool };
        let entries: Vec<Arc<ToolEntry>> = named.map(|it| Arc::new(entry(it))).collect();
        let names = Names::new(entries.iter().map(|it| (&it.id, &it.wire_name, &it.tool.name)));
        ToolRegistry { entries, names, index: OnceLock::new() }
    }

    /// The tool of that id (`server:tool`) or wire name (`server__tool`).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        self.entries.get(self.names.place(name)?)
    }

    /// The same, or the only tool that its server calls so.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        self.entries.get(self.names.place(name).or_else(|| self.names.only(name))?)
    }

    /// The tools that a name may mean, where it is the name that several servers have for one of
    /// theirs.
    pub fn ambiguous<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a ToolEntry> {
        let is_shared = self.names.by_own.get(name) == Some(&None);
        self.entries.iter().map(Arc::as_ref).filter(move |it| is_shared && *it.tool.name == *name)
    }

    /// All tools, by server and name.
    #[must_use]
    pub fn entries(&self) -> &[Arc<ToolEntry>] {
        &self.entries
    }

    /// The tools of one server, by name.
    pub fn of<'a>(&'a self, server: &'a ServerName) -> impl Iterator<Item = &'a ToolEntry> {
        self.entries.iter().map(Arc::as_ref).filter(move |it| it.server == *server)
    }

    /// The tools that a query in words is about, best first, `limit` at most.
    ///
    /// Words in names count more than those in titles, these more than names of parameters, and these
    /// more than descriptions. A tool that the query names comes first.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Found<'_>> {
        let index = self.index.get_or_init(|| Index::new(&self.entries));
        let mut hits = index.search(query);
        if let Some(named) = self.names.place(query.trim()) {
            let best = hits.iter().map(|(_, score)| *score).fold(0.0, f64::max);
            hits.retain(|(at, _)| *at != named);
            hits.push((named, best + 1.0));
        }
        let found = hits.into_iter().filter_map(|(at, score)| {
            let entry = self.entries.get(at)?;
            Some(Found { entry, score })
        });
        let mut found: Vec<Found<'_>> = found.collect();
        found.sort_by(|one, other| {
            other.score.total_cmp(&one.score).then_with(|| one.entry.id.cmp(&other.entry.id))
        });
        found.truncate(limit);
        found
    }
}

impl PromptRegistry {
    pub(crate) fn new(servers: &BTreeMap<ServerName, Arc<Server>>) -> PromptRegistry {
        let of = |server: &Arc<Server>| {
            let prompts = server.standing.offer.iter().flat_map(|offer| &offer.prompts);
            prompts.map(|it| (server.name().clone(), it.clone())).collect::<Vec<_>>()
        };
        let named = named(servers.values().flat_map(of).collect(), |prompt: &Item| &prompt.key);
        let entries: Vec<PromptEntry> = named
            .map(|(id, wire_name, server, prompt)| PromptEntry { id, wire_name, server, prompt })
            .collect();
        let names = Names::new(entries.iter().map(|it| (&it.id, &it.wire_name, &it.prompt.key)));
        PromptRegistry { entries, names }
    }

    /// The prompt of that id (`server:prompt`) or wire name (`server__prompt`).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&PromptEntry> {
        self.entries.get(self.names.place(name)?)
    }

    /// The same, or the only prompt that its server calls so.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&PromptEntry> {
        self.entries.get(self.names.place(name).or_else(|| self.names.only(name))?)
    }

    /// At which place of all prompts the one of that id or wire name is.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.place(name)
    }

    /// The prompts that a name may mean, where several servers have it for one of theirs.
    pub fn ambiguous<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a PromptEntry> {
        let is_shared = self.names.by_own.get(name) == Some(&None);
        self.entries.iter().filter(move |it| is_shared && *it.prompt.key == *name)
    }

    /// All prompts, by server and name.
    #[must_use]
    pub fn entries(&self) -> &[PromptEntry] {
        &self.entries
    }
}

impl Names {
    /// The places of some things, given in their order by id, wire name and own name.
    fn new<'a>(all: impl Iterator<Item = (&'a Arc<str>, &'a Arc<str>, &'a Box<str>)>) -> Names {
        let mut names = Names::default();
        for (at, (id, wire_name, own)) in all.enumerate() {
            names.by_name.extend([(id.clone(), at), (wire_name.clone(), at)]);
            // What looks like a name with a server's in front means that server alone.
            if !own.contains(':') && !own.contains("__") {
                names.by_own.entry(own.clone()).and_modify(|it| *it = None).or_insert(Some(at));
            }
        }
        names
    }

    fn only(&self, own: &str) -> Option<usize> {
        self.by_own.get(own).copied().flatten()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

/// Some things of servers, each with its id and its wire name.
fn named<T>(
    things: Vec<(ServerName, Arc<T>)>,
    key: impl Fn(&T) -> &str,
) -> impl Iterator<Item = (Arc<str>, Arc<str>, ServerName, Arc<T>)> {
    let pairs: Vec<(&str, &str)> =
        things.iter().map(|(server, thing)| (server.as_str(), key(thing))).collect();
    let ids: Vec<String> = pairs.iter().map(|(server, key)| id(server, key)).collect();
    let names = wire_names(&pairs);
    (ids.into_iter().zip(names).zip(things))
        .map(|((id, name), (server, thing))| (id.into(), name.into(), server, thing))
}

fn id(server: &str, name: &str) -> String {
    format!("{server}:{name}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::tests::offers::offering;

    #[test]
    fn a_name_that_only_one_server_uses_finds_its_tool_and_its_prompt() {
        let roster = offering(&json!({
            "a": { "tools": ["echo", "add"], "prompts": ["greet"] },
            "b": { "tools": ["echo", "c__x", "c:y"] },
        }));
        let tool = |name: &str| roster.tools().find(name).map(|it| it.id.to_string());
        assert_eq!(tool("add").as_deref(), Some("a:add"));
        assert_eq!(tool("b__echo").as_deref(), Some("b:echo"));
        assert_eq!(tool("echo"), None);
        let ambiguous =
            |name| -> Vec<&str> { roster.tools().ambiguous(name).map(|it| &*it.id).collect() };
        assert_eq!(ambiguous("echo"), ["a:echo", "b:echo"]);
        assert_eq!(ambiguous("add"), [""; 0]);
        assert_eq!(ambiguous("nothing"), [""; 0]);
        assert_eq!((tool("c__x"), tool("c:y")), (None, None));
        assert_eq!(roster.tools().get("add").map(|it| &*it.id), None);
        assert_eq!(roster.prompts().find("greet").map(|it| &*it.id), Some("a:greet"));
    }
}
