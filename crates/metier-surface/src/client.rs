//! A client: what it said of itself, and the ways to it that belong to no request.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU8, Ordering::Relaxed},
    },
    time::Duration,
};

use metier_upstreams::uri::NormalUri;
use metier_wire::{Era, Outcome, Response, write};
use serde::Serialize;
use serde_json::{json, value::RawValue};
use tokio::{
    runtime::Handle,
    sync::{Notify, oneshot},
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{call::AskError, gateway::Watch, lane::Kind, lane::Lane};

/// No level of log messages.
const NO_LEVEL: u8 = u8::MAX;
/// How long a client may take to answer a request of ours.
const ASK_DEADLINE: Duration = Duration::from_secs(300);
/// How long one that has just come may take to listen to what belongs to no request.
const COMING: Duration = Duration::from_secs(5);

/// One client, for as long as its session lasts.
pub struct Client {
    /// Where messages go that belong to no request.
    aside: Option<Lane>,
    /// Ends with the client.
    pub(crate) end: CancellationToken,
    introduction: OnceLock<Introduction>,
    since: Instant,
    questions: Mutex<Questions>,
    /// [`NO_LEVEL`] until it says so.
    level: AtomicU8,
    revealed: Mutex<HashSet<Arc<str>>>,
    /// More tools were revealed.
    pub(crate) sees_more: Notify,
    watched: Mutex<HashMap<Box<str>, Arc<Watch>>>,
    tasks: TaskTracker,
}

/// What a client said of itself first.
struct Introduction {
    era: Era,
    capabilities: Arc<RawValue>,
}

#[derive(Default)]
struct Questions {
    open: HashMap<u64, oneshot::Sender<Settled>>,
    n_asked: u64,
}

/// A client's answer to a request of ours: its result, or its error object.
type Settled = Result<Box<RawValue>, Box<RawValue>>;

impl Client {
    /// A client; what it is told later than now, one of these tasks tells it.
    pub(crate) fn new(aside: Option<Lane>, tasks: &TaskTracker) -> Arc<Client> {
        Arc::new(Client {
            aside,
            end: CancellationToken::new(),
            introduction: OnceLock::new(),
            since: Instant::now(),
            questions: Mutex::default(),
            level: AtomicU8::new(NO_LEVEL),
            revealed: Mutex::default(),
            sees_more: Notify::new(),
            watched: Mutex::default(),
            tasks: tasks.clone(),
        })
    }

    /// Where messages go that belong to no request.
    pub(crate) fn aside(&self) -> Option<&Lane> {
        self.aside.as_ref()
    }

    /// The lane by which it can be asked what belongs to no request, if it can be now: nobody may
    /// listen at it, or no longer. One that has just come may be about to.
    pub(crate) fn ear(&self) -> Option<&Lane> {
        let is_askable = self.introduction.get().is_some_and(|it| it.era == Era::Legacy);
        let is_new = self.since.elapsed() < COMING;
        self.aside.as_ref().filter(|lane| is_askable && (lane.is_heard() || is_new))
    }

    /// Resolves when it has had the time to listen, and nobody does.
    pub(crate) async fn unheard(&self) {
        tokio::time::sleep_until(self.since + COMING).await;
        if self.aside.as_ref().is_some_and(Lane::is_heard) {
            std::future::pending::<()>().await;
        }
    }

    /// Takes in by which rules the client plays and what it says that it can do; its first word
    /// counts.
    pub(crate) fn introduce(&self, era: Era, capabilities: Option<&RawValue>) {
        let capabilities = capabilities.map(ToOwned::to_owned).unwrap_or_default().into();
        let _ = self.introduction.set(Introduction { era, capabilities });
    }

    /// What the client said in `initialize` that it can do.
    pub(crate) fn capabilities(&self) -> Option<&Arc<RawValue>> {
        self.introduction.get().map(|it| &it.capabilities)
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

    /// No longer hears of them, however the URI is spelled; says whether it did.
    pub(crate) fn unwatch(&self, uri: &str) -> bool {
        let mut watched = lock(&self.watched);
        if watched.remove(uri).is_some() {
            return true;
        }
        let Ok(wanted) = NormalUri::of(uri) else { return false };
        let mut uris = watched.keys();
        let spelled = uris.find(|it| NormalUri::of(it).is_ok_and(|it| it == wanted)).cloned();
        spelled.is_some_and(|it| watched.remove(&it).is_some())
    }

    pub(crate) fn watches(&self, uri: &str) -> bool {
        lock(&self.watched).contains_key(uri)
    }

    /// Asks the client something, by a lane that leads to it; giving up waiting withdraws it.
    pub(crate) async fn ask(
        &self,
        lane: &Lane,
        method: &str,
        params: Option<&(impl Serialize + Sync)>,
    ) -> Result<Box<RawValue>, AskError> {
        let (id, reply) = self.expect_reply();
        let mut asked = Asked { client: self, lane, id, is_sent: false };
        let mut out = Vec::new();
        write::request(&mut out, id, method, params);
        asked.is_sent = lane.room().await.send(Kind::Aside, out);
        if !asked.is_sent {
            return Err(AskError::Unreachable);
        }
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

    /// Tells the client that it need not answer, by the lane that it was asked by, or else aside.
    fn withdraw(&self, lane: &Lane, id: u64) {
        let params = json!({ "requestId": id, "reason": "it is no longer wanted" });
        let mut out = Vec::new();
        write::notification(&mut out, "notifications/cancelled", Some(&params));
        let (lane, aside) = (lane.clone(), self.aside.clone());
        let telling = async move {
            if !lane.room().await.send(Kind::Aside, out.clone())
                && let Some(aside) = aside
            {
                aside.send(Kind::Aside, out).await;
            }
        };
        // Whoever gives up waiting may do so where nothing runs any more.
        if let Ok(runtime) = Handle::try_current() {
            let telling = self.end.clone().run_until_cancelled_owned(telling);
            self.tasks.spawn_on(telling, &runtime);
        }
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

/// A question; if it is still open when this is dropped, it is withdrawn.
struct Asked<'a> {
    client: &'a Client,
    lane: &'a Lane,
    id: u64,
    is_sent: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let is_open = lock(&self.client.questions).open.remove(&self.id).is_some();
        if is_open && self.is_sent {
            self.client.withdraw(self.lane, self.id);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing in here panics while it is held, and each value is whole at any time.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
