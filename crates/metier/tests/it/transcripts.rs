//! Transcripts: files of `>` and `<` lines, replayed over every transport.
//!
//! What stands before the first `>` is a comment and the tree of files that the server sees. A `<`
//! line is compared as JSON; a string that ends in `…` stands for all that begin so, and `$ROOT`
//! for the folder of the tree.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    peer::{Peer, Way},
    support::Machine,
};

fn replay(way: Way) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/transcripts");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        replay_one(&text, way, &path.file_stem().unwrap().to_string_lossy());
    }
}

fn replay_one(text: &str, way: Way, name: &str) {
    let begin = text.find("\n> ").unwrap() + 1;
    let (tree, lines) = text.split_at(begin);
    let machine = Machine::new(tree);
    let root = machine.path("");
    let root = root.to_str().unwrap().trim_end_matches('/');
    let mut peer = Peer::start(&machine, way, "--no-refresh");
    for (number, line) in lines.lines().enumerate() {
        let place = format!("{name} over {way:?}, line {}", number + 1 + tree.lines().count());
        match line.split_at_checked(2) {
            Some(("> ", sent)) => {
                assert!(peer.is_quiet(), "{place}: something came that is not in the transcript");
                peer.send(sent);
            }
            Some(("< ", expected)) => {
                let expected = serde_json::from_str(&expected.replace("$ROOT", root)).unwrap();
                let came = peer.next();
                assert!(matches(&expected, &came), "{place}\nexpected {expected}\ncame     {came}");
            }
            _ => assert!(line.is_empty() || line.starts_with('#'), "{place}: {line}"),
        }
    }
    assert!(peer.is_quiet(), "{name} over {way:?}: something came after the transcript");
}

fn matches(expected: &Value, came: &Value) -> bool {
    match (expected, came) {
        (Value::String(expected), came) if expected == "…" => !came.is_null(),
        (Value::String(expected), Value::String(came)) => match expected.strip_suffix('…') {
            Some(begin) => came.starts_with(begin),
            None => expected == came,
        },
        (Value::Array(expected), Value::Array(came)) => {
            expected.len() == came.len()
                && expected.iter().zip(came).all(|(expected, came)| matches(expected, came))
        }
        (Value::Object(expected), Value::Object(came)) => {
            expected.len() == came.len()
                && expected
                    .iter()
                    .all(|(key, value)| came.get(key).is_some_and(|came| matches(value, came)))
        }
        (expected, came) => expected == came,
    }
}

#[test]
fn transcripts_hold_over_stdio() {
    replay(Way::Stdio);
}

#[test]
fn transcripts_hold_over_streamable_http() {
    replay(Way::Http);
}

#[test]
fn transcripts_hold_over_legacy_sse() {
    replay(Way::Sse);
}
