//! What a command sees: the sources, the scan and the catalog that its arguments ask for.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use metier_skills::{
    Bodies, Catalog, Entry, Filter, Lookup, PatternError, Places, PluginPlaces, Scan, Skill,
    Sources, Standard, State, scan_watched,
};

use crate::{
    args::Selection,
    config::{ConfigProblem, ProjectTrust, Settings},
    environment::Environment,
    failure::{Exit, Failure},
    json::text,
    progress,
    ui::{Ui, cut},
};

/// The skills of this machine as one command sees them.
pub(crate) struct View {
    pub(crate) sources: Sources,
    pub(crate) scan: Scan,
    pub(crate) catalog: Catalog,
    /// Skills that are switched off.
    pub(crate) disabled: Catalog,
    pub(crate) config_problems: Vec<ConfigProblem>,
    filter: Filter,
}

/// Where a command looks for skills, and which of them it sees.
pub(crate) struct Looked {
    pub(crate) places: Places,
    pub(crate) filter: Filter,
    /// What is wrong in configuration files.
    pub(crate) problems: Vec<ConfigProblem>,
}

impl Looked {
    /// What `selection` asks for here; nothing of it is read yet.
    pub(crate) fn at(
        selection: &Selection,
        environment: &Environment,
        ui: &mut Ui<'_>,
    ) -> Result<Looked, Failure> {
        let home = environment.at_home(selection.user_dir.as_deref());
        let settings = Settings::read(&home, &selection.config, ProjectTrust::Recorded)?;
        Looked::with(&settings, selection, environment, ui)
    }

    /// The same, where the configuration has been read.
    pub(crate) fn with(
        settings: &Settings,
        selection: &Selection,
        environment: &Environment,
        ui: &mut Ui<'_>,
    ) -> Result<Looked, Failure> {
        let environment = environment.at_home(selection.user_dir.as_deref());
        let filter = filter(selection, settings)?;
        let places = places(selection, &environment, settings);
        warn_of_missing(selection, &environment, ui)?;
        Ok(Looked { places, filter, problems: settings.problems.clone() })
    }
}

impl View {
    /// Reads all skills that `selection` asks for.
    pub(crate) fn open(
        selection: &Selection,
        environment: &Environment,
        bodies: Bodies,
        ui: &mut Ui<'_>,
    ) -> Result<View, Failure> {
        let Looked { places, filter, problems: config_problems } =
            Looked::at(selection, environment, ui)?;
        let sources = places.sources();
        let scan = progress::shown(ui, |progress| scan_watched(&sources.list, bodies, progress));
        let catalog = Catalog::new(&scan.skills, &filter);
        let disabled = Catalog::of(State::Disabled, &scan.skills, &filter);
        Ok(View { sources, scan, catalog, disabled, config_problems, filter })
    }

    /// The one enabled skill that `name` means.
    pub(crate) fn find(&self, name: &str) -> Result<&Entry, Failure> {
        match self.catalog.find(name) {
            Lookup::Found(entry) => Ok(entry),
            Lookup::Ambiguous(entries) => Err(ambiguous(name, &entries)),
            Lookup::Missing { similar } => Err(self.missing(name, &similar)),
        }
    }

    fn missing(&self, name: &str, similar: &[&str]) -> Failure {
        if !matches!(self.disabled.find(name), Lookup::Missing { .. }) {
            return Failure::new(Exit::NotFound, format!("skill `{name}` is disabled"))
                .hinted(format!("`metier enable {name}` makes it loadable"));
        }
        let hint = match similar {
            [] => "`metier list` shows every skill".to_owned(),
            some => format!("did you mean {}?", quoted(some.iter().copied(), "or")),
        };
        Failure::new(Exit::NotFound, format!("no skill `{}`", cut(name, 64))).hinted(hint)
    }

    /// The catalog as it would be without some skills.
    pub(crate) fn without(&self, gone: &[&Arc<Skill>]) -> Catalog {
        let gone: HashSet<&Path> = gone.iter().map(|skill| &*skill.folder).collect();
        let kept = self.scan.skills.iter().filter(|it| !gone.contains(&*it.folder)).cloned();
        Catalog::new(&kept.collect::<Vec<_>>(), &self.filter)
    }

