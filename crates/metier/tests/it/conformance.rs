//! The official conformance suite and the built server.
//!
//! A baseline (`tests/clients/conformance/`) names the checks that need something only a server
//! made for the suite has. Any other failure fails the test, and so does a check of the baseline
//! that passes.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use super::{
    clients,
    served::{self, Served},
    support,
};

const BASELINES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/conformance");

#[test]
fn the_released_suite_finds_no_new_failure() {
    check("0.1", "2025-11-25", "0.1-2025-11-25.yml");
}

#[test]
fn the_coming_suite_finds_no_new_failure_before_2026() {
    check("0.2", "2025-11-25", "0.2-2025-11-25.yml");
}

#[test]
fn the_coming_suite_finds_no_new_failure_in_2026() {
    check("0.2", "2026-07-28", "0.2-2026-07-28.yml");
}

/// The suite calls the first tool without arguments, so here the first tool is one that needs none.
#[test]
fn the_coming_suite_finds_every_header_checked() {
    if support::slow() {
        let scope = ["--scenario", "http-header-validation", "--spec-version", "2026-07-28"];
        judge("0.2", "http --tools skills_list", &scope);
    }
}

/// The scenarios of the skills extension are of no suite, and are asked for by name.
#[test]
fn the_coming_suite_finds_skills_as_the_extension_has_them() {
    if !support::slow() {
        return;
    }
    for revision in ["2025-11-25", "2026-07-28"] {
        for part in ["enumeration", "manifest", "directory"] {
            let scenario = format!("sep-2640-skills-{part}");
            let scope = ["--scenario", &scenario, "--spec-version", revision, "--force"];
            let verdict = judge("0.2", "http", &scope);
            assert!(verdict.contains(", 0 failed, 0 warnings"), "{scenario} {revision}: {verdict}");
        }
    }
}

fn check(suite: &str, revision: &str, baseline: &str) {
    if !support::slow() {
        return;
    }
    let baseline = Path::new(BASELINES).join(baseline);
    let file = baseline.to_str().unwrap();
    let scope = ["--suite", "all", "--spec-version", revision, "--expected-failures", file];
    let verdict = judge(suite, "http", &scope);
    assert_eq!(failures(&verdict), entries(&baseline), "an entry of the baseline was not met");
}

/// Runs a suite against a server of its own; what it says at the end.
fn judge(suite: &str, flags: &str, scope: &[&str]) -> String {
    let machine = served::machine();
    let served = Served::start(&machine, flags);
    let output = Command::new(clients::node())
        .arg(clients::INSTALLED.join(format!("node_modules/conformance-{suite}/dist/index.js")))
        .args(["server", "--url", &served.url("/mcp")])
        .args(scope)
        .current_dir(machine.path("project"))
        .env("HOME", machine.path("home"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let verdict = said.split_once("=== SUMMARY ===").map_or(&*said, |(_, summary)| summary);
    assert!(output.status.success(), "{verdict}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(served.stop().code(), Some(0));
    verdict.to_owned()
}

/// The failures that the suite found and the baseline knows.
fn failures(verdict: &str) -> BTreeSet<String> {
    verdict.lines().filter_map(|line| line.strip_prefix("  ~ ")).map(str::to_owned).collect()
}

/// What the baseline names, without the reasons beside it.
fn entries(baseline: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(baseline).unwrap();
    let entries = text.lines().filter_map(|line| line.strip_prefix("  - "));
    entries.filter_map(|entry| entry.split(" #").next()).map(str::to_owned).collect()
}
