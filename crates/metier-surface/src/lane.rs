//! Lanes: where the messages of one request or one connection leave.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::replay::Replay;

/// How many messages may wait on a lane before its senders do.
const LANE_LENGTH: usize = 64;

/// A way out. Cheap to clone.
#[derive(Clone)]
pub(crate) enum Lane {
    /// To someone who takes each message once.
    Queue(mpsc::Sender<Outgoing>),
    /// To someone who may lose the connection and come back for the rest.
    Replay(Arc<Replay>),
}

/// One message on its way out.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) kind: Kind,
    pub(crate) message: Bytes,
}

/// What a message is to the request that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The answer: nothing follows.
    Reply,
    /// An error of that code as the answer.
    Refusal(i64),
    /// Something before the answer, or unasked for.
    Aside,
    /// The same, that says nothing new while an equal one waits.
    Notice,
    /// No message, but the end of the lane.
    End,
}

impl Kind {
    /// Whether nothing follows on the lane of the request.
    pub(crate) fn is_last(self) -> bool {
        match self {
            Kind::Reply | Kind::Refusal(_) | Kind::End => true,
            Kind::Aside | Kind::Notice => false,
        }
    }
}

/// Room for one message.
pub(crate) enum Room<'a> {
    /// `None`: nobody is there to take it.
    Queue(Option<mpsc::Permit<'a, Outgoing>>),
    Replay(&'a Replay),
}

impl Room<'_> {
    /// Sends a message; one for nobody is dropped. Says whether it was sent.
    pub(crate) fn send(self, kind: Kind, message: Vec<u8>) -> bool {
        let message = Bytes::from(message);
        match self {
            Room::Queue(Some(permit)) => {
                permit.send(Outgoing { kind, message });
                true
            }
            Room::Queue(None) => false,
            Room::Replay(replay) => replay.push(kind, message),
        }
    }
}

impl Lane {
    /// A lane and its far end.
    pub(crate) fn queue() -> (Lane, mpsc::Receiver<Outgoing>) {
        let (sender, receiver) = mpsc::channel(LANE_LENGTH);
        (Lane::Queue(sender), receiver)
    }

    /// Sends a message as soon as there is room; one for nobody is dropped.
    pub(crate) async fn send(&self, kind: Kind, message: Vec<u8>) {
        self.room().await.send(kind, message);
    }

    /// Waits until there is room for a message.
    pub(crate) async fn room(&self) -> Room<'_> {
        match self {
            Lane::Queue(sender) => Room::Queue(sender.reserve().await.ok()),
            Lane::Replay(replay) => Room::Replay(replay),
        }
    }

    /// Says that the request gets no reply; a stream of its own need not wait for one.
    pub(crate) fn leave(&self) {
        if let Lane::Replay(replay) = self {
            replay.close();
        }
    }

    /// Whether somebody takes messages now.
    pub(crate) fn is_heard(&self) -> bool {
        match self {
            Lane::Queue(sender) => !sender.is_closed(),
            Lane::Replay(replay) => replay.is_read(),
        }
    }

    /// Waits until nobody can take a message any more.
    pub(crate) async fn closed(&self) {
        match self {
            Lane::Queue(sender) => sender.closed().await,
            // A lost connection is no farewell: the client may come back.
            Lane::Replay(_) => std::future::pending().await,
        }
    }
}
