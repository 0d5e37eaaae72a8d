//! Streams of events: from a queue that is taken once, or from one that can be replayed.

use std::{convert::Infallible, future::Future, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{Stream, stream};
use metier_wire::sse::{Event, KEEP_ALIVE};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    lane::{Kind, Outgoing},
    replay::{Reader, Replay},
};

/// After how long a quiet stream says that it is still there.
const QUIET: Duration = Duration::from_secs(15);
/// After how many milliseconds a client should come back for the rest of a stream.
const RETRY_MS: u64 = 1_000;

type Item = Result<Bytes, Infallible>;

/// What a queue holds, up to the reply.
pub(super) fn of_queue(
    first: Option<Outgoing>,
    queue: mpsc::Receiver<Outgoing>,
) -> impl Stream<Item = Item> + Send {
    stream::unfold((first, Some(queue)), async |(first, queue)| {
        let mut queue = queue?;
        if let Some(first) = first {
            return Some((Ok(framed(None, &first)), (None, Some(queue))));
        }
        let Some(next) = unless_quiet(queue.recv()).await else {
            return Some((Ok(Bytes::from_static(KEEP_ALIVE)), (None, Some(queue))));
        };
        let next = next.filter(|it| it.kind != Kind::End)?;
        let rest = (!next.kind.is_last()).then_some(queue);
        Some((Ok(framed(None, &next)), (None, rest)))
    })
}

/// All that ever comes by a queue, until nothing more can come.
pub(super) fn of_connection(
    queue: mpsc::Receiver<Outgoing>,
    finished: CancellationToken,
) -> impl Stream<Item = Item> + Send {
    stream::unfold((queue, finished), async |(mut queue, finished)| {
        let next = tokio::select! {
            biased; // what waits leaves before the end
            next = unless_quiet(queue.recv()) => next,
            () = finished.cancelled() => Some(None),
        };
        let event = match next {
            None => Bytes::from_static(KEEP_ALIVE),
            Some(next) => framed(None, &next.filter(|it| it.kind != Kind::End)?),
        };
        Some((Ok(event), (queue, finished)))
    })
}

/// One stream of a session, from where a client stands.
pub(super) struct Resumed {
    /// The stream's number within the session.
    pub(super) number: u64,
    pub(super) replay: Arc<Replay>,
    pub(super) reader: Reader,
    /// Ends the connection, not the stream.
    pub(super) stop: CancellationToken,
}

impl Resumed {
    /// The events that are left; `guard` lives as long as the connection.
    pub(super) fn events(self, guard: impl Send + 'static) -> impl Stream<Item = Item> + Send {
        stream::unfold((self, guard), async |(mut resumed, guard)| {
            let Resumed { number, replay, reader, stop } = &mut resumed;
            let next = tokio::select! {
                () = stop.cancelled() => None,
                next = unless_quiet(replay.next(reader)) => match next {
                    None => return Some((Ok(Bytes::from_static(KEEP_ALIVE)), (resumed, guard))),
                    Some(next) => next,
                },
            };
            let (at, event) = next.filter(|(_, event)| event.kind != Kind::End)?;
            let id = format!("{number}-{at}");
            Some((Ok(framed(Some(&id), &event)), (resumed, guard)))
        })
    }
}

/// An event that carries nothing but the place to come back to.
pub(super) fn primer(number: u64) -> Bytes {
    let mut out = Vec::new();
    let id = format!("{number}-0");
    Event { id: Some(&id), retry: Some(RETRY_MS), ..Event::default() }.write(&mut out);
    out.into()
}

/// A message as an event.
pub(super) fn framed(id: Option<&str>, outgoing: &Outgoing) -> Bytes {
    let mut out = Vec::with_capacity(outgoing.message.len() + 32);
    Event { name: Some("message"), id, data: &outgoing.message, ..Event::default() }
        .write(&mut out);
    out.into()
}

/// What comes before the stream has been quiet for too long.
async fn unless_quiet<T>(next: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(QUIET, next).await.ok()
}
