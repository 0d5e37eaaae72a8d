//! A server in memory: it reads messages and acts on them as a test wants it.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, duplex, split},
    sync::mpsc,
    time::{Instant, sleep},
};
use tokio_util::task::TaskTracker;

use crate::{
    Audience, Endpoint, Identity, Plan, Program, ServerName, ServerSpec, Upstreams,
    connect::{ConnectError, Hold, Opened, Opener},
    link::{Link, Piped, Switchboard, Way},
};

/// What a server does; one thing after another.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Says a message, on a line of its own.
    Say(Value),
    /// Writes these bytes and no others.
    Raw(Vec<u8>),
    /// Does nothing else for so long.
    Wait(Duration),
    /// Neither reads nor writes any more.
    Freeze,
    /// Goes away.
    Leave,
}

type React = dyn Fn(usize, &Value) -> Vec<Act> + Send + Sync;

/// A kind of server: what it makes of messages, and what became of it so far.
pub(crate) struct Fake {
    react: Box<React>,
    attempts: Mutex<Vec<Instant>>,
    seen: Mutex<Vec<Value>>,
    /// Those of its kind that run; each ends with its connection, as a program that is ended.
    boards: Mutex<Vec<Weak<Switchboard>>>,
    most_live: AtomicUsize,
    /// Until when nobody can reach it.
    away_until: Mutex<Option<Instant>>,
    /// Makes the one that was started last act unasked.
    hand: Mutex<Option<mpsc::Sender<Act>>>,
}

impl Fake {
    /// A server that reacts to messages; the number says how many of its kind came before it.
    pub(crate) fn new(
        react: impl Fn(usize, &Value) -> Vec<Act> + Send + Sync + 'static,
    ) -> Arc<Fake> {
        Arc::new(Fake {
            react: Box::new(react),
            attempts: Mutex::default(),
            seen: Mutex::default(),
            boards: Mutex::default(),
            most_live: AtomicUsize::new(0),
            away_until: Mutex::default(),
            hand: Mutex::default(),
        })
    }

    /// One that has a tool `echo` and does everything right.
    pub(crate) fn good() -> Arc<Fake> {
        Fake::new(|_, message| good(message))
    }

    /// One that does everything right but for one method.
    pub(crate) fn on(
        method: &'static str,
        react: impl Fn(usize, &Value) -> Vec<Act> + Send + Sync + 'static,
    ) -> Arc<Fake> {
        Fake::new(move |start, message| match message["method"].as_str() {
            Some(it) if it == method => react(start, message),
            _ => good(message),
        })
    }

    /// One that lists these tools.
    pub(crate) fn listing(tools: Value) -> Arc<Fake> {
        Fake::on("tools/list", move |_, message| vec![result(message, json!({ "tools": tools }))])
    }

    /// One that nobody can reach.
    pub(crate) fn dead() -> Arc<Fake> {
        let fake = Fake::good();
        fake.away_for(Duration::MAX);
        fake
    }

    /// One that reads everything and says nothing.
    pub(crate) fn mute() -> Arc<Fake> {
        Fake::new(|_, _| Vec::new())
    }

    /// When someone tried to reach it, whether that worked or not.
    pub(crate) fn attempts(&self) -> Vec<Instant> {
        self.attempts.lock().unwrap().clone()
    }

    pub(crate) fn n_attempts(&self) -> usize {
        self.attempts.lock().unwrap().len()
    }

    /// How many of its kind run now.
    pub(crate) fn n_live(&self) -> usize {
        let mut boards = self.boards.lock().unwrap();
        boards.retain(|it| it.upgrade().is_some_and(|it| !it.is_over()));
        boards.len()
    }

    /// How many of its kind ever ran at a time.
    pub(crate) fn most_live(&self) -> usize {
        self.most_live.load(Ordering::SeqCst)
    }

    /// All messages that any of its kind was sent.
    pub(crate) fn seen(&self) -> Vec<Value> {
        self.seen.lock().unwrap().clone()
    }

