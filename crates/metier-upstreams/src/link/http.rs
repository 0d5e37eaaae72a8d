//! Streamable HTTP: a request each, answered by a message or by a stream of them.

mod exchange;

use std::{
    borrow::Cow,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use http::{
    HeaderMap, HeaderValue, Method, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use metier_wire::{Era, Error, Frame, Revision, Text, header};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tokio_util::task::TaskTracker;

use self::exchange::Exchange;
use super::{
    Ask, Failed, Heard, Reply,
    events::{Data, Event, Events},
    refusal::refusal,
    remote::{self, Kind, Remote},
    switchboard::{Ending, Home, Pending, Seat, Switchboard, Taken},
};
use crate::{
    mirror,
    spec::Site,
    web::{Body, Web},
};

/// How many questions of the server may be open at a time.
const MOST_OWED: usize = 64;
/// How often in a row something may be not found until the session is what is missing.
const MOST_MISSES: usize = 3;
/// How long a message may take that nobody waits for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long saying goodbye may take.
const FAREWELL: Duration = Duration::from_secs(2);
/// What we take for an answer, and what for a stream of our own.
const ANSWERS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A server at an address.
pub(crate) struct Http {
    wire: Arc<Wire>,
    /// How far we have heard what the server tells by itself.
    heard: Mutex<Cursor>,
}

/// What the requests of one connection share.
struct Wire {
    remote: Remote,
    session: OnceLock<HeaderValue>,
    tasks: TaskTracker,
    owed: Arc<Semaphore>,
    /// How often in a row the server did not find what it was asked for.
    n_misses: AtomicUsize,
}

/// What comes of asking a server whether it knows our session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pong {
    /// It does.
    Welcome,
    /// It does not.
    Refused,
    /// It does not say.
    Silence,
}

/// How far a stream was read, and when one may come back to it.
#[derive(Clone, Default)]
struct Cursor {
    id: Option<HeaderValue>,
    retry: Option<Duration>,
}

impl Http {
    pub(crate) fn new(site: &Site, web: Web, tasks: &TaskTracker) -> Result<Http, Failed> {
        let wire = Wire {
            remote: Remote::new(site, web)?,
            session: OnceLock::new(),
            tasks: tasks.clone(),
            owed: Arc::new(Semaphore::new(MOST_OWED)),
            n_misses: AtomicUsize::new(0),
        };
        Ok(Http { wire: Arc::new(wire), heard: Mutex::default() })
    }

    /// Sends a request and waits for its result; giving up waiting cancels it.
    pub(crate) async fn request(&self, board: &Arc<Switchboard>, ask: Ask<'_>) -> Reply {
        let revision = ask.revision(board.revision());
        let mut headers = self.wire.headers(revision, ANSWERS);
        if is_modern(revision) {
            repeat(&mut headers, &ask)?;
        }
        let (place, elsewhere) = board.expect(Home::Stream, ask.running)?;
        let message = ask.message(place.id(), &board.identity, revision);
        Exchange::new(&self.wire, board, place, &ask).run(headers, message, elsewhere).await
    }

    /// Sends a message that has no answer.
    pub(crate) async fn post(
        &self,
        board: &Arc<Switchboard>,
        message: Vec<u8>,
    ) -> Result<(), Failed> {
        self.wire.post(board, message).await
    }

    /// Hears what a server of the legacy era tells by itself, until it no longer does.
    pub(crate) async fn hear(&self, board: &Arc<Switchboard>) -> Result<Heard, Failed> {
        tokio::select! {
            heard = self.hear_one(board) => heard,
            () = board.over() => Ok(Heard::Ended),
        }
    }

    /// Says that the session is no longer needed.
    pub(crate) async fn leave(&self, board: &Arc<Switchboard>) {
        if self.wire.session.get().is_some() {
            let headers = self.wire.headers(board.revision(), ANSWERS);
            let sending = self.wire.remote.send(Method::DELETE, headers, Vec::new());
            // A server may keep its sessions; nothing depends on what it says.
            let _ = timeout(FAREWELL, sending).await;
        }
    }

    async fn hear_one(&self, board: &Arc<Switchboard>) -> Result<Heard, Failed> {
        let cursor = self.heard().clone();
        if let Some(retry) = cursor.retry {
            tokio::time::sleep(retry).await;
        }
        let response = self.wire.listen(board, &cursor).await?;
        board.attend();
        match response.status() {
            StatusCode::BAD_REQUEST
            | StatusCode::NOT_FOUND
            | StatusCode::METHOD_NOT_ALLOWED
            | StatusCode::NOT_ACCEPTABLE
            | StatusCode::NOT_IMPLEMENTED => return Ok(Heard::Unsupported),
            status if !status.is_success() => {
                return Err(refusal(&self.wire.remote, response).await);
            }
            _ if Kind::of(response.headers()) != Kind::Events => return Ok(Heard::Unsupported),
            _ => {}
        }
        let mut events = Events::new(response.into_body());
        while let Some(event) = events.next().await {
            let event = event.inspect_err(|_| board.trouble())?;
            self.heard().pass(&event);
            self.wire.take_event(board, &event, None);
        }
        Ok(Heard::Ended)
    }

    fn heard(&self) -> std::sync::MutexGuard<'_, Cursor> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wire {
    /// The headers of a request, without those that repeat its body.
    fn headers(&self, revision: Option<Revision>, accept: HeaderValue) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, accept);
        if let Some(revision) = revision.filter(|it| *it >= Revision::V2025_06_18) {
            let value = HeaderValue::from_static(revision.as_str());
            headers.insert(header::PROTOCOL_VERSION, value);
        }
        if let Some(session) = self.session.get() {
            headers.insert(header::SESSION, session.clone());
        }
        headers
    }

    /// Sends a message, and gives back the response whatever it says.
    async fn send(
        &self,
        board: &Switchboard,
        mut headers: HeaderMap,
        message: Vec<u8>,
    ) -> Result<Response<Body>, Failed> {
        headers.insert(CONTENT_TYPE, JSON);
        let sent = self.remote.send(Method::POST, headers, message).await;
        sent.inspect_err(|_| board.trouble())
    }

    /// Asks for a stream, from where `cursor` is on.
    async fn listen(&self, board: &Switchboard, cursor: &Cursor) -> Result<Response<Body>, Failed> {
        let mut headers = self.headers(board.revision(), EVENTS);
        if let Some(id) = &cursor.id {
            headers.insert("last-event-id", id.clone());
        }
        let sent = self.remote.send(Method::GET, headers, Vec::new()).await;
        sent.inspect_err(|_| board.trouble())
    }

    async fn post(&self, board: &Arc<Switchboard>, message: Vec<u8>) -> Result<(), Failed> {
        let headers = self.headers(board.revision(), ANSWERS);
        let response = self.send(board, headers, message).await?;
        if response.status().is_success() {
            return Ok(());
        }
        Err(self.refused(board, response).await)
    }

    /// Says why a request was refused; if the session is gone, so is the connection.
    async fn refused(&self, board: &Arc<Switchboard>, response: Response<Body>) -> Failed {
        let status = response.status();
        let failed = refusal(&self.remote, response).await;
        let is_gone = self.session.get().is_some()
            && !is_unknown_method(&failed)
            && match status {
                // It may be what was asked for that is not found, but not for ever.
                StatusCode::NOT_FOUND => {
                    let n_misses = self.n_misses.fetch_add(1, Relaxed) + 1;
                    n_misses >= MOST_MISSES || self.ping(board).await != Pong::Welcome
                }
                // Many servers say this instead, but it may mean anything.
                StatusCode::BAD_REQUEST => self.ping(board).await == Pong::Refused,
                _ => false,
            };
        if is_gone {
            board.end(&Ending::Expired);
            return Failed::Expired;
        }
        failed
    }

    /// Asks what nobody refuses whose session it knows.
    async fn ping(&self, board: &Arc<Switchboard>) -> Pong {
        let Ok((place, _)) = board.expect(Home::Stream, None) else {
            // Somebody else has found out meanwhile.
            let has_expired = board.news().borrow().ending == Some(Ending::Expired);
            return if has_expired { Pong::Refused } else { Pong::Silence };
        };
        let revision = board.revision();
        let message = Ask::new("ping", &[]).message(place.id(), &board.identity, revision);
        let sending = self.send(board, self.headers(revision, ANSWERS), message);
        let Ok(Ok(response)) = timeout(PATIENCE, sending).await else { return Pong::Silence };
        match response.status() {
            status if status.is_success() => Pong::Welcome,
            StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND => {
                let is_known = is_unknown_method(&refusal(&self.remote, response).await);
                if is_known { Pong::Welcome } else { Pong::Refused }
            }
            _ => Pong::Silence,
        }
    }

    /// Takes in an event; gives back the reply if it is the one awaited `here`.
    fn take_event(
        self: &Arc<Self>,
        board: &Arc<Switchboard>,
        event: &Event,
        here: Option<Seat>,
    ) -> Option<Reply> {
        match event.message()? {
            Data::Whole(bytes) => self.take(board, bytes, here),
            Data::TooLong(_) if here.is_some() => Some(Err(exchange::too_long())),
            Data::TooLong(_) => None,
        }
    }

    /// Takes in what came as one body or event; gives back the reply that is awaited `here`.
    fn take(
        self: &Arc<Self>,
        board: &Arc<Switchboard>,
        bytes: &[u8],
        here: Option<Seat>,
    ) -> Option<Reply> {
        let messages = match Frame::read(bytes) {
            Ok(Frame::One(message)) => vec![Ok(message)],
            Ok(Frame::Batch(messages)) => messages,
            Err(_) => {
                tracing::debug!(n_bytes = bytes.len(), "noise among the messages");
                return None;
            }
        };
        let mut reply = None;
        for message in messages.iter().flatten() {
            match board.take(message, here) {
                Taken::Answer(it) => reply = Some(it),
                Taken::Owed(pending) => self.pay(board, pending),
                Taken::Done => {}
            }
        }
        reply
    }

    /// Sends the answer to a question of the server, once it is there.
    fn pay(self: &Arc<Self>, board: &Arc<Switchboard>, pending: Pending) {
        // Servers of 2026-07-28 may not ask like this, nor would they take an answer.
        if is_modern(board.revision()) {
            return;
        }
        // A server that asks more than this at a time waits in vain for the rest.
        let Ok(permit) = self.owed.clone().try_acquire_owned() else { return };
        self.send_aside(board, async move { (pending.await, Some(permit)) });
    }

    /// Sends a message for which nobody waits.
    fn send_aside(
        self: &Arc<Self>,
        board: &Arc<Switchboard>,
        message: impl Future<Output = (Option<Vec<u8>>, Option<OwnedSemaphorePermit>)> + Send + 'static,
    ) {
        // Whoever gives up waiting may do so where nothing runs any more.
        let Ok(runtime) = Handle::try_current() else { return };
        let (wire, board) = (self.clone(), board.clone());
        let sending = async move {
            // Whatever it took to be allowed to send is held until it was sent.
            let (Some(message), _held) = message.await else { return };
            tokio::select! {
                sent = timeout(PATIENCE, wire.post(&board, message)) => match sent {
                    Ok(Ok(())) => {}
                    Ok(Err(failed)) => tracing::debug!(%failed, "a message was not taken"),
                    Err(_) => tracing::debug!("a message was not taken in time"),
                },
                () = board.over() => {}
            }
        };
        self.tasks.spawn_on(sending, &runtime);
    }
}

