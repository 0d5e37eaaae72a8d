//! A stream that outlives its connection: a client that lost it comes back for the rest.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::lane::{Kind, Outgoing};

/// How much of a stream is kept for a client that is away.
const MOST_EVENTS: usize = 256;
const MOST_BYTES: usize = 1 << 20;

/// The events of one stream, numbered from 1.
#[derive(Default)]
pub(crate) struct Replay {
    state: Mutex<State>,
    arrived: Notify,
}

#[derive(Default)]
struct State {
    events: VecDeque<Outgoing>,
    n_bytes: usize,
    /// The number of the newest event.
    newest: u64,
    /// The number of the newest event that was taken by a connection.
    taken: u64,
    is_complete: bool,
    /// Counts the connections; only the last one is served.
    n_readers: u64,
    /// How many of them are there now.
    n_reading: usize,
}

/// One connection's place in a stream.
pub(crate) struct Reader {
    replay: Arc<Replay>,
    number: u64,
    position: u64,
}

impl Replay {
    /// Appends an event. The oldest ones give way to it; a reply is the last. Says whether it is, or
    /// was, among the events.
    pub(crate) fn push(&self, kind: Kind, message: Bytes) -> bool {
        let mut state = self.state();
        // A notice that is still waiting need not be given twice.
        let is_waiting = state.newest > state.taken
            && state.events.back().is_some_and(|it| it.kind == kind && it.message == message);
        if state.is_complete || is_waiting {
            return is_waiting;
        }
        state.newest += 1;
        state.n_bytes += message.len();
        state.is_complete = kind != Kind::Aside;
        state.events.push_back(Outgoing { kind, message });
        while state.events.len() > MOST_EVENTS
            || (state.n_bytes > MOST_BYTES && state.events.len() > 1)
        {
            if let Some(oldest) = state.events.pop_front() {
                state.n_bytes -= oldest.message.len();
            }
        }
        drop(state);
        self.arrived.notify_waiters();
        true
    }

    /// Whether a connection is there that takes events.
    pub(crate) fn is_read(&self) -> bool {
        self.state().n_reading > 0
    }

    /// Ends the stream without an answer.
    pub(crate) fn close(&self) {
        self.state().is_complete = true;
        self.arrived.notify_waiters();
    }

    /// A new connection, which continues after event `after`, or where the last one stopped.
    pub(crate) fn reader(self: &Arc<Replay>, after: Option<u64>) -> Reader {
        let mut state = self.state();
        state.n_readers += 1;
        state.n_reading += 1;
        let reader = Reader {
            replay: Arc::clone(self),
            number: state.n_readers,
            position: after.map_or(state.taken, |it| it.min(state.newest)),
        };
        drop(state);
        self.arrived.notify_waiters();
        reader
    }

    /// The next event for a connection with its number; `None` when no more will come to it.
    pub(crate) async fn next(&self, reader: &mut Reader) -> Option<(u64, Outgoing)> {
        loop {
            let arrived = self.arrived.notified();
            tokio::pin!(arrived);
            arrived.as_mut().enable();
            {
                let mut state = self.state();
                if state.n_readers != reader.number {
                    return None;
                }
                let first = state.newest + 1 - state.events.len() as u64;
                let next = (reader.position + 1).max(first);
                let at = usize::try_from(next - first).unwrap_or(usize::MAX);
                if let Some(event) = state.events.get(at).cloned() {
                    reader.position = next;
                    state.taken = state.taken.max(next);
                    return Some((next, event));
                }
                if state.is_complete {
                    return None;
                }
            }
            arrived.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.replay.state().n_reading -= 1;
    }
}
