//! Configuration: texts in, servers and complaints out.

use std::path::Path;

use metier_upstreams::{Admission, Endpoint, Fallback, ServerSpec, ToolFilter};

use super::{
    Memory, ProjectTrust, Settings, TrustRecord,
    edit::{self, Existing},
    file,
    outline::outlines,
    servers::Meaning,
};
use crate::environment::Environment;

fn environment() -> Environment {
    Environment {
        working_dir: "/work".into(),
        home: Some("/home/ann".into()),
        variables: [("TOKEN", "canary"), ("HOST", "host.example")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
    }
}

/// Everything that a file says, a line for each server, then a line for each complaint.
fn told(text: &str) -> String {
    let said = match file::parse(text, Path::new("/work/project"), &environment()) {
        Ok(said) => said,
        Err(complaint) => return format!("broken at {:?}: {}", complaint.line, complaint.reason),
    };
    let mut lines: Vec<String> = said
        .servers
        .iter()
        .map(|entry| match &entry.meaning {
            Meaning::Server(spec) => format!("{} {}", entry.name, spec_line(spec)),
            Meaning::Off => format!("{} off", entry.name),
            Meaning::Broken => format!("{} broken", entry.name),
        })
        .collect();
    lines.extend(said.complaints.iter().map(|it| {
        let server = it.server.as_deref().map(|name| format!(" {name}:")).unwrap_or_default();
        format!("{}{server} {}", it.line.unwrap_or(0), it.reason)
    }));
    lines.join("\n")
}

fn spec_line(spec: &ServerSpec) -> String {
    let endpoint = match &spec.endpoint {
        Endpoint::Stdio(program) => {
            let env: Vec<_> = program.env.0.iter().map(|(k, v)| format!("{k}={v}")).collect();
            let cwd = program.cwd.as_ref().map(|it| format!(" in {}", it.display()));
            let words = [vec![program.command.clone()], program.args.clone(), env].concat();
            format!("stdio {}{}", words.join(" "), cwd.unwrap_or_default())
        }
        Endpoint::Http { site, fallback } => {
            let or = if *fallback == Fallback::LegacySse { " or sse" } else { "" };
            format!("http{or} {}{}", site.url, headers(&site.headers.0))
        }
        Endpoint::LegacySse(site) => format!("sse {}{}", site.url, headers(&site.headers.0)),
    };
    match spec.admission {
        Admission::Granted => endpoint,
        Admission::Disabled => format!("disabled {endpoint}"),
        Admission::Untrusted(_) => format!("untrusted {endpoint}"),
    }
}

fn headers(headers: &std::collections::BTreeMap<String, String>) -> String {
    headers.iter().map(|(name, value)| format!(" {name}: {value}")).collect()
}

/// One entry `a`, and what becomes of it.
#[track_caller]
fn check(entry: &str, expected: &str) {
    assert_eq!(told(&format!(r#"{{"mcpServers": {{"a": {entry}}}}}"#)), expected);
}

#[test]
fn a_command_means_stdio_and_an_address_http_with_a_fallback() {
    check(r#"{"command": "npx", "args": ["-y", "x"]}"#, "a stdio npx -y x");
    check(r#"{"url": "https://h/mcp"}"#, "a http or sse https://h/mcp");
}

#[test]
fn every_spelling_of_a_type_counts() {
    check(r#"{"type": "stdio", "command": "x"}"#, "a stdio x");
    for spelling in ["http", "HTTP", "streamable-http", "streamableHttp", "streamable_http"] {
        check(&format!(r#"{{"type": "{spelling}", "url": "http://h"}}"#), "a http http://h/");
    }
    check(r#"{"transport": "SSE", "url": "http://h"}"#, "a sse http://h/");
    check(r#"{"type": "sse", "command": "x", "url": "http://h"}"#, "a sse http://h/");
    check(
        r#"{"type": "ws", "url": "http://h"}"#,
        "a broken\n1 a: `type` is none of `stdio`, `http` and `sse`",
    );
}

#[test]
fn addresses_in_the_spelling_of_other_clients_count() {
    check(r#"{"serverUrl": "http://h"}"#, "a http or sse http://h/");
    check(r#"{"httpUrl": "http://h"}"#, "a http http://h/");
}

#[test]
fn what_says_too_little_or_too_much_is_a_problem() {
    check("{}", "a broken\n1 a: neither `command` nor `url`");
    check(r#"{"type": "http", "command": "x"}"#, "a broken\n1 a: `url` is missing");
    check(r#"{"type": "stdio", "url": "http://h"}"#, "a broken\n1 a: `command` is missing");
    check(
        r#"{"command": "x", "url": "http://h"}"#,
        "a broken\n1 a: both `command` and `url`; say which counts with `type`",
    );
    check("[]", "a broken\n1 a: the entry is not an object");
}

#[test]
fn metier_is_no_server_of_its_own() {
    for entry in [
        r#"{"command": "metier", "args": ["mcp"]}"#,
        r#"{"command": "/usr/bin/metier", "args": ["--no-mcp", "serve"]}"#,
    ] {
        check(entry, "a broken\n1 a: it is metier itself");
    }
    check(r#"{"command": "metier", "args": ["mcp"], "disabled": true}"#, "a off");
    check(r#"{"command": "metier-files", "args": ["mcp"]}"#, "a stdio metier-files mcp");
}

#[test]
fn numbers_and_booleans_become_text() {
    check(
        r#"{"command": "x", "args": ["-p", 80, true], "env": {"N": 1.50, "B": false, "NO": null}}"#,
        "a stdio x -p 80 true B=false N=1.50",
    );
}

#[test]
fn a_wrong_type_is_a_problem_and_an_unknown_key_is_none() {
    check(r#"{"command": "x", "icon": 1, "alwaysAllow": []}"#, "a stdio x");
    check(r#"{"command": 1}"#, "a broken\n1 a: `command` is not a string");
    check(r#"{"command": "x", "args": "y"}"#, "a broken\n1 a: `args` is not a list of strings");
    check(r#"{"command": "x", "args": [[]]}"#, "a broken\n1 a: a member of `args` is not a string");
    check(r#"{"command": "x", "env": []}"#, "a broken\n1 a: `env` is not an object");
    check(
        r#"{"command": "x", "disabled": "yes"}"#,
        "a broken\n1 a: `disabled` is neither `true` nor `false`",
    );
    check(
        r#"{"command": "x", "timeout": "30s"}"#,
        "a broken\n1 a: `timeout` is not a number of seconds",
    );
    check(
        r#"{"command": "x", "tools": {"include": "y"}}"#,
        "a broken\n1 a: `tools.include` is not a list of strings",
    );
}

#[test]
fn variables_are_replaced_everywhere() {
    check(
        r#"{"command": "${X:-run}", "args": ["${TOKEN}"], "env": {"K": "${env:TOKEN}"}, "cwd": "${X:-sub}"}"#,
        "a stdio run canary K=canary in /work/project/sub",
    );
    check(
        r#"{"url": "https://${HOST}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}"#,
        "a http or sse https://host.example/mcp Authorization: Bearer canary",
    );
}

#[test]
fn an_unset_variable_costs_one_server_alone() {
    assert_eq!(
        told(
            "{\"servers\": {\n\"a\": {\"command\": \"x\", \"env\": {\"K\": \"${NONE}\"}},\n\"b\": {\"command\": \"y\"}}}"
        ),
        "a broken\nb stdio y\n2 a: `K` of `env` needs the variable `NONE`, which is not set"
    );
}

#[test]
fn no_complaint_repeats_a_value() {
    for entry in [
        r#"{"url": "ftp://user:canary@h/?key=canary"}"#,
        r#"{"url": "canary"}"#,
        r#"{"url": "http://h", "headers": {"bad name": "canary"}}"#,
        r#"{"url": "http://h", "headers": {"X": "canary\n"}}"#,
        r#"{"command": "x", "args": [{"canary": "canary"}]}"#,
        r#"{"command": "x", "timeout": "${TOKEN}"}"#,
        r#"{"type": "${TOKEN}", "url": "http://h"}"#,
    ] {
        let told = told(&format!(r#"{{"mcpServers": {{"a": {entry}}}}}"#));
        assert!(told.starts_with("a broken\n") && !told.contains("canary"), "{told}");
    }
}

#[test]
fn a_folder_is_relative_to_the_file_and_may_begin_at_home() {
    check(r#"{"command": "x", "cwd": "."}"#, "a stdio x in /work/project");
    check(r#"{"command": "~/bin/x", "cwd": "~/y"}"#, "a stdio /home/ann/bin/x in /home/ann/y");
    check(r#"{"command": "x", "cwd": " "}"#, "a broken\n1 a: `cwd` is an empty string");
}

#[test]
fn a_server_that_is_switched_off_needs_no_variables() {
    check(r#"{"command": "x", "disabled": true}"#, "a disabled stdio x");
    check(r#"{"command": "${NONE}", "enabled": false}"#, "a disabled stdio ${NONE}");
    check(
        r#"{"url": "${NONE}", "disabled": true}"#,
        "a disabled http or sse http://variable.invalid/",
    );
    check(r#"{"disabled": true}"#, "a off");
    check(r#"{"command": "x", "disabled": false, "enabled": true}"#, "a stdio x");
}

#[test]
fn deadlines_are_seconds_unless_they_would_be_hours() {
    for (written, expected) in
        [("60", 60_000), ("0.5", 500), ("3600", 3_600_000), ("60000", 60_000)]
    {
        let text = format!(
            r#"{{"servers": {{"a": {{"command": "x", "timeout": {written}, "connectTimeout": {written}}}}}}}"#
        );
        let said = file::parse(&text, Path::new("/"), &environment()).unwrap();
        let Meaning::Server(spec) = &said.servers[0].meaning else { panic!("{said:?}") };
        let both = [spec.call_timeout, spec.connect_timeout].map(|it| it.as_millis());
        assert_eq!(both, [expected; 2], "{written}");
    }
    for wrong in ["0", "-1", "NaN"] {
        check(
            &format!(r#"{{"command": "x", "timeout": {wrong}}}"#),
            "a broken\n1 a: `timeout` is not a number of seconds",
        );
    }
}

#[test]
fn filters_count_in_the_spelling_of_other_clients() {
    let filter = |tools: &str| {
        let text = format!(r#"{{"servers": {{"a": {{"command": "x", {tools}}}}}}}"#);
        let said = file::parse(&text, Path::new("/"), &environment()).unwrap();
        let Meaning::Server(spec) = &said.servers[0].meaning else { panic!("{said:?}") };
        format!("{:?}", spec.tools)
    };
    let ours = filter(r#""tools": {"include": ["find_*"], "exclude": ["x"]}"#);
    assert_eq!(filter(r#""enabled_tools": ["find_*"], "disabled_tools": ["x"]"#), ours);
    assert_eq!(filter(r#""includeTools": ["find_*"], "excludeTools": ["x"]"#), ours);
    assert_eq!(filter(r#""tools": ["find_*"], "disabledTools": ["x"]"#), ours);
}

#[test]
fn comments_a_mark_and_both_keys_are_fine() {
    assert_eq!(
        told(
            "\u{feff}{ // mine\n\"mcpServers\": {\"a\": {\"command\": \"x\",},}, /* and */ \"servers\": {\"b\": {\"command\": \"y\"}}}"
        ),
        "a stdio x\nb stdio y"
    );
}

#[test]
fn a_name_that_cannot_be_comes_with_a_better_one() {
    assert_eq!(
        told("{\"servers\": {\n\"my server!\": {\"command\": \"x\"}}}"),
        "2 `my server!` is not a server name: use letters, digits, `-`, `_` and `.`, 64 at most; rename it to `my-server`"
    );
}

#[test]
fn what_is_no_json_is_told_with_its_line() {
    assert_eq!(told("{\n\"servers\": {"), "broken at Some(2): Unterminated object");
    assert_eq!(told("[]"), "1 the file does not hold an object");
    assert_eq!(told(r#"{"servers": []}"#), "1 `servers` is not an object");
}

#[test]
fn an_outline_shows_what_is_written_and_no_secret() {
    let text = r#"{"servers": {
        "a": {"command": "run", "args": ["${TOKEN}", 1], "env": {"K": "canary"}, "cwd": "."},
        "b": {"serverUrl": "https://${HOST}", "headers": {"Authorization": "canary"}}}}"#;
    let shown = outlines(text);
    assert_eq!(shown[0].command, ["run", "${TOKEN}", "1"]);
    assert_eq!(shown[1].url.as_deref(), Some("https://${HOST}"));
    assert_eq!([&shown[0].gets, &shown[1].gets], [&["K"], &["Authorization"]]);
    assert!(!format!("{shown:?}").contains("canary"));
}

fn entry(command: &str) -> serde_json::Value {
    serde_json::json!({ "command": command })
}

#[test]
fn an_edit_keeps_comments_and_layout() {
    let text = "\u{feff}{\n  // mine\n  \"servers\": {\n    \"a\": { \"command\": \"x\" } // first\n  }\n}\n";
    let with_b = edit::added(text, "b", &entry("y"), Existing::Keep).unwrap();
    assert_eq!(
        with_b,
        "\u{feff}{\n  // mine\n  \"servers\": {\n    \"a\": { \"command\": \"x\" }, // first\n    \"b\": {\n      \"command\": \"y\"\n    }\n  }\n}\n"
    );
    assert_eq!(edit::names(&with_b).unwrap(), ["a", "b"]);
    let without_a = edit::removed(&with_b, "a").unwrap();
    assert_eq!(edit::names(&without_a).unwrap(), ["b"]);
    assert!(without_a.contains("// mine"));
}

#[test]
fn an_edit_of_nothing_makes_a_file() {
    let text = edit::added("", "a", &entry("x"), Existing::Keep).unwrap();
    assert_eq!(told(&text), "a stdio x");
}

#[test]
fn an_entry_is_replaced_only_if_asked() {
    let text = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
    let kept = edit::added(text, "a", &entry("y"), Existing::Keep);
    assert_eq!(kept, Err(edit::EditError::Exists("a".to_owned())));
    let replaced = edit::added(text, "a", &entry("y"), Existing::Replace).unwrap();
    assert_eq!(told(&replaced), "a stdio y");
}

#[test]
fn what_cannot_be_edited_is_left_alone() {
    for text in ["{", "[]", r#"{"servers": 1}"#] {
        assert!(edit::added(text, "a", &entry("y"), Existing::Replace).is_err(), "{text}");
        assert!(edit::removed(text, "a").is_err(), "{text}");
    }
}

/// A machine with a home and a project, read again after each change of one file.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new() -> Disk {
        let disk = Disk(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(disk.path("home/.config/metier")).unwrap();
        std::fs::create_dir_all(disk.path("project/.git")).unwrap();
        disk
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.path(path), text).unwrap();
    }

    fn environment(&self) -> Environment {
        Environment {
            working_dir: self.path("project"),
            home: Some(self.path("home")),
            ..Environment::default()
        }
    }

    /// The servers and how many problems there are.
    fn read(&self, trust: ProjectTrust, memory: &mut Memory) -> String {
        let settings =
            Settings::read_again(&self.environment(), &[], trust, memory).unwrap_or_default();
        let servers = settings.servers.iter();
        let servers = servers.map(|it| format!("{} {}", it.spec.name, spec_line(&it.spec)));
        let told: Vec<String> = servers.collect();
        let told = told.join(", ").replace(self.path("").to_str().unwrap(), "");
        format!("{told} | {}", settings.problems.len())
    }
}

const OWN: &str = "home/.config/metier/config.json";
const PROJECT: &str = "project/.metier.json";

#[test]
fn a_later_file_replaces_an_entry_whole_or_switches_it_off() {
    let disk = Disk::new();
    disk.write("home/.kode.json", r#"{"mcpServers": {"a": {"command": "1", "args": ["x"]}, "b": {"command": "1"}, "c": {"command": "1"}}}"#);
    disk.write(OWN, r#"{"mcpServers": {"a": {"command": "2"}, "b": {"disabled": true}, "d": {"disabled": true}}}"#);
    disk.write("project/.kode.json", r#"{"mcpServers": {"c": {"command": "3"}}}"#);
    disk.write(PROJECT, r#"{"mcpServers": {"c": {"command": "4"}, "e": 1}}"#);
    let read = disk.read(ProjectTrust::Given, &mut Memory::default());
    assert_eq!(read, "a stdio 2, b disabled stdio 1, c stdio 4 in project | 1");
}

#[test]
fn a_project_is_trusted_by_path_and_content() {
    let disk = Disk::new();
    disk.write(PROJECT, r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    let read = |disk: &Disk| disk.read(ProjectTrust::Recorded, &mut Memory::default());
    assert_eq!(read(&disk), "a untrusted stdio x in project | 0");
    let mut record = TrustRecord::default();
    let text = std::fs::read_to_string(disk.path(PROJECT)).unwrap();
    record.add(&disk.path(PROJECT), &text);
    record.write(&disk.environment()).unwrap();
    assert_eq!(read(&disk), "a stdio x in project | 0");
    disk.write(PROJECT, &format!("{text} "));
    assert_eq!(read(&disk), "a untrusted stdio x in project | 0");
    disk.write("home/.local/state/metier/trust.json", "{");
    disk.write(PROJECT, &text);
    assert_eq!(read(&disk), "a untrusted stdio x in project | 1");
}

#[test]
#[cfg(unix)]
fn a_link_to_a_trusted_file_is_not_trusted_elsewhere() {
    let disk = Disk::new();
    let text = r#"{"mcpServers": {"a": {"command": "./run"}}}"#;
    disk.write(PROJECT, text);
    let mut record = TrustRecord::default();
    record.add(&disk.path(PROJECT), text);
    std::fs::create_dir_all(disk.path("evil")).unwrap();
    std::os::unix::fs::symlink(disk.path(PROJECT), disk.path("evil/.metier.json")).unwrap();
    std::os::unix::fs::symlink(disk.path("project"), disk.path("way")).unwrap();
    let holds = |path: &str| record.holds(&disk.path(path), text);
    assert_eq!([PROJECT, "way/.metier.json", "evil/.metier.json"].map(holds), [true, true, false]);
}

#[test]
fn an_untrusted_server_is_known_without_its_variables() {
    let disk = Disk::new();
    disk.write(PROJECT, r#"{"mcpServers": {"a": {"command": "${NONE}"}, "b": {"command": 1}}}"#);
    let read = |trust| disk.read(trust, &mut Memory::default());
    assert_eq!(read(ProjectTrust::Recorded), "a untrusted stdio ${NONE} in project | 1");
    assert_eq!(read(ProjectTrust::Given), " | 2");
}

#[test]
fn an_untrusted_file_changes_no_server_that_may_start() {
    let disk = Disk::new();
    disk.write(OWN, r#"{"mcpServers": {"a": {"command": "1"}, "b": {"command": "1"}, "c": {"command": "1"}, "d": {"disabled": true, "command": "1"}}}"#);
    disk.write(PROJECT, r#"{"mcpServers": {"a": {"command": "2"}, "b": {"disabled": true}, "c": 2, "d": {"command": "2"}, "e": {"command": "2"}}}"#);
    let read = |trust| disk.read(trust, &mut Memory::default());
    assert_eq!(
        read(ProjectTrust::Recorded),
        "a stdio 1, b stdio 1, c stdio 1, d untrusted stdio 2 in project, e untrusted stdio 2 in project | 3"
    );
    assert_eq!(
        read(ProjectTrust::Given),
        "a stdio 2 in project, b disabled stdio 1, d stdio 2 in project, e stdio 2 in project | 1"
    );
    let settings = Settings::read(&disk.environment(), &[], ProjectTrust::Recorded);
    let problems: Vec<String> =
        settings.unwrap_or_default().problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "line 1: server `c`: the entry is not an object",
            "server `a`: counts once the file is trusted: run `metier trust`",
            "server `b`: counts once the file is trusted: run `metier trust`",
        ]
    );
}

#[test]
fn an_untrusted_file_cannot_bring_back_hidden_tools() {
    let disk = Disk::new();
    disk.write(OWN, r#"{"tools": {"exclude": ["*_admin"]}}"#);
    disk.write(PROJECT, r#"{"tools": {"exclude": []}}"#);
    let read = |trust| Settings::read(&disk.environment(), &[], trust).unwrap_or_default();
    let hidden = ToolFilter::new(&[], &["*_admin"]).unwrap();
    assert_eq!(read(ProjectTrust::Recorded).tools, hidden);
    assert_eq!(read(ProjectTrust::Given).tools, ToolFilter::default());
}

#[test]
fn a_broken_file_keeps_its_last_good_state() {
    let (disk, mut memory) = (Disk::new(), Memory::default());
    let mut read = |disk: &Disk| disk.read(ProjectTrust::Recorded, &mut memory);
    disk.write(OWN, r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    assert_eq!(read(&disk), "a stdio x | 0");
    disk.write(OWN, r#"{"mcpServers": {"#);
    assert_eq!(read(&disk), "a stdio x | 1");
    assert_eq!(read(&disk), "a stdio x | 1");
    disk.write(OWN, r#"{"mcpServers": {"b": {"command": "y"}}}"#);
    assert_eq!(read(&disk), "b stdio y | 0");
}

#[test]
fn a_file_that_is_missed_twice_is_gone() {
    let (disk, mut memory) = (Disk::new(), Memory::default());
    let mut read = |disk: &Disk| disk.read(ProjectTrust::Recorded, &mut memory);
    let text = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
    disk.write(OWN, text);
    assert_eq!(read(&disk), "a stdio x | 0");
    disk.write(OWN, "");
    assert_eq!(read(&disk), "a stdio x | 0");
    disk.write(OWN, text);
    assert_eq!(read(&disk), "a stdio x | 0");
    std::fs::remove_file(disk.path(OWN)).unwrap();
    assert_eq!(read(&disk), "a stdio x | 0");
    assert_eq!(read(&disk), " | 0");
}
