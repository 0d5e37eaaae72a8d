//! Files of skills whose changes somebody wants to hear of.
//!
//! The folders of skills are watched for skills that come and go; what else is in them is nobody's
//! business until somebody subscribes to it. Then it is looked at every second: whatever moves it, on
//! whatever file system, and without a watch that the system may not have to spare. A URI is watched,
//! and no folder: which file it means is asked of the newest offer each time.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use metier_skills::Version;
use tokio::{runtime::Handle, time::sleep};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{Found, Library};
use crate::{
    counter::Counter,
    gateway::{Ear, Watch},
};

/// How often a file is looked at.
const PERIOD: Duration = Duration::from_secs(1);

/// The files that are watched, each once for all who want to hear of it.
pub(crate) struct WatchedFiles {
    held: Mutex<HashMap<Box<str>, Weak<Watch>>>,
    counter: Counter,
    ear: Arc<Ear>,
    tasks: TaskTracker,
    runtime: Handle,
}

/// One file that is watched.
struct File {
    uri: Arc<str>,
    counter: Counter,
    ear: Arc<Ear>,
}

impl WatchedFiles {
    /// Watches nothing yet. What files are meant the counter knows; what is seen is told to the ear.
    pub(crate) fn new(counter: Counter, ear: Arc<Ear>) -> WatchedFiles {
        let (tasks, runtime) = (TaskTracker::new(), Handle::current());
        WatchedFiles { held: Mutex::default(), counter, ear, tasks, runtime }
    }

    /// Watches a file until nobody holds the watch any more; none if there is no such file.
    pub(crate) fn watch(&self, library: &Library, uri: &str) -> Option<Arc<Watch>> {
        let seen = library.version(uri)?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, it| it.strong_count() > 0);
        if let Some(watch) = held.get(uri).and_then(Weak::upgrade) {
            return Some(watch);
        }
        let stop = CancellationToken::new();
        let watch = Watch::begun_now(&stop);
        held.insert(uri.into(), Arc::downgrade(&watch));
        drop(held);
        let (counter, ear) = (self.counter.clone(), Arc::clone(&self.ear));
        let file = File { uri: uri.into(), counter, ear };
        self.tasks.spawn_on(stop.run_until_cancelled_owned(file.follow(seen)), &self.runtime);
        Some(watch)
    }
}

impl Library {
    /// The state of the file that a URI means now, if there is one.
    fn version(&self, uri: &str) -> Option<Version> {
        let Found::Within(holding, path) = self.find(uri)? else { return None };
        holding.skill.version(&path)
    }
}

impl File {
    /// Tells of every change from what was seen on.
    async fn follow(self, seen: Version) {
        let (file, mut seen) = (Arc::new(self), Some(seen));
        loop {
            sleep(PERIOD).await;
            let Some(offer) = file.counter.newest() else { continue };
            let uri = Arc::clone(&file.uri);
            let look = tokio::task::spawn_blocking(move || offer.library().version(&uri));
            let Ok(now) = look.await else { continue };
            if now != seen {
                seen = now;
                file.ear.updated(&file.uri);
            }
        }
    }
}
