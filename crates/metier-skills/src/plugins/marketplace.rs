//! `known_marketplaces.json` and `marketplace.json`: what a marketplace adds to its plugins.

use std::{
    collections::BTreeMap,
    path::{Component, Path},
};

use serde_json::Value;

use super::{
    json::{Fields, Parsed, text, wrong_type, yes_or_no},
    manifest::{Manifest, manifest},
};

/// Folders of marketplaces, by name and as written.
pub(crate) type Known = BTreeMap<String, String>;

/// A marketplace whose entries are read when asked for: most plugins are not installed, and what
/// is wrong with those is nobody's concern.
#[derive(Debug, Default)]
pub(crate) struct Marketplace {
    plugin_root: Option<String>,
    entries: BTreeMap<String, Fields>,
}

/// What a marketplace says of one plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Fields that count as if `plugin.json` had them.
    pub(crate) manifest: Manifest,
    /// Whether the entry may add to a `plugin.json`; unsaid, it may.
    pub(crate) strict: Option<bool>,
    /// The plugin's folder inside the marketplace, if it is there.
    pub(crate) source: Option<String>,
}

/// Reads `known_marketplaces.json`.
pub(crate) fn known(json: &str) -> Parsed<Known> {
    Parsed::object(json, |fields, problems| {
        let mut known = Known::new();
        for (name, value) in fields {
            let location = match &value {
                Value::Object(marketplace) => {
                    text(marketplace, "installLocation").map_err(|it| it.of(&name))
                }
                _ => Err(wrong_type(&name, "an object")),
            };
            match location {
                Ok(location) => known.extend(location.map(|it| (name, it))),
                Err(problem) => problems.push(problem),
            }
        }
        known
    })
}

/// Reads a `marketplace.json`; of two entries with one name the first counts.
pub(crate) fn parse(json: &str) -> Parsed<Marketplace> {
    Parsed::object(json, |mut fields, problems| {
        let plugin_root = match fields.get("metadata") {
            Some(Value::Object(metadata)) => text(metadata, "pluginRoot").unwrap_or_else(|it| {
                problems.push(it.of("metadata"));
                None
            }),
            _ => None,
        };
        let Some(Value::Array(plugins)) = fields.remove("plugins") else {
            problems.push(wrong_type("plugins", "an array"));
            return Marketplace::default();
        };
        let mut entries = BTreeMap::new();
        for plugin in plugins {
            if let Value::Object(plugin) = plugin
                && let Some(Value::String(name)) = plugin.get("name")
            {
                entries.entry(name.clone()).or_insert(plugin);
            }
        }
        Marketplace { plugin_root, entries }
    })
}

impl Marketplace {
    /// What it says of the plugin of that name.
    pub(crate) fn entry(&self, name: &str) -> Option<Parsed<Entry>> {
        let fields = self.entries.get(name)?;
        let mut problems = Vec::new();
        let manifest = manifest(fields, &mut problems);
        let strict = yes_or_no(fields, "strict").unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        let entry = Entry { manifest, strict, source: self.source(fields) };
        let problems = problems.into_iter().map(|it| it.of(name)).collect();
        Some(Parsed { value: entry, problems })
    }

    /// A bare name lies in `metadata.pluginRoot`, a path in the marketplace's root; an object says
    /// where to fetch the plugin from, so that it is not here.
    fn source(&self, fields: &Fields) -> Option<String> {
        let source = fields.get("source")?.as_str()?;
        let bare = !source.starts_with('.') && !source.contains(['/', '\\']);
        Some(match &self.plugin_root {
            Some(root) if bare => format!("{}/{source}", root.trim_end_matches('/')),
            _ => source.to_owned(),
        })
    }
}

impl Entry {
    /// Whether the plugin's folder is the marketplace's own, which several plugins may share.
    pub(crate) fn is_at_root(&self) -> bool {
        self.source
            .as_deref()
            .is_some_and(|it| Path::new(it).components().all(|part| part == Component::CurDir))
    }
}
