//! News: changes that one listener has not heard of yet.

use tokio::sync::watch;

use crate::responder::Changes;

/// Changes from now on.
pub(super) struct News {
    changes: watch::Receiver<Changes>,
    told: Changes,
}

/// There will be no more news.
pub(super) struct Silence;

impl News {
    pub(super) fn new(mut changes: watch::Receiver<Changes>) -> News {
        let told = *changes.borrow_and_update();
        News { changes, told }
    }

    /// Waits until the list of tools has changed; many changes may count as one.
    pub(super) async fn of_tools(&mut self) -> Result<(), Silence> {
        loop {
            let now = *self.changes.borrow_and_update();
            if now.tools != self.told.tools {
                self.told = now;
                return Ok(());
            }
            self.changes.changed().await.map_err(|_| Silence)?;
        }
    }
}
