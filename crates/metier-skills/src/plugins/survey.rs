//! The way from the files on disk to the plugins that count.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use super::{
    PluginPlaces, PluginProblem, PluginReport, PluginSource, Plugins, Standing,
    description::{Description, plugin},
    disk::{Place, Reader, real},
    folders::{DEFAULT, folders},
    id::PluginId,
    installed::{self, Install, Scope},
    manifest,
    marketplaces::{Listed, Marketplaces},
    settings,
};
use crate::skill::SKILL_FILE;

/// Visits every plugin that is installed or switched on.
pub(crate) fn survey(places: &PluginPlaces) -> Plugins {
    let mut reader = Reader::default();
    let installed = reader.read(&places.manifest, installed::parse).unwrap_or_default();
    let switches = switches(&places.settings, &mut reader);
    let on = switches.iter().filter(|(id, it)| it.on && id.is_from_marketplace());
    let ids: BTreeSet<_> = on.map(|(id, _)| id.clone()).chain(installed.keys().cloned()).collect();
    let mut survey = Survey {
        places,
        project: places.project.iter().map(|it| real(it)).collect(),
        switches,
        marketplaces: Marketplaces::new(places, &mut reader),
        reader,
        sources: Vec::new(),
    };
    let visit = |id| survey.visit(&id, installed.get(&id).map_or(&[], Vec::as_slice));
    let reports = ids.into_iter().filter_map(visit).collect();
    let Reader { problems, asked } = survey.reader;
    Plugins { sources: survey.sources, reports, problems, asked }
}

/// Whether a plugin is on, and which file has the last word.
struct Switch {
    on: bool,
    by: PathBuf,
}

/// Lays the settings over each other: the last file to name a plugin decides.
fn switches(settings: &[PathBuf], reader: &mut Reader) -> BTreeMap<PluginId, Switch> {
    let mut switches = BTreeMap::new();
    for by in settings {
        let named = reader.read(by, settings::parse).unwrap_or_default();
        switches.extend(named.into_iter().map(|(id, on)| (id, Switch { on, by: by.clone() })));
    }
    switches
}

/// What is known while plugin after plugin is visited.
struct Survey<'a> {
    places: &'a PluginPlaces,
    /// The asking project's folders with all links followed, nearest first.
    project: Vec<PathBuf>,
    switches: BTreeMap<PluginId, Switch>,
    marketplaces: Marketplaces<'a>,
    reader: Reader,
    sources: Vec<PluginSource>,
}

impl Survey<'_> {
    /// Finds where one plugin stands, and its sources if it counts.
    fn visit(&mut self, id: &PluginId, installs: &[Install]) -> Option<PluginReport> {
        let counting = self.counting(installs);
        let record = counting.or(installs.first());
        let path = record.and_then(|it| it.path.as_deref()).map(|it| self.places.locate(it));
        if let (None, Some(Scope::Local(project) | Scope::Project(project))) =
            (counting, record.map(|it| &it.scope))
        {
            let project = self.places.locate(project);
            return Some(report(id, record, path.as_ref(), Standing::OtherProject { project }));
        }
        match self.switches.get(id) {
            Some(Switch { on: false, by }) => {
                let by = Some(by.clone());
                return Some(report(id, record, path.as_ref(), Standing::Disabled { by }));
            }
            None if record.is_none() => return None, // what has no copy left is not installed
            _ => {}
        }
        let listed = self.marketplaces.listed(id, path.as_deref(), &mut self.reader);
        let install = match &path {
            Some(path) => Place::folder(path),
            None => self.in_place(id, listed.as_ref()),
        };
        let Some(install) = install else {
            return Some(self.missing(id, record, path.as_ref()));
        };
        let own = self.reader.read_inside(&install, manifest::FILE, manifest::parse);
        let own = own.unwrap_or_default();
        Some(self.open(&Description { id, record, install, own, listed }))
    }

    /// Reports a plugin that is nowhere: its folder is gone, or nobody knows of one.
    fn missing(
        &mut self,
        id: &PluginId,
        record: Option<&Install>,
        path: Option<&PathBuf>,
    ) -> PluginReport {
        if let Some(path) = path {
            self.reader.asked.push(path.clone());
            let path = Some(path);
            return report(id, record, path, Standing::Gone);
        }
        if record.is_some() {
            let problem = PluginProblem::NoInstallPath(id.to_string());
            self.reader.note(&self.places.manifest, [problem]);
        }
        report(id, record, None, Standing::NotInstalled)
    }

    /// The copy that counts here: the nearest project's own, else the machine's, else the user's.
    fn counting<'i>(&self, installs: &'i [Install]) -> Option<&'i Install> {
        let everywhere = self.project.len();
        let rank = |scope: &Scope| match scope {
            Scope::Local(path) => self.distance(path).map(|it| (it, 0)),
            Scope::Project(path) => self.distance(path).map(|it| (it, 1)),
            Scope::Managed => Some((everywhere, 0)),
            Scope::User => Some((everywhere, 1)),
        };
        let here = installs.iter().filter_map(|it| Some((rank(&it.scope)?, it)));
        here.min_by_key(|(rank, _)| *rank).map(|(_, install)| install)
    }

    /// How many folders up a project is; another project is nowhere.
    fn distance(&self, project: &str) -> Option<usize> {
        let project = real(&self.places.locate(project));
        self.project.iter().position(|it| *it == project)
    }

    /// A plugin without a path of its own is used where its marketplace keeps it.
    fn in_place(&mut self, id: &PluginId, listed: Option<&Listed>) -> Option<Place> {
        let listed = listed?;
        let folder = listed.folder(id)?;
        folder.map_err(|problem| self.reader.note(&listed.file, [problem])).ok()
    }

    /// Looks into a plugin that no settings file switches off.
    fn open(&mut self, described: &Description<'_>) -> PluginReport {
        let Description { id, record, .. } = described;
        let install = &described.install.path;
        if described.is_off_by_default() && !self.switches.contains_key(id) {
            return report(id, *record, Some(install), Standing::Disabled { by: None });
        }
        if described.is_contradictory() {
            let problem = PluginProblem::Conflict(id.to_string());
            self.reader.note(&install.join(manifest::FILE), [problem]);
            return report(id, *record, Some(install), Standing::Conflicting);
        }
        let plugin = Arc::new(described.plugin());
        let found = folders(described);
        self.reader.asked.extend([DEFAULT, SKILL_FILE].map(|name| install.join(name)));
        self.reader.problems.extend(found.problems);
        self.sources.extend(found.places.into_iter().map(|it| PluginSource {
            plugin: Arc::clone(&plugin),
            install: install.clone(),
            folder: it.path,
        }));
        let standing = described.standing(&plugin);
        PluginReport { id: id.to_string(), plugin, install: Some(install.clone()), standing }
    }
}

/// The report on a plugin whose skills do not count.
fn report(
    id: &PluginId,
    record: Option<&Install>,
    install: Option<&PathBuf>,
    standing: Standing,
) -> PluginReport {
    let plugin = Arc::new(plugin(id, record));
    PluginReport { id: id.to_string(), plugin, install: install.cloned(), standing }
}
