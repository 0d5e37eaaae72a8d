//! The official conformance suite through the gateway.
//!
//! `tests/clients/suite_server.py` has all that the suite asks of a server. Every check that passes
//! there must pass where the built server stands between, before a server of each era.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde::Deserialize;

use super::{
    clients::{self, PYTHON, SCRIPTS},
    programs::Daemon,
    served::Served,
    support::{self, Machine},
};

/// What no gateway can pass, and why: a scenario, or one check of it.
type Limits = &'static [(&'static str, &'static str)];

/// The suite looks for a very name in the list.
const NAMES: Limits = &[("json-schema-2020-12", "names in lists begin with their server's")];

const STREAMS: Limits = &[(
    "server-sse-multiple-streams:server-sse-streams-functional",
    "how an answer comes is up to each hop: alone it is one document",
)];

const RESUMPTION: Limits =
    &[("server-sse-polling", "how an answer comes is up to each hop: alone it is one document")];

/// A client of 2026-07-28 meets a server that knows no rounds of questions.
const ROUNDS: Limits = &[
    (
        "input-required-result-basic-elicitation",
        "a question of an earlier revision has no name, so it gets one of ours",
    ),
    (
        "input-required-result-multiple-input-requests",
        "an earlier revision asks one question after another",
    ),
    (
        "input-required-result-ignore-extra-params",
        "answers before the question mean nothing to an earlier revision",
    ),
];

/// The same, and what the server may ask depends on the client.
const CAPABILITIES: Limits = &[
    ("input-required-result-capability-check", "all clients share one session, which can do all"),
    (
        "server-stateless:sep-2575-server-rejects-undeclared-capability",
        "all clients share one session, which can do all",
    ),
    (
        "server-stateless:sep-2575-missing-capability-http-400",
        "all clients share one session, which can do all",
    ),
];

#[test]
fn what_the_released_suite_passes_directly_passes_through_the_gateway() {
    check("0.1", "2025-11-25", [&[NAMES, STREAMS]; 2]);
}

#[test]
fn what_the_coming_suite_passes_directly_before_2026_passes_through_the_gateway() {
    check("0.2", "2025-11-25", [&[NAMES, STREAMS, RESUMPTION]; 2]);
}

#[test]
fn what_the_coming_suite_passes_directly_in_2026_passes_through_the_gateway() {
    check("0.2", "2026-07-28", [&[NAMES], &[NAMES, ROUNDS, CAPABILITIES]]);
}

/// Compares what passes directly with what passes before a server of 2026-07-28 and before one of
/// earlier revisions, each with its limits.
fn check(suite: &str, revision: &str, [modern, legacy]: [&[Limits]; 2]) {
    if !support::slow() {
        return;
    }
    let results = tempfile::tempdir().unwrap();
    let judge = |url: &str, name| Verdict::of(suite, revision, url, &results.path().join(name));
    let (all, earlier) = (Daemon::start(server_of_all), Daemon::start(server_before_2026));
    let direct = judge(&all.url("/mcp"), "direct");
    assert_eq!(direct.failed, BTreeSet::new(), "the suite's own server");
    for (era, server, limits) in [("modern", &all, modern), ("legacy", &earlier, legacy)] {
        let machine = machine(&server.url("/mcp"));
        // The suite calls the first tool without arguments, so here that one needs none.
        let flags = "http --expose all --tools skills_list --config $ROOT/servers.json";
        let served = Served::start(&machine, flags);
        let through = judge(&served.url("/mcp"), era);
        let lost = direct.passed.difference(&through.passed);
        let known: BTreeSet<&str> = limits.concat().iter().map(|(name, _)| *name).collect();
        let lost: BTreeSet<&str> = lost.map(|it| limit(&known, it)).collect();
        assert_eq!(lost, known, "{suite} {revision}, {era} server: {:#?}", through.failed);
        assert_eq!(served.stop().code(), Some(0));
    }
}

/// The limit that a check falls under, or else the check.
fn limit<'a>(limits: &BTreeSet<&str>, check: &'a str) -> &'a str {
    let (scenario, _) = check.split_once(':').unwrap();
    if limits.contains(scenario) { scenario } else { check }
}

fn machine(url: &str) -> Machine {
    Machine::new(&format!(
        "//- servers.json\n{{\"mcpServers\": {{\"suite\": {{\"type\": \"http\", \"url\": \"{url}\"}}}}}}\n"
    ))
}

/// What became of each check, as `scenario:check`.
#[derive(Default)]
struct Verdict {
    passed: BTreeSet<String>,
    /// Those that failed, with the reason. One that gave a warning has neither passed nor failed.
    failed: BTreeSet<String>,
}

/// One check, as the suite notes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    id: String,
    status: String,
    error_message: Option<String>,
}

impl Verdict {
    /// Lets a suite judge a server.
    fn of(suite: &str, revision: &str, url: &str, results: &Path) -> Verdict {
        let index = format!("node_modules/conformance-{suite}/dist/index.js");
        let judged = Command::new(clients::node())
            .arg(clients::INSTALLED.join(index))
            .args(["server", "--url", url, "--suite", "all", "--spec-version", revision, "-o"])
            .arg(results)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&judged.stdout).into_owned();
        let mut verdict = Verdict::default();
        for folder in fs::read_dir(results).unwrap_or_else(|_| panic!("{said}")).flatten() {
            verdict.note(&folder.path());
        }
        assert!(!verdict.passed.is_empty(), "{said}");
        verdict
    }

    /// Takes in one scenario; a check that was made twice must pass twice.
    fn note(&mut self, folder: &Path) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let (scenario, _) = name.split_at(name.len() - "-2026-11-16T08-35-28-261Z".len());
        let scenario = scenario.strip_prefix("server-").unwrap();
        let checks = fs::read_to_string(folder.join("checks.json")).unwrap();
        let checks: Vec<Check> = serde_json::from_str(&checks).unwrap();
        let is_bad = |it: &&Check| matches!(&*it.status, "FAILURE" | "WARNING");
        for Check { id, error_message, .. } in checks.iter().filter(|it| it.status == "FAILURE") {
            let reason = error_message.as_deref().unwrap_or_default();
            self.failed.insert(format!("{scenario}:{id}: {reason}"));
        }
        let is_good = |it: &&Check| {
            it.status == "SUCCESS"
                && !checks.iter().any(|other| other.id == it.id && is_bad(&other))
        };
        self.passed.extend(checks.iter().filter(is_good).map(|it| format!("{scenario}:{}", it.id)));
    }
}

fn server_of_all(port: u16) -> Command {
    let mut command = Command::new(&*PYTHON);
    command.arg(script()).arg(port.to_string());
    command
}

fn server_before_2026(port: u16) -> Command {
    let mut command = server_of_all(port);
    command.arg("legacy");
    command
}

fn script() -> PathBuf {
    Path::new(SCRIPTS).join("suite_server.py")
}
