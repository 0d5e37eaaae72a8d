//! For every chunk the fields that have it, and how often.

use super::rank::N_FIELDS;

/// Fields by chunk. A field is known by its entry's position times [`N_FIELDS`] plus its own.
#[derive(Debug)]
pub(super) struct Postings {
    /// Where each chunk's fields start, and the end of the last.
    starts: Vec<u32>,
    fields: Vec<u32>,
    counts: Vec<u8>,
}

/// Chunks by field, as the texts give them.
#[derive(Default)]
pub(super) struct Occurrences {
    chunks: Vec<u32>,
    counts: Vec<u8>,
    /// Where each field ends.
    ends: Vec<u32>,
    /// Where each chunk was seen last.
    seen: Vec<u32>,
}

impl Postings {
    /// The fields that have a chunk: entry, field, and how often.
    pub(super) fn of(&self, chunk: usize) -> impl Iterator<Item = (usize, usize, f32)> {
        let range = self.starts[chunk] as usize..self.starts[chunk + 1] as usize;
        self.fields[range.clone()].iter().zip(&self.counts[range]).map(|(field, count)| {
            let field = *field as usize;
            (field / N_FIELDS, field % N_FIELDS, f32::from(*count))
        })
    }
}

impl Occurrences {
    /// Counts a chunk for the field that is open.
    pub(super) fn add(&mut self, chunk: u32) {
        let known = chunk as usize;
        if known >= self.seen.len() {
            self.seen.resize(known + 1, 0);
        }
        let seen = self.seen[known];
        let is_in_field = seen >= self.ends.last().copied().unwrap_or(0);
        if is_in_field && self.chunks.get(seen as usize) == Some(&chunk) {
            let count = &mut self.counts[seen as usize];
            *count = count.saturating_add(1);
        } else if let Ok(next) = u32::try_from(self.chunks.len()) {
            self.seen[known] = next;
            self.chunks.push(chunk);
            self.counts.push(1);
        }
    }

    /// Closes a field and opens the next.
    pub(super) fn close_field(&mut self) {
        self.ends.push(self.chunks.len() as u32);
    }

    /// Turns the table on its side.
    pub(super) fn into_postings(self) -> Postings {
        let mut starts = vec![0; self.seen.len() + 1];
        for chunk in &self.chunks {
            starts[*chunk as usize + 1] += 1;
        }
        for chunk in 1..starts.len() {
            starts[chunk] += starts[chunk - 1];
        }
        let mut next = starts.clone();
        let mut postings = Postings {
            starts,
            fields: vec![0; self.chunks.len()],
            counts: vec![0; self.chunks.len()],
        };
        let mut from = 0;
        for (field, end) in (0..).zip(self.ends) {
            for at in from..end as usize {
                let place = &mut next[self.chunks[at] as usize];
                postings.fields[*place as usize] = field;
                postings.counts[*place as usize] = self.counts[at];
                *place += 1;
            }
            from = end as usize;
        }
        postings
    }
}
