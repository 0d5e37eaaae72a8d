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

/// A list that clients see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Tools,
    Resources,
    Prompts,
}

/// There will be no more news.
pub(super) struct Silence;

impl List {
    const ALL: [List; 3] = [List::Tools, List::Resources, List::Prompts];

    /// What a client is told when it has changed.
    pub(super) fn notification(self) -> &'static str {
        match self {
            List::Tools => "notifications/tools/list_changed",
            List::Resources => "notifications/resources/list_changed",
            List::Prompts => "notifications/prompts/list_changed",
        }
    }

    fn count(self, changes: Changes) -> u64 {
        match self {
            List::Tools => changes.tools,
            List::Resources => changes.resources,
            List::Prompts => changes.prompts,
        }
    }
}

impl News {
    pub(super) fn new(mut changes: watch::Receiver<Changes>) -> News {
        let told = *changes.borrow_and_update();
        News { changes, told, next: Instant::now() }
    }

    /// Waits until lists have changed, and says which; the changes of a burst count as one. Whoever
    /// gives up waiting misses nothing.
    pub(super) async fn next(&mut self) -> Result<Vec<List>, Silence> {
        while *self.changes.borrow_and_update() == self.told {
            self.changes.changed().await.map_err(|_| Silence)?;
        }
        tokio::time::sleep_until(self.next).await;
        self.next = Instant::now() + BURST;
        let (told, now) = (self.told, *self.changes.borrow_and_update());
        self.told = now;
        Ok(List::ALL.into_iter().filter(|it| it.count(now) != it.count(told)).collect())
    }
}
