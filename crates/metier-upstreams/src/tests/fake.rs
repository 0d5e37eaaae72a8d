//! A server in memory: lines in, lines out, behaving as a test wants it.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split},
    sync::mpsc,
};
use tokio_util::task::TaskTracker;

use crate::{
    Endpoint, Identity, Plan, Program, ServerName, ServerSpec, Upstreams,
    connect::{ConnectError, Hold, Opened, Opener},
    link::{Link, Piped, Switchboard, Way},
};

/// What a server does with a message: says things, or goes away.
pub(crate) enum Act {
    Say(Value),
    Raw(Vec<u8>),
    Leave,
}

/// A kind of server: how often it was started, and what it makes of messages.
pub(crate) struct Fake {
    pub(crate) starts: AtomicUsize,
    pub(crate) seen: Mutex<Vec<Value>>,
    pub(crate) react: Box<dyn Fn(usize, &Value) -> Vec<Act> + Send + Sync>,
    /// Speaks up unasked; taken by the newest start.
    pub(crate) voice: Mutex<Option<mpsc::Sender<Vec<u8>>>>,
}

impl Fake {
    pub(crate) fn new(
        react: impl Fn(usize, &Value) -> Vec<Act> + Send + Sync + 'static,
    ) -> Arc<Fake> {
        Arc::new(Fake {
            starts: AtomicUsize::new(0),
            seen: Mutex::default(),
            react: Box::new(react),
            voice: Mutex::default(),
        })
    }

    /// One that has a tool `echo` and does everything right.
    pub(crate) fn good() -> Arc<Fake> {
        Fake::new(|_, message| good(message))
    }

    pub(crate) fn methods(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|it| it["method"].as_str().unwrap_or("response").to_owned()).collect()
    }

    pub(crate) async fn say(&self, message: Value) {
        let voice = self.voice.lock().unwrap().clone().unwrap();
        voice.send(message.to_string().into_bytes()).await.unwrap();
    }

    async fn serve(self: Arc<Fake>, start: usize, stream: DuplexStream) {
        let (reader, mut writer) = split(stream);
        let mut lines = BufReader::new(reader).lines();
        let (voice, mut said) = mpsc::channel(16);
        *self.voice.lock().unwrap() = Some(voice);
        loop {
            let line = tokio::select! {
                Some(bytes) = said.recv() => {
                    writer.write_all(&[&bytes[..], b"\n"].concat()).await.unwrap();
                    continue;
                }
                line = lines.next_line() => line,
            };
            let Ok(Some(line)) = line else { return };
            let message: Value = serde_json::from_str(&line).unwrap();
            self.seen.lock().unwrap().push(message.clone());
            for act in (self.react)(start, &message) {
                let bytes = match act {
                    Act::Say(message) => message.to_string().into_bytes(),
                    Act::Raw(bytes) => bytes,
                    Act::Leave => return,
                };
                if writer.write_all(&[&bytes[..], b"\n"].concat()).await.is_err() {
                    return;
                }
            }
        }
    }

    pub(crate) fn opener(self: &Arc<Fake>, tasks: &TaskTracker) -> Opener {
        let (fake, tasks) = (self.clone(), tasks.clone());
        Opener::new(move |_| {
            let (fake, tasks) = (fake.clone(), tasks.clone());
            Box::pin(async move { fake.open(&tasks) })
        })
    }

    pub(crate) fn open(self: Arc<Fake>, tasks: &TaskTracker) -> Result<Opened, ConnectError> {
        let start = self.starts.fetch_add(1, Ordering::SeqCst);
        let (ours, theirs) = duplex(1 << 16);
        tasks.spawn(self.serve(start, theirs));
        let board = Switchboard::new(Arc::new(Identity::new("test", "1")));
        let (reader, writer) = split(ours);
        let piped = Piped::lines(&board, tasks, reader, writer);
        Ok(Opened { link: Hold::new(Link::new(Way::Piped(piped), board)), child: None })
    }

    /// A hub that keeps this one server under the name `fake`.
    pub(crate) fn kept(self: &Arc<Fake>) -> Upstreams {
        let tasks = TaskTracker::new();
        let plan = Plan { servers: vec![spec("fake")], ..Plan::default() };
        Upstreams::start_with(self.opener(&tasks), tasks, plan)
    }
}

pub(crate) fn spec(name: &str) -> ServerSpec {
    let program = Program {
        command: name.to_owned(),
        args: Vec::new(),
        env: crate::Secrets::default(),
        cwd: None,
    };
    ServerSpec::new(ServerName::new(name).unwrap(), Endpoint::Stdio(program))
}

pub(crate) fn result(message: &Value, result: Value) -> Act {
    Act::Say(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
}

pub(crate) fn error(message: &Value, code: i32, text: &str) -> Act {
    let error = json!({ "code": code, "message": text });
    Act::Say(json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }))
}

/// What a server does that does everything right.
pub(crate) fn good(message: &Value) -> Vec<Act> {
    let answer = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "fake", "version": "1" },
        }),
        Some("tools/list") => json!({ "tools": [{ "name": "echo", "odd": 1 }] }),
        Some("tools/call") => json!({ "content": [], "got": message["params"]["arguments"] }),
        Some("ping") => json!({}),
        _ => return Vec::new(),
    };
    vec![result(message, answer)]
}
