//! The switchboard: where messages of a server meet those who wait for them.

mod desk;
mod questions;

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use metier_wire::{Error, Id, Message, Notification, Outcome, Response, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::desk::Home;
use self::{desk::Desk, questions::Open};
use super::{Failed, Reply};
use crate::{
    caller::{Caller, Running},
    identity::Identity,
};

/// What one connection knows of the messages that travel over it.
pub(crate) struct Switchboard {
    pub(crate) identity: Arc<Identity>,
    /// Who hears what belongs to no call.
    audience: Arc<dyn Caller>,
    revision: OnceLock<Revision>,
    born: Instant,
    /// Milliseconds from birth to the last message of the server.
    heard: AtomicU64,
    desk: Desk,
    /// What the server has asked and not been told yet.
    open: Open,
    news: watch::Sender<News>,
    /// Whether we hear, or need not hear, what the server says outside of answers.
    attended: CancellationToken,
    over: CancellationToken,
}

/// What the one who keeps the connection must know: how often each thing happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct News {
    pub(crate) tools: u64,
    pub(crate) resources: u64,
    pub(crate) prompts: u64,
    /// Requests that met with trouble on their way.
    pub(crate) troubles: u64,
    /// Why the connection is over, once it is.
    pub(crate) ending: Option<Ending>,
}

/// Why a connection is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The server went away.
    Lost(String),
    /// The server no longer knows our session.
    Expired,
}

/// What a message that came in asks of the way it came by.
pub(crate) enum Taken {
    /// Nothing more.
    Done,
    /// It is the answer to the request on whose own stream it came.
    Answer(Reply),
    /// The server asked something; the future is the message to send back.
    Owed(Pending),
}

/// A message that is still being made; none if it is no longer wanted.
pub(crate) type Pending = std::pin::Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send>>;

/// A place at the board; leaving it early counts as no longer wanting the answer.
pub(crate) struct Place {
    seat: Seat,
    is_left: bool,
    board: Arc<Switchboard>,
}

/// Which place it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    id: u64,
    /// Whether it is a call that waits there.
    is_call: bool,
}

#[derive(Deserialize)]
struct ProgressToken<'a> {
    #[serde(borrow, rename = "progressToken")]
    token: &'a RawValue,
}

#[derive(Deserialize)]
struct ErrorBody<'a> {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

impl Switchboard {
    pub(crate) fn new(identity: Arc<Identity>, audience: Arc<dyn Caller>) -> Arc<Switchboard> {
        Arc::new(Switchboard {
            identity,
            audience,
            revision: OnceLock::new(),
            born: Instant::now(),
            heard: AtomicU64::new(0),
            desk: Desk::default(),
            open: Open::default(),
            news: watch::Sender::default(),
            attended: CancellationToken::new(),
            over: CancellationToken::new(),
        })
    }

