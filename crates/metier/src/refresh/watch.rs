//! The watcher: rings when something has changed that a scan would see.
//!
//! Events are a hint, never the truth: some are lost, and a watch ends with its folder. So nothing is
//! made of an event but the wish to scan, and watches are set anew after every scan.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use notify::{
    Config, ErrorKind, Event, EventKind, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher,
    event::{ModifyKind, RenameMode},
};
use thiserror::Error;
use tokio::sync::Notify;
use tracing::{debug, warn};

use super::{
    lookout::{Lookout, MOST_FOLDERS, at_or_below},
    pace::Hearing,
};

/// Watches folders, unless it is not wanted or not possible.
pub(crate) enum Watch {
    /// There is nothing but the interval.
    Off,
    /// To be started with the first folders, and to ring this bell.
    Ready(Arc<Notify>),
    /// At work.
    On(Running),
}

/// A watcher at work.
pub(crate) struct Running {
    watcher: RecommendedWatcher,
    post: Arc<Post>,
}

/// What became of an attempt to set watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Armed {
    /// Watches that were not there before. What happened a moment before they were is unheard.
    pub(crate) n_new: usize,
    pub(crate) hearing: Hearing,
}

/// Why there is no watcher.
#[derive(Debug, Error)]
enum Deaf {
    #[error("no watcher can be started")]
    NoWatcher(#[source] notify::Error),
    #[error("the system allows no more watches")]
    NoMoreWatches,
    #[error("there are more than {MOST_FOLDERS} folders to watch")]
    TooManyFolders,
}

/// What the watcher's own thread and the setting of watches share.
struct Post {
    state: Mutex<State>,
    bell: Arc<Notify>,
}

#[derive(Default)]
struct State {
    /// Nothing before the first watches are set.
    lookout: Option<Lookout>,
    /// Folders with a watch.
    armed: BTreeSet<PathBuf>,
    /// Folders that should have a watch and have none.
    n_lost: usize,
}

impl Watch {
    /// Watches what the lookout wants, and nothing else.
    pub(crate) fn arm(&mut self, lookout: impl FnOnce() -> Lookout) -> Armed {
        let armed = match self {
            Watch::Off => return Armed { n_new: 0, hearing: Hearing::Partial },
            Watch::Ready(bell) => Running::new(bell.clone()).and_then(|mut running| {
                let armed = running.arm(lookout())?;
                *self = Watch::On(running);
                Ok(armed)
            }),
            Watch::On(running) => running.arm(lookout()),
        };
        armed.unwrap_or_else(|deaf| {
            *self = Watch::Off;
            let hint = deaf.hint();
            warn!(error = &deaf as &dyn std::error::Error, hint, "changes wait for the interval");
            Armed { n_new: 0, hearing: Hearing::Partial }
        })
    }
}

impl Running {
    fn new(bell: Arc<Notify>) -> Result<Running, Deaf> {
        let post = Arc::new(Post { state: Mutex::default(), bell });
        let hearing = post.clone();
        // Not of files that are only read: every load would be an event.
        let config = Config::default().with_event_kinds(EventKindMask::CORE);
        let watcher = RecommendedWatcher::new(move |event| hearing.hear(event), config);
        Ok(Running { watcher: watcher.map_err(Deaf::NoWatcher)?, post })
    }

    fn arm(&mut self, lookout: Lookout) -> Result<Armed, Deaf> {
        let mut hearing = lookout.ground.hearing;
        let (new, gone) = self.post.look_out(lookout)?;
        if new.is_empty() && gone.is_empty() {
            return Ok(Armed { n_new: 0, hearing });
        }
        // The lock is free by now: a watch is set by the thread that hears events.
        for path in &gone {
            let _ = self.watcher.unwatch(path); // gone with its folder, as a rule
        }
        let mut n_new = 0;
        for path in &new {
            match self.watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => n_new += 1,
                Err(error) if matches!(error.kind, ErrorKind::MaxFilesWatch) => {
                    return Err(Deaf::NoMoreWatches);
                }
                Err(error) => {
                    debug!(?path, %error, "cannot be watched");
                    self.post.state().forget(path);
                    hearing = Hearing::Partial;
                }
            }
        }
        Ok(Armed { n_new, hearing })
    }
}

impl Post {
    /// Judges events by a new lookout; returns which watches to set, and which to end.
    fn look_out(&self, lookout: Lookout) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Deaf> {
        let mut state = self.state();
        if state.n_lost == 0 && state.lookout.as_ref().is_some_and(|it| it.is_same(&lookout)) {
            return Ok((Vec::new(), Vec::new()));
        }
        let wanted = lookout.folders();
        if wanted.len() > MOST_FOLDERS {
            return Err(Deaf::TooManyFolders);
        }
        let is_new = |path: &&Path| !state.armed.contains(*path);
        let new: Vec<_> = wanted.iter().copied().filter(is_new).map(Path::to_owned).collect();
        let is_gone = |path: &&PathBuf| !wanted.contains(path.as_path());
        let gone: Vec<_> = state.armed.iter().filter(is_gone).cloned().collect();
        state.armed = wanted.into_iter().map(Path::to_owned).collect();
        state.lookout = Some(lookout);
        state.n_lost = 0;
        Ok((new, gone))
    }

    /// Rings if a scan may find something new. After an error nobody knows what was lost.
    fn hear(&self, event: notify::Result<Event>) {
        let concerns = event.map_or(true, |event| {
            let mut state = self.state();
            state.forget_lost(&event);
            state.lookout.as_ref().is_some_and(|it| it.concerns(&event))
        });
        if concerns {
            self.bell.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A watch ends with its folder, and so do those below; another folder may take its place.
    fn forget_lost(&mut self, event: &Event) {
        let (EventKind::Remove(_)
        | EventKind::Modify(ModifyKind::Name(RenameMode::From | RenameMode::Any))) = event.kind
        else {
            return;
        };
        for gone in &event.paths {
            let lost: Vec<PathBuf> = at_or_below(&self.armed, gone).cloned().collect();
            lost.iter().for_each(|path| self.forget(path));
        }
    }

    fn forget(&mut self, path: &Path) {
        self.n_lost += usize::from(self.armed.remove(path));
    }
}

impl Deaf {
    fn hint(&self) -> &'static str {
        match self {
            Deaf::NoWatcher(_) => "on Linux, raise the sysctl `fs.inotify.max_user_instances`",
            Deaf::NoMoreWatches => "on Linux, raise the sysctl `fs.inotify.max_user_watches`",
            Deaf::TooManyFolders => "name fewer or smaller folders",
        }
    }
}

#[cfg(test)]
mod tests;
