//! Cutting a byte stream into lines of bounded length.

use std::io::{ErrorKind, Read, Result};

const READ_SIZE: usize = 64 * 1024;

/// Reads lines; a long one costs only itself.
pub(super) struct Lines<R> {
    input: R,
    limit: usize,
    buffer: Vec<u8>,
    /// What lies before is done with.
    begin: usize,
    /// Up to where the buffer is filled.
    end: usize,
    /// Up to where there is no line end.
    searched: usize,
    is_skipping: bool,
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A line without its end; the last one may lack it.
    Whole(&'a [u8]),
    /// A line beyond the limit, of which nothing is kept.
    TooLong,
    /// Nothing more.
    End,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R, limit: usize) -> Lines<R> {
        let buffer = vec![0; READ_SIZE];
        Lines { input, limit, buffer, begin: 0, end: 0, searched: 0, is_skipping: false }
    }

    /// Whether a whole line is at hand already.
    pub(super) fn has_more(&self) -> bool {
        memchr::memchr(b'\n', &self.buffer[self.begin..self.end]).is_some()
    }

    /// The next line.
    pub(super) fn next(&mut self) -> Result<Line<'_>> {
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.searched..self.end]);
            if let Some(found) = found {
                let line = self.begin..self.searched + found;
                self.begin = line.end + 1;
                self.searched = self.begin;
                if std::mem::take(&mut self.is_skipping) {
                    continue;
                }
                return Ok(Line::Whole(&self.buffer[line]));
            }
            self.searched = self.end;
            if self.is_skipping {
                self.begin = self.end;
            } else if self.end - self.begin > self.limit {
                self.is_skipping = true;
                self.begin = self.end;
                return Ok(Line::TooLong);
            }
            if self.fill()? == 0 {
                let last = self.begin..self.end;
                self.begin = self.end;
                let is_line = !last.is_empty() && !self.is_skipping;
                return Ok(if is_line { Line::Whole(&self.buffer[last]) } else { Line::End });
            }
        }
    }

    /// Reads what is there, behind what is left.
    fn fill(&mut self) -> Result<usize> {
        self.buffer.copy_within(self.begin..self.end, 0);
        self.end -= self.begin;
        self.searched -= self.begin;
        self.begin = 0;
        let wanted = (self.end * 2).clamp(READ_SIZE, self.limit + READ_SIZE);
        if self.buffer.len() < wanted || (self.end == 0 && self.buffer.len() > READ_SIZE) {
            self.buffer.resize(wanted, 0);
            self.buffer.shrink_to_fit();
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => {
                    let n_read = read?;
                    self.end += n_read;
                    return Ok(n_read);
                }
            }
        }
    }
}
