//! The counter: where requests get the newest offer, and work that may take a while.

use std::{sync::Arc, time::Duration};

use metier_wire::Error;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};

use crate::{call::Call, offer::Offer};

/// How many lists, searches and files are made ready at a time.
const MOST_FILLED: usize = 8;
/// How often a client hears that the first scan goes on.
const PATIENCE: Duration = Duration::from_secs(1);

/// Asks for a look at the disk; answered when the newest catalog shows its present state.
pub type Ask = oneshot::Sender<()>;

/// Where orders are filled that may take a while.
#[derive(Clone)]
pub(crate) struct Counter {
    offers: watch::Receiver<Option<Arc<Offer>>>,
    asks: mpsc::Sender<Ask>,
    /// Bounds how many are filled at a time.
    desks: Arc<Semaphore>,
}

impl Counter {
    pub(crate) fn new(
        offers: watch::Receiver<Option<Arc<Offer>>>,
        asks: mpsc::Sender<Ask>,
    ) -> Counter {
        Counter { offers, asks, desks: Arc::new(Semaphore::new(MOST_FILLED)) }
    }

    /// The newest offer, if there is one already.
    pub(crate) fn newest(&self) -> Option<Arc<Offer>> {
        self.offers.borrow().clone()
    }

    /// The newest offer; before there is one, the first.
    pub(crate) async fn offer(&self, call: &Call) -> Result<Arc<Offer>, Error> {
        let mut offers = self.offers.clone();
        let mut waited = 0;
        loop {
            if let Some(offer) = offers.borrow_and_update().clone() {
                return Ok(offer);
            }
            match tokio::time::timeout(PATIENCE, offers.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Err(Error::internal("the server stops")),
                Err(_) => {
                    waited += 1;
                    call.progress(waited, Some("reading the skills of this machine")).await;
                }
            }
        }
    }

    /// An offer that shows the present state of the disk.
    pub(crate) async fn fresh_offer(&self, call: &Call) -> Result<Arc<Offer>, Error> {
        let offer = self.offer(call).await?;
        let (ask, looked) = oneshot::channel();
        // Whoever writes the catalog may be gone; then this is the last one there is.
        if self.asks.send(ask).await.is_ok() && looked.await.is_ok() {
            return self.offer(call).await;
        }
        Ok(offer)
    }

    /// Does work that asks the disk, not too much of it at a time.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        call: &Call,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let _desk = self.desks.acquire().await;
        let call = call.clone();
        let done = tokio::task::spawn_blocking(move || (!call.is_over()).then(work));
        let failed = || Error::internal("internal error; the server's log says more");
        done.await.ok().flatten().ok_or_else(failed)
    }
}