    /// The revision that is spoken, once that is known.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.revision.get().copied()
    }

    /// Settles which revision is spoken.
    pub(crate) fn settle(&self, revision: Revision) {
        let _ = self.revision.set(revision);
    }

    pub(crate) fn news(&self) -> watch::Receiver<News> {
        self.news.subscribe()
    }

    /// How long nothing was heard of the server.
    pub(crate) fn quiet(&self) -> Duration {
        let heard = Duration::from_millis(self.heard.load(Ordering::Relaxed));
        self.born.elapsed().saturating_sub(heard)
    }

    /// Takes note that whatever the server says by itself is heard from now on, as far as it can be.
    pub(crate) fn attend(&self) {
        self.attended.cancel();
    }

    /// Resolves when whatever the server says by itself is heard.
    pub(crate) async fn attended(&self) {
        self.attended.cancelled().await;
    }

    /// Resolves when the connection is over.
    pub(crate) async fn over(&self) {
        self.over.cancelled().await;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.is_cancelled()
    }

    /// Ends the connection: everyone who waits is told why. The first reason counts.
    pub(crate) fn end(&self, ending: &Ending) {
        let failed = |ending: &Ending| match ending {
            Ending::Lost(reason) => Failed::Lost(reason.clone()),
            Ending::Expired => Failed::Expired,
        };
        self.news.send_if_modified(|news| match news.ending {
            Some(_) => false,
            None => {
                news.ending = Some(ending.clone());
                true
            }
        });
        let waiting = self.desk.close();
        self.over.cancel();
        for waiting in waiting.into_iter().filter(|it| it.home == Home::Board) {
            let _ = waiting.reply.send(Err(failed(ending)));
        }
    }

    /// Says that changes may have been missed.
    pub(crate) fn miss(&self) {
        self.news.send_modify(|news| {
            news.tools += 1;
            news.resources += 1;
            news.prompts += 1;
        });
    }

    /// Says that a request met with trouble; whoever keeps the connection may want to look.
    pub(crate) fn trouble(&self) {
        self.news.send_modify(|news| news.troubles += 1);
    }

    /// How many answers are awaited.
    #[cfg(test)]
    pub(crate) fn n_waiting(&self) -> usize {
        self.desk.len()
    }

    /// Whether a call is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.desk.has_calls()
    }

    /// Takes a place at the board for a request; there is none once the connection is over.
    pub(crate) fn expect(
        self: &Arc<Self>,
        home: Home,
        running: Option<&Arc<Running>>,
    ) -> Result<(Place, oneshot::Receiver<Reply>), Failed> {
        let over = || Failed::Unsent("the connection is over".to_owned());
        let (id, receiver) = self.desk.enter(home, running.cloned()).ok_or_else(over)?;
        let seat = Seat { id, is_call: running.is_some() };
        Ok((Place { seat, is_left: false, board: self.clone() }, receiver))
    }

    /// Takes in one message. `here` is the seat of the request on whose own stream it came.
    pub(crate) fn take(&self, message: &Message<'_>, here: Option<Seat>) -> Taken {
        let elapsed = u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.heard.store(elapsed, Ordering::Relaxed);
        match message {
            Message::Response(response) => self.answered(response, here),
            Message::Notification(notification) => {
                self.told(notification, here);
                Taken::Done
            }
            Message::Request(request) => Taken::Owed(self.asked(request, here)),
        }
    }

    fn answered(&self, response: &Response<'_>, here: Option<Seat>) -> Taken {
        let reply = match response.outcome {
            Outcome::Result(result) => Ok(result.to_owned()),
            Outcome::Error(error) => Err(Failed::Refused(read_error(error))),
        };
        let id = match response.id {
            Some(id) => number(id),
            // Whom else could it be for?
            None => here.map(|seat| seat.id).or_else(|| self.desk.only_id()),
        };
        let Some(id) = id else { return Taken::Done };
        match self.desk.strike(id) {
            Some(_) if here.is_some_and(|seat| seat.id == id) => Taken::Answer(reply),
            Some(waiting) => {
                let _ = waiting.reply.send(reply);
                Taken::Done
            }
            // Nobody asked, or nobody wants it any more.
            None => Taken::Done,
        }
    }

    fn told(&self, notification: &Notification<'_>, here: Option<Seat>) {
        let changed = |change: fn(&mut News)| self.news.send_modify(change);
        match (&*notification.method, notification.params) {
            ("notifications/progress", Some(params)) => {
                if let Some(running) = self.running_of(params) {
                    running.moves(params);
                }
            }
            ("notifications/cancelled", Some(params)) => self.open.withdraw(params),
            ("notifications/tools/list_changed", _) => changed(|news| news.tools += 1),
            ("notifications/resources/list_changed", _) => changed(|news| news.resources += 1),
            ("notifications/prompts/list_changed", _) => changed(|news| news.prompts += 1),
            (method, params) => match here.filter(|it| it.is_call) {
                Some(seat) => self.caller_at(seat).iter().for_each(|it| it.told(method, params)),
                None => self.audience.told(method, params),
            },
        }
    }

    /// The call that a notification of progress belongs to.
    fn running_of(&self, params: &RawValue) -> Option<Arc<Running>> {
        let token: ProgressToken<'_> = serde_json::from_str(params.get()).ok()?;
        let id = Id::new(token.token).and_then(number)?;
        self.desk.running(id)
    }

    /// The caller who waits at a seat; none once the call is over.
    fn caller_at(&self, seat: Seat) -> Option<Arc<dyn Caller>> {
        self.desk.running(seat.id).map(|it| it.caller.clone())
    }

    /// Fails the one who waits for `id`.
    pub(crate) fn fail(&self, id: u64, failed: Failed) {
        if let Some(waiting) = self.desk.strike(id) {
            let _ = waiting.reply.send(Err(failed));
        }
    }
}

impl Place {
    pub(crate) fn seat(&self) -> Seat {
        self.seat
    }

    /// The id of the request.
    pub(crate) fn id(&self) -> u64 {
        self.seat.id
    }

    /// Takes note that the answer is there.
    pub(crate) fn served(&mut self) {
        self.is_left = true;
    }

    /// Leaves the board; whether an answer was still awaited.
    pub(crate) fn leave(&mut self) -> bool {
        let was_left = std::mem::replace(&mut self.is_left, true);
        !was_left && self.board.desk.strike(self.seat.id).is_some()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The number in an id; some servers send numbers back as strings, some as fractions.
pub(crate) fn number(id: Id<'_>) -> Option<u64> {
    let text = id.as_str().trim_matches('"');
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}

/// An error as it was sent; what is missing in it is filled in.
pub(crate) fn read_error(raw: &RawValue) -> Error {
    let Ok(body) = serde_json::from_str::<ErrorBody<'_>>(raw.get()) else {
        return Error {
            data: Some(raw.to_owned()),
            ..Error::internal("an error of no known shape")
        };
    };
    Error { data: body.data.map(ToOwned::to_owned), ..Error::new(body.code, body.message) }
}
