//! A server over stdio that behaves as its arguments say, for tests of those who talk to it.
//!
//! Without arguments it does everything right: tools `echo` (its arguments, as text and as data),
//! `sleep` (`seconds`), `fail` (an error that a tool reports) and `count` (how often it was called in
//! this process); a resource `test://one`, a template `test://{name}` and a prompt `greet`.
//! What else it does is said in words, each once and in any order:
//!
//! | word | what it does |
//! |---|---|
//! | `banner` | writes a line that is no message before it reads anything |
//! | `bom`, `crlf` | writes a byte order mark first; ends lines as Windows does |
//! | `noise` | writes a line that is no message before every answer |
//! | `slow-start:1s` | waits before it reads anything (`ms`, `s`, `m`) |
//! | `exit-at-start:3` | ends at once, with that code |
//! | `exit-after:METHOD` | answers that method and ends |
//! | `die-on:METHOD` | ends with code 1 instead of answering it |
//! | `hang:METHOD` | never answers it, but everything else |
//! | `freeze-on:METHOD` | neither reads nor writes any more once it gets it |
//! | `refuse:METHOD` | answers it with error -32000 |
//! | `modern` | speaks revision 2026-07-28 and no other |
//! | `revision:DATE` | answers `initialize` with that revision |
//! | `tools:a,b` | has these tools, which all do what `echo` does |
//! | `page:2` | lists so many things at a time |
//! | `progress:3` | says so many times how far it has come before a call ends |
//! | `announce:1s` | says that its tools have changed, every so often |
//! | `ask:METHOD` | asks that while it is called, and makes the answer the result of the call |
//! | `stderr:TEXT` | writes that line to stderr |
//! | `flood-stderr:MIB` | writes so much to stderr before it answers anything |
//! | `ignore-eof` | stays when its input ends |
//! | `ignore-term` | stays when it is asked to end (SIGTERM) |
//! | `grandchild` | starts a child of its own that sleeps, and tells its id with `count` |
//! | `pid:PATH` | writes its process id to that file, a line for each start |

