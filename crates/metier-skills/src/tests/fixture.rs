//! A machine in a temporary folder, made from a [`tree`](super::tree).
//!
//! `project` is a git checkout with the working directory in it, `home` the user's home, `etc` the
//! machine's folder, `custom` a folder the user named.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use tempfile::TempDir;

use super::tree;
use crate::{
    Catalog, Filter, Lookup, Places, PluginPlaces, Scan, Skill, Source, Standard, project_dirs,
    scan,
};

pub(super) struct Fixture {
    /// The folder by its real path.
    root: PathBuf,
    _dir: TempDir,
}

impl Fixture {
    pub(super) fn new(text: &str) -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let fixture = Fixture { root, _dir: dir };
        fs::create_dir_all(fixture.path("project/.git")).unwrap();
        tree::plant(&fixture.root, text);
        fixture
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(super) fn write(&self, path: &str, content: &str) {
        tree::write(&self.root, path, content);
    }

    pub(super) fn link(&self, link: &str, target: &str) {
        tree::link_to(&self.root, link, target);
    }

    pub(super) fn places(&self) -> Places {
        self.places_in("project")
    }

    /// Where skills are looked for from a working directory.
    pub(super) fn places_in(&self, working_dir: &str) -> Places {
        let home = self.path("home");
        let project = project_dirs(&self.path(working_dir), Some(&home));
        let plugins = PluginPlaces {
            home: home.clone(),
            root: home.join(".claude/plugins"),
            manifest: home.join(".claude/plugins/installed_plugins.json"),
            settings: vec![home.join(".claude/settings.json")],
            project: project.clone(),
        };
        Places {
            custom: vec![self.path("custom")],
            standard: Some(Standard {
                project,
                config: home.join(".config"),
                claude: home.join(".claude"),
                codex: home.join(".codex"),
                system: self.path("etc"),
                home,
            }),
            plugins: Some(plugins),
        }
    }

    pub(super) fn sources(&self) -> Vec<Source> {
        self.places().sources().list
    }

    pub(super) fn scan(&self) -> Scan {
        scan(&self.sources())
    }

    pub(super) fn catalog(&self) -> Catalog {
        Catalog::new(&self.scan().skills, &Filter::default())
    }

    /// A path below the fixture, as the fixture writes it.
    pub(super) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap().to_string_lossy().into_owned()
    }

    /// Problems as `path: reason`, one a line.
    pub(super) fn problems(&self) -> String {
        let scan = self.scan();
        let lines = scan.problems.iter();
        let lines = lines.map(|it| format!("{}: {}", self.relative(&it.path), it.cause));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Says what a name means: `found <folder>`, `ambiguous <ids>` or `missing <similar ids>`.
    pub(super) fn meaning(&self, asked: &str) -> String {
        meaning(&self.catalog(), asked, |skill| self.relative(&skill.folder))
    }

    /// Makes every file and folder old, so that its stamp can be trusted.
    pub(super) fn settle(&self) {
        settle(&self.root);
    }
}

pub(super) fn meaning(catalog: &Catalog, asked: &str, show: impl Fn(&Skill) -> String) -> String {
    match catalog.find(asked) {
        Lookup::Found(entry) => format!("found {}", show(&entry.skill)),
        Lookup::Ambiguous(entries) => {
            let ids: Vec<&str> = entries.iter().filter_map(|it| it.id.as_deref()).collect();
            format!("ambiguous {}", ids.join(" "))
        }
        Lookup::Missing { similar } => format!("missing {}", similar.join(" ")).trim_end().into(),
    }
}

/// The ids that a catalog lists, in order.
pub(super) fn ids(catalog: &Catalog) -> Vec<String> {
    catalog.listed().map(|(id, _)| id.to_owned()).collect()
}

/// The paths of skills, in order.
pub(super) fn files(skills: &[Arc<Skill>]) -> Vec<PathBuf> {
    skills.iter().map(|skill| skill.file()).collect()
}

fn settle(path: &Path) {
    if path.is_symlink() {
        return;
    }
    if path.is_dir() {
        fs::read_dir(path).unwrap().flatten().for_each(|entry| settle(&entry.path()));
    }
    set_modified(path, 0);
}

/// Sets a file's or folder's time to some seconds after a day long ago.
pub(super) fn set_modified(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 + seconds);
    File::open(path).unwrap().set_modified(time).unwrap();
}
