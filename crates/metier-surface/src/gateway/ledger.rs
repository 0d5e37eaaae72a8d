//! The ledger: calls that have ended, each of which becomes a line in the log a moment later.
//!
//! A line by itself takes about as long as the call around it; of many in a row each takes much less.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use metier_upstreams::ToolEntry;
use tokio::sync::Notify;
use tracing::Level;

use super::tally::Ending;

/// How long calls are collected.
const MOMENT: Duration = Duration::from_millis(10);
/// How many are collected at most.
const MOST: usize = 1_000;

/// Calls that have ended since the last lines were written.
#[derive(Default)]
pub(super) struct Ledger {
    ended: Mutex<Vec<Ended>>,
    begun: Notify,
}

/// A call that has ended.
pub(super) struct Ended {
    pub(super) entry: Arc<ToolEntry>,
    pub(super) ending: Ending,
    pub(super) took: Duration,
}

impl Ledger {
    /// Takes note of a call.
    pub(super) fn note(&self, ended: Ended) {
        if !tracing::enabled!(Level::INFO) {
            return;
        }
        let mut all = self.ended();
        all.push(ended);
        let n_ended = all.len();
        drop(all);
        match n_ended {
            1 => self.begun.notify_one(),
            MOST.. => self.write_out(),
            _ => {}
        }
    }

    /// Writes lines as calls end, for ever.
    pub(super) async fn keep(&self) {
        loop {
            self.begun.notified().await;
            tokio::time::sleep(MOMENT).await;
            self.write_out();
        }
    }

    fn write_out(&self) {
        let ended = mem::take(&mut *self.ended());
        for Ended { entry, ending, took } in ended {
            tracing::info!(
                server = entry.server.as_str(),
                tool = &*entry.tool.name,
                outcome = ending.word(),
                ms = took.as_secs_f64() * 1e3,
                "a tool was called"
            );
        }
    }

    fn ended(&self) -> MutexGuard<'_, Vec<Ended>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.write_out();
    }
}
