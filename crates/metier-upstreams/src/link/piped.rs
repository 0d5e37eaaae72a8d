//! Piped links: one stream of messages each way, as stdio and legacy SSE have them.

use std::{borrow::Cow, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use metier_wire::{Fault, Frame, Message, write};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    runtime::Handle,
    sync::mpsc,
};
use tokio_util::task::TaskTracker;

use super::{
    Ask, Failed, Reply,
    lines::{LONGEST_LINE, Line, Lines},
    switchboard::{self, Ending, Place, Switchboard, Taken, number},
};
use crate::pump::{Home, Pump, When};

/// How many messages may be on their way out.
const OUTBOX: usize = 64;
/// How many questions of the server may be open at a time.
const MOST_OWED: usize = 64;
/// How much is read at a time.
const CHUNK: usize = 16 << 10;

/// One stream of messages each way.
pub(crate) struct Piped {
    outbox: mpsc::Sender<Outgoing>,
}

/// A message on its way out.
pub(crate) struct Outgoing {
    /// The id under which its answer is awaited, if it is a request.
    pub(crate) id: Option<u64>,
    pub(crate) message: Vec<u8>,
}

/// Where messages that come in belong, and where the answers to them go.
#[derive(Clone)]
pub(crate) struct Inbox {
    board: Arc<Switchboard>,
    outbox: mpsc::Sender<Outgoing>,
    tasks: TaskTracker,
    owed: Arc<tokio::sync::Semaphore>,
}

impl Piped {
    /// A link whose messages out are taken from the receiver, and whose messages in go to the inbox.
    pub(crate) fn new(
        board: &Arc<Switchboard>,
        tasks: &TaskTracker,
    ) -> (Piped, Inbox, mpsc::Receiver<Outgoing>) {
        let (outbox, outgoing) = mpsc::channel(OUTBOX);
        let inbox = Inbox {
            board: board.clone(),
            outbox: outbox.clone(),
            tasks: tasks.clone(),
            owed: Arc::new(tokio::sync::Semaphore::new(MOST_OWED)),
        };
        (Piped { outbox }, inbox, outgoing)
    }

    /// A link over a pair of byte streams with a message a line.
    pub(crate) fn lines(
        board: &Arc<Switchboard>,
        tasks: &TaskTracker,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Piped {
        let (piped, inbox, outgoing) = Piped::new(board, tasks);
        let over = board.clone();
        let home = Home { tasks: tasks.clone(), runtime: Handle::current() };
        home.begin(When::Last, async move {
            tokio::select! {
                () = write_lines(writer, outgoing) => {}
                () = over.over() => {}
            }
        });
        let over = board.clone();
        tasks.spawn(async move {
            let reading = unpanicked(read_lines(reader, &inbox));
            tokio::select! {
                ending = reading => inbox.board.end(&Ending::Lost(ending)),
                () = over.over() => {}
            }
        });
        piped
    }

    pub(crate) async fn send(&self, message: Vec<u8>) -> Result<(), Failed> {
        self.outbox.send(Outgoing { id: None, message }).await.map_err(|_| unsent())
    }

    pub(crate) async fn request(&self, board: &Arc<Switchboard>, ask: Ask<'_>) -> Reply {
        let Ok(permit) = self.outbox.reserve().await else { return Err(unsent()) };
        let (place, reply) = board.expect(switchboard::Home::Board, ask.running)?;
        let message = ask.message(place.id(), &board.identity, board.revision());
        permit.send(Outgoing { id: Some(place.id()), message });
        let may_cancel = ask.method != "initialize";
        let mut waiter = Waiter { place, outbox: &self.outbox, may_cancel };
        let reply = reply.await;
        waiter.place.served();
        reply.unwrap_or_else(|_| Err(Failed::Lost("the connection is over".to_owned())))
    }
}

/// Reads on: callers hear of progress in there, and one that panics costs its connection alone.
pub(crate) async fn unpanicked(reading: impl Future<Output = String>) -> String {
    let stumbled = |_| "someone who heard its messages panicked".to_owned();
    AssertUnwindSafe(reading).catch_unwind().await.unwrap_or_else(stumbled)
}

fn unsent() -> Failed {
    Failed::Unsent("the connection is over".to_owned())
}

/// Someone who waits; if that ends before the answer is there, the server is told.
struct Waiter<'a> {
    place: Place,
    outbox: &'a mpsc::Sender<Outgoing>,
    may_cancel: bool,
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        if self.place.leave() && self.may_cancel {
            // A server that leaves no room for this reads nothing anyway.
            let message = cancellation(self.place.id());
            let _ = self.outbox.try_send(Outgoing { id: None, message });
        }
    }
}

