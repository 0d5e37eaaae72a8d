//! The client on stdio: one message a line, so many in flight.

use std::{
    fs::File,
    io::{self, Read, Write},
    time::{Duration, Instant},
};

use memchr::memchr;

use crate::{
    deck::Deck,
    figures::Round,
    reply,
    request::{INITIALIZED, initialize},
};

/// Both ends of a server's stdio.
pub(crate) struct Lines {
    to: File,
    from: File,
    buffer: Vec<u8>,
    /// What of the buffer holds bytes that were read and not yet used.
    start: usize,
    end: usize,
}

impl Lines {
    pub(crate) fn new(to: File, from: File) -> Lines {
        Lines { to, from, buffer: vec![0; 1 << 18], start: 0, end: 0 }
    }

    /// Goes through the handshake.
    pub(crate) fn initialize(&mut self) -> io::Result<()> {
        self.ask(initialize().as_bytes())?;
        self.send(INITIALIZED.as_bytes())
    }

    /// Sends one request and gives its reply.
    pub(crate) fn ask(&mut self, request: &[u8]) -> io::Result<Vec<u8>> {
        self.send(request)?;
        loop {
            while let Some((from, to)) = self.line() {
                let line = &self.buffer[from..to];
                if reply::answered(line)?.is_some() {
                    return Ok(line.to_vec());
                }
            }
            self.fill()?;
        }
    }

    /// Keeps `window` requests in flight for a while.
    ///
    /// One thread writes and reads: what is in flight always fits into a pipe, so no write waits.
    pub(crate) fn drive(
        &mut self,
        deck: &mut Deck,
        window: usize,
        length: Duration,
    ) -> io::Result<Round> {
        let mut round = Round::default();
        let mut flying: Vec<(u32, Instant)> = Vec::with_capacity(window);
        let mut batch = Vec::new();
        let began = Instant::now();
        loop {
            let now = Instant::now();
            if now - began < length {
                batch.clear();
                while flying.len() < window {
                    let (id, request) = deck.deal();
                    batch.extend_from_slice(request);
                    flying.push((id, now));
                }
                self.to.write_all(&batch)?;
            }
            if flying.is_empty() {
                round.elapsed = began.elapsed();
                return Ok(round);
            }
            self.fill()?;
            let now = Instant::now();
            while let Some((from, to)) = self.line() {
                let Some(id) = reply::answered(&self.buffer[from..to])? else { continue };
                if let Some(at) = flying.iter().position(|it| it.0 == id) {
                    round.record(now - flying.swap_remove(at).1, to - from);
                }
            }
        }
    }

    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.to.write_all(&[message, b"\n"].concat())
    }

    /// The next whole line in the buffer.
    fn line(&mut self) -> Option<(usize, usize)> {
        let length = memchr(b'\n', &self.buffer[self.start..self.end])?;
        let line = (self.start, self.start + length);
        self.start += length + 1;
        Some(line)
    }

    /// Reads once more, with room for what is left of a line.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        let read = self.from.read(&mut self.buffer[self.end..])?;
        if read == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server went away"));
        }
        self.end += read;
        Ok(())
    }
}
