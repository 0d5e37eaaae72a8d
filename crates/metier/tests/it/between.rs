//! Real clients and real servers, with the built gateway between them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::Receiver,
};

use metier_upstreams::Program;
use serde_json::{Value, json};

use super::{
    clients::{self, INSTALLED, PYTHON, SCRIPTS},
    peer::lines,
    programs::{Noted, PATIENCE},
    served::{self, Served},
    support::{self, Machine},
};

/// A server whose tools change each time it starts: `lives` and one named after how often it did.
const MORTAL: &str = r#"
life=$(wc -l < "$1")
while read -r line; do
  id=${line#*\"id\":} id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"lives","inputSchema":{"type":"object"}},{"name":"life'$((life))'","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"life '$((life))'"}]}' ;;
    *'"ping"'*) result='{}' ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id"; continue ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// Lists, calls, prompts, resources, progress, sampling, elicitation, roots, subscriptions,
/// completion, logging, cancellation: the script does them all, and tells what came of each.
#[test]
fn what_the_everything_server_does_directly_it_does_through_the_gateway() {
    if !support::slow() {
        return;
    }
    let machine = Machine::new("");
    let everything = [clients::node(), package("server-everything"), "stdio".into()];
    configure(&machine, &json!({ "everything": stdio(&everything) }));
    let metier = [env!("CARGO_BIN_EXE_metier").into(), "mcp".into(), "--config".into()];
    let gateway = [&metier[..], &[machine.path("servers.json")]].concat();
    let (direct, through) = (story(&machine, &everything), story(&machine, &gateway));
    assert!(direct.len() > 20, "{direct:#?}");
    for (direct, through) in direct.iter().zip(&through) {
        assert_eq!(through, direct);
        assert_eq!(direct["outcome"].get("failed"), None, "{direct}");
    }
    assert_eq!(through.len(), direct.len());
}

/// What the TypeScript SDK tells of a server behind pipes.
fn story(machine: &Machine, line: &[PathBuf]) -> Vec<Value> {
    let mut script = Command::new(clients::node());
    script.arg(INSTALLED.join("everything.mjs")).args(line).env("HOME", machine.path("home"));
    let told = script.output().unwrap();
    let errors = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.status.success(), "{errors}");
    let told = String::from_utf8(told.stdout).unwrap();
    told.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_server_that_is_killed_costs_busy_clients_only_calls_of_its_own() {
    if !support::slow() {
        return;
    }
    let machine = served::machine();
    let mortal = five_servers(&machine);
    let served = Served::start(&machine, "http --expose all --config $ROOT/servers.json");
    let url = served.url("/mcp");
    let python = Path::new(SCRIPTS).join("busy.py");
    let mut clients = [
        Busy::start(&clients::node(), &INSTALLED.join("busy.mjs"), "auto", &url),
        Busy::start(&PYTHON, &python, "legacy", &url),
    ];
    for client in &mut clients {
        for tool in calls().as_object().unwrap().keys() {
            client.until(0, |it| it["tool"] == **tool && it["error"].is_null());
        }
    }
    let before = clients.each_ref().map(|it| it.seen.len());
    mortal.kill_group();
    for (client, before) in clients.iter_mut().zip(before) {
        let is_mortal = |it: &Value| it["tool"] == "mortal__lives";
        let lost = client.until(before, |it| is_mortal(it) && it["error"].is_string());
        client.until(lost, |it| is_mortal(it) && it["error"].is_null());
        client.until(before, |it| has(&it["changed"], "mortal__life2"));
    }
    let [typescript, python] = clients.map(Busy::end);
    assert_eq!(typescript["tools"], python["tools"]);
    assert!(!has(&python["tools"], "mortal__life1"), "{python}");
    for (tool, count) in [&typescript, &python].iter().flat_map(|it| counts(it)) {
        assert!(count["good"].as_u64() > Some(1), "{tool}: {count}");
        let errors = count["errors"].as_array().unwrap();
        let names_it = |it: &Value| it.as_str().unwrap().contains("`mortal`");
        assert!(errors.iter().all(|it| tool == "mortal__lives" && names_it(it)), "{tool}: {count}");
    }
    assert_eq!(served.stop().code(), Some(0));
    assert_eq!(mortal.n_alive(), 0);
}

/// What the clients call all the time: a tool of each server.
fn calls() -> Value {
    json!({
        "everything__echo": { "message": "hello" },
        "files__list_allowed_directories": {},
        "memory__read_graph": {},
        "mortal__lives": {},
        "python__echo": { "text": "hello" },
    })
}

/// Configures the servers of `calls`; the one that will be killed.
fn five_servers(machine: &Machine) -> Noted {
    fs::write(machine.path("mortal.sh"), MORTAL).unwrap();
    let line = ["/bin/sh".into(), machine.path("mortal.sh"), machine.path("starts")];
    let (noted, Program { args, .. }) = Noted::new(&machine.path(""), &line);
    let python = [PYTHON.clone(), Path::new(SCRIPTS).join("server.py"), "stdio".into()];
    let files = [clients::node(), package("server-filesystem"), machine.path("skills")];
    let mut memory = stdio(&[clients::node(), package("server-memory")]);
    memory["env"] = json!({ "MEMORY_FILE_PATH": machine.path("memory.json") });
    let servers = json!({
        "everything": stdio(&[clients::node(), package("server-everything"), "stdio".into()]),
        "files": stdio(&files),
        "memory": memory,
        "mortal": { "command": "/bin/sh", "args": args },
        "python": stdio(&python),
    });
    configure(machine, &servers);
    noted
}

fn configure(machine: &Machine, servers: &Value) {
    let config = json!({ "mcpServers": servers });
    fs::write(machine.path("servers.json"), config.to_string()).unwrap();
}

fn stdio(line: &[PathBuf]) -> Value {
    json!({ "command": line[0], "args": line[1..] })
}

fn package(name: &str) -> PathBuf {
    INSTALLED.join("node_modules/@modelcontextprotocol").join(name).join("dist/index.js")
}

fn has(names: &Value, name: &str) -> bool {
    names.as_array().is_some_and(|it| it.iter().any(|it| it == name))
}

fn counts(end: &Value) -> impl Iterator<Item = (&String, &Value)> {
    end["counts"].as_object().unwrap().iter()
}

/// A client that calls tools all the time, and all that it has said.
struct Busy {
    child: Child,
    said: Receiver<String>,
    seen: Vec<Value>,
}

impl Busy {
    fn start(program: &Path, script: &Path, era: &str, url: &str) -> Busy {
        let mut client = Command::new(program);
        client.arg(script).args([era, url, &calls().to_string()]);
        let mut child = client.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let said = lines(child.stdout.take().unwrap());
        Busy { child, said, seen: Vec::new() }
    }

    /// Waits for something that the client says after it has said so much; where that stands.
    fn until(&mut self, mut after: usize, fits: impl Fn(&Value) -> bool) -> usize {
        loop {
            if let Some(at) = self.seen[after..].iter().position(&fits) {
                return after + at;
            }
            after = self.seen.len();
            self.listen();
        }
    }

    fn listen(&mut self) {
        let line = self.said.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|_| panic!("it said only this: {:#?}", self.seen));
        self.seen.push(serde_json::from_str(&line).unwrap());
    }

    /// Lets the client end; its last words.
    fn end(mut self) -> Value {
        drop(self.child.stdin.take());
        let last = self.until(0, |it| it["counts"].is_object());
        self.seen.swap_remove(last)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
