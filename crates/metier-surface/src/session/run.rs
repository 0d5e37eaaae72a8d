//! Running a request: at once, or as a task that can be cancelled and may panic.

use std::{
    collections::hash_map::{Entry, VacantEntry},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

use futures_util::FutureExt;
use metier_upstreams::pump::{Task, When};
use metier_wire::{Era, Error, Id, IdKey, Notification, Revision, SERVER_INFO, write};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Asked, MOST_RUNNING, Session, State, Taken};
use crate::{
    call::Call,
    lane::{Kind, Lane},
    meter,
    responder::{Answer, Body, Done, Implementation, Meta, Work},
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled<'a> {
    #[serde(borrow)]
    request_id: &'a RawValue,
}

impl Session {
    /// Runs a request under the rules of its revision.
    pub(crate) fn run(
        self: &Arc<Session>,
        asked: &Asked<'_>,
        lane: &dyn Fn() -> Lane,
        out: &mut Vec<u8>,
    ) -> Taken {
        let Asked { request, revision, .. } = *asked;
        let since = Instant::now();
        let begin = out.len();
        let answer = catch_unwind(AssertUnwindSafe(|| {
            write::result(out, request.id, |out| self.answer(asked, out))
        }));
        let refused = match answer {
            Ok(Ok(Answer::Now(own))) => {
                if own == Meta::Absent {
                    sign(out, revision, &self.server.responder.greeting().server);
                }
                self.server.meter.answered(&request.method, since.elapsed());
                return Taken::Answered;
            }
            Ok(Ok(Answer::Later(work))) => {
                out.truncate(begin);
                match self.start(asked, lane, work, since) {
                    Ok(()) => return Taken::Running,
                    Err(error) => error,
                }
            }
            Ok(Err(error)) => error,
            Err(_) => panicked(&request.method),
        };
        out.truncate(begin);
        self.server.meter.failed(&request.method, since.elapsed());
        write::error(out, Some(request.id), &refused);
        Taken::Refused(refused.code)
    }

    /// Starts work whose reply takes the lane.
    fn start(
        self: &Arc<Session>,
        asked: &Asked<'_>,
        lane: &dyn Fn() -> Lane,
        work: Work,
        since: Instant,
    ) -> Result<(), Error> {
        let Asked { request, meta, revision } = *asked;
        let mut state = self.state();
        let place = state.place(request.id)?;
        let call = Call::new(&self.client, lane(), revision, meta.progress_token, since);
        let end = End(call.clone());
        let running = Running { session: Arc::clone(self), key: place.key().clone() };
        let (id, method) = (request.id.to_raw(), meter::named(&request.method));
        let server = Arc::clone(&self.server);
        let task = async move {
            let work = AssertUnwindSafe(async { work(call.clone()).await }).catch_unwind();
            let done = work.await.unwrap_or_else(|_| Err(panicked(&method)));
            let room = call.lane().room().await;
            let kind = match &done {
                Ok(_) => {
                    server.meter.answered(&method, call.since().elapsed());
                    Kind::Reply
                }
                Err(error) => {
                    server.meter.failed(&method, call.since().elapsed());
                    Kind::Refusal(error.code)
                }
            };
            let reply = reply(&id, done, revision, &server.responder.greeting().server);
            // The id may be used again as soon as the reply is seen.
            drop(running);
            room.send(kind, reply);
            drop(end);
        };
        let task = place.insert(self.server.home.task(When::Soon, task)).clone();
        drop(state);
        task.begin();
        Ok(())
    }

    /// Ends the session: what it works on is dropped.
    pub(crate) fn end(&self) {
        self.client.end.cancel();
        let running: Vec<Task> = self.state().running.values().cloned().collect();
        running.iter().for_each(Task::cancel);
    }

    pub(super) fn cancel(&self, notification: &Notification<'_>) {
        let params = notification.params.map(RawValue::get).unwrap_or_default();
        let Ok(cancelled) = serde_json::from_str::<Cancelled<'_>>(params) else { return };
        let Some(id) = Id::new(cancelled.request_id) else { return };
        let task = self.state().running.get(&id.key()).cloned();
        if let Some(task) = task {
            task.cancel();
        }
    }
}

impl State {
    /// A place in the session's book for a request.
    fn place(&mut self, id: Id<'_>) -> Result<VacantEntry<'_, IdKey, Task>, Error> {
        if self.running.len() >= MOST_RUNNING {
            return Err(Error::internal(format!(
                "{MOST_RUNNING} requests are being worked on: wait for an answer first"
            )));
        }
        match self.running.entry(id.key()) {
            Entry::Vacant(place) => Ok(place),
            Entry::Occupied(_) => {
                let message = format!("a request with id {} is being worked on", id.as_str());
                Err(Error::invalid_request(message))
            }
        }
    }
}

/// A request in the session's book; leaves it when dropped.
struct Running {
    session: Arc<Session>,
    key: IdKey,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.session.state().running.remove(&self.key);
    }
}

/// The end of a call, with or without an answer.
struct End(Call);

impl Drop for End {
    fn drop(&mut self) {
        self.0.end();
    }
}

fn reply(id: &RawValue, done: Done, revision: Revision, server: &Implementation) -> Vec<u8> {
    let mut out = Vec::new();
    let Some(id) = Id::new(id) else { return out };
    match done {
        Ok(Body { result, meta }) => {
            out.reserve(result.len() + 64);
            write::result(&mut out, id, |out| out.extend_from_slice(&result));
            if meta == Meta::Absent {
                sign(&mut out, revision, server);
            }
        }
        Err(error) => write::error(&mut out, Some(id), &error),
    }
    out
}

/// Puts the server's name into a finished result, where the revision wants it.
///
/// Such a result has a `resultType`, so there is a member for the new one to follow.
fn sign(out: &mut Vec<u8>, revision: Revision, server: &Implementation) {
    if revision.era() == Era::Legacy {
        return;
    }
    out.truncate(out.len() - 2);
    out.extend_from_slice(br#","_meta":{""#);
    out.extend_from_slice(SERVER_INFO.as_bytes());
    out.extend_from_slice(br#"":"#);
    write::json(out, server);
    out.extend_from_slice(b"}}}");
}

fn panicked(method: &str) -> Error {
    tracing::error!(method, "a request panicked; this is a fault of metier");
    Error::internal("internal error; the server's log says more")
}
