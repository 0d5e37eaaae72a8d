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
        r#"{}, "broken": {{"command": 5}}, "off": {{"command": "x", "disabled": true}}"#,
        neighbour.down()
    ));
    assert_snapshot!(timeless(&seen(&neighbour, &machine, "servers")), @"
    name | transport | phase | for | tools | latency
    broken | – | failed | – | – | –
      `$ROOT/home/.config/metier/config.json`: line 1: server `broken`: `command` is not a string
    down | http | waiting | TIME | – | –
      the server answered with HTTP status 503
    near | http | ready | TIME | 6 | TIME
    off | stdio | disabled | – | – | –
    --- stderr

    1 of 4 servers ready, 6 tools
    --- exit 1
    ");
}

#[test]
fn one_server_alone_is_shown_with_everything_that_is_known() {
    assert_snapshot!(timeless(&run("servers near")), @"
    name | transport | phase | for | tools | latency
    near | http | ready | TIME | 6 | TIME
      at | http://127.0.0.1:PORT/mcp
      from | $ROOT/home/.config/metier/config.json
      is | neighbour 1.2.3
      speaks 2025-06-18
    --- stderr

    1 of 1 server ready, 6 tools
    --- exit 0
    ");
}

#[test]
fn servers_of_a_project_wait_for_trust_and_name_the_command() {
    let machine = Machine::new(
        "//- project/.metier.json\n{\"mcpServers\": {\"p\": {\"command\": \"/no/such/program\"}}}\n",
    );
    assert_snapshot!(timeless(&machine.run("servers")), @"
    name | transport | phase | for | tools | latency
    p | stdio | untrusted | – | – | –
      run `metier trust` in $ROOT/project
    --- stderr

    0 of 1 server ready, 0 tools
    --- exit 0
    ");
    assert_snapshot!(timeless(&machine.run("servers --trust-project")), @"
    name | transport | phase | for | tools | latency
    p | stdio | failed | TIME | – | –
      `/no/such/program` does not exist: correct `command`
    --- stderr

    0 of 1 server ready, 0 tools
    --- exit 1
    ");
}

#[test]
fn a_deadline_may_be_beyond_all_time() {
    let machine = Machine::new("");
    machine.run("add gone -- /no/such/program");
    for line in ["servers --timeout 1e19", "call gone:x --timeout 1e19"] {
        assert!(machine.run(line).ends_with("--- exit 1"), "{line}: {}", machine.run(line));
    }
}

#[test]
fn a_server_that_the_project_names_too_stays_what_it_is_until_the_file_is_trusted() {
    let machine = Machine::new(
        "//- project/.metier.json\n{\"mcpServers\": {\"p\": {\"command\": \"/theirs\"}}}\n",
    );
    machine.run("add p -- /mine");
    assert_snapshot!(timeless(&machine.run("servers")), @"
    name | transport | phase | for | tools | latency
    p | stdio | failed | TIME | – | –
      `/mine` does not exist: correct `command`
    --- stderr
    warning: `$ROOT/project/.metier.json`: server `p`: counts once the file is trusted: run `metier trust`

    0 of 1 server ready, 0 tools
    --- exit 1
    ");
}

#[test]
fn where_only_a_variable_knows_the_address_none_is_shown() {
    let machine = Machine::new(
        "//- project/.metier.json\n{\"mcpServers\": {\"p\": {\"url\": \"${WHERE}/mcp\"}}}\n",
    );
    let document = machine.json("servers --json");
    assert_eq!(document["servers"][0]["phase"], "untrusted");
    assert_eq!(document["servers"][0].get("endpoint"), None);
    assert!(!machine.run("servers p").contains("invalid"));
}

#[test]
fn without_servers_it_is_said_how_to_add_one() {
    assert_snapshot!(Machine::new("").run("servers"), @"
    --- stderr
    no servers are configured
    hint: `metier add` adds one, `metier add --from CLIENT` copies those of a client
    --- exit 0
    ");
}

#[test]
fn a_server_that_is_not_there_is_told_with_those_that_were_meant() {
    assert_snapshot!(run("servers neer"), @"
    --- stderr
    error: no server `neer`
    hint: did you mean `near`?
    --- exit 3
    ");
}

#[test]
fn servers_give_a_document_without_secrets() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine(&neighbour.down());
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
                    "name": "down",
                    "transport": "http",
                    "endpoint": format!("http://127.0.0.1:{}/…", neighbour.port()),
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
    let kid = json!({"mcpServers": {"kid": {"command": "/bin/sh", "args": ["kid.sh"], "cwd": machine.path("project"), "env": {"TOKEN": CANARY}}}});
    std::fs::write(machine.path("project/kid.json"), kid.to_string()).unwrap();
    machine
}

#[cfg(unix)]
fn is_alive(pid: &str) -> bool {
    Command::new("kill").args(["-0", pid.trim()]).output().unwrap().status.success()
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
    assert_eq!(lines.next().unwrap(), "kid ready, 1 tool");
    let pid = std::fs::read_to_string(machine.path("project/pid")).unwrap();
    interrupt(&watching);
    assert_eq!(watching.wait().unwrap().code(), Some(0));
    assert!(!is_alive(&pid));
}

#[test]
#[cfg(unix)]
fn watching_follows_what_is_edited_and_what_is_trusted() {
    let machine = with_kid();
    let mut watching = machine
        .command("servers --watch --config kid.json")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.find(|it| it.starts_with("kid ready")).unwrap(), "kid ready, 1 tool");
    let entry = json!({"mcpServers": {"late": {"command": "/no/such/program"}}});
    std::fs::write(machine.path("project/.metier.json"), entry.to_string()).unwrap();
    let untrusted = lines.find(|it| it.starts_with("late ")).unwrap();
    assert!(untrusted.starts_with("late untrusted: run `metier trust`"), "{untrusted}");
    assert!(machine.run("trust --yes").ends_with("--- exit 0"));
    let failed = lines.find(|it| it.starts_with("late failed")).unwrap();
    assert_eq!(failed, "late failed: `/no/such/program` does not exist: correct `command`");
    interrupt(&watching);
    assert_eq!(watching.wait().unwrap().code(), Some(0));
}

#[test]
#[cfg(unix)]
fn no_program_outlives_its_command_and_no_variable_of_it_is_shown() {
    let machine = with_kid();
    for line in ["tools", "servers kid", "servers --json"] {
        let seen = machine.run(&format!("{line} --config kid.json"));
        assert!(seen.ends_with("--- exit 0") && !seen.contains(CANARY), "{seen}");
        let pid = std::fs::read_to_string(machine.path("project/pid")).unwrap();
        assert!(!is_alive(&pid));
    }
}

#[test]
#[cfg(unix)]
fn a_program_that_ends_at_once_is_told_with_its_last_words() {
    let machine = Machine::new("");
    let entry = json!({"command": "/bin/sh", "args": ["-c", "echo 'no licence' >&2; exit 3"]});
    let config = json!({"mcpServers": {"kid": entry}}).to_string();
    std::fs::write(machine.path("project/kid.json"), config).unwrap();
    assert_snapshot!(timeless(&machine.run("servers --config kid.json")), @"
    name | transport | phase | for | tools | latency
    kid | stdio | waiting | TIME | – | –
      it ended with exit code 3: no licence
    --- stderr

    0 of 1 server ready, 0 tools
    --- exit 1
    ");
}

// Tools.

#[test]
fn tools_are_grouped_by_server_with_what_they_take() {
    assert_snapshot!(run("tools"), @"
    near (6)
      near:echo    text, [times]  Says it again
      near:fail                   Never works
      near:refuse
      near:shapes                 Counts corners
      near:sleep
      near:work
    --- stderr

    6 tools
    --- exit 0
    ");
}

#[test]
fn tools_are_found_by_words_names_first() {
    assert_snapshot!(run("tools --search again"), @"
      near:echo  text, [times]  Says it again
    --- stderr

    1 tool
    --- exit 0
    ");
    assert_snapshot!(run("tools --search work"), @"
      near:work
      near:fail    Never works
    --- stderr

    2 tools
    --- exit 0
    ");
    assert_snapshot!(run("tools --search nothing-like-it"), @"
    --- stderr
    no tool matches
    --- exit 0
    ");
}

#[test]
fn a_schema_can_be_shown_whole() {
    assert_snapshot!(run("tools near --search echo --schema"), @r#"
      near:echo  text, [times]  Says it again
          {
            "type": "object",
            "properties": {
              "times": {
                "type": "integer",
                "minimum": 1
              },
              "text": {
                "type": "string"
              }
            },
            "required": [
              "text"
            ],
            "additionalProperties": false
          }
    --- stderr

    1 tool
    --- exit 0
    "#);
}

#[test]
fn a_dead_server_beside_others_is_told_and_costs_nothing_unless_it_was_asked_for() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine(&neighbour.down());
    assert_snapshot!(seen(&neighbour, &machine, "tools --search echo"), @"
      near:echo  text, [times]  Says it again
    --- stderr
    warning: server `down` is waiting: the server answered with HTTP status 503

    1 tool
    --- exit 0
    ");
    assert_snapshot!(seen(&neighbour, &machine, "tools down"), @"
    --- stderr
    warning: server `down` is waiting: the server answered with HTTP status 503
    no tools
    --- exit 1
    ");
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
    assert_snapshot!(run("call near:echo text=ab times=2"), @"
    abab
    --- exit 0
    ");
    assert_snapshot!(run("call near__echo {\"text\":\"by_wire_name\"}"), @"
    by_wire_name
    --- exit 0
    ");
    assert_snapshot!(run("call near:work"), @"
    done
    --- exit 0
    ");
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
    assert_snapshot!(run("call near:shapes"), @r#"
    {
      "corners": 4
    }
    --- exit 0
    "#);
    assert_snapshot!(run("call near:shapes --json"), @r#"
    {"content":[],"structuredContent":{"corners":4},"odd":1.5}
    --- exit 0
    "#);
}

#[test]
fn a_tool_that_says_it_failed_is_exit_5() {
    assert_snapshot!(run("call near:fail"), @"
    it is broken
    --- stderr
    error: tool `near:fail` answered with an error
    --- exit 5
    ");
    assert_snapshot!(run("call near:fail --json"), @r#"
    {"content":[{"type":"text","text":"it is broken"}],"isError":true}
    --- stderr
    error: tool `near:fail` answered with an error
    --- exit 5
    "#);
}

#[test]
fn an_error_of_the_protocol_keeps_code_and_data() {
    assert_snapshot!(run("call near:refuse"), @r#"
    --- stderr
    error: server `near` answered with an error: not today (-32050)
      data: {"retry":"tomorrow"}
    hint: `metier servers near` tells more
    --- exit 1
    "#);
}

#[test]
fn arguments_are_checked_before_they_are_sent() {
    assert_snapshot!(run("call near:echo"), @"
    --- stderr
    error: `near:echo`: argument `text` is missing
    hint: `near:echo` takes text (string), [times (integer)]
    --- exit 2
    ");
    assert_snapshot!(run("call near:echo txt=a times=0"), @"
    --- stderr
    error: `near:echo`: 3 mistakes in the arguments
      argument `times` must be at least 1, not `0`
      there is no argument `txt`; did you mean `text`?
      argument `text` is missing
    hint: `near:echo` takes text (string), [times (integer)]
    --- exit 2
    ");
    assert_snapshot!(run("call near:echo text=a times=x"), @r#"
    --- stderr
    error: `near:echo`: argument `times` must be an integer, not `"x"`
    hint: `near:echo` takes text (string), [times (integer)]
    --- exit 2
    "#);
    assert_snapshot!(run("call near:echo nonsense"), @"
    --- stderr
    error: `nonsense` is no argument
    hint: write `key=value`, `key:=JSON`, one JSON object, or `-` for stdin
    --- exit 2
    ");
    assert_snapshot!(run("call near:echo [1]"), @"
    --- stderr
    error: `[1]` is no argument
    hint: write `key=value`, `key:=JSON`, one JSON object, or `-` for stdin
    --- exit 2
    ");
}

#[test]
fn a_tool_or_server_that_is_not_there_is_exit_3_with_those_that_were_meant() {
    assert_snapshot!(run("call near:ecko text=a"), @"
    --- stderr
    error: no tool `near:ecko`
    hint: did you mean `near:echo`?
    --- exit 3
    ");
    assert_snapshot!(run("call neer:echo text=a"), @"
    --- stderr
    error: no server `neer`
    hint: did you mean `near`?
    --- exit 3
    ");
    assert_snapshot!(run("call echo text=a"), @"
    --- stderr
    error: no tool `echo`
    hint: did you mean `near:echo`?
    --- exit 3
    ");
    assert_snapshot!(run("call near:zzzzzzzz"), @"
    --- stderr
    error: no tool `near:zzzzzzzz`
    hint: `metier tools near` lists them
    --- exit 3
    ");
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
    assert_snapshot!(seen(&neighbour, &machine, "call near:echo text=a"), @r#"
    --- stderr
    error: server `near` does not let us in: the server wants an `Authorization` header (HTTP status 401)
    hint: write `"headers": {"Authorization": "Bearer ${TOKEN}"}` in the entry `near` of $ROOT/home/.config/metier/config.json
    --- exit 4
    "#);
    assert_snapshot!(seen(&neighbour, &machine, "tools near"), @"
    --- stderr
    warning: server `near` does not let us in: the server wants an `Authorization` header (HTTP status 401)
    no tools
    --- exit 4
    ");
    assert_snapshot!(seen(&neighbour, &neighbour.machine(""), "call near:echo text=a"), @"
    a
    --- exit 0
    ");
}

#[test]
fn a_call_to_a_server_that_is_down_says_why() {
    let neighbour = Neighbour::open();
    let machine = neighbour.machine(&format!(
        r#"{}, "off": {{"command": "x", "disabled": true}}, "broken": {{"command": 5}}"#,
        neighbour.down()
    ));
    assert_snapshot!(seen(&neighbour, &machine, "call down:x"), @"
    --- stderr
    error: server `down` is waiting: the server answered with HTTP status 503
    hint: `metier servers down` tells more
    --- exit 1
    ");
    assert_snapshot!(seen(&neighbour, &machine, "call off:x"), @"
    --- stderr
    error: server `off` is disabled
    hint: take `disabled` out in the entry `off` of $ROOT/home/.config/metier/config.json
    --- exit 1
    ");
    assert_snapshot!(seen(&neighbour, &machine, "call broken:x"), @"
    --- stderr
    error: server `broken` cannot be used: `command` is not a string
    hint: mend its entry in $ROOT/home/.config/metier/config.json:1
    --- exit 1
    ");
}

#[test]
fn a_call_that_stays_silent_ends_at_its_deadline() {
    assert_snapshot!(run("call near:sleep --timeout 2"), @"
    --- stderr
    error: server `near` was silent for 2 s
    hint: --timeout gives it longer
    --- exit 1
    ");
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
    assert_snapshot!(run("resources"), @"
    near (2)
      note://bytes  bytes
      note://one    [text/plain] one: The first

    near · templates (1)
      day://{date}  a day
    --- exit 0
    ");
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
    assert_snapshot!(run("read note://one"), @"first note--- exit 0");
    assert_snapshot!(run("read day://today"), @"sunny--- exit 0");
    assert_snapshot!(run("read note://one --json"), @r#"
    {"contents":[{"uri":"note://one","text":"first note"}]}
    --- exit 0
    "#);
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
    assert_snapshot!(run("read note://ones"), @"
    --- stderr
    error: no server has `note://ones`
    hint: did you mean `note://one` or `note://bytes`?
    --- exit 3
    ");
    assert_snapshot!(run("read other://x"), @"
    --- stderr
    error: no server has `other://x`
    hint: `metier resources` lists them; --server asks a server that does not list it
    --- exit 3
    ");
    assert_snapshot!(run("read day://never"), @"
    --- stderr
    error: server `near` answered with an error: no such note (-32002)
    hint: `metier resources near` lists what it has
    --- exit 3
    ");
    assert_snapshot!(run("read other://x --server near"), @"
    --- stderr
    error: server `near` answered with an error: no such note (-32002)
    hint: `metier resources near` lists what it has
    --- exit 3
    ");
}

#[test]
fn a_resource_that_two_servers_have_is_ambiguous_until_one_is_chosen() {
    let (neighbour, second) = (Neighbour::open(), Neighbour::open());
    let machine = neighbour.machine(&format!(r#""twin": {{"url": "{}"}}"#, second.url()));
    assert_snapshot!(seen(&neighbour, &machine, "read note://one"), @"
    --- stderr
    error: `note://one` is ambiguous: `near` and `twin` have it
    hint: choose one with --server
    --- exit 3
    ");
    assert_snapshot!(seen(&neighbour, &machine, "read note://one --server twin"), @"first note--- exit 0");
}
