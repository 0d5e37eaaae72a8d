//! Resources of all servers: how their URIs are shown to clients, and whom to ask for one.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use crate::{
    offer::{Item, Offer},
    roster::Server,
    spec::ServerName,
    template::{MOST_STEPS, Template},
    uri,
};

/// What the URIs of skills begin with.
const SKILLS: &str = "skill://";
/// How many servers are named for one URI.
const MOST_ROUTES: usize = 8;

/// Every resource that exists, every template of resources, and the way to each.
#[derive(Debug, Default)]
pub struct ResourceRegistry {
    /// By server, then by URI.
    entries: Vec<ResourceEntry>,
    /// By server, then by URI template.
    templates: Vec<TemplateEntry>,
    /// Which resource is shown under a URI.
    by_uri: HashMap<Box<str>, usize>,
    /// Which template is shown under a URI template.
    by_template: HashMap<Box<str>, usize>,
    prefixes: Prefixes,
    /// The one server that has resources, if there is just one.
    only: Option<ServerName>,
}

/// One resource.
#[derive(Clone, Debug)]
pub struct ResourceEntry {
    /// Its URI, as clients are shown it.
    pub uri: Box<str>,
    /// Whose it is.
    pub server: ServerName,
    /// What it is; the key is the server's own URI.
    pub item: Arc<Item>,
}

/// One template of resources.
#[derive(Clone, Debug)]
pub struct TemplateEntry {
    /// Its URI template, as clients are shown it.
    pub uri: Box<str>,
    /// Whose it is.
    pub server: ServerName,
    /// What it is; the key is the server's own URI template.
    pub item: Arc<Item>,
    pattern: Template,
}

/// Whom to ask for a URI, and by which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route<'a> {
    /// The server.
    pub server: &'a ServerName,
    /// What it calls what is asked for.
    pub uri: Cow<'a, str>,
}

/// What stands before the URIs of each server where they would not be its own otherwise.
#[derive(Debug, Default)]
struct Prefixes {
    by_server: HashMap<ServerName, Box<str>>,
    by_prefix: HashMap<Box<str>, ServerName>,
}

impl ResourceRegistry {
    pub(crate) fn new(servers: &BTreeMap<ServerName, Arc<Server>>) -> ResourceRegistry {
        let resources = items(servers, |offer| &offer.resources);
        let templates = items(servers, |offer| &offer.templates);
        let prefixes = Prefixes::new(servers.keys());
        let entries: Vec<ResourceEntry> = (prefixes.shown(&resources).into_iter().zip(resources))
            .map(|(uri, (server, item))| ResourceEntry { uri, server, item })
            .collect();
        let templates: Vec<TemplateEntry> = (prefixes.shown(&templates).into_iter().zip(templates))
            .map(|(uri, (server, item))| {
                let pattern = Template::new(&item.key);
                TemplateEntry { uri, server, item, pattern }
            })
            .collect();
        let has_any = |it: &&Arc<Server>| it.standing.offer.iter().any(|it| it.has("resources"));
        let mut having = servers.values().filter(has_any);
        let only = having.next().filter(|_| having.next().is_none());
        ResourceRegistry {
            by_uri: places(entries.iter().map(|it| &it.uri)),
            by_template: places(templates.iter().map(|it| &it.uri)),
            only: only.map(|it| it.name().clone()),
            entries,
            templates,
            prefixes,
        }
    }

    /// All resources, by server and URI.
    #[must_use]
    pub fn entries(&self) -> &[ResourceEntry] {
        &self.entries
    }

    /// All templates, by server and URI template.
    #[must_use]
    pub fn templates(&self) -> &[TemplateEntry] {
        &self.templates
    }

    /// At which place of all resources the one is that clients are shown under that URI.
    #[must_use]
    pub fn position(&self, uri: &str) -> Option<usize> {
        self.by_uri.get(uri).copied()
    }

    /// Whom to ask for a URI that a client names, best first; nobody, if no server could have it.
    #[must_use]
    pub fn routes(&self, uri: &str) -> Vec<Route<'_>> {
        if uri::is_local(uri) {
            return Vec::new();
        }
        let listed = self.by_uri.get(uri).and_then(|at| self.entries.get(*at));
        if let Some(entry) = listed {
            return vec![Route { server: &entry.server, uri: Cow::Borrowed(&entry.item.key) }];
        }
        if let Some(route) = self.prefixes.route(uri) {
            return vec![route];
        }
        let mut servers = self.fitting(uri);
        if servers.is_empty() {
            servers = self.akin(uri);
        }
        if servers.is_empty() {
            servers.extend(&self.only);
        }
        let route = |server| Route { server, uri: Cow::Owned(uri.to_owned()) };
        servers.into_iter().map(route).collect()
    }

    /// The server that a URI itself says has it, unless it is that of a resource which is listed.
    pub(crate) fn owner(&self, uri: &str) -> Option<&ServerName> {
        let route = self.position(uri).is_none().then(|| self.prefixes.route(uri)).flatten();
        route.map(|it| it.server)
    }

    /// Whose template it is that clients are shown.
    #[must_use]
    pub fn template(&self, shown: &str) -> Option<Route<'_>> {
        let listed = self.by_template.get(shown).and_then(|at| self.templates.get(*at));
        let listed =
            listed.map(|it| Route { server: &it.server, uri: Cow::Borrowed(&it.item.key) });
        listed.or_else(|| self.prefixes.route(shown))
    }

    /// The servers with a template that fits; those whose template says most come first.
    fn fitting(&self, uri: &str) -> Vec<&ServerName> {
        let mut steps = MOST_STEPS;
        let fitting = self.templates.iter().filter(|it| it.pattern.fits(uri, &mut steps));
        let mut fitting: Vec<&TemplateEntry> = fitting.collect();
        fitting.sort_by_key(|it| Reverse(it.pattern.n_literal()));
        first_few(fitting.into_iter().map(|it| &it.server))
    }

    /// The servers that have something of the same scheme.
    fn akin(&self, uri: &str) -> Vec<&ServerName> {
        let Some(wanted) = scheme(uri) else { return Vec::new() };
        let resources = self.entries.iter().map(|it| (&it.server, &it.item));
        let templates = self.templates.iter().map(|it| (&it.server, &it.item));
        let is_akin =
            |item: &Item| scheme(&item.key).is_some_and(|it| it.eq_ignore_ascii_case(wanted));
        let akin = resources.chain(templates).filter(|(_, item)| is_akin(item));
        first_few(akin.map(|(server, _)| server))
    }
}

