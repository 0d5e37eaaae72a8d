//! Callers: who made a call, hears how it goes on, and answers what the server asks meanwhile.

use std::{
    fmt,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use metier_wire::Error;
use serde_json::value::RawValue;
use tokio::{sync::Notify, time::Instant};

/// What comes of a question that a server asked.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<Box<RawValue>, Error>> + Send + 'a>>;

/// Who made a call. `()` is a caller who neither hears nor answers anything.
pub trait Caller: Send + Sync {
    /// The server says how far it has come; `params` are those of its notification.
    fn progress(&self, params: &RawValue) {
        let _ = params;
    }

    /// The server tells something else that certainly belongs to the call, such as a log message on
    /// its own stream. What comes by a stream that calls share is for the
    /// [`Audience`](crate::Audience).
    fn told(&self, method: &str, params: Option<&RawValue>) {
        let _ = (method, params);
    }

    /// Who stands behind the call: all calls of one client have the same number.
    fn client(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Whether a question may be for this caller that does not say which call it belongs to.
    fn claim(&self, method: &str) -> Claim {
        let _ = method;
        Claim::Here
    }

    /// The server asks something (sampling, elicitation, roots) before it goes on.
    fn asked<'a>(&'a self, method: &'a str, params: Option<&'a RawValue>) -> Answering<'a> {
        let _ = params;
        refusal(method)
    }
}

/// What speaks for a question being for a caller, where it may be for any of several. The strongest
/// claim counts, if but one client has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// Nobody stands behind the call who could be asked.
    Nobody,
    /// Who stands behind it cannot answer such a question, and says so.
    Unable,
    /// Who stands behind it could answer, but has left the call to itself for now.
    Away,
    /// Who stands behind it is there and can answer.
    Here,
}

impl Caller for () {
    fn client(&self) -> usize {
        0
    }

    fn claim(&self, _: &str) -> Claim {
        Claim::Nobody
    }
}

/// The answer of one who answers nothing.
pub(crate) fn refusal(method: &str) -> Answering<'static> {
    let refusal = format!("nobody here answers `{method}`");
    Box::pin(async { Err(Error::new(Error::METHOD_NOT_FOUND, refusal)) })
}

/// A call that is under way.
pub(crate) struct Running {
    pub(crate) caller: Arc<dyn Caller>,
    pub(crate) kind: Kind,
    began: Instant,
    /// Milliseconds from the beginning to the last sign of progress.
    moved: AtomicU64,
    /// How many questions of the server the caller has not answered yet.
    n_questions: AtomicUsize,
    is_over: AtomicBool,
    ended: Notify,
}

/// What kind of thing is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A call, which has an end.
    Call,
    /// A stream that stays open: nothing is done for it, and silence means nothing.
    Stream,
}

/// A question that the caller of a call thinks about; meanwhile the server is not silent, but waits.
pub(crate) struct Thinking(Arc<Running>);

impl Running {
    pub(crate) fn new(caller: Arc<dyn Caller>) -> Arc<Running> {
        Running::of(Kind::Call, caller)
    }

    pub(crate) fn of(kind: Kind, caller: Arc<dyn Caller>) -> Arc<Running> {
        Arc::new(Running {
            caller,
            kind,
            began: Instant::now(),
            moved: AtomicU64::new(0),
            n_questions: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            ended: Notify::new(),
        })
    }

    /// Takes note that nobody waits for its answer any more.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Release);
        self.ended.notify_waiters();
    }

    /// Resolves when nobody waits for its answer any more.
    async fn over(&self) {
        let mut ended = pin!(self.ended.notified());
        ended.as_mut().enable();
        if !self.is_over.load(Ordering::Acquire) {
            ended.await;
        }
    }

    /// Takes in a sign of progress.
    pub(crate) fn moves(&self, params: &RawValue) {
        self.is_heard();
        self.caller.progress(params);
    }

    /// Begins to think about a question, until what is returned is dropped.
    pub(crate) fn think(self: &Arc<Self>) -> Thinking {
        self.n_questions.fetch_add(1, Ordering::Relaxed);
        Thinking(self.clone())
    }

    fn is_heard(&self) {
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.moved.store(elapsed, Ordering::Relaxed);
    }

    /// Resolves when nothing was heard of the call for `patience`.
    pub(crate) async fn silent_for(&self, patience: Duration) {
        loop {
            if self.n_questions.load(Ordering::Relaxed) > 0 {
                self.is_heard();
            }
            let moved = Duration::from_millis(self.moved.load(Ordering::Relaxed));
            let Some(until) = (self.began + moved).checked_add(patience) else {
                return std::future::pending().await;
            };
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }
}

impl Thinking {
    /// Resolves when the call that waits for it is over.
    pub(crate) async fn call_over(&self) {
        self.0.over().await;
    }
}

impl Drop for Thinking {
    fn drop(&mut self) {
        self.0.is_heard();
        self.0.n_questions.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").finish_non_exhaustive()
    }
}
