//! What people see of other MCP servers: where they stand, what they offer, and what they answer.

use std::{
    fmt::Write,
    io::{BufRead, BufReader, Write as _},
    process::{Child, Command, Stdio},
};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{
    neighbour::{CANARY, Neighbour},
    support::Machine,
};

/// A server that nobody runs.
const DEAD: &str = r#""dead": {"type": "http", "url": "http://127.0.0.1:1/mcp"}"#;

/// What a person sees, with the canary looked for and ports and times taken out.
#[track_caller]
fn seen(neighbour: &Neighbour, machine: &Machine, line: &str) -> String {
    let seen = machine.run(line).replace(&neighbour.port(), "PORT");
    assert!(!seen.contains(CANARY), "{seen}");
    seen
}

/// Runs one command beside the usual server.
#[track_caller]
fn run(line: &str) -> String {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine("");
    seen(&neighbour, &machine, line)
}

/// A table without what differs from run to run.
fn timeless(table: &str) -> String {
    let mut timeless = String::new();
    for line in table.lines() {
        let cells: Vec<&str> =
            line.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect();
        let is_time = |cell: &str| cell.ends_with(" s") || cell.ends_with(" ms");
        let cells = cells.iter().map(|cell| if is_time(cell) { "TIME" } else { cell });
        let indent = if line.starts_with(' ') { "  " } else { "" };
        let _ = writeln!(timeless, "{indent}{}", cells.collect::<Vec<_>>().join(" | "));
    }
    timeless
}

// Servers.

#[test]
fn servers_are_shown_with_phase_tools_and_reason_and_a_dead_one_costs_only_itself() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine(&format!(
        r#"{DEAD}, "broken": {{"command": 5}}, "off": {{"command": "x", "disabled": true}}"#
    ));
    assert_snapshot!(timeless(&seen(&neighbour, &machine, "servers")), @"");
}

#[test]
fn one_server_alone_is_shown_with_everything_that_is_known() {
    assert_snapshot!(timeless(&run("servers near")), @"");
}

#[test]
fn servers_of_a_project_wait_for_trust_and_name_the_command() {
    let machine = Machine::new(
        "//- project/.metier.json\n{\"mcpServers\": {\"p\": {\"command\": \"/no/such/program\"}}}\n",
    );
    assert_snapshot!(timeless(&machine.run("servers")), @"");
    assert_snapshot!(timeless(&machine.run("servers --trust-project")), @"");
}

#[test]
fn without_servers_it_is_said_how_to_add_one() {
    assert_snapshot!(Machine::new("").run("servers"), @"");
}

#[test]
fn a_server_that_is_not_there_is_told_with_those_that_were_meant() {
    assert_snapshot!(run("servers neer"), @"");
}

#[test]
fn servers_give_a_document_without_secrets() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine(DEAD);
    let text = String::from_utf8(machine.output("servers --json").stdout).unwrap();
    assert!(!text.contains(CANARY), "{text}");
    let mut document: Value = serde_json::from_str(&text).unwrap();
    let near = document["servers"][1].as_object_mut().unwrap();
    assert!(near.remove("since").is_some_and(|it| it.as_str().unwrap().ends_with('Z')));
    assert!(near.remove("latencyMs").is_some_and(|it| it.is_number()));
    let dead = document["servers"][0].as_object_mut().unwrap();
    dead.remove("since").unwrap();
    let reason = dead.remove("reason").unwrap();
    assert_eq!(dead.remove("lastError").unwrap()["reason"], reason);
    let source = machine.path("home/.config/metier/config.json");
    assert_eq!(
        document,
        json!({
            "servers": [
                {
                    "name": "dead",
                    "transport": "http",
                    "endpoint": "http://127.0.0.1:1/mcp",
                    "phase": "waiting",
                    "tools": 0,
                    "source": source,
                },
                {
                    "name": "near",
                    "transport": "http",
                    "endpoint": format!("http://127.0.0.1:{}/mcp", neighbour.port()),
                    "phase": "ready",
                    "tools": 6,
                    "source": source,
                    "revision": "2025-06-18",
                    "serverInfo": {"name": "neighbour", "version": "1.2.3"},
                },
            ],
            "problems": [],
        })
    );
}

/// A program that is an MCP server, and writes its process id where the test finds it.
#[cfg(unix)]
const KID: &str = r#"
echo $$ > pid
echo "token is $TOKEN" >&2
while read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}; id=${id%%\}*}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"kid","version":"0"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"play","inputSchema":{"type":"object"}}]}';;
    *'"ping"'*) result='{}';;
    *'"server/discover"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}"; continue;;
    *) continue;;
  esac
  echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
