//! Digests of files, kept for as long as the files look the same.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use hashbrown::HashMap;
use sha2::{Digest as _, Sha256};

use crate::disk::{FileId, Stamp};

/// How many digests a half of the memory holds; when one half is full, the other is forgotten.
const HALF: usize = 32_768;

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

/// The digests of files that were read before.
#[derive(Debug, Default)]
pub struct Digests(Mutex<Halves>);

#[derive(Debug, Default)]
struct Halves {
    recent: Known,
    older: Known,
}

type Known = HashMap<FileId, (Stamp, Digest)>;

impl Digest {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Digest {
    /// `sha256:` and 64 digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Digests {
    /// The digest of a file that bears the same stamp as when it was read.
    pub(crate) fn known(&self, stamp: Stamp) -> Option<Digest> {
        let halves = &mut *self.halves();
        let is_same = |it: &&(Stamp, Digest)| it.0 == stamp;
        if let Some((_, digest)) = halves.recent.get(&stamp.id).filter(is_same) {
            return Some(*digest);
        }
        let (_, digest) = *halves.older.get(&stamp.id).filter(is_same)?;
        halves.keep(stamp, digest);
        Some(digest)
    }

    /// The digest of what was read of a file. It is kept if the stamp can be trusted to change with the
    /// next edit.
    pub(crate) fn of(&self, stamp: Stamp, bytes: &[u8]) -> Digest {
        let known = self.known(stamp).filter(|_| stamp.size() == bytes.len() as u64);
        known.unwrap_or_else(|| {
            let digest = Digest::of(bytes);
            if let Some(stamp) = stamp.settled(SystemTime::now()) {
                self.halves().keep(stamp, digest);
            }
            digest
        })
    }

    fn halves(&self) -> MutexGuard<'_, Halves> {
        // Nothing in here panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Halves {
    fn keep(&mut self, stamp: Stamp, digest: Digest) {
        if self.recent.len() >= HALF {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(stamp.id, (stamp, digest));
    }
}
