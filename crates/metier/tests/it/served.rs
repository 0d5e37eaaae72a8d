//! The built server as clients meet it: behind pipes, or on a port of its own.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::support::Machine;

/// What a busy machine may take for something that takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a server may take to leave; clients lose patience after two seconds.
const FAREWELL: Duration = Duration::from_secs(5);

/// The skills that the clients list, load and search.
pub(crate) fn machine() -> Machine {
    Machine::new(
        "
//- skills/greet/SKILL.md
---
name: greet
description: Says hello.
---
Hello there.
//- skills/greet/notes.md
Bonjour.
//- skills/greet/words/more.md
Hola.
//- skills/sum/SKILL.md
---
name: sum
description: Adds numbers.
---
One and one.
",
    )
}

/// Skills as people write them: 300 of them, in every shape of YAML that is the same to all readers.
pub(crate) fn many_kinds() -> Machine {
    let shapes = [
        "description: Plain, with (all) of \"it\" — and more\nlicense: MIT",
        "description: \"Quoted: with a colon\"\nversion: 1.10\nyes: no\nsince: 2026-07-28",
        "description: 'Single, isn''t it'\nnumbers: [1, 0x1f, 0o17, 1e3, -7, .5]\nempty:",
        "description: |\n  Two lines,\n    kept as they are.\n\nmetadata:\n  version: \"1.0\"\n  a b: c",
        "description: >-\n  Folded\n  text\n\n  in two parts\nallowed-tools: Read, Bash(git:*)",
        "description: On\n  two lines\nhooks:\n  - on: start\n    run: [a, {b: c}]\n  - null\n# done",
        "description: >\n  Ends in a line\n\n\ntrue-ish: yes\nflag: true\nnothing: ~\ntime: 12:30:45",
    ];
    let mut tree = String::new();
    for at in 0..300 {
        let head = shapes[at % shapes.len()];
        let end = if at % 3 == 0 { "\r\n" } else { "\n" };
        let text =
            format!("---\nname: skill-{at}\n{head}\n---\n\n# Skill {at}\n").replace('\n', end);
        tree += &format!("//- skills/of/{at}/SKILL.md\n{text}");
        if at % 5 == 0 {
            tree += &format!("//- skills/of/{at}/refs/Q&A #{at} (ü).md\nWhy?\n");
        }
    }
    Machine::new(&tree)
}

/// The command line of a server behind pipes, and the file where each one notes how it ended.
pub(crate) fn piped(machine: &Machine) -> (Vec<PathBuf>, PathBuf) {
    let exits = machine.path("exits");
    // A client keeps the exit code of its server to itself, so a shell between them writes it down.
    let mut line: Vec<PathBuf> = vec!["sh".into(), "-c".into(), "\"$@\"; echo $? >> \"$0\"".into()];
    line.extend([exits.clone(), env!("CARGO_BIN_EXE_metier").into()]);
    line.extend(["mcp".into(), "--root".into(), machine.path("skills")]);
    (line, exits)
}

/// A client that kills its server leaves no note, so one note says that the server went by itself.
#[track_caller]
pub(crate) fn assert_went_by_itself(exits: &PathBuf) {
    let notes = fs::read_to_string(exits).unwrap_or_default();
    assert!(!notes.is_empty(), "the client had to kill the server");
    assert!(notes.lines().all(|code| code == "0"), "exit codes {notes:?}");
}

/// A server on a port of its own; it is killed when a test fails before it could stop it.
pub(crate) struct Served {
    child: Child,
    base: String,
}

impl Served {
    /// Starts `metier mcp` with a transport and perhaps more flags.
    pub(crate) fn start(machine: &Machine, flags: &str) -> Served {
        let line = format!("mcp --port 0 --root $ROOT/skills --transport {flags}");
        let mut command = machine.command(&line);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let base = announced(child.stderr.take().unwrap());
        Served { child, base }
    }

    /// The address of a path on this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Asks the server to end, as an init system would, and gives it little time.
    pub(crate) fn stop(mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let (alive, over) = mpsc::channel::<()>();
        thread::spawn(move || {
            if over.recv_timeout(FAREWELL) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").args(["-KILL", &pid]).status();
            }
        });
        let status = self.child.wait().unwrap();
        drop(alive);
        status
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Scheme, host and port as the server logs them; the log is read to its end, lest it fill the pipe.
fn announced(log: ChildStderr) -> String {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(log).lines().map_while(Result::ok) {
            let address = line.split_once("http://").and_then(|(_, rest)| rest.split_once("/mcp"));
            if let Some((address, _)) = address {
                let _ = tell.send(format!("http://{address}"));
            }
        }
    });
    told.recv_timeout(PATIENCE).unwrap()
}
