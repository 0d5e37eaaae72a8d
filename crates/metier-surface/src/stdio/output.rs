//! The way out: whoever has a message writes it, and waits for the client only where nobody else does.

use std::{
    io::Write,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
pub(super) struct Output<W>(Mutex<Option<W>>);

impl<W: Stream> Output<W> {
    pub(super) fn new(stream: W) -> Arc<Output<W>> {
        Arc::new(Output(Mutex::new(Some(stream))))
    }

    /// Writes whole lines, however long that takes; says whether anybody is there to read.
    pub(super) fn write(&self, lines: &[u8]) -> bool {
        let mut stream = self.stream();
        let Some(stream) = stream.as_mut() else { return false };
        stream.write_all(lines).and_then(|()| stream.flush()).is_ok()
    }

    /// Writes as much as needs no waiting; says how much, or nothing if nobody is there to read.
    fn write_now(&self, lines: &[u8]) -> Option<usize> {
        // Whoever holds it may wait for the client.
        let Ok(mut stream) = self.0.try_lock() else { return Some(0) };
        let stream = stream.as_mut()?;
        let mut n_written = 0;
        while n_written < lines.len() && has_room(stream) {
            let end = lines.len().min(n_written + AT_ONCE);
            stream.write_all(&lines[n_written..end]).and_then(|()| stream.flush()).ok()?;
            n_written = end;
        }
        Some(n_written)
    }

    /// Closes, unless someone writes who may wait for the client.
    pub(super) fn close(&self) {
        if let Ok(mut stream) = self.0.try_lock() {
            *stream = None;
        }
    }

    fn stream(&self) -> MutexGuard<'_, Option<W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        let is_open = match output.write_now(&lines) {
            Some(n_written) if n_written < lines.len() => {
                lines.drain(..n_written);
                let (rest, output) = (std::mem::take(&mut lines), Arc::clone(&output));
                let written = tokio::task::spawn_blocking(move || output.write(&rest));
                written.await.unwrap_or_default()
            }
            written => written.is_some(),
        };
        lines.clear();
        lines.shrink_to(WRITE_SIZE * 4);
        if is_end || !is_open {
            break;
        }
    }
    output.close();
}
