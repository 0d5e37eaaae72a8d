//! Which folders are watched, and which events in them matter.

use std::{fs, sync::mpsc, time::Duration};

use metier_skills::{Places, Standard, scan};
use notify::{RecursiveMode, Watcher, event::Flag};

use super::*;

/// A disk in one string: paths that exist, `link=target` for links to them.
fn disk(text: &str) -> impl Fn(&Path) -> Option<PathBuf> {
    let entries: Vec<(String, String)> = text
        .split_whitespace()
        .map(|it| it.split_once('=').unwrap_or((it, it)))
        .map(|(path, target)| (path.to_owned(), target.to_owned()))
        .collect();
    move |path| {
        let path = path.to_str()?;
        entries.iter().find(|(it, _)| it == path).map(|(_, target)| PathBuf::from(target))
    }
}

/// A lookout over folders that a scan looked into.
fn over(folders: &[&str]) -> Lookout {
    let outer = folders.iter().map(PathBuf::from).collect();
    Lookout::over(Arc::new(Ground::new(Folders { outer, ..Folders::default() })))
}

fn words<'a>(paths: impl Iterator<Item = &'a Path>) -> String {
    paths.map(|path| path.to_str().unwrap()).collect::<Vec<_>>().join(" ")
}

/// Awaits a path on a disk; says what is watched, and what is awaited there.
#[track_caller]
fn check_expected(path: &str, on_disk: &str, watched: &str, awaited: &str) {
    let mut lookout = over(&[]);
    lookout.expect(Path::new(path), Some(Path::new("/etc")), &disk(on_disk));
    let shown =
        (words(lookout.folders().into_iter()), words(lookout.awaited.iter().map(|it| &**it)));
    assert_eq!(shown, (watched.to_owned(), awaited.to_owned()));
}

#[test]
fn what_is_missing_is_awaited_in_the_nearest_folder_that_exists() {
    check_expected("/h/.agents/skills", "/ /h", "/h", "/h/.agents/skills");
    check_expected("/h/.agents/skills", "/ /h /h/.agents", "/h/.agents", "/h/.agents/skills");
}

#[test]
fn what_exists_is_awaited_where_it_stands() {
    check_expected("/h/skills", "/ /h /h/skills", "/h", "/h/skills");
}

#[test]
fn a_link_is_awaited_where_it_stands_and_where_it_leads() {
    check_expected("/h/a.json", "/ /h /h/a.json=/dot/b.json", "/dot /h", "/dot/b.json /h/a.json");
}

#[test]
fn links_on_the_way_are_followed() {
    check_expected(
        "/h/.agents/skills",
        "/ /h=/real/home",
        "/real/home",
        "/real/home/.agents/skills",
    );
}

#[test]
fn busy_folders_are_not_watched() {
    check_expected("/etc/codex/skills", "/ /etc", "", "");
    check_expected("/etc/codex/skills", "/", "", "");
    check_expected("/etc/codex/skills", "/ /etc /etc/codex", "/etc/codex", "/etc/codex/skills");
}

#[test]
fn files_beside_skills_are_left_out_where_there_are_too_many() {
    let set = |n: usize, of: &str| (0..n).map(|at| PathBuf::from(format!("/{of}{at}"))).collect();
    let seen = |outer, inner| {
        let (outer, inner) = (set(outer, "outer"), set(inner, "inner"));
        let ground = Ground::new(Folders { outer, inner, files: BTreeSet::new() });
        (ground.folders.len(), ground.hearing)
    };
    assert_eq!(seen(100, 200), (300, Hearing::Whole));
    assert_eq!(seen(100, 201), (100, Hearing::Partial));
}

/// Whether an event of a kind at a path matters where `/s` and `/s/pdf` are walked, and
/// `/h/.agents/skills` and `/h/settings.json` are awaited.
#[track_caller]
fn check(kind: EventKind, path: &str, matters: Option<()>) {
    let mut lookout = over(&["/s", "/s/pdf"]);
    for path in ["/h/.agents/skills", "/h/settings.json"] {
        lookout.expect(Path::new(path), None, &disk("/ /h"));
    }
    let event = Event::new(kind).add_path(path.into());
    assert_eq!(lookout.concerns(&event).then_some(()), matters, "{kind:?} {path}");
}

