//! `metier mcp` with servers behind it: chains, circles, edits, and how all of them end.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::{
    peer::{Peer, Way, agent, logged},
    support::Machine,
};

/// A server with one tool, `play`, that notes the id of its process.
const KID: &str = r#"
echo $$ >> pids
while read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}; id=${id%%\}*}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"play","inputSchema":{"type":"object"}}]}';;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"played"}]}';;
    *'"ping"'*) result='{}';;
    *'"server/discover"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}"; continue;;
    *) continue;;
  esac
  echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
"#;

/// A machine with a skill; no server is configured yet.
fn machine() -> Machine {
    let skill = "//- project/skills/pdf/SKILL.md\nname: pdf | description: Reads PDFs\n";
    let machine = Machine::new(&format!("{skill}//- project/kid.sh\n{KID}"));
    fs::create_dir_all(machine.path("home/.config/metier")).unwrap();
    configure(&machine, &json!({}));
    machine
}

/// Writes the configuration, as a person does while everything runs.
fn configure(machine: &Machine, servers: &Value) {
    let config = json!({ "mcpServers": servers }).to_string();
    fs::write(machine.path("home/.config/metier/config.json"), config).unwrap();
}

fn kid(machine: &Machine) -> Value {
    json!({ "command": "/bin/sh", "args": ["kid.sh"], "cwd": machine.path("project") })
}

fn remote(peer: &Peer) -> Value {
    json!({ "type": "http", "url": peer.url })
}

