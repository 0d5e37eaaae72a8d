//! One installed plugin with all that describes it: its record, its manifest, its marketplace.

use super::{
    Plugin, Standing, disk::Place, id::PluginId, installed::Install, manifest::Manifest,
    marketplace::Entry, marketplaces::Listed,
};

/// All that is known of an installed plugin.
pub(crate) struct Description<'a> {
    pub(crate) id: &'a PluginId,
    /// The record that counts; a plugin used in its marketplace's folder needs none.
    pub(crate) record: Option<&'a Install>,
    pub(crate) install: Place,
    /// What its `plugin.json` says, which may be nothing.
    pub(crate) own: Manifest,
    pub(crate) listed: Option<Listed>,
}

impl Description<'_> {
    pub(crate) fn entry(&self) -> Option<&Entry> {
        self.listed.as_ref().map(|it| &it.entry)
    }

    /// Whether it stays off until somebody switches it on; the marketplace has the last word.
    pub(crate) fn is_off_by_default(&self) -> bool {
        let said = self.entry().and_then(|it| it.manifest.default_enabled);
        said.or(self.own.default_enabled) == Some(false)
    }

    /// Whether its marketplace claims to describe it wholly, and it describes itself as well.
    pub(crate) fn is_contradictory(&self) -> bool {
        let whole = |it: &Entry| it.strict == Some(false);
        self.own.declares_components && self.entry().is_some_and(whole)
    }

    /// The plugin as it describes itself: its name is what its skills carry in front, and its
    /// version is that of the files, while the record may be older than a folder used in place.
    pub(crate) fn plugin(&self) -> Plugin {
        let recorded = plugin(self.id, self.record);
        let offered = || self.entry()?.manifest.version.clone();
        Plugin {
            name: self.own.name.clone().unwrap_or(recorded.name),
            marketplace: recorded.marketplace,
            version: self.own.version.clone().or(recorded.version).or_else(offered),
        }
    }

    /// Where a plugin stands whose skills count.
    pub(crate) fn standing(&self, plugin: &Plugin) -> Standing {
        let newest = self.listed.as_ref().and_then(|it| it.offers(self.id));
        match (newest, &plugin.version) {
            (Some(newest), Some(version)) if is_newer(&newest, version) => {
                Standing::Outdated { newest }
            }
            _ => Standing::Enabled,
        }
    }
}

/// The plugin as far as its record tells.
pub(crate) fn plugin(id: &PluginId, record: Option<&Install>) -> Plugin {
    let version = record.and_then(|it| it.version.clone());
    Plugin {
        name: id.name().to_owned(),
        marketplace: id.marketplace().map(str::to_owned),
        version: version.filter(|it| it != "unknown"),
    }
}

/// Whether `offered` is surely newer than `installed`: only dotted numbers can be compared, while
/// commits, previews and `unknown` cannot.
pub(crate) fn is_newer(offered: &str, installed: &str) -> bool {
    match (numbers(offered), numbers(installed)) {
        (Some(offered), Some(installed)) => offered > installed,
        _ => false,
    }
}

fn numbers(version: &str) -> Option<Vec<u64>> {
    let version = version.strip_prefix('v').unwrap_or(version);
    if !version.contains('.') {
        return None; // a commit may consist of digits alone
    }
    let mut numbers = version.split('.').map(|it| it.parse().ok()).collect::<Option<Vec<u64>>>()?;
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    Some(numbers)
}
