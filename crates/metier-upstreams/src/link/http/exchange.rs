//! Exchanges: the life of one request, from its POST to its answer.

use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use metier_wire::header;
use tokio::{
    runtime::Handle,
    sync::oneshot,
    time::{sleep, timeout},
};

use super::{Cursor, Wire, is_modern};
use crate::{
    link::{
        Ask, Failed, Reply,
        events::Events,
        lines::LONGEST_LINE,
        piped::cancellation,
        refusal::whole,
        remote::Kind,
        switchboard::{Ending, Place, Switchboard},
    },
    web::Body,
};

/// After which time one comes back to a stream, if the server does not say.
const RETRY: Duration = Duration::from_secs(1);
/// How soon at most, whatever the server says.
const SOONEST: Duration = Duration::from_millis(100);
/// How often in a row one may come back in vain.
const MOST_TRIES: usize = 5;
/// How long a stream may go on after its answer.
const LINGER: Duration = Duration::from_secs(1);

/// One request under way; if it is dropped before the answer is there, the server is told.
pub(super) struct Exchange<'a> {
    wire: &'a Arc<Wire>,
    board: &'a Arc<Switchboard>,
    place: Place,
    manner: Manner,
}

/// What the rules for a request depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// It opens a session, and may not be cancelled.
    Opening,
    /// Its stream can be resumed, and a message cancels it.
    Legacy,
    /// The end of its stream is the end of it.
    Modern,
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        if self.place.leave() && self.manner == Manner::Legacy {
            let message = cancellation(self.place.id());
            self.wire.send_aside(self.board, async { (Some(message), None) });
        }
    }
}

