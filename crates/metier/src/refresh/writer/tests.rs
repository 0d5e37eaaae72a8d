//! What scans say in the log.

use std::{fmt, fs, sync::Mutex};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::with_default,
};

use super::*;
use crate::refresh::tests::write;

/// Keeps every line that is logged: level, message, then all fields but times and paths.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "ms" | "path" | "hint" => {}
            name => self.fields += &format!(" {name}={value:?}"),
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("metier")
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let level = event.metadata().level();
        let text = format!("{level} {}{}", line.message, line.fields);
        self.0.lock().unwrap().push(text);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Does one thing after the other with a scan after each, and returns what the last one said.
fn said(acts: &[fn(&Path)]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let custom = vec![dir.path().to_owned(), dir.path().join("missing")];
    let places = Places { custom, ..Places::default() };
    let publish = |_: Catalog, _: &Scan| {};
    let mut writer = Writer { places, filter: Filter::default(), publish, last: Last::default() };
    let log = Log::default();
    for act in acts {
        act(dir.path());
        log.0.lock().unwrap().clear();
        with_default(log.clone(), || {
            // What another thread logged for the first time just now would stay unheard.
            tracing::callsite::rebuild_interest_cache();
            writer.scan(&Progress::default());
        });
    }
    let lines = log.0.lock().unwrap();
    lines.clone()
}

#[track_caller]
fn check(acts: &[fn(&Path)], expected: &[&str]) {
    assert_eq!(said(acts), expected);
}

fn nothing(_: &Path) {}

fn one_skill(dir: &Path) {
    write(&dir.join("a"), "one");
}

fn broken(dir: &Path) {
    fs::create_dir(dir.join("broken")).unwrap();
    fs::write(dir.join("broken/SKILL.md"), "no head").unwrap();
}

#[test]
fn the_first_scan_tells_what_there_is() {
    let told = "INFO scanned skills=1 problems=0 sources=1";
    check(&[one_skill], &["DEBUG scanning", told]);
}

#[test]
fn a_scan_without_news_is_told_quietly() {
    let told = "DEBUG scanned again, nothing has changed skills=1 problems=0";
    check(&[one_skill, nothing], &["DEBUG scanning", told]);
}

#[test]
fn changes_are_told_with_their_number() {
    let change = |dir: &Path| {
        write(&dir.join("a"), "two");
        write(&dir.join("b"), "one");
    };
    let told = "INFO scanned again added=1 removed=0 changed=1 skills=2 problems=0";
    check(&[one_skill, change], &["DEBUG scanning", told]);
}

#[test]
fn a_problem_is_warned_of_once() {
    let told = "INFO scanned again added=0 removed=0 changed=0 skills=0 problems=1";
    let warned = "WARN there is no frontmatter: the file does not begin with a line `---`";
    check(&[nothing, broken], &["DEBUG scanning", told, warned]);
    let quiet = "DEBUG scanned again, nothing has changed skills=0 problems=1";
    check(&[nothing, broken, nothing], &["DEBUG scanning", quiet]);
}