    /// How many problems there are, in files, folders and configuration.
    pub(crate) fn n_problems(&self) -> usize {
        self.scan.problems.len() + self.sources.problems.len() + self.config_problems.len()
    }
}

/// `a`, `b` or `c`.
pub(crate) fn quoted<'a>(names: impl Iterator<Item = &'a str>, conjunction: &str) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [all @ .., last] => format!("{} {conjunction} {last}", all.join(", ")),
    }
}

/// Says what an ambiguous name could mean.
pub(crate) fn ambiguous(name: &str, entries: &[&Entry]) -> Failure {
    let ids: Vec<String> = entries
        .iter()
        .map(|it| it.id.as_deref().map_or_else(|| text(&it.skill.file()), str::to_owned))
        .collect();
    let ids = quoted(ids.iter().map(String::as_str), "or");
    Failure::new(Exit::NotFound, format!("`{name}` is ambiguous: it could be {ids}"))
        .hinted("use one of these ids")
}

/// A folder that a flag names should be there; elsewhere a missing folder is no surprise.
fn warn_of_missing(
    selection: &Selection,
    environment: &Environment,
    ui: &mut Ui<'_>,
) -> Result<(), Failure> {
    for dir in selection.skill_dir.iter().chain(&selection.root) {
        let dir = environment.absolute(&environment.working_dir, dir);
        if !dir.is_dir() {
            ui.warn(&format!("there is no folder `{}`", dir.display()))?;
        }
    }
    Ok(())
}

fn filter(selection: &Selection, settings: &Settings) -> Result<Filter, Failure> {
    // What the user types replaces what the files say.
    let choose = |flags: &[String], configured: &[String]| match flags {
        [] => configured.to_vec(),
        flags => flags.to_vec(),
    };
    let include = choose(&selection.include, &settings.include);
    let exclude = choose(&selection.exclude, &settings.exclude);
    Filter::new(&include, &exclude).map_err(|error| {
        let hint = match error {
            PatternError::Empty => "write --include=NAME, or leave the flag out",
            PatternError::UnknownGroup(_) => {
                "to match a name that begins with `@`, write `?` for it"
            }
        };
        Failure::new(Exit::Usage, error).hinted(hint)
    })
}

fn places(selection: &Selection, environment: &Environment, settings: &Settings) -> Places {
    let absolute = |dir| environment.absolute(&environment.working_dir, dir);
    if let Some(root) = &selection.root {
        let custom = selection.skill_dir.iter().chain([root]).map(|dir| absolute(dir)).collect();
        return Places { custom, ..Places::default() };
    }
    let custom = selection.skill_dir.iter().map(|dir| absolute(dir));
    let custom = custom.chain(settings.skill_dirs.iter().cloned()).collect();
    let standard = environment.standard().filter(|_| !selection.no_default_dirs);
    let plugins = standard.as_ref().filter(|_| !selection.no_plugins);
    let plugins = plugins.map(|standard| plugin_places(selection, environment, standard));
    Places { custom, standard, plugins }
}

fn plugin_places(
    selection: &Selection,
    environment: &Environment,
    standard: &Standard,
) -> PluginPlaces {
    let given = |path: &Option<PathBuf>| {
        path.as_ref().map(|path| environment.absolute(&environment.working_dir, path))
    };
    let root = given(&selection.plugins_root)
        .or_else(|| environment.plugins())
        .unwrap_or_else(|| standard.claude.join("plugins"));
    let mut settings = vec![standard.claude.join("settings.json")];
    for dir in standard.project.iter().rev() {
        settings.push(dir.join(".claude/settings.json"));
        settings.push(dir.join(".claude/settings.local.json"));
    }
    settings.push(standard.system.join("claude-code/managed-settings.json"));
    PluginPlaces {
        home: standard.home.clone(),
        manifest: given(&selection.plugins_file)
            .unwrap_or_else(|| root.join("installed_plugins.json")),
        root,
        settings,
        project: standard.project.clone(),
    }
}
