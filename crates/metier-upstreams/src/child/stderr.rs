//! The end of what a program writes to stderr: whole lines, however much it is.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{io::AsyncReadExt, process::ChildStderr};

/// How much is kept.
const KEPT: usize = 64 << 10;
/// How much of a line is kept.
const LONGEST_LINE: usize = 4 << 10;
/// How much is read at a time.
const CHUNK: usize = 16 << 10;

/// The end of what a program writes to stderr.
#[derive(Debug, Default)]
pub struct Stderr(Mutex<Ring>);

/// Lines, the oldest of which make room for the newest; the last may be unfinished.
#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    /// How long the unfinished line is by now.
    unfinished: usize,
}

/// Reads all of it, for as long as there is any: a program must never wait for us to do so.
pub(super) async fn drain(mut stream: ChildStderr, stderr: Arc<Stderr>) {
    let mut chunk = vec![0; CHUNK];
    while let Ok(length @ 1..) = stream.read(&mut chunk).await {
        stderr.take(&chunk[..length]);
    }
}

impl Stderr {
    /// All that is kept, oldest first, as it was written.
    #[must_use]
    pub fn text(&self) -> String {
        let ring = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (older, newer) = ring.bytes.as_slices();
        String::from_utf8_lossy(&[older, newer].concat()).into_owned()
    }

    /// The last line that says something.
    #[must_use]
    pub fn last_line(&self) -> Option<String> {
        let text = self.text();
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    }

    fn take(&self, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take(bytes);
    }
}

impl Ring {
    fn take(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let room = LONGEST_LINE - self.unfinished;
            let text = &text[..text.len().min(room)];
            self.bytes.extend(text);
            self.unfinished += text.len();
            if line.ends_with(b"\n") {
                self.bytes.push_back(b'\n');
                self.unfinished = 0;
            }
        }
        self.make_room();
    }

    fn make_room(&mut self) {
        let Some(excess @ 1..) = self.bytes.len().checked_sub(KEPT) else { return };
        let end_of_line = self.bytes.range(excess - 1..).position(|byte| *byte == b'\n');
        let dropped = end_of_line.map_or(excess, |at| excess + at);
        self.bytes.drain(..dropped);
    }
}

#[cfg(test)]
mod tests;