    /// How often it was asked for `method`.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.seen.lock().unwrap().iter().filter(|it| it["method"] == method).count()
    }

    /// The messages of that method.
    pub(crate) fn asked(&self, method: &str) -> Vec<Value> {
        self.seen().into_iter().filter(|it| it["method"] == method).collect()
    }

    /// Makes the one that was started last do something unasked.
    pub(crate) async fn act(&self, act: Act) {
        let hand = self.hand.lock().unwrap().clone().unwrap();
        hand.send(act).await.unwrap();
    }

    pub(crate) async fn say(&self, message: Value) {
        self.act(Act::Say(message)).await;
    }

    /// Whoever tries to reach it from now on finds nobody, for so long.
    pub(crate) fn away_for(&self, time: Duration) {
        let until = Instant::now().checked_add(time);
        let for_ever = || Instant::now() + Duration::from_secs(1 << 30);
        *self.away_until.lock().unwrap() = Some(until.unwrap_or_else(for_ever));
    }

    async fn live(&self, start: usize, stream: DuplexStream) {
        let (reader, mut writer) = split(stream);
        let mut lines = BufReader::new(reader).lines();
        let (hand, mut unasked) = mpsc::channel(16);
        *self.hand.lock().unwrap() = Some(hand);
        loop {
            let acts = tokio::select! {
                Some(act) = unasked.recv() => vec![act],
                line = lines.next_line() => {
                    let Ok(Some(line)) = line else { return };
                    let message: Value = serde_json::from_str(&line).unwrap();
                    self.seen.lock().unwrap().push(message.clone());
                    (self.react)(start, &message)
                }
            };
            for act in acts {
                if !act.play(&mut writer).await {
                    return;
                }
            }
        }
    }

    fn open(
        self: Arc<Fake>,
        board: Arc<Switchboard>,
        tasks: &TaskTracker,
    ) -> Result<Opened, ConnectError> {
        let now = Instant::now();
        self.attempts.lock().unwrap().push(now);
        if self.away_until.lock().unwrap().is_some_and(|until| now < until) {
            return Err(ConnectError::passing("nobody is there".to_owned()));
        }
        let start = self.n_attempts() - 1;
        let (ours, theirs) = duplex(1 << 16);
        let (reader, writer) = split(ours);
        let piped = Piped::lines(&board, tasks, reader, writer);
        self.boards.lock().unwrap().push(Arc::downgrade(&board));
        self.most_live.fetch_max(self.n_live(), Ordering::SeqCst);
        let over = board.clone();
        // Not one of our own tasks, but what they talk to.
        TaskTracker::new().spawn(async move {
            tokio::select! {
                () = self.live(start, theirs) => {}
                () = over.over() => {}
            }
        });
        Ok(Opened { link: Hold::new(Link::new(Way::Piped(piped), board)), child: None })
    }

    /// A hub that keeps this one server under the name `fake`.
    pub(crate) fn kept(self: &Arc<Fake>) -> Upstreams {
        keep([("fake", self.clone())]).0
    }

    /// The same, by those who have an identity or an audience of their own.
    pub(crate) fn kept_by(
        self: &Arc<Fake>,
        identity: Identity,
        audience: Arc<dyn Audience>,
    ) -> Upstreams {
        let (tasks, fakes) = (TaskTracker::new(), [("fake".to_owned(), self.clone())].into());
        let opener = opener_for(identity, audience, fakes, &tasks);
        Upstreams::start_with(opener, tasks, plan([spec("fake")]))
    }
}

impl Act {
    /// Whether the server goes on after that.
    async fn play(self, writer: &mut (impl AsyncWrite + Unpin)) -> bool {
        let bytes = match self {
            Act::Say(message) => format!("{message}\n").into_bytes(),
            Act::Raw(bytes) => bytes,
            Act::Wait(time) => {
                sleep(time).await;
                return true;
            }
            Act::Freeze => std::future::pending().await,
            Act::Leave => return false,
        };
        writer.write_all(&bytes).await.is_ok()
    }
}

/// A hub that keeps these servers, and the tasks it has for that.
pub(crate) fn keep<'a>(
    fakes: impl IntoIterator<Item = (&'a str, Arc<Fake>)>,
) -> (Upstreams, TaskTracker) {
    let fakes: HashMap<String, Arc<Fake>> =
        fakes.into_iter().map(|(name, fake)| (name.to_owned(), fake)).collect();
    let plan = plan(fakes.keys().map(|name| spec(name)));
    let tasks = TaskTracker::new();
    (Upstreams::start_with(opener(fakes, &tasks), tasks.clone(), plan), tasks)
}

/// Reaches the server that goes by the name of a program's command.
pub(crate) fn opener(fakes: HashMap<String, Arc<Fake>>, tasks: &TaskTracker) -> Opener {
    opener_for(Identity::new("test", "1"), Arc::new(()), fakes, tasks)
}

fn opener_for(
    identity: Identity,
    audience: Arc<dyn Audience>,
    fakes: HashMap<String, Arc<Fake>>,
    tasks: &TaskTracker,
) -> Opener {
    let tasks = tasks.clone();
    Opener::new(identity, audience, move |endpoint, board| {
        let fake = fakes.get(&endpoint.to_string()).cloned();
        let tasks = tasks.clone();
        Box::pin(async move {
            let absent = || ConnectError::permanent(format!("there is no program `{endpoint}`"));
            fake.ok_or_else(absent)?.open(board, &tasks)
        })
    })
}

pub(crate) fn plan(servers: impl IntoIterator<Item = ServerSpec>) -> Plan {
    Plan { servers: servers.into_iter().collect(), ..Plan::default() }
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
    let mut answer = json!({ "jsonrpc": "2.0", "id": message["id"] });
    answer["result"] = result;
    Act::Say(answer)
}

pub(crate) fn error(message: &Value, code: i32, text: &str) -> Act {
    let error = json!({ "code": code, "message": text });
    Act::Say(json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }))
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    let mut notification = json!({ "jsonrpc": "2.0", "method": method });
    notification["params"] = params;
    notification
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

/// What a server does that does everything right in the revision of 2026-07-28, and in no other.
pub(crate) fn modern(message: &Value) -> Vec<Act> {
    let spoken = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    match message["method"].as_str() {
        Some("initialize" | "ping") => vec![error(message, -32601, "unknown method")],
        Some(_) if message["id"].is_null() => Vec::new(),
        Some(_) if spoken != "2026-07-28" => vec![error(message, -32602, "which revision?")],
        Some("server/discover") => {
            let answer = json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": { "listChanged": true } },
            });
            vec![result(message, answer)]
        }
        // Open for as long as the server is there.
        Some("subscriptions/listen") => Vec::new(),
        _ => good(message),
    }
}
