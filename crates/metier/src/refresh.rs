//! The refresher: reads the folders at the start and whenever something may have changed, and is the
//! only writer of the catalog.
//!
//! ```text
//! interval ─┐
//! asks ─────┼─▶ Pace ── due ──▶ Writer ── publish(Catalog, &Scan)
//! events ───┘                     │
//!    ▲                            ▼ which folders there are
//!    └────────── bell ───────── Watch
//! ```

mod lookout;
mod news;
mod pace;
#[cfg(test)]
mod tests;
mod watch;
mod writer;

use std::{
    any::Any,
    future,
    panic::{self, AssertUnwindSafe},
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use metier_skills::{Catalog, Filter, Places, Progress, Scan};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    task,
    time::{self, Instant},
};
use tracing::{error, info};

pub(crate) use self::pace::Refresh;
use self::{
    pace::{Hearing, Pace},
    watch::{Armed, Watch},
    writer::{Last, Writer},
};

/// How long a scan may be silent.
const PATIENCE: Duration = Duration::from_secs(1);

/// Keeps a catalog as fresh as the disk.
pub(crate) struct Refresher<P> {
    /// Where to look.
    pub(crate) places: Places,
    /// What exists for the user of the catalog.
    pub(crate) filter: Filter,
    pub(crate) refresh: Refresh,
    /// Called with the first catalog and with every one that differs, on a thread that may wait.
    pub(crate) publish: P,
    /// From those who need the disk's present state: answered once it is published.
    pub(crate) asks: mpsc::Receiver<oneshot::Sender<()>>,
}

/// What scans and watches, handed to another thread for each piece of work.
struct Round<P> {
    writer: Writer<P>,
    watch: Watch,
}

impl<P: FnMut(Catalog, &Scan) + Send + 'static> Refresher<P> {
    /// Refreshes for as long as it is polled.
    pub(crate) async fn run(self) {
        let Refresher { places, filter, refresh, publish, mut asks } = self;
        let bell = Arc::new(Notify::new());
        let watch = match refresh {
            Refresh::Never => Watch::Off,
            Refresh::Every(_) => Watch::Ready(bell.clone()),
        };
        let writer = Writer { places, filter, publish, last: Last::default() };
        let mut round = Round { writer, watch };
        let mut pace = Pace::new(refresh);
        let mut waiting: Vec<oneshot::Sender<()>> = Vec::new();
        loop {
            tokio::select! {
                biased; // what was heard before an ask counts when it is answered
                () = bell.notified() => pace.event(Instant::now()),
                Some(ask) = asks.recv() => {
                    waiting.push(ask);
                    if pace.is_fresh() {
                        answer(&mut waiting);
                    } else {
                        pace.hurry();
                    }
                }
                () = until(pace.due(Instant::now())) => {
                    pace.begin();
                    waiting.extend(std::iter::from_fn(|| asks.try_recv().ok()));
                    let Some(scanned) = round.scan().await else { return };
                    answer(&mut waiting);
                    let Some((armed_round, armed)) = scanned.arm().await else { return };
                    round = armed_round;
                    if armed.n_new > 0 {
                        pace.event(Instant::now());
                    }
                    pace.end(Instant::now(), armed.hearing);
                }
            }
        }
    }
}

impl<P: FnMut(Catalog, &Scan) + Send + 'static> Round<P> {
    /// Scans, and tells of its progress if that takes long.
    async fn scan(self) -> Option<Round<P>> {
        let progress = Arc::new(Progress::default());
        let shared = progress.clone();
        let mut scanned = pin!(apart(self, move |round| round.writer.scan(&shared)));
        loop {
            tokio::select! {
                scanned = &mut scanned => return scanned.map(|(round, _)| round),
                () = time::sleep(PATIENCE) => {
                    let folders = progress.folders.load(Ordering::Relaxed);
                    let files = progress.files.load(Ordering::Relaxed);
                    info!(folders, files, "still scanning");
                }
            }
        }
    }

    /// Watches the folders of the last scan.
    async fn arm(self) -> Option<(Round<P>, Armed)> {
        let (round, armed) =
            apart(self, |Round { writer, watch }| watch.arm(|| writer.lookout())).await?;
        Some((round, armed.unwrap_or(Armed { n_new: 0, hearing: Hearing::Partial })))
    }
}

/// Works on a thread that may wait. A panic costs the result, never the value that was worked on;
/// `None`: the runtime is going down.
async fn apart<T: Send + 'static, R: Send + 'static>(
    mut value: T,
    work: impl FnOnce(&mut T) -> R + Send + 'static,
) -> Option<(T, Option<R>)> {
    let job = task::spawn_blocking(move || {
        let result = panic::catch_unwind(AssertUnwindSafe(|| work(&mut value)));
        (value, result)
    });
    let (value, result) = job.await.ok()?;
    if let Err(panic) = &result {
        error!(panic = said(&**panic), "the last good catalog stays");
    }
    Some((value, result.ok()))
}

/// The words of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without words")
}

/// Lets everyone go on who waited for a scan; some may have left.
fn answer(waiting: &mut Vec<oneshot::Sender<()>>) {
    for ask in waiting.drain(..) {
        let _ = ask.send(());
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) if due <= Instant::now() => {} // a timer would take a millisecond
        Some(due) => time::sleep_until(due).await,
        None => future::pending().await,
    }
}