use std::{
    env, fs,
    io::{self, Write},
    process::{Command, ExitCode, Stdio},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// What the arguments say.
struct Script(Vec<String>);

/// A server that follows a script.
struct Server {
    script: Script,
    n_calls: u64,
    /// The child that was started, if one was.
    grandchild: Option<u32>,
    input: io::Lines<io::StdinLock<'static>>,
}

impl Script {
    fn has(&self, word: &str) -> bool {
        self.0.iter().any(|it| it == word)
    }

    /// What stands behind `word:`.
    fn value(&self, word: &str) -> Option<&str> {
        self.0.iter().find_map(|it| it.strip_prefix(word)?.strip_prefix(':'))
    }

    fn number(&self, word: &str) -> Option<u64> {
        self.value(word)?.parse().ok()
    }

    fn time(&self, word: &str) -> Option<Duration> {
        let value = self.value(word)?;
        let (unit, number) = match (value.strip_suffix("ms"), value.strip_suffix('m')) {
            (Some(number), _) => (1, number),
            (None, Some(number)) => (60_000, number),
            (None, None) => (1_000, value.trim_end_matches('s')),
        };
        Some(Duration::from_millis(unit * number.parse::<u64>().ok()?))
    }

    /// Writes one line, in the way that the script wants lines.
    fn write(&self, line: &str) {
        let end = if self.has("crlf") { "\r\n" } else { "\n" };
        let mut output = io::stdout().lock();
        let _ = output.write_all(format!("{line}{end}").as_bytes());
        let _ = output.flush();
    }

    fn tools(&self) -> Vec<Value> {
        let names = self.value("tools").unwrap_or("count,echo,fail,sleep");
        let needs = |name: &str| if name == "sleep" { json!(["seconds"]) } else { json!([]) };
        let schema = |name: &str| json!({ "type": "object", "required": needs(name) });
        let tool = |name: &str| json!({ "name": name, "inputSchema": schema(name) });
        names.split(',').map(tool).collect()
    }
}

fn main() -> ExitCode {
    let script = Script(env::args().skip(1).collect());
    #[cfg(unix)]
    if script.has("ignore-term") && !script.has("shielded") {
        return shielded();
    }
    if let Some(path) = script.value("pid")
        && let Ok(mut file) = fs::OpenOptions::new().append(true).create(true).open(path)
    {
        let _ = writeln!(file, "{}", std::process::id());
    }
    if let Some(code) = script.number("exit-at-start") {
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    thread::sleep(script.time("slow-start").unwrap_or_default());
    let mib = script.number("flood-stderr").unwrap_or_default();
    (0..mib * 1024).for_each(|_| {
        let _ = io::stderr().write_all(&[b"x".repeat(1023), b"\n".to_vec()].concat());
    });
    if let Some(text) = script.value("stderr") {
        let _ = writeln!(io::stderr(), "{text}");
    }
    if script.has("bom") {
        let _ = io::stdout().write_all(b"\xef\xbb\xbf");
    }
    if script.has("banner") {
        script.write("Scripted upstream, running on stdio!");
    }
    let grandchild = script.has("grandchild").then(|| {
        let mut sleep = Command::new("sleep");
        sleep.arg("1000").stdin(Stdio::null()).stdout(Stdio::null());
        sleep.spawn().map_or(0, |it| it.id())
    });
    let input = io::stdin().lines();
    Server { script, n_calls: 0, grandchild, input }.serve()
}

/// Becomes a shell that ignores SIGTERM and becomes this program again: what is ignored stays so.
#[cfg(unix)]
fn shielded() -> ExitCode {
    use std::os::unix::process::CommandExt;
    let script = r#"trap '' TERM; exec "$0" "$@" shielded"#;
    let _ = Command::new("sh").args(["-c", script]).args(env::args_os()).exec();
    ExitCode::FAILURE
}

impl Server {
    fn serve(mut self) -> ExitCode {
        if let Some(every) = self.script.time("announce") {
            let script = Script(self.script.0.clone());
            let news = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
            thread::spawn(move || {
                loop {
                    thread::sleep(every);
                    script.write(&news.to_string());
                }
            });
        }
        while let Some(Ok(line)) = self.input.next() {
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            let Some(method) = message["method"].as_str() else { continue };
            let meets = |word: &str| self.script.value(word) == Some(method);
            if meets("die-on") {
                return ExitCode::FAILURE;
            }
            if meets("freeze-on") {
                freeze();
            }
            let (is_last, is_silent) = (meets("exit-after"), meets("hang"));
            if !message["id"].is_null() && !is_silent {
                self.answer(&message);
            }
            if is_last {
                return ExitCode::SUCCESS;
            }
        }
        if self.script.has("ignore-eof") {
            freeze();
        }
        ExitCode::SUCCESS
    }

    fn answer(&mut self, message: &Value) {
        let (member, value) = match self.outcome(message) {
            Ok(result) => ("result", result),
            Err((code, text)) => ("error", json!({ "code": code, "message": text })),
        };
        if self.script.has("noise") {
            self.script.write("[debug] answering");
        }
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], member: value });
        self.script.write(&answer.to_string());
    }

    fn outcome(&mut self, message: &Value) -> Result<Value, (i32, String)> {
        let (method, params) = (message["method"].as_str().unwrap_or_default(), &message["params"]);
        let is_modern = self.script.has("modern");
        if self.script.value("refuse") == Some(method) {
            return Err((-32000, format!("`{method}` is refused")));
        }
        let list = |member: &str, items: &[Value]| Ok(self.page(member, items, params));
        match method {
            "initialize" if !is_modern => Ok(self.introduction(&params["protocolVersion"])),
            "ping" if !is_modern => Ok(json!({})),
            "server/discover" if is_modern => Ok(self.introduction(&Value::Null)),
            "tools/list" => list("tools", &self.script.tools()),
            "tools/call" => self.call(params),
            "resources/list" => list("resources", &[json!({ "uri": "test://one", "name": "one" })]),
            "resources/templates/list" => list(
                "resourceTemplates",
                &[json!({ "uriTemplate": "test://{name}", "name": "any" })],
            ),
            "resources/read" => {
                let uri = &params["uri"];
                let text = format!("the text of {}", uri.as_str().unwrap_or_default());
                Ok(json!({ "contents": [{ "uri": uri, "mimeType": "text/plain", "text": text }] }))
            }
            "prompts/list" => list("prompts", &[json!({ "name": "greet" })]),
            "prompts/get" => {
                let content = json!({ "type": "text", "text": "Say hello." });
                Ok(json!({ "messages": [{ "role": "user", "content": content }] }))
            }
            _ => Err((-32601, format!("there is no method `{method}`"))),
        }
    }

    fn introduction(&self, asked: &Value) -> Value {
        let revision = self.script.value("revision").map_or(asked.clone(), |it| json!(it));
        json!({
            "protocolVersion": revision,
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": { "listChanged": true }, "resources": {}, "prompts": {} },
            "serverInfo": { "name": "scripted_upstream", "version": "1.0.0" },
        })
    }

    fn page(&self, member: &str, items: &[Value], params: &Value) -> Value {
        let from: usize = params["cursor"].as_str().and_then(|it| it.parse().ok()).unwrap_or(0);
        let size =
            self.script.number("page").map_or(items.len(), |it| usize::try_from(it).unwrap_or(1));
        let to = items.len().min(from.saturating_add(size));
        let mut page = json!({ member: items.get(from..to).unwrap_or_default() });
        if to < items.len() {
            page["nextCursor"] = json!(to.to_string());
        }
        page
    }

    fn call(&mut self, params: &Value) -> Result<Value, (i32, String)> {
        self.n_calls += 1;
        let (name, arguments) = (params["name"].as_str().unwrap_or_default(), &params["arguments"]);
        if !self.script.tools().iter().any(|it| it["name"] == name) {
            return Err((-32602, format!("there is no tool `{name}`")));
        }
        let total = self.script.number("progress").unwrap_or(0);
        for done in 1..=total {
            let token = &params["_meta"]["progressToken"];
            let params = json!({ "progressToken": token, "progress": done, "total": total });
            let message =
                json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
            self.script.write(&message.to_string());
        }
        if let Some(method) = self.script.value("ask") {
            let question =
                json!({ "jsonrpc": "2.0", "id": "question", "method": method, "params": {} });
            self.script.write(&question.to_string());
            return Ok(said(&self.reply()));
        }
        match name {
            "sleep" => {
                let seconds = arguments["seconds"].as_f64().unwrap_or(0.0).clamp(0.0, 1e6);
                thread::sleep(Duration::from_secs_f64(seconds));
                Ok(said(&json!({ "slept": seconds })))
            }
            "fail" => Ok(json!({ "content": said(arguments)["content"], "isError": true })),
            "count" => Ok(said(&json!({ "calls": self.n_calls, "grandchild": self.grandchild }))),
            _ => Ok(said(arguments)),
        }
    }

    /// The answer to our own question; what else comes meanwhile is dropped.
    fn reply(&mut self) -> Value {
        while let Some(Ok(line)) = self.input.next() {
            match serde_json::from_str::<Value>(&line) {
                Ok(message) if message["id"] == "question" => return message,
                _ => {}
            }
        }
        Value::Null
    }
}

/// The result of a call, as text and as data.
fn said(value: &Value) -> Value {
    let content = json!([{ "type": "text", "text": value.to_string() }]);
    json!({ "content": content, "structuredContent": value })
}

fn freeze() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}