const MATTERS: Option<()> = Some(());
const DOES_NOT: Option<()> = None;
const CREATED: EventKind = EventKind::Create(notify::event::CreateKind::Any);
const REMOVED: EventKind = EventKind::Remove(notify::event::RemoveKind::Any);
const WRITTEN: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));
const EDITED: EventKind = EventKind::Modify(ModifyKind::Data(notify::event::DataChange::Any));
const OPENED: EventKind = EventKind::Access(AccessKind::Open(AccessMode::Any));
const READ: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Read));

#[test]
fn a_skill_file_that_is_written_matters() {
    check(WRITTEN, "/s/pdf/SKILL.md", MATTERS);
    check(EDITED, "/s/pdf/.skill.md", MATTERS);
}

#[test]
fn reading_never_matters() {
    check(OPENED, "/s/pdf/SKILL.md", DOES_NOT);
    check(READ, "/s/pdf", DOES_NOT);
    check(OPENED, "/h/settings.json", DOES_NOT);
}

#[test]
fn what_other_files_say_does_not_matter() {
    check(WRITTEN, "/s/pdf/notes.log", DOES_NOT);
    check(EDITED, "/s/pdf/notes.log", DOES_NOT);
}

#[test]
fn whatever_comes_or_goes_in_a_walked_folder_matters() {
    check(CREATED, "/s/new", MATTERS);
    check(REMOVED, "/s/pdf", MATTERS);
    check(REMOVED, "/s", MATTERS);
}

#[test]
fn folders_that_are_not_walked_do_not_matter() {
    check(CREATED, "/s/.git", DOES_NOT);
    check(CREATED, "/s/pdf/node_modules", DOES_NOT);
}

#[test]
fn the_way_to_what_is_awaited_matters_and_nothing_beside_it() {
    check(CREATED, "/h/.agents", MATTERS);
    check(CREATED, "/h/.agents/skills", MATTERS);
    check(WRITTEN, "/h/settings.json", MATTERS);
    check(CREATED, "/h/.agents2", DOES_NOT);
    check(CREATED, "/h/Music", DOES_NOT);
    check(WRITTEN, "/h/settings.json.bak", DOES_NOT);
}

#[test]
fn lost_events_matter() {
    let event = Event::new(EventKind::Other).set_flag(Flag::Rescan);
    assert!(over(&[]).concerns(&event));
}

/// Watches a home without skills, does something in it, and collects which events matter.
#[track_caller]
fn check_real(act: impl FnOnce(&Path), expected: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    let (events, heard) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(events).unwrap();
    let mut lookout = lookout_at(&home);
    lookout.expect(&home.join("end"), None, &|path| path.canonicalize().ok());
    for folder in lookout.folders() {
        watcher.watch(folder, RecursiveMode::NonRecursive).unwrap();
    }
    act(&home);
    fs::create_dir(home.join("end")).unwrap();
    let mut mattering = Vec::new();
    while mattering.last().is_none_or(|path: &PathBuf| !path.ends_with("end")) {
        let event = heard.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
        if lookout.concerns(&event) {
            mattering.extend(event.paths);
        }
    }
    let expected: Vec<PathBuf> = expected.iter().map(|name| home.join(name)).collect();
    assert_eq!(mattering, expected);
}

fn lookout_at(home: &Path) -> Lookout {
    let standard = Standard {
        project: Vec::new(),
        home: home.to_owned(),
        config: home.join(".config"),
        claude: home.join(".claude"),
        codex: home.join(".codex"),
        system: home.join("etc"),
    };
    let places = Places { standard: Some(standard), ..Places::default() };
    let sources = places.sources().list;
    let mut lookout = Lookout::over(Arc::new(Ground::new(scan(&sources).folders())));
    for source in sources {
        lookout.expect(&source.folder, None, &|path| path.canonicalize().ok());
    }
    lookout
}

#[cfg(target_os = "linux")]
#[test]
fn what_happens_in_a_home_without_skills_does_not_matter() {
    let act = |home: &Path| {
        fs::create_dir(home.join("Music")).unwrap();
        fs::write(home.join(".history"), "ls").unwrap();
        fs::rename(home.join(".history"), home.join(".history.old")).unwrap();
        fs::remove_dir(home.join("Music")).unwrap();
        fs::read_dir(home).unwrap().for_each(drop);
    };
    check_real(act, &["end"]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_first_folder_of_an_agent_in_a_home_matters() {
    let act = |home: &Path| fs::create_dir_all(home.join(".agents/skills")).unwrap();
    check_real(act, &[".agents", "end"]);
}
