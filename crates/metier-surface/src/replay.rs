//! A stream that outlives its connection: a client that lost it comes back for the rest.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use bytes::Bytes;

use crate::lane::{Kind, Outgoing};

/// How much of a stream is kept for a client that is away.
const MOST_EVENTS: usize = 256;
const MOST_BYTES: usize = 1 << 20;

/// The events of one stream, numbered from 1.
#[derive(Default)]
pub(crate) struct Replay {
    state: Mutex<State>,
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
    /// The one that waits.
    waiting: Option<Waker>,
}

/// One connection's place in a stream.
pub(crate) struct Reader {
    replay: Arc<Replay>,
    number: u64,
    position: u64,
}

impl State {
    /// Lets go of a stream that is taken to its end, if it is too much to keep in case that was lost.
    fn let_go(&mut self) {
        if self.n_bytes > MOST_BYTES {
            self.events.clear();
            self.n_bytes = 0;
        }
    }
}

impl Replay {
    /// Appends an event. The oldest ones give way to it; a reply is the last. Says whether it is, or
    /// was, among the events.
    pub(crate) fn push(&self, kind: Kind, message: Bytes) -> bool {
        let mut state = self.state();
        let is_waiting = kind == Kind::Notice
            && state.newest > state.taken
            && state.events.back().is_some_and(|it| it.kind == kind && it.message == message);
        if state.is_complete || is_waiting {
            return is_waiting;
        }
        state.newest += 1;
        state.n_bytes += message.len();
        state.is_complete = kind.is_last();
        state.events.push_back(Outgoing { kind, message });
        while state.events.len() > MOST_EVENTS
            || (state.n_bytes > MOST_BYTES && state.events.len() > 1)
        {
            if let Some(oldest) = state.events.pop_front() {
                state.n_bytes -= oldest.message.len();
            }
        }
        wake(state);
        true
    }

    /// Whether all that came after an event has been let go.
    pub(crate) fn is_gone(&self, after: u64) -> bool {
        let state = self.state();
        after < state.newest && state.events.is_empty()
    }

    /// Whether a connection is there that takes events.
    pub(crate) fn is_read(&self) -> bool {
        self.state().n_reading > 0
    }

    /// Ends the stream without an answer.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_complete = true;
        wake(state);
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
        wake(state);
        reader
    }

    /// The next event for a connection with its number; `None` when no more will come to it.
    pub(crate) async fn next(&self, reader: &mut Reader) -> Option<(u64, Outgoing)> {
        poll_fn(|context| {
            let mut state = self.state();
            if state.n_readers != reader.number {
                return Poll::Ready(None);
            }
            let first = state.newest + 1 - state.events.len() as u64;
            let next = (reader.position + 1).max(first);
            let at = usize::try_from(next - first).unwrap_or(usize::MAX);
            if let Some(event) = state.events.get(at).cloned() {
                reader.position = next;
                state.taken = state.taken.max(next);
                return Poll::Ready(Some((next, event)));
            }
            if state.is_complete {
                state.let_go();
                return Poll::Ready(None);
            }
            state.waiting = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets go of a stream, and wakes whoever waits for it.
fn wake(mut state: MutexGuard<'_, State>) {
    let waiting = state.waiting.take();
    drop(state);
    waiting.into_iter().for_each(Waker::wake);
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.replay.state().n_reading -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a client gets that comes for a stream of these.
    async fn check(messages: &[(Kind, &'static str)], expected: &[&str]) {
        let replay = Arc::new(Replay::default());
        for (kind, message) in messages {
            replay.push(*kind, Bytes::from_static(message.as_bytes()));
        }
        replay.close();
        let mut reader = replay.reader(None);
        let mut got = Vec::new();
        while let Some((_, event)) = replay.next(&mut reader).await {
            got.push(event.message);
        }
        assert_eq!(got, expected);
    }

    #[tokio::test]
    async fn a_notice_that_waits_is_not_given_twice_but_whatever_else_is() {
        check(&[(Kind::Notice, "changed"), (Kind::Notice, "changed")], &["changed"]).await;
        check(&[(Kind::Aside, "said"), (Kind::Aside, "said")], &["said", "said"]).await;
    }

    /// How much of a reply is kept, before and after a client has taken it to its end.
    async fn check_kept(length: usize, expected: (usize, usize)) {
        let replay = Arc::new(Replay::default());
        replay.push(Kind::Reply, Bytes::from(vec![b'x'; length]));
        let mut reader = replay.reader(None);
        assert!(replay.next(&mut reader).await.is_some());
        let before = replay.state().n_bytes;
        assert!(replay.next(&mut reader).await.is_none());
        assert_eq!((before, replay.state().n_bytes), expected);
        assert_eq!((replay.is_gone(0), replay.is_gone(1)), (expected.1 == 0, false));
    }

    #[tokio::test]
    async fn a_large_stream_is_let_go_when_it_is_taken_to_its_end() {
        check_kept(1_000, (1_000, 1_000)).await;
        check_kept(2 << 20, (2 << 20, 0)).await;
    }
}