"#;

/// A machine with one program as server.
#[cfg(unix)]
fn with_kid() -> Machine {
    let machine = Machine::new(&format!("//- project/kid.sh\n{KID}"));
    let kid = json!({"mcpServers": {"kid": {"command": "/bin/sh", "args": ["kid.sh"], "cwd": machine.path("project"), "env": {"TOKEN": "x"}}}});
    std::fs::write(machine.path("project/kid.json"), kid.to_string()).unwrap();
    machine
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
}

#[test]
#[cfg(unix)]
fn watching_tells_each_change_and_an_interrupt_leaves_no_program() {
    let machine = with_kid();
    let mut watching = machine
        .command("servers --watch --config kid.json")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "kid connecting");
    assert_eq!(lines.next().unwrap(), "kid ready, 1 tools");
    let pid = std::fs::read_to_string(machine.path("project/pid")).unwrap();
    interrupt(&watching);
    assert_eq!(watching.wait().unwrap().code(), Some(0));
    assert!(!Command::new("kill").args(["-0", pid.trim()]).output().unwrap().status.success());
}

#[test]
#[cfg(unix)]
fn a_program_that_ended_leaves_nothing_behind_after_each_command() {
    let machine = with_kid();
    assert_snapshot!(machine.run("tools --config kid.json"), @"");
    let pid = std::fs::read_to_string(machine.path("project/pid")).unwrap();
    assert!(!Command::new("kill").args(["-0", pid.trim()]).output().unwrap().status.success());
}

// Tools.

#[test]
fn tools_are_grouped_by_server_with_what_they_take() {
    assert_snapshot!(run("tools"), @"");
}

#[test]
fn tools_are_found_by_words_names_first() {
    assert_snapshot!(run("tools --search again"), @"");
    assert_snapshot!(run("tools --search e --limit 2"), @"");
    assert_snapshot!(run("tools --search nothing-like-it"), @"");
}

#[test]
fn a_schema_can_be_shown_whole() {
    assert_snapshot!(run("tools near --search echo --schema"), @"");
}

#[test]
fn a_dead_server_beside_others_is_told_and_costs_nothing_unless_it_was_asked_for() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine(DEAD);
    assert_snapshot!(seen(&neighbour, &machine, "tools --search echo"), @"");
    assert_snapshot!(seen(&neighbour, &machine, "tools dead"), @"");
}

#[test]
fn tools_give_a_document_with_raw_schemas() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine("");
    assert_eq!(
        machine.json("tools --search echo --json"),
        json!({"tools": [{
            "id": "near:echo",
            "wireName": "near__echo",
            "server": "near",
            "name": "echo",
            "title": "Echo",
            "description": "Says it again\nand again",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "times": {"type": "integer", "minimum": 1},
                    "text": {"type": "string"},
                },
                "required": ["text"],
                "additionalProperties": false,
            },
        }]})
    );
}

// Calls.

#[test]
fn a_call_prints_the_text_that_the_tool_answers() {
    assert_snapshot!(run("call near:echo text=ab times=2"), @"");
    assert_snapshot!(run("call near__echo {\"text\":\"by_wire_name\"}"), @"");
    assert_snapshot!(run("call near:work"), @"");
}

#[test]
fn a_call_reads_its_arguments_from_stdin() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine("");
    let mut calling = machine
        .command("call near:echo -")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    calling.stdin.take().unwrap().write_all(b"{\"text\": \"piped\"}").unwrap();
    assert_eq!(calling.wait_with_output().unwrap().stdout, b"piped\n");
    assert_eq!(neighbour.called()["arguments"], json!({"text": "piped"}));
}

#[test]
fn structured_content_is_printed_where_a_tool_says_nothing_else() {
    assert_snapshot!(run("call near:shapes"), @"");
    assert_snapshot!(run("call near:shapes --json"), @"");
}

#[test]
fn a_tool_that_says_it_failed_is_exit_5() {
    assert_snapshot!(run("call near:fail"), @"");
    assert_snapshot!(run("call near:fail --json"), @"");
}

#[test]
fn an_error_of_the_protocol_keeps_code_and_data() {
    assert_snapshot!(run("call near:refuse"), @"");
}

#[test]
fn arguments_are_checked_before_they_are_sent() {
    assert_snapshot!(run("call near:echo"), @"");
    assert_snapshot!(run("call near:echo txet=a times=0"), @"");
    assert_snapshot!(run("call near:echo text=a times=x"), @"");
    assert_snapshot!(run("call near:echo nonsense"), @"");
    assert_snapshot!(run("call near:echo [1]"), @"");
}

