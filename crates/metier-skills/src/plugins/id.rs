//! The name by which a plugin is installed and switched on.

use std::fmt;

/// Marketplaces that do not exist: Claude Code marks plugins of other origins with them.
const ORIGINS: [&str; 4] = ["builtin", "inline", "skills-dir", "synced"];

/// Bytes that a name may have, as many as that of a file.
const LONGEST_NAME: usize = 255;

/// The key of a plugin in all files: `name@marketplace`, or a name alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PluginId {
    name: String,
    marketplace: Option<String>,
}

impl PluginId {
    pub(crate) fn parse(key: &str) -> Option<PluginId> {
        let (name, marketplace) = match key.rsplit_once('@') {
            Some((name, marketplace)) => (name, Some(marketplace)),
            None => (key, None),
        };
        let good = is_name(name) && marketplace.is_none_or(is_name);
        good.then(|| PluginId {
            name: name.to_owned(),
            marketplace: marketplace.map(str::to_owned),
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn marketplace(&self) -> Option<&str> {
        self.marketplace.as_deref()
    }

    /// Whether a marketplace could offer it; other origins leave no trace in what we read.
    pub(crate) fn is_from_marketplace(&self) -> bool {
        self.marketplace().is_some_and(|it| !ORIGINS.contains(&it))
    }
}

impl fmt::Display for PluginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.marketplace {
            Some(marketplace) => write!(f, "{}@{marketplace}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Whether `text` can be part of an id: it neither splits one nor walks through folders.
pub(crate) fn is_name(text: &str) -> bool {
    let reserved = |it: char| it.is_control() || it.is_whitespace() || "@:/\\".contains(it);
    (1..=LONGEST_NAME).contains(&text.len())
        && ![".", ".."].contains(&text)
        && !text.contains(reserved)
}
