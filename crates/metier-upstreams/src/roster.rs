//! The roster: all servers and what they offer, at one moment. Immutable; the hub is its one writer.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    filter::ToolFilter,
    link::Link,
    offer::{Offer, Tool},
    phase::Phase,
    spec::{ServerName, ServerSpec},
    wire_name::wire_names,
};

/// All servers and what they offer, at one moment.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    servers: BTreeMap<ServerName, Arc<Server>>,
    tools: ToolRegistry,
}

/// One server at one moment.
#[derive(Debug)]
pub struct Server {
    /// How it is reached.
    pub spec: Arc<ServerSpec>,
    /// Where it stands, and what it has.
    pub standing: Standing,
}

/// Where a server stands, as the one who keeps it reports.
#[derive(Clone)]
pub struct Standing {
    /// Its phase.
    pub phase: Phase,
    /// Since when.
    pub since: Instant,
    /// What it offers, or offered a moment ago.
    pub offer: Option<Arc<Offer>>,
    /// How long it took to answer last.
    pub latency: Option<Duration>,
    /// What went wrong last, and when.
    pub last_error: Option<(Arc<str>, Instant)>,
    /// The end of what it wrote to its stderr.
    pub stderr: Option<Arc<crate::child::Stderr>>,
    /// The way to it, while it is ready.
    pub(crate) link: Option<Link>,
}

/// Every tool that exists, by its id and by its wire name.
#[derive(Clone, Debug, Default)]
pub struct ToolRegistry {
    /// By server, then by tool.
    entries: Arc<[ToolEntry]>,
    by_id: Arc<HashMap<Box<str>, usize>>,
    by_wire_name: Arc<HashMap<Box<str>, usize>>,
}

/// One tool and its names.
#[derive(Clone, Debug)]
pub struct ToolEntry {
    /// `server:tool`.
    pub id: Box<str>,
    /// `server__tool`, as models take it.
    pub wire_name: Box<str>,
    /// Whose it is.
    pub server: ServerName,
    /// What it is.
    pub tool: Arc<Tool>,
}

impl Roster {
    /// The roster of some servers, with the tools that all filters let through.
    pub(crate) fn new(servers: BTreeMap<ServerName, Arc<Server>>, filter: &ToolFilter) -> Roster {
        let tools = ToolRegistry::new(&servers, filter);
        Roster { servers, tools }
    }

    /// The same tools, of servers that stand otherwise but offer what they did.
    pub(crate) fn with(&self, servers: BTreeMap<ServerName, Arc<Server>>) -> Roster {
        Roster { servers, tools: self.tools.clone() }
    }

    /// The server of that name.
    #[must_use]
    pub fn server(&self, name: &ServerName) -> Option<&Arc<Server>> {
        self.servers.get(name)
    }

    /// All servers, by name.
    pub fn servers(&self) -> impl ExactSizeIterator<Item = &Arc<Server>> {
        self.servers.values()
    }

    /// All tools.
    #[must_use]
    pub fn tools(&self) -> &ToolRegistry {
        &self.tools
    }

    /// Whether it is known of every server how its first attempt ended.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        !self.servers().any(|it| it.standing.phase.is_undecided())
    }
}

impl Server {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &ServerName {
        &self.spec.name
    }
}

impl ToolRegistry {
    fn new(servers: &BTreeMap<ServerName, Arc<Server>>, filter: &ToolFilter) -> ToolRegistry {
        let mut found: Vec<(ServerName, Box<str>, Arc<Tool>)> = Vec::new();
        for server in servers.values() {
            for tool in server.standing.offer.iter().flat_map(|offer| &offer.tools) {
                let id = format!("{}:{}", server.name(), tool.name);
                if filter.shows(&tool.name, &id) && server.spec.tools.shows(&tool.name, &id) {
                    found.push((server.name().clone(), id.into(), tool.clone()));
                }
            }
        }
        let pairs: Vec<(&str, &str)> =
            found.iter().map(|(server, _, tool)| (server.as_str(), &*tool.name)).collect();
        let names = wire_names(&pairs);
        let entries: Arc<[ToolEntry]> = (found.into_iter().zip(names))
            .map(|((server, id, tool), wire_name)| ToolEntry {
                id,
                wire_name: wire_name.into(),
                server,
                tool,
            })
            .collect();
        let table = |key: fn(&ToolEntry) -> &str| {
            Arc::new(entries.iter().enumerate().map(|(at, it)| (key(it).into(), at)).collect())
        };
        ToolRegistry { by_id: table(|it| &it.id), by_wire_name: table(|it| &it.wire_name), entries }
    }

    /// The tool of that id (`server:tool`) or wire name (`server__tool`).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ToolEntry> {
        let at = self.by_id.get(name).or_else(|| self.by_wire_name.get(name))?;
        self.entries.get(*at)
    }

    /// All tools, by server and name.
    #[must_use]
    pub fn entries(&self) -> &[ToolEntry] {
        &self.entries
    }

    /// The tools of one server, by name.
    pub fn of<'a>(&'a self, server: &'a ServerName) -> impl Iterator<Item = &'a ToolEntry> {
        self.entries.iter().filter(move |it| it.server == *server)
    }
}

impl fmt::Debug for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standing").field("phase", &self.phase).finish_non_exhaustive()
    }
}
