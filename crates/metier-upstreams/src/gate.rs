//! Gates: how many calls may be under way at one server, and who waits for their turn.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

/// How many requests of callers may be under way at one server at a time.
pub(crate) const MOST_AT_ONCE: usize = 64;
/// How many callers may wait for their turn.
pub(crate) const MOST_WAITING: usize = 1024;

/// The gate before one server.
#[derive(Debug)]
pub(crate) struct Gate {
    free: Semaphore,
    n_waiting: AtomicUsize,
}

/// The right to ask the server something; it ends when this is dropped.
pub(crate) type Pass<'a> = SemaphorePermit<'a>;

/// Too many wait already.
#[derive(Debug)]
pub(crate) struct Crowded;

/// Someone who waits.
struct Waiting<'a>(&'a AtomicUsize);

impl Default for Gate {
    fn default() -> Gate {
        Gate { free: Semaphore::new(MOST_AT_ONCE), n_waiting: AtomicUsize::new(0) }
    }
}

impl Gate {
    /// Passes at once, if nobody is in the way.
    pub(crate) fn try_pass(&self) -> Option<Pass<'_>> {
        self.free.try_acquire().ok()
    }

    /// Passes when it is one's turn; whoever came first goes first.
    pub(crate) async fn pass(&self) -> Result<Pass<'_>, Crowded> {
        let _waiting = Waiting::among(&self.n_waiting).ok_or(Crowded)?;
        // Nobody ever closes it.
        self.free.acquire().await.map_err(|_| Crowded)
    }
}

impl Waiting<'_> {
    fn among(n_waiting: &AtomicUsize) -> Option<Waiting<'_>> {
        let waiting = Waiting(n_waiting);
        // Dropped right away if that is one too many.
        (n_waiting.fetch_add(1, Ordering::Relaxed) < MOST_WAITING).then_some(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
