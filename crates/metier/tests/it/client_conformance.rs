//! The official conformance suite and the client half, `metier-upstreams`.
//!
//! The suite plays the server, and judges `examples/conformance_client.rs` of that crate.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use super::{
    clients,
    support::{self, Machine},
};

/// How the names of scenarios begin that are not for a client of servers: those of OAuth, and those
/// of clients that take skills from a server, which are for `metier pull`.
const LEFT_OUT: [&str; 2] = ["auth/", "sep-2640-client-verify-"];

/// The program.
const METIER: &str = env!("CARGO_BIN_EXE_metier");

#[test]
fn the_released_suite_passes_the_client() {
    check("0.1", "2025-11-25");
}

#[test]
fn the_coming_suite_passes_the_client_before_2026() {
    check("0.2", "2025-11-25");
}

#[test]
fn the_coming_suite_passes_the_client_in_2026() {
    check("0.2", "2026-07-28");
}

#[test]
fn the_coming_suite_passes_the_client_beside_extensions() {
    check("0.2", "extension");
}

#[test]
fn the_coming_suite_passes_pull() {
    check_skills("--dry-run", |machine| {
        format!("{METIER} pull --to {}", machine.path("skills").display())
    });
}

#[test]
fn the_coming_suite_passes_the_gateway_that_loads_skills() {
    check_skills("--list-only", |_| {
        format!("{} {}/loads.py {METIER}", clients::PYTHON.display(), clients::SCRIPTS)
    });
}

/// Plays all scenarios of skills for a command that loads those of a server, or only lists them.
fn check_skills(only_list: &str, command: impl Fn(&Machine) -> String) {
    if !support::slow() {
        return;
    }
    let machine = Machine::new("");
    let all = all_scenarios("0.2", "extension");
    let of_skills: Vec<_> = all.filter(|it| it.starts_with("sep-2640-client-")).collect();
    assert!(of_skills.len() >= 4, "{of_skills:?}");
    for scenario in of_skills {
        let only_list = if scenario.ends_with("no-prefetch") { only_list } else { "" };
        let command = format!("{} {only_list}", command(&machine));
        let mut judging = conformance("0.2");
        judging.args(["client", "--scenario", &scenario, "--command", command.trim()]);
        let Output { status, stdout, stderr } =
            judging.env("HOME", machine.path("home")).output().unwrap();
        let said = [stdout, stderr].map(|it| String::from_utf8_lossy(&it).into_owned()).concat();
        assert!(status.success(), "{scenario}\n{said}");
        assert!(!machine.path("skills").exists(), "{scenario}: something was written");
    }
}

fn check(suite: &str, revision: &str) {
    if !support::slow() {
        return;
    }
    let client = client();
    // Extensions belong to no revision.
    let scope = if revision == "extension" { vec![] } else { vec!["--spec-version", revision] };
    for scenario in scenarios(suite, revision) {
        let mut judging = conformance(suite);
        judging.args(["client", "--scenario", &scenario, "--command"]).arg(&client).args(&scope);
        let Output { status, stdout, stderr } = judging.output().unwrap();
        let said = [stdout, stderr].map(|it| String::from_utf8_lossy(&it).into_owned()).concat();
        assert!(status.success(), "{suite} {revision} {scenario}\n{said}");
    }
}

/// The scenarios that a suite has for clients at a revision, so that no new one is passed over.
fn scenarios(suite: &str, revision: &str) -> Vec<String> {
    let all = all_scenarios(suite, revision);
    let scenarios: Vec<_> =
        all.filter(|name| !LEFT_OUT.iter().any(|it| name.starts_with(it))).collect();
    assert!(!scenarios.is_empty(), "{suite} {revision}");
    scenarios
}

fn all_scenarios(suite: &str, revision: &str) -> impl Iterator<Item = String> {
    let output = conformance(suite).args(["list", "--client"]).output().unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    let entries = list.lines().filter_map(|line| line.strip_prefix("  - ")?.split_once(" ["));
    let of_revision = entries.filter(|(_, revisions)| {
        revisions.trim_end_matches(']').split(',').any(|it| it == revision)
    });
    of_revision.map(|(name, _)| name.to_owned()).collect::<Vec<_>>().into_iter()
}

fn conformance(suite: &str) -> Command {
    let mut command = Command::new(clients::node());
    let index = format!("node_modules/conformance-{suite}/dist/index.js");
    command.arg(clients::INSTALLED.join(index)).current_dir(env!("CARGO_TARGET_TMPDIR"));
    command
}

/// The client, which lies beside the program; only tests of the whole workspace build it.
fn client() -> PathBuf {
    let folder = Path::new(METIER).parent().unwrap();
    let client = folder.join("examples/conformance_client");
    assert!(client.exists(), "first run `cargo build -p metier-upstreams --examples`");
    client
}
