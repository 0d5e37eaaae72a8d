//! The relay between a server and the client that called it: progress, remarks and questions.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use metier_upstreams::{Answering, Caller, Claim, Member};
use metier_wire::{Era, Error, Members, write};
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::oneshot;

use super::{ear::is_between_neighbours, journey::Parcel, levels};
use crate::call::Call;

/// The member of `_meta` by which a request asks for log messages.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// How many messages to the client wait at most; then the oldest give way.
const MOST_WAITING: usize = 1_000;

/// Speaks for a client to the server that it called.
pub(super) struct Relay {
    /// The request that is being answered; another one after each round of questions.
    call: Mutex<Call>,
    era: Era,
    /// What the client sent, and what it can do.
    parcel: Parcel,
    /// The least severe log messages that the client wants; none if it wants none.
    level: Option<u8>,
    /// The same where the client said so once for all, in words for a server that needs it each time.
    wish: Option<Box<RawValue>>,
    events: Mutex<Events>,
}

/// What has happened, and who waits for it.
#[derive(Default)]
struct Events {
    queue: VecDeque<Event>,
    waker: Option<Waker>,
    /// Nobody comes for it any more.
    is_over: bool,
}

/// What happens before there is a result.
pub(super) enum Event {
    /// The client is told how far the call has come.
    Progress(Vec<u8>),
    /// The client is told something else.
    Remark(Vec<u8>),
    /// The client, which can only be asked by way of a result, is asked something.
    Question(Question),
}

/// Something that a server wants to know before it goes on.
pub(super) struct Question {
    pub(super) method: String,
    pub(super) params: Option<Box<RawValue>>,
    pub(super) answer: oneshot::Sender<Result<Box<RawValue>, Error>>,
}

impl Relay {
    /// Speaks for the client of a call that sent this.
    pub(super) fn new(call: Call, parcel: Parcel) -> Arc<Relay> {
        let (level, wish) = match call.era() {
            Era::Legacy => (Some(call.client().level()), call.client().wanted_level()),
            Era::Modern => (wanted_level(&parcel.params), None),
        };
        Arc::new(Relay {
            era: call.era(),
            call: Mutex::new(call),
            parcel,
            level,
            wish: wish.and_then(|it| to_raw_value(levels::word(it)).ok()),
            events: Mutex::default(),
        })
    }

    /// What the client can do, as it says.
    pub(super) fn capabilities(&self) -> Option<&RawValue> {
        self.parcel.capabilities.as_deref()
    }

    /// What the client sent.
    pub(super) fn params(&self) -> &RawValue {
        &self.parcel.params
    }

    /// What a server of that era must be told of the log messages that the client wants.
    pub(super) fn wish_for(&self, server: Era) -> Option<Member<'_>> {
        let wish = self.wish.as_deref().filter(|_| self.asks_for(server))?;
        Some((LOG_LEVEL, wish))
    }

    /// Goes on under another request of the same client.
    pub(super) fn go_on(&self, call: &Call) {
        lock(&self.call).clone_from(call);
    }

    /// Whether what a result of a server of that era asks for must be asked of the client: it would
    /// not know what to do with such a result.
    pub(super) fn asks_for(&self, server: Era) -> bool {
        (self.era, server) == (Era::Legacy, Era::Modern)
    }

    /// The next thing that happens.
    pub(super) async fn next(&self) -> Event {
        poll_fn(|context| {
            let mut events = lock(&self.events);
            match events.queue.pop_front() {
                Some(event) => Poll::Ready(event),
                None => {
                    events.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }

    pub(super) fn try_next(&self) -> Option<Event> {
        lock(&self.events).queue.pop_front()
    }

    /// Takes note that the call is over: who waits for an answer of the client waits in vain.
    pub(super) fn end(&self) {
        *lock(&self.events) = Events { is_over: true, ..Events::default() };
    }

    fn push(&self, event: Event) {
        let mut events = lock(&self.events);
        if events.is_over {
            return;
        }
        if events.queue.len() >= MOST_WAITING {
            make_room(&mut events.queue);
        }
        events.queue.push_back(event);
        let waker = events.waker.take();
        drop(events);
        waker.into_iter().for_each(Waker::wake);
    }

    fn call(&self) -> Call {
        lock(&self.call).clone()
    }
}

impl Caller for Relay {
    fn progress(&self, params: &RawValue) {
        let call = lock(&self.call);
        let Some(token) = call.progress_token() else { return };
        let Some(mut members) = Members::of(params) else { return };
        for (key, value) in &mut members.0 {
            if key == "progressToken" {
                *value = token;
            }
        }
        let mut out = Vec::new();
        write::notification(&mut out, "notifications/progress", Some(&members));
        drop(call);
        self.push(Event::Progress(out));
    }

    fn told(&self, method: &str, params: Option<&RawValue>) {
        let is_unwanted = method == "notifications/message"
            && self.level.is_none_or(|level| levels::of_message(params) < level);
        if is_unwanted || is_between_neighbours(method) {
            return;
        }
        let mut out = Vec::new();
        write::notification(&mut out, method, params.as_ref());
        self.push(Event::Remark(out));
    }

    fn client(&self) -> usize {
        Arc::as_ptr(lock(&self.call).client()).addr()
    }

    fn claim(&self, method: &str) -> Claim {
        match refusal(self.capabilities(), method) {
            Some(_) => Claim::Unable,
            // Its request has ended, and it did not come back yet.
            None if lock(&self.call).is_over() => Claim::Away,
            None => Claim::Here,
        }
    }

    fn asked<'a>(&'a self, method: &'a str, params: Option<&'a RawValue>) -> Answering<'a> {
        Box::pin(async move {
            if let Some(refusal) = refusal(self.capabilities(), method) {
                return Err(refusal);
            }
            match self.era {
                Era::Legacy => {
                    let call = self.call();
                    let asked = call.client().ask(call.lane(), method, params.as_ref());
                    asked.await.map_err(Error::from)
                }
                Era::Modern => {
                    let (answer, answered) = oneshot::channel();
                    let (method, params) = (method.to_owned(), params.map(ToOwned::to_owned));
                    self.push(Event::Question(Question { method, params, answer }));
                    answered.await.unwrap_or_else(|_| Err(Error::internal("nobody answered")))
                }
            }
        })
    }
}

/// Drops the oldest message that others outdate; a question never is.
fn make_room(events: &mut VecDeque<Event>) {
    let progress = events.iter().position(|it| matches!(it, Event::Progress(_)));
    let remark = || events.iter().position(|it| matches!(it, Event::Remark(_)));
    if let Some(oldest) = progress.or_else(remark) {
        events.remove(oldest);
    }
}

/// The level of log messages that a request asks for by itself.
fn wanted_level(params: &RawValue) -> Option<u8> {
    if !params.get().contains(LOG_LEVEL) {
        return None;
    }
    let meta = Members::of(params)?.get("_meta")?;
    levels::number(&Members::of(meta)?.text(LOG_LEVEL)?)
}

/// Why a client cannot be asked something; none if it can.
pub(super) fn refusal(capabilities: Option<&RawValue>, method: &str) -> Option<Error> {
    let capability = method.split('/').next().unwrap_or_default();
    let can = capabilities.and_then(Members::of).is_some_and(|it| it.get(capability).is_some());
    (!can).then(|| {
        let message = format!("the client cannot be asked `{method}`: it has no `{capability}`");
        Error::new(Error::METHOD_NOT_FOUND, message)
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
