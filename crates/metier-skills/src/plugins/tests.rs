//! Rules about plugins, each on a small tree of files.

mod choice;
mod folders;
mod marketplaces;
mod mutation;
mod parsers;
mod safety;
mod shapes;
mod switches;

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{PluginPlaces, Plugins, Standing, plugins};

/// Two versions of one plugin in the cache, of which `installed_plugins.json` may name either.
const CACHE: &str = "
//- plugins/cache/acme/pdf/1.0/skills/fill/SKILL.md
//- plugins/cache/acme/pdf/2.0/skills/fill/SKILL.md
";

/// The start of every line about what is wrong with the marketplace `acme`.
const MARKETPLACE: &str = "! plugins/marketplaces/acme/.claude-plugin/marketplace.json:";

/// Builds a tree of files and compares all that is found in it, one line each: folders to scan,
/// plugins that do not simply count, and problems.
#[track_caller]
fn check(tree: &str, expected: &str) {
    let folder = build(tree);
    let expected: Vec<_> = expected.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
    assert_eq!(render(&plugins(&places(folder.path())), folder.path()), expected);
}

/// Checks what one `installed_plugins.json` makes of the cache.
#[track_caller]
fn check_manifest(json: &str, expected: &str) {
    check(&format!("{CACHE}\n//- plugins/installed_plugins.json\n{json}"), expected);
}

/// Writes files: `//- path`, then the content, in which `$` stands for the whole tree's folder;
/// `//- path/` is a folder and `//- path -> target` a link.
fn build(tree: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap().replace('\\', "/");
    for file in format!("\n{}", tree.trim_start()).split("\n//- ").skip(1) {
        let (path, content) = file.split_once('\n').unwrap_or((file, ""));
        let (path, target) = match path.split_once(" -> ") {
            Some((path, target)) => (path, Some(target.replace('$', &root))),
            None => (path, None),
        };
        let full = folder.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(full).unwrap();
            continue;
        }
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        match target {
            Some(target) => link(&target, &full),
            None => fs::write(full, content.replace('$', &root)).unwrap(),
        }
    }
    folder
}

#[cfg(unix)]
fn link(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).unwrap();
}

#[cfg(not(unix))]
fn link(_target: &str, _path: &Path) {
    unreachable!("links are tested on unix only");
}

fn places(folder: &Path) -> PluginPlaces {
    let settings = ["user.json", "project.json", "local.json", "managed.json"];
    PluginPlaces {
        home: folder.join("home"),
        root: folder.join("plugins"),
        manifest: folder.join("plugins/installed_plugins.json"),
        settings: settings.iter().map(|it| folder.join(it)).collect(),
        project: vec![folder.join("work/deep"), folder.join("work")],
    }
}

fn render(found: &Plugins, folder: &Path) -> Vec<String> {
    let short = |path: &PathBuf| {
        let path = path.strip_prefix(folder).unwrap_or(path).to_str().unwrap();
        path.replace('\\', "/")
    };
    let mut lines = Vec::new();
    for source in &found.sources {
        let plugin = &source.plugin;
        let marketplace = plugin.marketplace.as_ref().map_or(String::new(), |it| format!("@{it}"));
        let version = plugin.version.as_ref().map_or(String::new(), |it| format!(" {it}"));
        assert!(source.folder.starts_with(&source.install), "{source:?}");
        let folder = short(&source.folder);
        lines.push(format!("{}{marketplace}{version}: {folder}", plugin.name));
    }
    for report in &found.reports {
        let standing = match &report.standing {
            Standing::Enabled => continue,
            Standing::Outdated { newest } => format!("outdated, {newest}"),
            Standing::Disabled { by: Some(by) } => format!("disabled by {}", short(by)),
            Standing::Disabled { by: None } => "disabled by default".to_owned(),
            Standing::OtherProject { project } => format!("of {}", short(project)),
            Standing::Gone => format!("gone from {}", short(report.install.as_ref().unwrap())),
            Standing::NotInstalled => "not installed".to_owned(),
            Standing::Conflicting => "conflicting".to_owned(),
        };
        lines.push(format!("{} {standing}", report.id));
    }
    for (file, problem) in &found.problems {
        assert!(!problem.hint().is_empty());
        lines.push(format!("! {}: {problem}", short(file)));
    }
    lines
}
