//! The shelf: what all servers offer, rendered once for every client that asks.

use std::{collections::HashMap, ops::Range, sync::Arc};

use metier_upstreams::{Item, Roster};
use metier_wire::write;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::Instant;

use super::{Expose, shape::shaped, tally::Tally};
use crate::tools::ToolNames;

/// How many tools `auto` lists before it hides them behind a search.
const MANY_TOOLS: usize = 40;

/// How tools of servers are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// All of them.
    All,
    /// None; they are searched for.
    Search,
    /// Those that a loaded skill names; where nobody remembers what was loaded, as in `Search`.
    Revealed,
}

/// What all servers offer at one moment. Never changes.
pub(crate) struct Shelf {
    pub(crate) roster: Arc<Roster>,
    pub(crate) shown: Shown,
    pub(crate) tools: Arc<Rendered>,
    pub(crate) resources: Arc<Rendered>,
    pub(crate) templates: Arc<Rendered>,
    pub(crate) prompts: Arc<Rendered>,
    /// Who passes on these lists already, as a JSON array.
    pub(crate) instances: Box<str>,
    /// Until when it is worth waiting for servers that are still being met.
    pub(crate) patience: Option<Instant>,
    tallies: HashMap<Arc<str>, Arc<Tally>>,
}

/// The members of a list, separated by commas.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Rendered {
    bytes: Vec<u8>,
    spans: Vec<Range<usize>>,
}

/// How a shelf is filled.
#[derive(Clone, Debug)]
pub(crate) struct Fitting {
    pub(crate) names: ToolNames,
    pub(crate) expose: Expose,
    pub(crate) instance: Box<str>,
}

impl Rendered {
    fn new() -> Rendered {
        Rendered::default()
    }