impl TemplateEntry {
    /// Whether the server's own template could expand to this URI.
    #[must_use]
    pub fn fits(&self, uri: &str) -> bool {
        let mut steps = MOST_STEPS;
        self.pattern.fits(uri, &mut steps)
    }
}

impl Prefixes {
    /// A prefix for every server: its name, in the characters of a scheme.
    fn new<'a>(servers: impl Iterator<Item = &'a ServerName>) -> Prefixes {
        let mut prefixes = Prefixes::default();
        for server in servers {
            let plain = scheme_like(server.as_str());
            let numbered = (2..).map(|number| format!("{plain}-{number}"));
            let is_free = |it: &String| !prefixes.by_prefix.contains_key(it.as_str());
            let Some(free) = std::iter::once(plain.clone()).chain(numbered).find(is_free) else {
                continue;
            };
            prefixes.by_server.insert(server.clone(), free.as_str().into());
            prefixes.by_prefix.insert(free.into(), server.clone());
        }
        prefixes
    }

    /// How each of some items is shown: the first of those with one URI as it is, unless that would
    /// pass for something of another server.
    fn shown(&self, items: &[(ServerName, Arc<Item>)]) -> Vec<Box<str>> {
        let mut seen = HashSet::new();
        let shown = items.iter().map(|(server, item)| match self.by_server.get(server) {
            Some(prefix) if self.is_anothers(&item.key) || !seen.insert(&*item.key) => {
                format!("{prefix}+{}", item.key).into()
            }
            _ => item.key.clone(),
        });
        shown.collect()
    }

    /// Whether a URI says that it is something of a server, or of none.
    fn is_anothers(&self, uri: &str) -> bool {
        uri::is_local(uri) || self.route(uri).is_some()
    }

    /// The way that a URI itself says: `server+uri`, or `skill://server/path`.
    fn route(&self, uri: &str) -> Option<Route<'_>> {
        if let Some((_, rest)) = uri.split_once("://").filter(|_| uri::names_skill(uri))
            && let Some((server, path)) = rest.split_once('/')
            && let Some(server) = self.authority(server)
        {
            return Some(Route { server, uri: Cow::Owned(format!("{SKILLS}{path}")) });
        }
        let (prefix, uri) = uri.split_once('+')?;
        let server = self.by_prefix.get(prefix).or_else(|| {
            let spelled = self.by_prefix.iter().filter(|(it, _)| it.eq_ignore_ascii_case(prefix));
            spelled.map(|(_, server)| server).min()
        })?;
        Some(Route { server, uri: Cow::Owned(uri.to_owned()) })
    }

    /// The server that an authority means: by its name, or by another spelling of it.
    fn authority(&self, text: &str) -> Option<&ServerName> {
        let names = || self.by_server.keys();
        names().find(|it| it.as_str() == text).or_else(|| {
            let text = uri::decoded(text).ok()?;
            names().filter(|it| it.as_str().eq_ignore_ascii_case(&text)).min()
        })
    }
}

/// Items of all servers with the server's name.
fn items(
    servers: &BTreeMap<ServerName, Arc<Server>>,
    of: impl Fn(&Offer) -> &Vec<Arc<Item>>,
) -> Vec<(ServerName, Arc<Item>)> {
    let offers = servers.values().filter_map(|it| Some((it.name(), it.standing.offer.as_ref()?)));
    let items =
        offers.flat_map(|(name, offer)| of(offer).iter().map(|it| (name.clone(), it.clone())));
    items.collect()
}

fn places<'a>(uris: impl Iterator<Item = &'a Box<str>>) -> HashMap<Box<str>, usize> {
    uris.enumerate().map(|(at, uri)| (uri.clone(), at)).collect()
}

/// The first few of some servers, each once.
fn first_few<'a>(servers: impl Iterator<Item = &'a ServerName>) -> Vec<&'a ServerName> {
    let mut few = Vec::new();
    for server in servers {
        if few.len() < MOST_ROUTES && !few.contains(&server) {
            few.push(server);
        }
    }
    few
}

fn scheme(uri: &str) -> Option<&str> {
    uri.split_once(':').map(|(scheme, _)| scheme)
}

fn scheme_like(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '-' };
    name.chars().map(safe).collect()
}