/// The message that says that an answer is no longer wanted.
pub(crate) fn cancellation(id: u64) -> Vec<u8> {
    let mut message = Vec::new();
    let params = json!({ "requestId": id, "reason": "the caller no longer waits" });
    write::notification(&mut message, "notifications/cancelled", Some(&params));
    message
}

impl Inbox {
    /// Takes in what came as one message; what is none is noise.
    pub(crate) fn take(&self, bytes: &[u8]) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        match Frame::read(bytes) {
            Ok(Frame::One(message)) => self.take_one(&message),
            Ok(Frame::Batch(messages)) => {
                messages.iter().flatten().for_each(|message| self.take_one(message));
            }
            // Some servers write what they were given in an encoding of their own.
            Err(_) if let Cow::Owned(text) = String::from_utf8_lossy(bytes) => {
                self.take(text.as_bytes());
            }
            Err(fault) => self.pass_over(bytes, &fault),
        }
    }

    /// Passes over what is no message; whoever waits for it as an answer is told.
    fn pass_over(&self, bytes: &[u8], fault: &Fault<'_>) {
        #[derive(Deserialize)]
        struct Members {
            #[serde(default)]
            method: Option<IgnoredAny>,
        }
        // What it says may be a secret.
        tracing::debug!(n_bytes = bytes.len(), "noise among the messages");
        let is_answer =
            || serde_json::from_slice(bytes).is_ok_and(|it: Members| it.method.is_none());
        if let Some(id) = fault.id.and_then(number)
            && is_answer()
        {
            let reason = format!("the answer is no message: {}", fault.error.message);
            self.board.fail(id, Failed::Garbled(reason));
        }
    }

    fn take_one(&self, message: &Message<'_>) {
        let Taken::Owed(pending) = self.board.take(message, None) else { return };
        // A server that asks more than this at a time waits in vain for the rest.
        let Ok(permit) = self.owed.clone().try_acquire_owned() else { return };
        let outbox = self.outbox.clone();
        self.tasks.spawn(async move {
            if let Some(message) = pending.await {
                let _ = outbox.send(Outgoing { id: None, message }).await;
            }
            drop(permit);
        });
    }

    /// Takes note of a message that was too long to be taken in.
    pub(crate) fn give_up(&self, id: Option<u64>) {
        let reason = format!("the answer is longer than {} MiB", LONGEST_LINE >> 20);
        tracing::warn!(id, "a message is longer than {} MiB", LONGEST_LINE >> 20);
        if let Some(id) = id {
            self.board.fail(id, Failed::Garbled(reason));
        }
    }
}

/// Writes messages as they come, as many at a time as there are.
async fn write_lines(mut writer: impl AsyncWrite + Unpin, mut outgoing: mpsc::Receiver<Outgoing>) {
    while let Some(Outgoing { message: mut lines, .. }) = outgoing.recv().await {
        lines.push(b'\n');
        while let Ok(next) = outgoing.try_recv() {
            lines.extend_from_slice(&next.message);
            lines.push(b'\n');
        }
        // A reader that is gone shows on the other stream, with a better reason.
        if writer.write_all(&lines).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}

/// Takes in lines until there are no more; says why.
async fn read_lines(mut reader: impl AsyncRead + Unpin, inbox: &Inbox) -> String {
    let mut lines = Lines::default();
    loop {
        let space = lines.space();
        space.reserve(CHUNK);
        match reader.read_buf(space).await {
            Ok(0) => {
                lines.rest().into_iter().for_each(|rest| inbox.take(rest));
                return "it closed its output".to_owned();
            }
            Ok(_) => {}
            Err(error) => return format!("its output cannot be read: {}", error.kind()),
        }
        let _pump = Pump::begin();
        while let Some(line) = lines.next() {
            match line {
                Line::Whole(bytes) => inbox.take(bytes),
                Line::TooLong(id) => inbox.give_up(id),
            }
        }
    }
}
