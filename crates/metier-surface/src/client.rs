//! A client: what it said of itself, and the ways to it that belong to no request.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU8, Ordering::Relaxed},
    },
    time::Duration,
};

use metier_wire::{Outcome, Response, write};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{call::AskError, gateway::Watch, lane::Kind, lane::Lane};

/// No level of log messages.
const NO_LEVEL: u8 = u8::MAX;
/// How long a client may take to answer a request of ours.
const ASK_DEADLINE: Duration = Duration::from_secs(300);

/// One client, for as long as its session lasts.
pub struct Client {
    /// Where messages go that belong to no request.
    aside: Option<Lane>,
    /// Ends with the client.
    pub(crate) end: CancellationToken,
    capabilities: OnceLock<Box<RawValue>>,
    questions: Mutex<Questions>,
    /// [`NO_LEVEL`] until it says so.
    level: AtomicU8,
    revealed: Mutex<HashSet<Arc<str>>>,
    /// More tools were revealed.
    pub(crate) sees_more: Notify,
    watched: Mutex<HashMap<Box<str>, Arc<Watch>>>,
}

#[derive(Default)]
struct Questions {
    open: HashMap<u64, oneshot::Sender<Settled>>,
    n_asked: u64,
}

/// A client's answer to a request of ours: its result, or its error object.
type Settled = Result<Box<RawValue>, Box<RawValue>>;

impl Client {
    pub(crate) fn new(aside: Option<Lane>) -> Arc<Client> {
        Arc::new(Client {
            aside,
            end: CancellationToken::new(),
            capabilities: OnceLock::new(),
            questions: Mutex::default(),
            level: AtomicU8::new(NO_LEVEL),
            revealed: Mutex::default(),
            sees_more: Notify::new(),
            watched: Mutex::default(),
        })
    }

    /// Where messages go that belong to no request.
    pub(crate) fn aside(&self) -> Option<&Lane> {
        self.aside.as_ref()
    }

    /// Takes in what the client says that it can do; its first word counts.
    pub(crate) fn introduce(&self, capabilities: Option<&RawValue>) {
        let _ = self.capabilities.set(capabilities.map(ToOwned::to_owned).unwrap_or_default());
    }

    /// What the client said in `initialize` that it can do.
    pub(crate) fn capabilities(&self) -> Option<&RawValue> {
        self.capabilities.get().map(|it| &**it)
    }

    /// The least severe log messages that it takes, as a number.
    pub(crate) fn level(&self) -> u8 {
        self.wanted_level().unwrap_or(0)
    }

    /// The least severe log messages that it said it wants.
    pub(crate) fn wanted_level(&self) -> Option<u8> {
        Some(self.level.load(Relaxed)).filter(|it| *it != NO_LEVEL)
    }

    pub(crate) fn set_level(&self, level: u8) {
        self.level.store(level, Relaxed);
    }

    /// Shows tools that were hidden from this client so far.
    pub(crate) fn reveal(&self, ids: impl Iterator<Item = Arc<str>>) {
        let mut revealed = lock(&self.revealed);
        let before = revealed.len();
        revealed.extend(ids);
        if revealed.len() > before {
            self.sees_more.notify_one();
        }
    }

    /// Whether a tool was revealed to this client.
    pub(crate) fn sees(&self, id: &str) -> bool {
        lock(&self.revealed).contains(id)
    }

    /// Begins to hear of changes of a resource.
    pub(crate) fn watch(&self, uri: &str, watch: Arc<Watch>) {
        lock(&self.watched).insert(uri.into(), watch);
    }

    /// No longer hears of them; says whether it did.
    pub(crate) fn unwatch(&self, uri: &str) -> bool {
        lock(&self.watched).remove(uri).is_some()
    }

    pub(crate) fn watches(&self, uri: &str) -> bool {
        lock(&self.watched).contains_key(uri)
    }

    /// Asks the client something, by a lane that leads to it.
    pub(crate) async fn ask(
        &self,
        lane: &Lane,
        method: &str,
        params: Option<&(impl Serialize + Sync)>,
    ) -> Result<Box<RawValue>, AskError> {
        let (id, reply) = self.expect_reply();
        let _asked = Asked { client: self, id };
        let mut out = Vec::new();
        write::request(&mut out, id, method, params);
        lane.send(Kind::Aside, out).await;
        let reply = tokio::select! {
            reply = tokio::time::timeout(ASK_DEADLINE, reply) => reply,
            () = self.end.cancelled() => return Err(AskError::Unanswered),
        };
        match reply {
            Ok(Ok(reply)) => reply.map_err(AskError::Refused),
            Ok(Err(_)) | Err(_) => Err(AskError::Unanswered),
        }
    }

    /// Makes room for the client's answer to a request of ours.
    fn expect_reply(&self) -> (u64, oneshot::Receiver<Settled>) {
        let (sender, receiver) = oneshot::channel();
        let mut questions = lock(&self.questions);
        questions.n_asked += 1;
        let id = questions.n_asked;
        questions.open.insert(id, sender);
        (id, receiver)
    }

    /// Hands an answer to whoever waits for it.
    pub(crate) fn settle(&self, response: &Response<'_>) {
        let Some(Ok(id)) = response.id.map(|id| id.as_str().parse()) else { return };
        let Some(waiting) = lock(&self.questions).open.remove(&id) else { return };
        let _ = waiting.send(match response.outcome {
            Outcome::Result(result) => Ok(result.to_owned()),
            Outcome::Error(error) => Err(error.to_owned()),
        });
    }
}

/// An open question; it is forgotten when this is dropped.
struct Asked<'a> {
    client: &'a Client,
    id: u64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        lock(&self.client.questions).open.remove(&self.id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing in here panics while it is held, and each value is whole at any time.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
