//! Files that somebody, or a bad disk, has changed: whatever they say, nothing panics and nothing
//! outside a plugin's folder is named.

use std::{collections::BTreeSet, fs, path::Path};

use proptest::{
    prelude::*,
    sample::Index,
    test_runner::{Config, TestRng, TestRunner},
};
use serde_json::Value;

use super::{build, places};
use crate::plugins::{Plugins, plugins};

/// Files that may be changed, with what they say before.
const FILES: [(&str, &str); 5] = [
    (
        "plugins/installed_plugins.json",
        r#"{"version": 2, "plugins": {
            "pdf@acme": [{"scope": "project", "projectPath": "$/work", "installPath": "$/p"},
                         {"scope": "user", "installPath": "p", "version": "1.0"}],
            "art@acme": {"installPath": "$/m", "version": "1.0"}}}"#,
    ),
    ("user.json", r#"{"enabledPlugins": {"pdf@acme": true, "art@acme": true, "x@acme": false}}"#),
    (
        "plugins/known_marketplaces.json",
        r#"{"acme": {"source": {"source": "directory"}, "installLocation": "$/m"}}"#,
    ),
    (
        "m/.claude-plugin/marketplace.json",
        r#"{"name": "acme", "metadata": {"pluginRoot": "./"}, "plugins": [
            {"name": "art", "source": "./", "strict": false,
             "skills": ["./skills/a", "./skills/b"]},
            {"name": "pdf", "source": "p", "version": "1.2", "defaultEnabled": true}]}"#,
    ),
    (
        "p/.claude-plugin/plugin.json",
        r#"{"name": "pdf", "version": "1.1", "skills": ["./more", ".", "skills"]}"#,
    ),
];

const TREE: &str = "
//- plugins/
//- m/.claude-plugin/
//- p/.claude-plugin/
//- work/deep/
//- p/SKILL.md
//- p/skills/fill/SKILL.md
//- p/more/sign/SKILL.md
//- m/skills/a/SKILL.md
//- m/skills/b/SKILL.md
";

/// What may stand where something else was.
const VALUES: [&str; 14] = [
    "null",
    "true",
    "false",
    "0",
    "-1e300",
    "\"\"",
    "\"..\"",
    "\"/\"",
    "\"./\"",
    "\"~\"",
    "[]",
    "{}",
    "[[\"..\"]]",
    "{\"plugins\": []}",
];

#[derive(Clone, Debug)]
enum Change {
    /// Puts bytes in place of others.
    Bytes(Index, usize, Vec<u8>),
    /// Puts one of [`VALUES`] in place of another value.
    Node(Index, Index),
    /// Drops a key or an element.
    Drop(Index),
    /// Ends the file early.
    Cut(Index),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        1 => (any::<Index>(), 0..4_usize, prop::collection::vec(any::<u8>(), 0..4))
            .prop_map(|(at, n, bytes)| Change::Bytes(at, n, bytes)),
        4 => (any::<Index>(), any::<Index>()).prop_map(|(at, value)| Change::Node(at, value)),
        2 => any::<Index>().prop_map(Change::Drop),
        1 => any::<Index>().prop_map(Change::Cut),
    ]
}

fn apply(change: &Change, bytes: &mut Vec<u8>) {
    match change {
        Change::Bytes(at, n, new) => {
            let start = at.index(bytes.len() + 1);
            let end = (start + n).min(bytes.len());
            bytes.splice(start..end, new.iter().copied());
        }
        Change::Cut(at) => bytes.truncate(at.index(bytes.len() + 1)),
        Change::Node(at, value) => {
            let value: Value = serde_json::from_str(VALUES[value.index(VALUES.len())]).unwrap();
            change_value(bytes, at, |node| *node = value);
        }
        Change::Drop(at) => change_value(bytes, at, |node| match node {
            Value::Object(fields) => {
                let first = fields.keys().next().cloned();
                first.map(|it| fields.shift_remove(&it));
            }
            Value::Array(items) => drop(items.pop()),
            other => *other = Value::Null,
        }),
    }
}

fn change_value(bytes: &mut Vec<u8>, at: &Index, change: impl FnOnce(&mut Value)) {
    let Ok(mut json) = serde_json::from_slice::<Value>(bytes) else { return };
    let mut left = at.index(count(&json));
    if let Some(node) = nth(&mut json, &mut left) {
        change(node);
    }
    *bytes = serde_json::to_vec(&json).unwrap();
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

fn nth<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|it| nth(it, left)),
        Value::Object(fields) => fields.values_mut().find_map(|it| nth(it, left)),
        _ => None,
    }
}

/// Writes the files with all changes made, and checks what is found for what always holds.
fn find(folder: &Path, changes: &[(Index, Change)]) -> Plugins {
    let root = folder.to_str().unwrap().replace('\\', "/");
    let mut contents = FILES.map(|(_, text)| text.replace('$', &root).into_bytes());
    for (file, change) in changes {
        apply(change, &mut contents[file.index(FILES.len())]);
    }
    for ((path, _), content) in FILES.iter().zip(contents) {
        fs::write(folder.join(path), content).unwrap();
    }
    let found = plugins(&places(folder));
    assert_eq!(found, plugins(&places(folder)), "the same files give the same plugins");
    for source in &found.sources {
        let install = fs::canonicalize(&source.install).unwrap();
        assert!(fs::canonicalize(&source.folder).unwrap().starts_with(install), "{source:?}");
        assert!(source.folder.is_dir(), "{source:?}");
    }
    let ids: BTreeSet<_> = found.reports.iter().map(|it| &it.id).collect();
    assert_eq!(ids.len(), found.reports.len(), "a plugin is reported once");
    found
}

#[test]
fn files_that_nobody_changed_have_no_problems() {
    let found = find(build(TREE).path(), &[]);
    assert_eq!(found.problems, []);
    assert_eq!((found.reports.len(), found.sources.len()), (2, 5));
}

#[test]
fn changed_files_never_panic() {
    let folder = build(TREE);
    let config = Config { failure_persistence: None, ..Config::default() };
    let changes = prop::collection::vec((any::<Index>(), change()), 1..6);
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let run = TestRunner::new_with_rng(config, rng).run(&changes, |changes| {
        find(folder.path(), &changes);
        Ok(())
    });
    run.unwrap();
}
