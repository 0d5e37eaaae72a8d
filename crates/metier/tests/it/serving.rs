//! `metier mcp` as a host runs it: how it starts, stays fresh, and ends.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::Stdio,
    sync::Arc,
    thread,
};

use serde_json::{Value, json};

use crate::{
    peer::{DEADLINE, Peer, Way, agent, lines, logged, mirrored},
    support::{Machine, tree},
};

const ALL: [Way; 3] = [Way::Stdio, Way::Http, Way::Sse];
const PDF: &str = "
//- project/.agents/skills/pdf/SKILL.md
name: pdf | description: Reads PDFs
";

fn load(id: u64, name: &str) -> String {
    let params = json!({ "name": "skill", "arguments": { "name": name } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

fn modern(id: u64, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

fn list(peer: &mut Peer) -> String {
    let answer = peer.ask(r#"{"jsonrpc":"2.0","id":"list","method":"tools/list"}"#);
    answer["result"]["tools"][0]["description"].as_str().unwrap().to_owned()
}

/// A skill has come or gone: every list of which it is a part has changed.
#[track_caller]
fn assert_announced(peer: &Peer) {
    for list in ["tools", "resources", "prompts"] {
        assert_eq!(peer.next()["method"], format!("notifications/{list}/list_changed"));
    }
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn a_new_skill_is_announced_listed_and_loadable_on_every_transport() {
    for way in ALL {
        let machine = Machine::new(PDF);
        let mut peer = Peer::start(&machine, way, "");
        peer.initialize("2025-06-18");
        assert!(!list(&mut peer).contains("<name>git</name>"), "{way:?}");
        tree::write(
            &machine.path("project"),
            ".claude/skills/git/SKILL.md",
            "name: git | description: Git",
        );
        assert_announced(&peer);
        assert!(list(&mut peer).contains("<name>git</name>"), "{way:?}");
        assert!(text(&peer.ask(&load(1, "git"))).starts_with("Loading: git\n"), "{way:?}");
        fs::remove_dir_all(machine.path("project/.claude")).unwrap();
        assert_announced(&peer);
        assert!(text(&peer.ask(&load(2, "git"))).starts_with("Skill 'git' not found."), "{way:?}");
    }
}

#[test]
fn a_new_skill_is_announced_to_subscribers_of_2026_07_28_on_every_transport() {
    for way in ALL {
        let machine = Machine::new(PDF);
        let mut peer = Peer::start(&machine, way, "");
        let listen = json!({ "notifications": { "toolsListChanged": true } });
        let acknowledged = peer.ask(&modern(7, "subscriptions/listen", listen));
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{way:?}");
        // The list that the client has seen is the one that changes.
        peer.ask(&modern(8, "tools/list", json!({})));
        tree::write(
            &machine.path("project"),
            "skills/git/SKILL.md",
            "name: git | description: Git",
        );
        let notice = peer.next();
        assert_eq!(notice["method"], "notifications/tools/list_changed", "{way:?}");
        assert_eq!(notice["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7);
    }
}

#[test]
fn without_refresh_lists_and_searches_still_see_the_disk_as_it_is() {
    let machine = Machine::new(PDF);
    let mut peer = Peer::start(&machine, Way::Stdio, "--no-refresh");
    peer.initialize("2025-06-18");
    list(&mut peer);
    tree::write(&machine.path("project"), "skills/git/SKILL.md", "name: git | description: Git");
    let params = json!({ "name": "skills_search", "arguments": { "query": "git" } });
    peer.send(
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string(),
    );
    // The look at the disk found something: the client is told that, too.
    let came = [peer.next(), peer.next(), peer.next(), peer.next()];
    let answer = came.iter().find(|it| it["id"] == 1).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["total"], 1);
    assert!(came.iter().any(|it| it["method"] == "notifications/tools/list_changed"));
}

#[test]
fn the_interval_is_another_way_to_see_changes() {
    let machine = Machine::new(PDF);
    let peer = Peer::start(&machine, Way::Stdio, "--refresh-interval 500 --log-level debug");
    for _ in 0..2 {
        logged(&peer.log, "nothing has changed");
    }
}

#[test]
fn signals_end_the_server_with_success_on_every_transport() {
    for way in ALL {
        for signal in ["-TERM", "-INT"] {
            let machine = Machine::new(PDF);
            let mut peer = Peer::start(&machine, way, "");
            peer.initialize("2025-06-18");
            list(&mut peer);
            assert_eq!(peer.signal(signal), 0, "{way:?} {signal}");
        }
    }
}

#[test]
fn a_signal_ends_a_server_that_has_open_subscriptions() {
    for way in ALL {
        let machine = Machine::new(PDF);
        let mut peer = Peer::start(&machine, way, "");
        let listen = json!({ "notifications": { "toolsListChanged": true } });
        peer.ask(&modern(7, "subscriptions/listen", listen));
        assert_eq!(peer.signal("-TERM"), 0, "{way:?}");
    }
}

#[test]
fn a_client_that_does_not_read_cannot_keep_the_server() {
    let machine = Machine::new(PDF);
    let mut server = machine.command("mcp");
    server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let unread = server.stdout.take().unwrap();
    let log = lines(server.stderr.take().unwrap());
    logged(&log, "scanned");
    let begin = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
    writeln!(input, "{begin}").unwrap();
    // The pipes fill up: the server stops reading, and this thread stops writing.
    thread::spawn(move || {
        for id in 0.. {
            if writeln!(input, "{}", load(id, "pdf")).is_err() {
                return;
            }
        }
    });
    logged(&log, "begins");
    std::process::Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap();
    let (sender, ended) = std::sync::mpsc::channel();
    thread::spawn(move || sender.send(server.wait().unwrap().code()));
    assert_eq!(ended.recv_timeout(DEADLINE).unwrap(), Some(0));
    drop(unread);
}

#[test]
fn the_end_of_input_ends_the_server_with_success() {
    let machine = Machine::new(PDF);
    let mut peer = Peer::start(&machine, Way::Stdio, "");
    peer.initialize("2025-06-18");
    peer.hang_up();
    assert_eq!(peer.exit_code(), 0);
}

#[test]
fn a_file_as_input_is_served_to_its_last_line_without_an_end() {
    let machine = Machine::new(PDF);
    fs::write(machine.path("in.jsonl"), r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).unwrap();
    let input = fs::File::open(machine.path("in.jsonl")).unwrap();
    let output = machine.command("mcp").stdin(input).output().unwrap();
    assert_eq!(output.stdout, b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n");
    assert!(output.status.success());
}

#[test]
fn sockets_serve_as_well_as_pipes() {
    let machine = Machine::new(PDF);
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let input: OwnedFd = theirs.try_clone().unwrap().into();
    let output: OwnedFd = theirs.into();
    let mut command = machine.command("mcp");
    let mut server = command.stdin(input).stdout(output).stderr(Stdio::null()).spawn().unwrap();
    drop(command);
    ours.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    let mut line = String::new();
    BufReader::new(&ours).read_line(&mut line).unwrap();
    assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    drop(ours);
    assert!(server.wait().unwrap().success());
}

#[test]
fn loads_are_right_while_files_churn() {
    let machine = Arc::new(Machine::new(PDF));
    let mut peer = Peer::start(&machine, Way::Stdio, "--refresh-interval 500");
    peer.initialize("2025-06-18");
    list(&mut peer);
    let churned = Arc::clone(&machine);
    let churn = thread::spawn(move || {
        for n in 0..200 {
            let path = format!(".agents/skills/churn{}/SKILL.md", n % 20);
            let text = format!("name: churn{} | description: round {n}", n % 20);
            tree::write(&churned.path("project"), &path, &text);
        }
    });
    for id in 0..1_000 {
        peer.send(&load(id, "pdf"));
    }
    let mut answered = vec![0; 1_000];
    while answered.contains(&0) {
        let came = peer.next();
        if let Some(id) = came["id"].as_u64() {
            assert!(text(&came).ends_with("description: Reads PDFs\n---\n\nBody.\n"), "{came}");
            answered[usize::try_from(id).unwrap()] += 1;
        }
    }
    churn.join().unwrap();
    assert_eq!(answered, vec![1; 1_000]);
}

#[test]
fn flags_choose_what_clients_see() {
    let machine = Machine::new(PDF);
    let flags = "--server-name tools --tools skill --catalog-format list --no-refresh";
    let mut peer = Peer::start(&machine, Way::Stdio, flags);
    assert_eq!(peer.initialize("2025-06-18")["result"]["serverInfo"]["name"], "tools");
    let answer = peer.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 1);
    assert!(
        answer["result"]["tools"][0]["description"]
            .as_str()
            .unwrap()
            .contains("\n- pdf: Reads PDFs")
    );
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"skills_list"}}"#;
    assert_eq!(peer.ask(call)["error"]["code"], -32602);
    let mut peer = Peer::start(&machine, Way::Stdio, "--tool-names canonical --exclude pdf");
    peer.initialize("2025-06-18");
    let answer = peer.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(answer["result"]["tools"][1]["name"], "skills.list");
    assert!(text(&peer.ask(&load(2, "pdf"))).starts_with("Skill 'pdf' not found."));
}

#[test]
fn a_server_for_other_machines_needs_a_token() {
    let machine = Machine::new(PDF);
    let output = machine.output("mcp --transport http --host 0.0.0.0 --port 0");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--token-file"));
    fs::write(machine.path("token"), "secret\n").unwrap();
    let flags = "--host 0.0.0.0 --token-file $ROOT/token";
    let peer = Peer::start(&machine, Way::Http, flags);
    let url = peer.url.replace("0.0.0.0", "127.0.0.1");
    let message = modern(1, "tools/list", json!({}));
    let status = |token: &str| {
        let mut post = agent().post(&url).header("content-type", "application/json");
        for (name, value) in mirrored(&serde_json::from_str(&message).unwrap()) {
            post = post.header(name, value);
        }
        post.header("authorization", token).send(message.as_str()).unwrap().status().as_u16()
    };
    assert_eq!((status("Bearer secret"), status("Bearer other")), (200, 401));
}

#[test]
fn mistakes_on_the_command_line_are_told_with_the_next_step() {
    let machine = Machine::new("//- empty\n");
    let check = |line: &str, code: i32, part: &str| {
        let output = machine.output(line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{line}\n{said}");
        assert!(said.contains(part), "{line}\n{said}");
    };
    check("mcp --tools nothing", 2, "skills_search");
    check("mcp --refresh-interval 1", 2, "refresh-interval");
    check("mcp --no-refresh --refresh-interval 500", 2, "cannot be used with");
    check("mcp --transport http --token-file $ROOT/nowhere", 1, "--token-file");
    check("mcp --transport http --token-file $ROOT/empty", 2, "is empty");
    check("mcp --transport http --host nowhere.invalid --port 0", 1, "check --host");
    check("mcp --include=", 2, "leave the flag out");
}

#[test]
fn a_port_in_use_is_told_with_the_next_step() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let output = Machine::new("").output(&format!("mcp --transport http --port {port}"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("choose another --port"));
}

#[test]
fn logs_are_lines_of_text_or_json_on_stderr() {
    let machine = Machine::new("//- project/skills/bad/SKILL.md\nno frontmatter\n");
    let peer = Peer::start(&machine, Way::Stdio, "--log-format json");
    let scanned: Value = serde_json::from_str(&logged(&peer.log, "scanned")).unwrap();
    assert_eq!((&scanned["level"], &scanned["problems"]), (&json!("INFO"), &json!(1)));
    let peer = Peer::start(&machine, Way::Stdio, "");
    assert!(logged(&peer.log, "WARN").contains("bad/SKILL.md"));
}
