//! The roster: all servers and what they offer, at one moment. Immutable; the hub is its one writer.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::{
    filter::ToolFilter,
    gate::Gate,
    link::Link,
    offer::Offer,
    phase::Phase,
    registry::{PromptRegistry, ToolRegistry},
    resources::ResourceRegistry,
    served::ServedSkill,
    spec::{ServerName, ServerSpec},
    wire_name::is_name_of,
};

/// All servers and what they offer, at one moment.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    servers: BTreeMap<ServerName, Arc<Server>>,
    registries: Arc<Registries>,
}

/// What all servers offer together; it stays while servers only stand otherwise.
#[derive(Debug, Default)]
struct Registries {
    tools: ToolRegistry,
    prompts: PromptRegistry,
    resources: ResourceRegistry,
}

/// One server at one moment.
#[derive(Debug)]
pub struct Server {
    /// How it is reached.
    pub spec: Arc<ServerSpec>,
    /// Where it stands, and what it has.
    pub standing: Standing,
    /// What callers pass on their way to it.
    pub(crate) gate: Arc<Gate>,
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

impl Roster {
    /// The roster of some servers, with the tools that all filters let through.
    pub(crate) fn new(servers: BTreeMap<ServerName, Arc<Server>>, filter: &ToolFilter) -> Roster {
        let registries = Registries {
            tools: ToolRegistry::new(&servers, filter),
            prompts: PromptRegistry::new(&servers),
            resources: ResourceRegistry::new(&servers),
        };
        Roster { servers, registries: Arc::new(registries) }
    }

    /// The same registries, of servers that stand otherwise but offer what they did.
    pub(crate) fn with(&self, servers: BTreeMap<ServerName, Arc<Server>>) -> Roster {
        Roster { servers, registries: self.registries.clone() }
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
        &self.registries.tools
    }

    /// All prompts.
    #[must_use]
    pub fn prompts(&self) -> &PromptRegistry {
        &self.registries.prompts
    }

    /// All resources and templates of resources.
    #[must_use]
    pub fn resources(&self) -> &ResourceRegistry {
        &self.registries.resources
    }

    /// The skills of all servers, by server and URI.
    pub fn skills(&self) -> impl Iterator<Item = (&ServerName, &Arc<ServedSkill>)> {
        let offers = self.servers().filter_map(|it| Some((it.name(), it.standing.offer.as_ref()?)));
        offers.flat_map(|(name, offer)| offer.skills.iter().map(move |skill| (name, skill)))
    }

    /// Whether a server is just being met that a name says it belongs to: `server__name`,
    /// `server:name`.
    #[must_use]
    pub fn is_meeting(&self, name: &str) -> bool {
        self.undecided().any(|it| is_name_of(it.name().as_str(), name))
    }

    /// The same of a URI that nobody is known to have: `server+uri`, `skill://server/path`.
    #[must_use]
    pub fn is_meeting_owner(&self, uri: &str) -> bool {
        let owner = self.resources().owner(uri);
        owner.is_some_and(|owner| self.undecided().any(|it| it.name() == owner))
    }

    fn undecided(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.servers().filter(|it| it.standing.phase.is_undecided())
    }

    /// Whether it is known of every server how its first attempt ended.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.undecided().next().is_none()
    }
}

impl Server {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &ServerName {
        &self.spec.name
    }
}

impl fmt::Debug for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standing").field("phase", &self.phase).finish_non_exhaustive()
    }
}
