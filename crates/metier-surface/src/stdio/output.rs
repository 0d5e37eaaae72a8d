//! The way out: whoever has a message writes it, and waits for the client only where nobody else does.

use std::{
    io::Write,
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::mpsc;

use super::WRITE_SIZE;
use crate::lane::{Kind, Outgoing};

/// A stream to a client.
#[cfg(unix)]
pub trait Stream: Write + std::os::fd::AsFd + Send + 'static {}
/// A stream to a client.
#[cfg(not(unix))]
pub trait Stream: Write + Send + 'static {}

#[cfg(unix)]
impl<T: Write + std::os::fd::AsFd + Send + 'static> Stream for T {}
#[cfg(not(unix))]
impl<T: Write + Send + 'static> Stream for T {}

/// How much a stream takes at once that takes anything.
const AT_ONCE: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// The way out, which closes once.
pub(super) struct Output<W>(Mutex<Option<Open<W>>>);

struct Open<W> {
    stream: W,
    /// What is left of lines of which the beginning is written: nothing may come between.
    rest: Vec<u8>,
}

/// What became of lines that nobody was to wait for.
enum Written {
    /// They are on their way.
    All,
    /// Some are left, which whoever writes next writes first.
    Some,
    /// None: someone else writes, who may wait for the client.
    None,
    /// Nobody is there to read.
    Closed,
}

impl<W: Stream> Output<W> {
    pub(super) fn new(stream: W) -> Arc<Output<W>> {
        Arc::new(Output(Mutex::new(Some(Open { stream, rest: Vec::new() }))))
    }

    /// Writes whole lines, however long that takes; says whether anybody is there to read.
    pub(super) fn write(&self, lines: &[u8]) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Open { stream, rest }) = open.as_mut() else { return false };
        let rest = mem::take(rest);
        [&*rest, lines].iter().all(|it| stream.write_all(it).is_ok()) && stream.flush().is_ok()
    }

    /// Writes as much as needs no waiting.
    fn write_now(&self, lines: &[u8]) -> Written {
        let Ok(mut open) = self.0.try_lock() else { return Written::None };
        let Some(Open { stream, rest }) = open.as_mut() else { return Written::Closed };
        let mut left = lines;
        while rest.is_empty() && !left.is_empty() && has_room(stream) {
            let (next, later) = left.split_at(left.len().min(AT_ONCE));
            if stream.write_all(next).and_then(|()| stream.flush()).is_err() {
                return Written::Closed;
            }
            left = later;
        }
        rest.extend_from_slice(left);
        if rest.is_empty() { Written::All } else { Written::Some }
    }

    /// Closes, unless someone writes who may wait for the client.
    pub(super) fn close(&self) {
        if let Ok(mut open) = self.0.try_lock() {
            *open = None;
        }
    }
}

/// Whether a stream takes [`AT_ONCE`] bytes without waiting.
#[cfg(unix)]
fn has_room(stream: &impl Stream) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let mut polled = [PollFd::new(stream, PollFlags::OUT)];
    poll(&mut polled, Some(&Timespec::default())).is_ok_and(|n_ready| n_ready > 0)
}

#[cfg(not(unix))]
fn has_room(_: &impl Stream) -> bool {
    false
}

/// Writes what comes by the lane until it ends.
pub(super) async fn write_out<W: Stream>(
    mut outgoing: mpsc::Receiver<Outgoing>,
    output: Arc<Output<W>>,
) {
    let mut lines = Vec::new();
    while let Some(first) = outgoing.recv().await {
        let mut next = Some(first);
        let mut is_end = false;
        while let Some(Outgoing { kind, message }) = next {
            is_end |= kind == Kind::End;
            if kind != Kind::End {
                lines.extend_from_slice(&message);
                lines.push(b'\n');
            }
            next = if lines.len() < WRITE_SIZE { outgoing.try_recv().ok() } else { None };
        }
        let left = match output.write_now(&lines) {
            Written::All => None,
            Written::Some => Some(Vec::new()),
            Written::None => Some(mem::take(&mut lines)),
            Written::Closed => break,
        };
        let is_open = match left {
            None => true,
            Some(left) => {
                let output = Arc::clone(&output);
                let written = tokio::task::spawn_blocking(move || output.write(&left));
                written.await.unwrap_or_default()
            }
        };
        lines.clear();
        lines.shrink_to(WRITE_SIZE * 4);
        if is_end || !is_open {
            break;
        }
    }
    output.close();
}

#[cfg(test)]
mod tests;