impl Cursor {
    /// Goes on behind an event.
    fn pass(&mut self, event: &Event) {
        if let Some(id) = &event.id {
            // An empty id means that there is nothing to come back to.
            self.id = HeaderValue::from_bytes(id.as_bytes()).ok().filter(|it| !it.is_empty());
        }
        self.retry = event.retry.map(Duration::from_millis).or(self.retry);
    }
}

fn is_modern(revision: Option<Revision>) -> bool {
    revision.is_some_and(|it| it.era() == Era::Modern)
}

fn is_unknown_method(failed: &Failed) -> bool {
    matches!(failed, Failed::Refused(error) if error.code == Error::METHOD_NOT_FOUND)
}

/// Adds the headers that repeat a request of 2026-07-28.
fn repeat(headers: &mut HeaderMap, ask: &Ask<'_>) -> Result<(), Failed> {
    let (name, value) = remote::header(header::METHOD, ask.method)?;
    headers.insert(name, value);
    if let Some(named) = named(ask) {
        let (name, value) = remote::header(header::NAME, &header::encoded(&named))?;
        headers.insert(name, value);
    }
    for (name, value) in ask.tool.map(|tool| mirror::headers(tool, ask.params)).unwrap_or_default()
    {
        let (name, value) = remote::header(&name, &value)?;
        headers.insert(name, value);
    }
    Ok(())
}

/// What a request is about, where its method has a parameter for that.
fn named<'a>(ask: &Ask<'a>) -> Option<Cow<'a, str>> {
    if let Some(tool) = ask.tool {
        return Some(Cow::Borrowed(&tool.name));
    }
    let parameter = header::named_by(ask.method)?;
    let (_, value) = ask.params.iter().find(|(key, _)| *key == parameter)?;
    serde_json::from_str::<Text<'_>>(value.get()).ok().map(|it| it.0)
}

#[cfg(test)]
mod tests;
