//! News: changes that one listener has not heard of yet.

use std::time::Duration;

use tokio::{sync::watch, time::Instant};

use crate::responder::Changes;

/// How long changes count as one.
const BURST: Duration = Duration::from_millis(500);

/// Changes from now on.
pub(super) struct News {
    changes: watch::Receiver<Changes>,
    told: Changes,
    /// Before this the listener is not told again.
    next: Instant,
}

/// There will be no more news.
pub(super) struct Silence;

impl News {
    pub(super) fn new(mut changes: watch::Receiver<Changes>) -> News {
        let told = *changes.borrow_and_update();
        News { changes, told, next: Instant::now() }
    }

    /// Waits until the list of tools has changed; the changes of a burst count as one.
    pub(super) async fn of_tools(&mut self) -> Result<(), Silence> {
        while self.changes.borrow_and_update().tools == self.told.tools {
            self.changes.changed().await.map_err(|_| Silence)?;
        }
        tokio::time::sleep_until(self.next).await;
        self.next = Instant::now() + BURST;
        self.told = *self.changes.borrow_and_update();
        Ok(())
    }
}
