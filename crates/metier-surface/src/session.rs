//! A session: one client, whatever the way to it, from `initialize` to the end.

mod announce;
mod batch;
mod lifecycle;
mod listen;
mod news;
mod run;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use metier_upstreams::pump::{Home, Task};
use metier_wire::{
    Era, Error, Fault, Frame, IdKey, Message, Meta, Notification, Request, Revision, write,
};
use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{client::Client, lane::Lane, meter::Meter, responder::Responder};

/// How many requests of one client may be worked on at a time.
const MOST_RUNNING: usize = 256;

/// What all sessions of one server share.
pub(crate) struct Server {
    pub(crate) responder: Arc<dyn Responder>,
    pub(crate) meter: Arc<Meter>,
    /// Ends what would never end by itself: announcements and subscriptions.
    pub(crate) stop: CancellationToken,
    /// Ends the streams by which the last answers leave.
    pub(crate) finished: CancellationToken,
    pub(crate) home: Home,
}

/// How long requests may take to finish once the server stops.
const GRACE: Duration = Duration::from_secs(5);

impl Server {
    pub(crate) fn new(responder: Arc<dyn Responder>) -> Arc<Server> {
        Arc::new(Server {
            responder,
            meter: Arc::default(),
            stop: CancellationToken::new(),
            finished: CancellationToken::new(),
            home: Home { tasks: TaskTracker::new(), runtime: Handle::current() },
        })
    }

    /// Ends subscriptions and waits, not for ever, for the requests that are being worked on.
    pub(crate) async fn finish(&self) {
        self.stop.cancel();
        self.home.tasks.close();
        if tokio::time::timeout(GRACE, self.home.tasks.wait()).await.is_err() {
            tracing::warn!(unfinished = self.home.tasks.len(), "requests are left behind");
        }
        self.finished.cancel();
    }
}

/// One client. Requests of 2026-07-28 over HTTP get one each.
pub(crate) struct Session {
    pub(crate) server: Arc<Server>,
    pub(crate) client: Arc<Client>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    revision: Option<Revision>,
    is_initialized: bool,
    /// What is being worked on.
    running: HashMap<IdKey, Task>,
}

/// A request, and the rules under which it came.
pub(crate) struct Asked<'a> {
    pub(crate) request: &'a Request<'a>,
    pub(crate) meta: &'a Meta<'a>,
    pub(crate) revision: Revision,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It wants no answer.
    Silently,
    /// Its answer stands in the buffer.
    Answered,
    /// It is refused with this code; the answer stands in the buffer.
    Refused(i64),
    /// Its answer comes on the lane.
    Running,
}

impl Session {
    /// A session whose messages that belong to no request take the lane `aside`.
    pub(crate) fn new(server: &Arc<Server>, aside: Option<Lane>) -> Arc<Session> {
        Arc::new(Session {
            server: Arc::clone(server),
            client: Client::new(aside, &server.home.tasks),
            state: Mutex::default(),
        })
    }

    /// Takes whatever arrived; what can be answered at once is appended to `out`.
    pub(crate) fn take(
        self: &Arc<Session>,
        frame: Result<Frame<'_>, Fault<'_>>,
        lane: &dyn Fn() -> Lane,
        out: &mut Vec<u8>,
    ) -> Taken {
        match frame {
            Ok(Frame::One(message)) => self.take_message(message, lane, out),
            Ok(Frame::Batch(members)) => self.take_batch(members, lane, out),
            Err(fault) => self.refuse(&fault, out),
        }
    }

    fn take_message(
        self: &Arc<Session>,
        message: Message<'_>,
        lane: &dyn Fn() -> Lane,
        out: &mut Vec<u8>,
    ) -> Taken {
        match message {
            Message::Request(request) => self.take_request(&request, lane, out),
            Message::Notification(notification) => {
                self.hear(&notification);
                Taken::Silently
            }
            Message::Response(response) => {
                self.client.settle(&response);
                Taken::Silently
            }
        }
    }

    /// Takes a request by the rules of the revision that it is of.
    fn take_request(
        self: &Arc<Session>,
        request: &Request<'_>,
        lane: &dyn Fn() -> Lane,
        out: &mut Vec<u8>,
    ) -> Taken {
        let meta = match Meta::of(request.params) {
            Ok(meta) => meta,
            Err(error) => return self.refuse(&Fault { id: Some(request.id), error }, out),
        };
        if meta.capabilities.is_some() && self.client.capabilities().is_none() {
            self.client.introduce(Era::Modern, meta.capabilities);
            self.server.responder.meet(&self.client);
        }
        match self.revision_of(request, &meta) {
            Ok(revision) => self.run(&Asked { request, meta: &meta, revision }, lane, out),
            Err(error) => self.refuse(&Fault { id: Some(request.id), error }, out),
        }
    }

    /// The revision that a request is of: its own, or that of the session.
    fn revision_of(&self, request: &Request<'_>, meta: &Meta<'_>) -> Result<Revision, Error> {
        if let Some(revision) = meta.modern()? {
            return Ok(revision);
        }
        match (self.revision(), &*request.method) {
            (Some(revision), _) => Ok(revision),
            (None, "initialize" | "ping") => Ok(Revision::NEWEST_LEGACY),
            (None, _) => Err(Error::invalid_params(
                "send `initialize` first, or `_meta` with \
                 `io.modelcontextprotocol/protocolVersion` and \
                 `io.modelcontextprotocol/clientCapabilities`",
            )),
        }
    }

    /// Appends the answer to what is no message, or to a request that cannot be taken.
    pub(crate) fn refuse(&self, fault: &Fault<'_>, out: &mut Vec<u8>) -> Taken {
        tracing::debug!(code = fault.error.code, error = %fault.error.message, "refused");
        self.server.meter.refused();
        write::error(out, fault.id, &fault.error);
        Taken::Refused(fault.error.code)
    }

    fn hear(self: &Arc<Session>, notification: &Notification<'_>) {
        match &*notification.method {
            "notifications/initialized" => self.initialized(),
            "notifications/cancelled" => self.cancel(notification),
            method => self.server.responder.hear(method),
        }
    }

    /// The revision that `initialize` settled on.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.state().revision
    }

    /// Whether requests of this client are being worked on.
    pub(crate) fn is_busy(&self) -> bool {
        !self.state().running.is_empty()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.client.end.cancel();
    }
}