#[test]
fn a_tool_or_server_that_is_not_there_is_exit_3_with_those_that_were_meant() {
    assert_snapshot!(run("call near:ecko text=a"), @"");
    assert_snapshot!(run("call neer:echo text=a"), @"");
    assert_snapshot!(run("call echo text=a"), @"");
    assert_snapshot!(run("call near:zzzzzzzz"), @"");
}

#[test]
fn a_call_starts_only_the_server_that_has_the_tool() {
    let neighbour = Neighbour::open();
    let machine =
        neighbour.machine(r#""other": {"command": "/bin/sh", "args": ["-c", "echo > started"]}"#);
    assert_eq!(machine.output("call near:echo text=a").stdout, b"a\n");
    assert!(!machine.path("project/started").exists());
}

#[test]
fn a_server_that_does_not_let_us_in_is_exit_4_with_the_header_to_set() {
    let neighbour = Neighbour::guarded();
    let machine = Machine::new(&format!(
        "//- home/.config/metier/config.json\n{{\"mcpServers\": {{\"near\": {{\"url\": \"{}\"}}}}}}\n",
        neighbour.url()
    ));
    assert_snapshot!(seen(&neighbour, &machine, "call near:echo text=a"), @"");
    assert_snapshot!(seen(&neighbour, &machine, "tools near"), @"");
    assert_snapshot!(seen(&neighbour, &neighbour.machine(""), "call near:echo text=a"), @"");
}

#[test]
fn a_call_to_a_server_that_is_down_says_why() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine(&format!(
        r#"{DEAD}, "off": {{"command": "x", "disabled": true}}, "broken": {{"command": 5}}"#
    ));
    assert_snapshot!(seen(&neighbour, &machine, "call dead:x"), @"");
    assert_snapshot!(seen(&neighbour, &machine, "call off:x"), @"");
    assert_snapshot!(seen(&neighbour, &machine, "call broken:x"), @"");
}

#[test]
fn a_call_that_stays_silent_ends_at_its_deadline() {
    assert_snapshot!(run("call near:sleep --timeout 2"), @"");
}

#[test]
#[cfg(unix)]
fn an_interrupted_call_is_exit_130() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine("");
    let mut calling = machine.command("call near:sleep").spawn().unwrap();
    neighbour.called();
    interrupt(&calling);
    assert_eq!(calling.wait().unwrap().code(), Some(130));
}

// Resources.

#[test]
fn resources_and_templates_are_listed_by_server() {
    assert_snapshot!(run("resources"), @"");
}

#[test]
fn resources_give_a_document_with_all_that_was_sent() {
    let neighbour = Neighbour::open();
    assert_eq!(
        neighbour.machine("").json("resources --json"),
        json!({
            "resources": [
                {"server": "near", "uri": "note://bytes", "name": "bytes", "size": 3},
                {"server": "near", "uri": "note://one", "name": "one", "mimeType": "text/plain", "description": "The first"},
            ],
            "templates": [{"server": "near", "uriTemplate": "day://{date}", "name": "a day"}],
        })
    );
}

#[test]
fn a_resource_is_read_from_the_server_that_lists_it_or_has_a_template_for_it() {
    assert_snapshot!(run("read note://one"), @"");
    assert_snapshot!(run("read day://today"), @"");
    assert_snapshot!(run("read note://one --json"), @"");
}

#[test]
fn bytes_are_printed_as_they_are_and_written_to_a_file_whole() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine("");
    assert_eq!(machine.output("read note://bytes").stdout, [0, 255, 1]);
    assert_eq!(machine.run("read note://bytes --output out.bin"), "--- exit 0");
    assert_eq!(std::fs::read(machine.path("project/out.bin")).unwrap(), [0, 255, 1]);
}

#[test]
fn a_resource_that_is_not_there_is_exit_3() {
    assert_snapshot!(run("read note://ones"), @"");
    assert_snapshot!(run("read other://x"), @"");
    assert_snapshot!(run("read day://never"), @"");
    assert_snapshot!(run("read other://x --server near"), @"");
}

#[test]
fn a_resource_that_two_servers_have_is_ambiguous_until_one_is_chosen() {
    let (neighbour, second) = (Neighbour::open(), Neighbour::open());
    let machine = neighbour.machine(&format!(r#""twin": {{"url": "{}"}}"#, second.url()));
    assert_snapshot!(seen(&neighbour, &machine, "read note://one"), @"");
    assert_snapshot!(seen(&neighbour, &machine, "read note://one --server twin"), @"");
}
