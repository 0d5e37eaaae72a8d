//! The house rules that no compiler knows.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Lines of code a file may have before its tests begin.
const LONGEST_FILE: usize = 400;

/// Files that may ask the disk; everything else is told.
const DISK: &[&str] = &[
    "metier-skills/src/bundle.rs",
    "metier-skills/src/disk.rs",
    "metier-skills/src/disk/portable.rs",
    "metier-skills/src/disk/unix.rs",
    "metier-skills/src/places.rs",
    "metier-skills/src/plugins/disk.rs",
    "metier-skills/src/plugins/folders.rs",
    "metier-skills/src/plugins/marketplaces.rs",
    "metier-upstreams/src/child/refusal.rs",
    "metier-upstreams/src/child/unix/group.rs",
    "metier/src/commands/mcp.rs",
    "metier/src/commands/new.rs",
    "metier/src/commands/pull/folder.rs",
    "metier/src/commands/pull/leftovers.rs",
    "metier/src/commands/pull/lock.rs",
    "metier/src/commands/switch.rs",
    "metier/src/commands/validate.rs",
    "metier/src/config/edits.rs",
    "metier/src/environment.rs",
    "metier/src/files.rs",
    "metier/src/refresh/writer.rs",
    "metier/src/view.rs",
];

/// Which words belong to which files; everywhere else they are a leak.
const RESERVED: &[(&str, &[&str])] = &[
    ("fs::", DISK),
    (".canonicalize()", DISK),
    (".is_dir()", DISK),
    (".is_file()", DISK),
    (".is_symlink()", DISK),
    (".exists()", DISK),
    (".symlink_metadata()", DISK),
    ("io::stdout", &["metier/src/main.rs", "metier/src/commands/mcp.rs"]),
    ("io::stderr", &["metier/src/main.rs", "metier/src/logs.rs"]),
    ("env::var", &["metier/src/environment.rs", "metier-upstreams/examples/conformance_client.rs"]),
    ("env::current_dir", &["metier/src/environment.rs"]),
    (
        "Command::new",
        &["metier-upstreams/src/child.rs", "metier-upstreams/src/child/unix/guard.rs"],
    ),
    ("process::exit", &[]),
    ("TcpStream", &[]),
];

/// Words that make a name say nothing.
const EMPTY_NAMES: [&str; 6] = ["Manager", "Handler", "Service", "Utils", "Helper", "Info"];

/// What a library may never depend on.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("metier-skills", &["tokio", "clap", "reqwest", "anyhow", "axum", "tracing"]),
    ("metier-wire", &["metier-skills", "tokio", "clap", "reqwest", "anyhow", "axum", "tracing"]),
    ("metier-upstreams", &["metier-skills", "axum", "clap", "anyhow", "notify", "rmcp", "jsonc"]),
    ("metier-surface", &["clap", "reqwest", "anyhow", "notify", "rmcp"]),
];

struct Source {
    /// Its path below `crates`.
    path: String,
    text: String,
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// All Rust files below a folder, but not the tests and the programs for tests among them.
fn sources() -> Vec<Source> {
    let root = crates();
    let mut sources = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && !["tests", "benches", "examples"].contains(&name) {
                folders.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                sources.push(Source { path, text });
            }
        }
    }
    assert!(sources.len() > 20, "the sources are not where they were");
    sources
}

/// The lines before a file's own tests, without comments.
fn code(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    let before_tests = source.text.lines().take_while(|line| *line != "#[cfg(test)]");
    before_tests.enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[track_caller]
fn assert_none(findings: &[String]) {
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn files_are_short() {
    let length = |it: &Source| it.text.lines().take_while(|line| *line != "#[cfg(test)]").count();
    let long = sources().into_iter().filter(|it| length(it) > LONGEST_FILE);
    assert_none(&long.map(|it| format!("{}: split it by meaning", it.path)).collect::<Vec<_>>());
}

#[test]
fn every_module_says_what_it_is_for() {
    let silent = sources().into_iter().filter(|it| !it.text.starts_with("//! "));
    assert_none(
        &silent.map(|it| format!("{}: begin with a `//!` line", it.path)).collect::<Vec<_>>(),
    );
}

#[test]
fn reserved_words_stay_where_they_belong() {
    let mut findings = Vec::new();
    for source in sources() {
        for (word, files) in RESERVED.iter().filter(|(_, files)| !files.contains(&&*source.path)) {
            let hits = code(&source).filter(|(_, line)| has_word(line, word));
            findings.extend(hits.map(|(at, _)| {
                format!("{}:{}: `{word}` belongs to {files:?}", source.path, at + 1)
            }));
        }
    }
    assert_none(&findings);
}

/// Whether a line uses a word, not a longer one that ends like it.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[test]
fn names_say_something() {
    let mut findings = Vec::new();
    for source in sources() {
        for (at, line) in code(&source) {
            let declared = ["struct ", "enum ", "trait "].iter().find_map(|it| line.split_once(it));
            let name = declared
                .map_or("", |(_, rest)| rest.split(|c: char| !c.is_alphanumeric()).next().unwrap());
            if EMPTY_NAMES.iter().any(|word| name.ends_with(word)) {
                findings.push(format!("{}:{}: `{name}` needs a better noun", source.path, at + 1));
            }
        }
    }
    assert_none(&findings);
}

#[test]
fn lints_are_expected_never_allowed() {
    let mut findings = Vec::new();
    for source in sources() {
        let hits = code(&source).filter(|(_, line)| line.contains("[allow("));
        findings.extend(hits.map(|(at, _)| format!("{}:{}: use #[expect]", source.path, at + 1)));
    }
    assert_none(&findings);
}

#[test]
fn libraries_do_not_depend_on_what_they_must_not_do() {
    for (name, forbidden) in FORBIDDEN {
        let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let lines = manifest.lines().take_while(|line| *line != "[dev-dependencies]");
        let hits = lines.filter(|line| forbidden.iter().any(|it| line.starts_with(it)));
        assert_none(&hits.map(|line| format!("{name}: {line}")).collect::<Vec<_>>());
    }
}

#[test]
fn every_test_file_is_wired_in() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = fs::read_to_string(folder.join("main.rs")).unwrap();
    let files = fs::read_dir(folder).unwrap().flatten().map(|it| it.path());
    let unwired = files.filter_map(|path| {
        let name = path.file_stem()?.to_str()?.to_owned();
        let is_source = path.extension()? == "rs" && !name.starts_with('.') && name != "main";
        (is_source && !main.contains(&format!("mod {name};"))).then_some(name)
    });
    assert_none(
        &unwired.map(|name| format!("tests/it/{name}.rs is not in main.rs")).collect::<Vec<_>>(),
    );
}

#[test]
fn nothing_speaks_of_what_lies_outside_the_repository() {
    let root = crates().parent().unwrap().to_owned();
    let mut findings = Vec::new();
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = fs::read_to_string(root.join(name)).unwrap();
        if text.contains("../shared") || text.contains("SPEC.md") || text.contains("STYLE.md") {
            findings.push(format!("{name} points outside"));
        }
    }
    assert_none(&findings);
}
