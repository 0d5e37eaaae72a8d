//! A client that speaks raw lines over any transport, to see exactly what the server says.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::Machine;

/// How long the server may take for anything; only a broken one takes that long.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// How a client comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Stdio,
    Http,
    Sse,
}

/// A running server and one client of it.
pub(crate) struct Peer {
    pub(crate) server: Child,
    way: Way,
    input: Option<ChildStdin>,
    /// Where HTTP clients go, and in which session.
    pub(crate) url: String,
    session: Option<String>,
    arrived: Receiver<Value>,
    arrivals: Sender<Value>,
    /// What the server logs.
    pub(crate) log: Receiver<String>,
}

impl Peer {
    pub(crate) fn start(machine: &Machine, way: Way, flags: &str) -> Peer {
        let transport = match way {
            Way::Stdio => "stdio",
            Way::Http => "http",
            Way::Sse => "sse",
        };
        let line = format!("mcp --transport {transport} --port 0 {flags}");
        let mut server = machine.command(&line);
        server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = server.spawn().unwrap();
        let (arrivals, arrived) = channel();
        let log = lines(server.stderr.take().unwrap());
        let stdout = BufReader::new(server.stdout.take().unwrap());
        let input = server.stdin.take();
        let mut peer = Peer {
            server,
            way,
            input,
            url: String::new(),
            session: None,
            arrived,
            arrivals: arrivals.clone(),
            log,
        };
        match way {
            Way::Stdio => {
                thread::spawn(move || {
                    for line in stdout.lines().map_while(Result::ok) {
                        let _ = arrivals.send(serde_json::from_str(&line).unwrap());
                    }
                });
            }
            Way::Http => peer.url = peer.logged_url(),
            Way::Sse => {
                peer.url = peer.logged_url();
                peer.open_sse();
            }
        }
        peer
    }

    /// Sends one line, and does not wait for what comes back.
    pub(crate) fn send(&mut self, line: &str) {
        match self.way {
            Way::Stdio => {
                let input = self.input.as_mut().unwrap();
                input.write_all(format!("{line}\n").as_bytes()).unwrap();
            }
            Way::Http => self.post(line),
            Way::Sse => {
                let url = self.session.clone().unwrap();
                let sent = agent().post(&url).header("content-type", "application/json").send(line);
                assert_eq!(sent.unwrap().status(), 202);
            }
        }
    }

    /// The next message of the server.
    pub(crate) fn next(&self) -> Value {
        self.arrived.recv_timeout(DEADLINE).unwrap()
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, line: &str) -> Value {
        self.send(line);
        self.next()
    }

    /// Goes through `initialize`; over HTTP the session's own stream is opened too.
    pub(crate) fn initialize(&mut self, revision: &str) -> Value {
        let answer = self.ask(&format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"test","version":"0"}}}}}}"#
        ));
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        if self.way == Way::Http {
            let mut get = agent().get(&self.url).header("accept", "text/event-stream");
            get = get.header("mcp-session-id", self.session.as_deref().unwrap());
            self.follow(get.call().unwrap().into_body());
        }
        answer
    }

    /// Whether everything that came has been seen.
    pub(crate) fn is_quiet(&self) -> bool {
        self.arrived.try_recv().is_err()
    }

    /// Closes the server's input.
    pub(crate) fn hang_up(&mut self) {
        self.input = None;
    }

    /// Asks the server to end, and says with which code it does.
    pub(crate) fn signal(mut self, signal: &str) -> i32 {
        let pid = self.server.id().to_string();
        std::process::Command::new("kill").args([signal, &pid]).status().unwrap();
        self.exit_code()
    }

    pub(crate) fn exit_code(&mut self) -> i32 {
        self.server.wait().unwrap().code().unwrap_or(-1)
    }

    fn post(&mut self, line: &str) {
        let mut post = agent()
            .post(&self.url)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json");
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        if let Some(session) = &self.session {
            post = post.header("mcp-session-id", session);
        }
        for (name, value) in mirrored(&message) {
            post = post.header(name, value);
        }
        let response = post.send(line).unwrap();
        if let Some(session) = response.headers().get("mcp-session-id") {
            self.session = Some(session.to_str().unwrap().to_owned());
        }
        let kind = response.headers().get("content-type").map(|it| it.to_str().unwrap().to_owned());
        let mut body = response.into_body();
        match kind.as_deref() {
            None => {}
            Some("application/json") => {
                let text = body.read_to_string().unwrap();
                self.arrivals.send(serde_json::from_str(&text).unwrap()).unwrap();
            }
            Some(_) => self.follow(body),
        }
    }

    fn open_sse(&mut self) {
        let response = agent().get(&self.url).header("accept", "text/event-stream").call().unwrap();
        let mut events = BufReader::new(response.into_body().into_reader());
        let mut head = String::new();
        while !head.ends_with("\n\n") {
            events.read_line(&mut head).unwrap();
        }
        let address = head.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        self.session = Some(self.url.replace("/mcp", address));
        forward(events, self.arrivals.clone());
    }

    fn follow(&self, body: ureq::Body) {
        forward(BufReader::new(body.into_reader()), self.arrivals.clone());
    }

    fn logged_url(&self) -> String {
        loop {
            let line = self.log.recv_timeout(DEADLINE).unwrap();
            if let Some(at) = line.find("http://") {
                return line[at..].trim().to_owned();
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The headers that revision 2026-07-28 wants to be repeated.
pub(crate) fn mirrored(message: &Value) -> Vec<(&'static str, String)> {
    let params = &message["params"];
    let revision = params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
    let Some(revision) = revision else { return Vec::new() };
    let mut headers = vec![("mcp-protocol-version", revision.to_owned())];
    headers.extend(message["method"].as_str().map(|it| ("mcp-method", it.to_owned())));
    let name = params["name"].as_str().or(params["uri"].as_str());
    headers.extend(name.map(|it| ("mcp-name", it.to_owned())));
    headers
}

/// Passes on the messages of a stream of events.
fn forward(events: impl BufRead + Send + 'static, arrivals: Sender<Value>) {
    thread::spawn(move || {
        for line in events.lines().map_while(Result::ok) {
            let data = line.strip_prefix("data: ").filter(|data| !data.is_empty());
            if let Some(data) = data {
                let _ = arrivals.send(serde_json::from_str(data).unwrap());
            }
        }
    });
}

/// The lines of a stream as they come; they are taken even if nobody looks.
pub(crate) fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    receiver
}

/// Answers with an error status are answers too.
pub(crate) fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

/// The first log line that holds `part`.
pub(crate) fn logged(log: &Receiver<String>, part: &str) -> String {
    let begin = Instant::now();
    while begin.elapsed() < DEADLINE {
        match log.recv_timeout(DEADLINE) {
            Ok(line) if line.contains(part) => return line,
            Ok(_) => {}
            Err(_) => break,
        }
    }
    panic!("nothing was logged with `{part}`");
}