impl<'a> Exchange<'a> {
    pub(super) fn new(
        wire: &'a Arc<Wire>,
        board: &'a Arc<Switchboard>,
        place: Place,
        ask: &Ask<'_>,
    ) -> Exchange<'a> {
        let manner = match ask.method {
            "initialize" => Manner::Opening,
            _ if is_modern(ask.revision(board.revision())) => Manner::Modern,
            _ => Manner::Legacy,
        };
        Exchange { wire, board, place, manner }
    }

    /// Sends the request and waits for its answer, by its own stream or `elsewhere`: a server may
    /// have lost the one and use another that it has.
    pub(super) async fn run(
        mut self,
        headers: HeaderMap,
        message: Vec<u8>,
        elsewhere: oneshot::Receiver<Reply>,
    ) -> Reply {
        let reply = tokio::select! {
            biased;
            reply = self.reply(headers, message) => reply,
            Ok(reply) = elsewhere => reply,
        };
        self.place.leave();
        reply
    }

    async fn reply(&self, headers: HeaderMap, message: Vec<u8>) -> Reply {
        let response = tokio::select! {
            sent = self.wire.send(self.board, headers, message) => sent?,
            () = self.deserted() => return Err(over()),
        };
        if !response.status().is_success() {
            return Err(self.wire.refused(self.board, response).await);
        }
        self.wire.n_misses.store(0, Relaxed);
        if let (Manner::Opening, Some(id)) = (self.manner, response.headers().get(header::SESSION))
        {
            let mut id = id.clone();
            id.set_sensitive(true);
            let _ = self.wire.session.set(id);
        }
        tokio::select! {
            reply = self.answer(response) => reply,
            () = self.board.over() => Err(over()),
        }
    }

    /// Resolves when the connection is over and no response can be expected. That of a session
    /// which has expired still comes, and says that the request was not taken.
    async fn deserted(&self) {
        self.board.over().await;
        let ending = self.board.news().borrow().ending.clone();
        if ending == Some(Ending::Expired) {
            std::future::pending::<()>().await;
        }
    }

    /// The answer that a response holds.
    async fn answer(&self, response: Response<Body>) -> Reply {
        let (head, body) = response.into_parts();
        if Kind::of(&head.headers) == Kind::Events {
            return self.stream(Events::new(body)).await;
        }
        let read = whole(body, LONGEST_LINE).await.inspect_err(|_| self.board.trouble())?;
        let Some(body) = read else { return Err(too_long()) };
        let reply = self.wire.take(self.board, &body, Some(self.place.seat()));
        reply.unwrap_or_else(|| Err(unanswered(head.status, &head.headers, &body)))
    }

    /// The answer that a stream brings, or the streams that take its place.
    async fn stream(&self, mut events: Events) -> Reply {
        let mut cursor = Cursor::default();
        loop {
            let reason = match self.read(&mut events, &mut cursor).await {
                Ok(reply) => {
                    self.linger(events);
                    return reply;
                }
                Err(reason) => reason,
            };
            let Some(next) = self.resume(&cursor).await else {
                self.board.trouble();
                return Err(Failed::Lost(reason));
            };
            events = next;
        }
    }

    /// Reads a stream up to the answer; if it ends before, says why.
    async fn read(&self, events: &mut Events, cursor: &mut Cursor) -> Result<Reply, String> {
        loop {
            let event = match events.next().await {
                Some(Ok(event)) => event,
                Some(Err(error)) => return Err(error.to_string()),
                None => return Err("the stream ended before the answer".to_owned()),
            };
            if event.name == "endpoint" {
                let text = "it speaks the older transport, `sse`".to_owned();
                return Ok(Err(Failed::Status { status: StatusCode::OK.as_u16(), text }));
            }
            cursor.pass(&event);
            if let Some(reply) = self.wire.take_event(self.board, &event, Some(self.place.seat())) {
                return Ok(reply);
            }
        }
    }

    /// Comes back to a stream that ended early, where the server has left us a way to.
    async fn resume(&self, cursor: &Cursor) -> Option<Events> {
        cursor.id.as_ref().filter(|_| self.manner != Manner::Modern)?;
        for _ in 0..MOST_TRIES {
            sleep(cursor.retry.unwrap_or(RETRY).max(SOONEST)).await;
            let Ok(response) = self.wire.listen(self.board, cursor).await else { continue };
            match response.status() {
                status if status.is_server_error() => {}
                StatusCode::TOO_MANY_REQUESTS => {}
                status if status.is_success() => {
                    let is_stream = Kind::of(response.headers()) == Kind::Events;
                    return is_stream.then(|| Events::new(response.into_body()));
                }
                _ => {
                    // What was sent has been taken: that its session has expired is no answer.
                    self.wire.refused(self.board, response).await;
                    return None;
                }
            }
        }
        None
    }

    /// Reads on behind the answer: a connection is used again only if its last stream was read
    /// to the end, and a server may have more to tell.
    fn linger(&self, mut events: Events) {
        let (wire, board, seat) = (self.wire.clone(), self.board.clone(), self.place.seat());
        let mut rest = Box::pin(timeout(LINGER, async move {
            let read = async {
                while let Some(Ok(event)) = events.next().await {
                    wire.take_event(&board, &event, Some(seat));
                }
            };
            tokio::select! {
                () = read => {}
                () = board.over() => {}
            }
        }));
        if rest.as_mut().now_or_never().is_none() {
            self.wire.tasks.spawn_on(rest, &Handle::current());
        }
    }
}

/// Why a response that is a success holds no answer.
fn unanswered(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failed {
    let kind = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let text = if body.trim_ascii().is_empty() {
        "it took the request and gave no answer".to_owned()
    } else if Kind::of(headers) == Kind::Json {
        "what it sent is not the answer".to_owned()
    } else {
        let kind: String = String::from_utf8_lossy(kind).chars().take(60).collect();
        format!("what it sent is `{kind}`, not an answer")
    };
    Failed::Status { status: status.as_u16(), text }
}

pub(super) fn too_long() -> Failed {
    Failed::Garbled(format!("the answer is longer than {} MiB", LONGEST_LINE >> 20))
}

fn over() -> Failed {
    Failed::Lost("the connection is over".to_owned())
}