/// What is listed, without our own tools.
fn tools(peer: &mut Peer) -> Vec<String> {
    let listed = answer(peer, r#"{"jsonrpc":"2.0","id":"list","method":"tools/list"}"#);
    let tools = listed["result"]["tools"].as_array().unwrap().iter();
    let names = tools.map(|it| it["name"].as_str().unwrap().to_owned());
    names.filter(|it| !it.starts_with("skill")).collect()
}

fn call(peer: &mut Peer, name: &str, arguments: &Value) -> String {
    let params = json!({ "name": name, "arguments": arguments });
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let answer = answer(peer, &request.to_string());
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The answer to a request, whatever is announced before it.
fn answer(peer: &mut Peer, request: &str) -> Value {
    peer.send(request);
    loop {
        let message = peer.next();
        if message["id"] != Value::Null {
            return message;
        }
    }
}

/// Waits until the list of tools has changed.
fn hears_of_change(peer: &Peer) {
    while peer.next()["method"] != "notifications/tools/list_changed" {}
}

/// The processes of servers that still run.
fn n_alive(machine: &Machine) -> usize {
    let pids = fs::read_to_string(machine.path("project/pids")).unwrap();
    let is_alive = |pid: &&str| Command::new("kill").args(["-0", pid]).output().unwrap();
    pids.lines().filter(|pid| is_alive(pid).status.success()).count()
}

#[test]
fn a_gateway_behind_a_gateway_shows_its_skills_and_its_servers() {
    let (outer, inner) = (machine(), machine());
    configure(&inner, &json!({ "kid": kid(&inner) }));
    let behind = Peer::start(&inner, Way::Http, "");
    configure(&outer, &json!({ "inner": remote(&behind) }));
    fs::remove_dir_all(outer.path("project/skills")).unwrap();
    let mut peer = Peer::start(&outer, Way::Stdio, "");
    peer.initialize("2025-11-25");
    let expected = ["kid__play", "skill", "skills_list", "skills_read", "skills_search"]
        .map(|it| format!("inner__{it}"));
    assert_eq!(tools(&mut peer), expected);
    assert_eq!(call(&mut peer, "inner__kid__play", &json!({})), "played");
    let skill = call(&mut peer, "inner__skill", &json!({ "name": "pdf" }));
    assert!(skill.starts_with("Loading: pdf\n"), "{skill}");
}

#[test]
fn a_gateway_behind_itself_is_not_used_and_that_is_told_once() {
    let machine = machine();
    let mut peer = Peer::start(&machine, Way::Http, "");
    peer.initialize("2025-11-25");
    configure(&machine, &json!({ "kid": kid(&machine), "myself": remote(&peer) }));
    let told = logged(&peer.log, "leads back to this metier");
    assert!(told.contains("server=myself phase=\"failed\""), "{told}");
    assert_eq!(settled(&mut peer), ["kid__play"]);
    let asked = requests(&peer);
    for _ in 0..20 {
        call(&mut peer, "kid__play", &json!({}));
    }
    assert_eq!(requests(&peer), asked + 20, "nobody else asks");
}

#[test]
fn gateways_that_name_each_other_come_to_rest() {
    let machines = [machine(), machine()];
    let mut peers = machines.each_ref().map(|it| Peer::start(it, Way::Http, ""));
    for (peer, revision) in peers.iter_mut().zip(["2025-11-25", "2025-06-18"]) {
        peer.initialize(revision);
    }
    // The first one that looks finds nothing of its own behind the other.
    configure(&machines[0], &json!({ "kid": kid(&machines[0]), "other": remote(&peers[1]) }));
    logged(&peers[0].log, "server=other phase=\"ready\"");
    configure(&machines[1], &json!({ "kid": kid(&machines[1]), "other": remote(&peers[0]) }));
    let told = logged(&peers[1].log, "leads back to this metier");
    assert!(told.contains("server=other phase=\"failed\""), "{told}");
    assert_eq!(settled(&mut peers[1]), ["kid__play"]);
    let seen = ["kid__play", "other__kid__play", "other__skill"];
    let seen = |tools: &[String]| seen.iter().all(|it| tools.iter().any(|tool| tool == it));
    while !seen(&tools(&mut peers[0])) {
        hears_of_change(&peers[0]);
    }
    for name in ["kid__play", "other__kid__play"] {
        assert_eq!(call(&mut peers[0], name, &json!({})), "played");
    }
}

/// The tools as soon as the kid's is among them.
fn settled(peer: &mut Peer) -> Vec<String> {
    loop {
        let tools = tools(peer);
        if !tools.is_empty() {
            return tools;
        }
        hears_of_change(peer);
    }
}

/// How many requests a server has answered.
fn requests(peer: &Peer) -> u64 {
    let url = peer.url.replace("/mcp", "/metrics");
    let metrics = agent().get(&url).call().unwrap().body_mut().read_to_string().unwrap();
    let counts = metrics.lines().filter(|it| it.starts_with("metier_requests_total"));
    counts.map(|it| it.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

#[test]
fn servers_that_an_edit_adds_or_removes_come_and_go_while_clients_are_connected() {
    for way in [Way::Stdio, Way::Http, Way::Sse] {
        let machine = machine();
        let mut peer = Peer::start(&machine, way, "");
        peer.initialize("2025-11-25");
        assert_eq!(tools(&mut peer), [""; 0], "{way:?}");
        configure(&machine, &json!({ "kid": kid(&machine) }));
        hears_of_change(&peer);
        assert_eq!(tools(&mut peer), ["kid__play"], "{way:?}");
        assert_eq!(call(&mut peer, "kid__play", &json!({})), "played", "{way:?}");
        configure(&machine, &json!({ "kid": kid(&machine), "nanny": kid(&machine) }));
        hears_of_change(&peer);
        assert_eq!(tools(&mut peer), ["kid__play", "nanny__play"], "{way:?}");
        configure(&machine, &json!({ "nanny": kid(&machine) }));
        hears_of_change(&peer);
        assert_eq!(tools(&mut peer), ["nanny__play"], "{way:?}");
        // A file that is being written is no reason to give up what there is.
        fs::write(machine.path("home/.config/metier/config.json"), "{").unwrap();
        logged(&peer.log, "config.json");
        assert_eq!(call(&mut peer, "nanny__play", &json!({})), "played", "{way:?}");
    }
}

/// Ends a server; its exit code.
type End = fn(Peer) -> i32;

#[test]
fn no_server_outlives_the_gateway_however_it_ends() {
    let ends: [(Way, End); 4] = [
        (Way::Stdio, |peer| peer.signal("-TERM")),
        (Way::Stdio, |mut peer| {
            peer.hang_up();
            peer.exit_code()
        }),
        (Way::Http, |peer| peer.signal("-TERM")),
        (Way::Http, |peer| peer.signal("-INT")),
    ];
    for (way, end) in ends {
        let machine = machine();
        let kid = kid(&machine);
        configure(&machine, &json!({ "one": kid, "two": kid, "three": kid }));
        let mut peer = Peer::start(&machine, way, "");
        peer.initialize("2025-11-25");
        assert_eq!(tools(&mut peer), ["one__play", "three__play", "two__play"], "{way:?}");
        assert_eq!(n_alive(&machine), 3, "{way:?}");
        assert_eq!(end(peer), 0, "{way:?}");
        assert_eq!(n_alive(&machine), 0, "{way:?}");
    }
}