    /// Adds an object, with another text for one of its members; an odd one is left out.
    fn push(
        &mut self,
        raw: &RawValue,
        (key, text): (&str, &str),
        missing: Option<(&'static str, &RawValue)>,
    ) {
        let members = match shaped(raw, missing) {
            Ok(members) => members,
            Err(reason) => {
                tracing::warn!(name = text, reason, "something that a server lists is not shown");
                let end = self.bytes.len();
                return self.spans.push(end..end);
            }
        };
        let begin = self.begin();
        members.write_with(&mut self.bytes, key, text);
        self.spans.push(begin..self.bytes.len());
    }

    fn begin(&mut self) -> usize {
        if !self.bytes.is_empty() {
            self.bytes.push(b',');
        }
        self.bytes.len()
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[u8] {
        &self.bytes
    }

    /// How many there are, with those that are not shown.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// One of them, by its place; nothing if it is not shown.
    pub(crate) fn get(&self, at: usize) -> &[u8] {
        self.spans.get(at).map(|span| &self.bytes[span.clone()]).unwrap_or_default()
    }

    /// Some of them, by their places.
    pub(crate) fn some(&self, places: impl Iterator<Item = usize>) -> Vec<u8> {
        let spans = places.filter_map(|at| self.spans.get(at).cloned());
        let spans = spans.filter(|span| !span.is_empty());
        spans.map(|span| &self.bytes[span]).collect::<Vec<_>>().join(&b',')
    }
}

impl Shelf {
    /// Fills a shelf; what has not changed is shared with the one before.
    pub(crate) fn new(
        roster: Arc<Roster>,
        fitting: &Fitting,
        before: Option<&Shelf>,
        patience: Option<Instant>,
    ) -> Shelf {
        let shared = |now: Rendered, had: fn(&Shelf) -> &Arc<Rendered>| match before.map(had) {
            Some(had) if **had == now => Arc::clone(had),
            _ => Arc::new(now),
        };
        let is_same = before.is_some_and(|before| {
            std::ptr::eq(before.roster.tools().entries(), roster.tools().entries())
        });
        let (tools, tallies) = match before {
            Some(before) if is_same => (Arc::clone(&before.tools), before.tallies.clone()),
            _ => (
                shared(render_tools(&roster, fitting.names), |it| &it.tools),
                tallies(&roster, before),
            ),
        };
        Shelf {
            shown: shown(fitting.expose, roster.tools().entries().len()),
            tools,
            tallies,
            resources: shared(render_resources(&roster), |it| &it.resources),
            templates: shared(render_templates(&roster), |it| &it.templates),
            prompts: shared(render_prompts(&roster, fitting.names), |it| &it.prompts),
            instances: instances(&roster, &fitting.instance),
            patience,
            roster,
        }
    }

    /// Whether a client that has seen an earlier shelf would see other tools.
    pub(crate) fn shows_other_tools(&self, earlier: &Shelf) -> bool {
        match (earlier.shown, self.shown) {
            (Shown::Search, Shown::Search) => false,
            (before, now) => before != now || !Arc::ptr_eq(&earlier.tools, &self.tools),
        }
    }

    /// Where the calls of a tool are counted.
    pub(crate) fn tally(&self, id: &str) -> Option<&Arc<Tally>> {
        self.tallies.get(id)
    }

    /// All counts, by the ids of tools.
    pub(crate) fn tallies(&self) -> impl Iterator<Item = (&str, &Tally)> {
        let entries = self.roster.tools().entries().iter();
        entries.filter_map(|it| Some((&*it.id, &**self.tallies.get(&it.id)?)))
    }
}

pub(super) fn shown(expose: Expose, n_tools: usize) -> Shown {
    match expose {
        Expose::All => Shown::All,
        Expose::Auto if n_tools <= MANY_TOOLS => Shown::All,
        Expose::Search | Expose::Auto => Shown::Search,
        Expose::Skills => Shown::Revealed,
    }
}

pub(super) fn render_tools(roster: &Roster, names: ToolNames) -> Rendered {
    let mut rendered = Rendered::new();
    let schema = RawValue::from_string(r#"{"type":"object"}"#.to_owned()).unwrap_or_default();
    for entry in roster.tools().entries() {
        let name = match names {
            ToolNames::Wire => &entry.wire_name,
            ToolNames::Canonical => &entry.id,
        };
        rendered.push(&entry.tool.raw, ("name", name), Some(("inputSchema", &schema)));
    }
    rendered
}

fn render_prompts(roster: &Roster, names: ToolNames) -> Rendered {
    let mut rendered = Rendered::new();
    for entry in roster.prompts().entries() {
        let name = match names {
            ToolNames::Wire => &entry.wire_name,
            ToolNames::Canonical => &entry.id,
        };
        rendered.push(&entry.prompt.raw, ("name", name), None);
    }
    rendered
}

fn render_resources(roster: &Roster) -> Rendered {
    let entries = roster.resources().entries();
    render_items(entries.iter().map(|it| (&*it.uri, &*it.item)), "uri")
}

fn render_templates(roster: &Roster) -> Rendered {
    let entries = roster.resources().templates();
    render_items(entries.iter().map(|it| (&*it.uri, &*it.item)), "uriTemplate")
}

fn render_items<'a>(items: impl Iterator<Item = (&'a str, &'a Item)>, key: &str) -> Rendered {
    let mut rendered = Rendered::new();
    for (uri, item) in items {
        let name = to_raw_value(uri).unwrap_or_default();
        rendered.push(&item.raw, (key, uri), Some(("name", &name)));
    }
    rendered
}

/// The counts of all tools; those of tools that are gone are forgotten.
fn tallies(roster: &Roster, before: Option<&Shelf>) -> HashMap<Arc<str>, Arc<Tally>> {
    let kept = |id: &str| before.and_then(|it| it.tallies.get(id)).cloned();
    let entries = roster.tools().entries().iter();
    entries.map(|it| (it.id.clone(), kept(&it.id).unwrap_or_default())).collect()
}

/// Who passes on these lists: we ourselves, and whoever our servers say they pass them on for.
fn instances(roster: &Roster, own: &str) -> Box<str> {
    let offers = roster.servers().filter_map(|it| it.standing.offer.as_ref());
    let mut all = vec![own];
    for seen in offers.flat_map(|offer| &offer.instances) {
        if !all.contains(&&**seen) {
            all.push(seen);
        }
    }
    let mut out = Vec::new();
    write::json(&mut out, &all);
    String::from_utf8(out).unwrap_or_default().into()
}
