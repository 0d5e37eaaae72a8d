//! Real MCP clients and the built server: every transport, both eras.

use std::{
    collections::BTreeSet,
    env::consts,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::LazyLock,
};

use serde::Deserialize;

use super::{
    served::{self, Served},
    support::{self, Machine},
};

/// Where the scripts lie, one for each client.
pub(crate) const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");

/// What every client does with its one connection.
const STEPS: &str = "connect list load catalog search read unknown_skill missing_argument \
                     unknown_tool cancel list_changed close";

/// What a client does that connects anew for each request.
const SINGLE_STEPS: &str = "list load search skills unknown_skill missing_argument";

/// What a client does that holds every file of every skill to what was listed of it.
const SKILLS_STEPS: &str = "list get read frontmatter directory close";

#[test]
fn the_first_typescript_sdk_is_served_over_every_transport() {
    check("sdk.mjs", "legacy", STEPS);
}

#[test]
fn the_second_typescript_sdk_is_served_over_every_transport_in_both_eras() {
    check("client.mjs", "legacy auto 2026-07-28", STEPS);
}

#[test]
fn the_python_sdk_is_served_over_every_transport_in_both_eras() {
    check("client.py", "legacy auto 2026-07-28", STEPS);
}

#[test]
fn the_inspector_is_served_over_every_transport_in_both_eras() {
    check("inspector.mjs", "legacy modern", SINGLE_STEPS);
}

#[test]
fn a_client_of_legacy_sse_is_served_beside_those_of_streamable_http() {
    if support::slow() {
        over_http(["sdk.mjs", "sse", "legacy"], STEPS, "http", "/mcp");
        over_http(["sdk.mjs", "sse", "legacy"], STEPS, "http", "/sse");
    }
}

#[test]
fn the_second_typescript_sdk_verifies_every_file_of_every_skill_in_both_eras() {
    if !support::slow() {
        return;
    }
    for era in ["legacy", "auto", "2026-07-28"] {
        let machine = served::many_kinds();
        let part = ["skills.mjs", "stdio", era];
        let (line, exits) = served::piped(&machine);
        let output = play(&machine, part).args(line).output().unwrap();
        assert_played(part, SKILLS_STEPS, &output);
        served::assert_went_by_itself(&exits);
    }
    for (transport, path) in [("http", "/mcp"), ("sse", "/mcp")] {
        over_http(["skills.mjs", transport, "auto"], SKILLS_STEPS, transport, path);
    }
}

/// What a script says about one step.
#[derive(Deserialize)]
struct Report {
    step: String,
    ok: bool,
    detail: serde_json::Value,
}

/// Lets one client play its part over each transport in each era.
fn check(script: &str, eras: &str, steps: &str) {
    if !support::slow() {
        return;
    }
    for era in eras.split(' ') {
        over_pipes([script, "stdio", era], steps);
        over_http([script, "http", era], steps, "http", "/mcp");
        over_http([script, "sse", era], steps, "sse", "/mcp");
    }
}

/// A script, the transport it is to use, and the era it is to speak.
type Part<'a> = [&'a str; 3];

fn over_pipes(part: Part<'_>, steps: &str) {
    let machine = served::machine();
    let (line, exits) = served::piped(&machine);
    let output = play(&machine, part).args(line).output().unwrap();
    assert_played(part, steps, &output);
    served::assert_went_by_itself(&exits);
}

fn over_http(part: Part<'_>, steps: &str, transport: &str, path: &str) {
    let machine = served::machine();
    let served = Served::start(&machine, transport);
    let output = play(&machine, part).arg(served.url(path)).output().unwrap();
    assert_played(part, steps, &output);
    assert_eq!(served.stop().code(), Some(0), "{part:?}");
}

/// A script with its part, to which only the server's address is missing.
fn play(machine: &Machine, [script, transport, era]: Part<'_>) -> Command {
    let (program, script) = if script.ends_with(".py") {
        (PYTHON.clone(), Path::new(SCRIPTS).join(script))
    } else {
        (node(), INSTALLED.join(script))
    };
    let mut command = Command::new(program);
    command.arg(script).args([transport, era]).arg(machine.path("skills"));
    command.current_dir(machine.path("project")).env("HOME", machine.path("home"));
    command
}

#[track_caller]
fn assert_played(part: Part<'_>, steps: &str, output: &Output) {
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let reports: Vec<Report> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    if let Some(Report { step, detail, .. }) = reports.iter().find(|it| !it.ok) {
        panic!("{part:?}: {step}: {detail}\n{errors}");
    }
    let played: BTreeSet<_> = reports.iter().map(|it| it.step.as_str()).collect();
    assert_eq!(played, steps.split(' ').collect(), "{part:?}\n{errors}");
    assert!(output.status.success(), "{part:?}\n{errors}");
}

/// The scripts and what Node needs for them, installed once below the target folder.
pub(crate) static INSTALLED: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
    fs::create_dir_all(&folder).unwrap();
    for script in fs::read_dir(SCRIPTS).unwrap().flatten().filter(|it| it.path().is_file()) {
        fs::copy(script.path(), folder.join(script.file_name())).unwrap();
    }
    install_once(&folder, "package-lock.json", |_list| {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
        run(npm.current_dir(&folder));
    });
    folder
});

/// A Python of its own below the target folder, with what its script needs.
pub(crate) static PYTHON: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients-python");
    let python = folder.join("bin/python");
    install_once(&folder, "requirements.txt", |list| {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(list));
    });
    python
});

/// The Node that was installed with the clients, which need a newer one than many machines have.
pub(crate) fn node() -> PathBuf {
    let system = if consts::OS == "macos" { "darwin" } else { consts::OS };
    let processor = if consts::ARCH == "x86_64" { "x64" } else { "arm64" };
    let node = INSTALLED.join(format!("node_modules/node-{system}-{processor}/bin/node"));
    if node.exists() { node } else { "node".into() }
}

/// Installs what a list names into a folder, unless that very list was installed there before.
fn install_once(folder: &Path, list: &str, install: impl FnOnce(&Path)) {
    let list = Path::new(SCRIPTS).join(list);
    let (wanted, note) = (fs::read(&list).unwrap(), folder.join("installed"));
    if fs::read(&note).is_ok_and(|it| it == wanted) {
        return;
    }
    install(&list);
    fs::write(note, wanted).unwrap();
}

#[track_caller]
fn run(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}
