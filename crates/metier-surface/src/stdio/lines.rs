//! Cutting a byte stream into lines of bounded length.

use std::io::{ErrorKind, Read, Result};

use metier_wire::Ends;

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
    /// The ends of the line that is beyond the limit, if one is being read.
    skipped: Option<Ends>,
}

/// What was read.
#[derive(Debug)]
pub(super) enum Line<'a> {
    /// A line without its end; the last one may lack it.
    Whole(&'a [u8]),
    /// A line beyond the limit, of which only the ends are kept.
    TooLong(Ends),
    /// Nothing more.
    End,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R, limit: usize) -> Lines<R> {
        let buffer = vec![0; READ_SIZE];
        Lines { input, limit, buffer, begin: 0, end: 0, searched: 0, skipped: None }
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
                let line = &self.buffer[line];
                return Ok(match self.skipped.take() {
                    Some(mut ends) => {
                        ends.pass(line);
                        Line::TooLong(ends)
                    }
                    None => Line::Whole(line),
                });
            }
            self.searched = self.end;
            self.skip();
            if self.fill()? == 0 {
                let last = self.begin..self.end;
                self.begin = self.end;
                return Ok(match self.skipped.take() {
                    Some(ends) => Line::TooLong(ends),
                    None if last.is_empty() => Line::End,
                    None => Line::Whole(&self.buffer[last]),
                });
            }
        }
    }

    /// Lets go of all that is there, if it belongs to a line beyond the limit.
    fn skip(&mut self) {
        let part = &self.buffer[self.begin..self.end];
        match &mut self.skipped {
            Some(ends) => ends.pass(part),
            None if part.len() > self.limit => self.skipped = Some(Ends::of(part)),
            None => return,
        }
        self.begin = self.end;
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
