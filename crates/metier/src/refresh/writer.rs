//! One scan after the other, and the catalog of each that brought something new.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use metier_skills::{Catalog, Filter, Outcome, Places, Problem, Progress, Scan, Sources, rescan};
use tracing::{debug, info, warn};

use super::{
    lookout::{Ground, Lookout},
    news::{News, new_problems},
};

/// Scans, and hands on what is new. The only writer of the catalog.
pub(crate) struct Writer<P> {
    pub(crate) places: Places,
    pub(crate) filter: Filter,
    pub(crate) publish: P,
    pub(crate) last: Last,
}

/// What the last scan saw.
#[derive(Default)]
pub(crate) struct Last {
    /// Nothing before the first scan was published.
    scan: Option<Scan>,
    /// Folders that were looked into, and paths that had a say in which they are.
    paths: Vec<PathBuf>,
    /// Made of the scan when somebody wants to watch.
    ground: Option<Arc<Ground>>,
    /// What has been warned of.
    problems: Vec<Problem>,
}

impl<P: FnMut(Catalog, &Scan)> Writer<P> {
    /// Scans, and publishes the catalog unless it would be the same.
    pub(crate) fn scan(&mut self, progress: &Progress) {
        debug!("scanning");
        let started = Instant::now();
        let Sources { list, problems, asked, .. } = self.places.sources();
        let before = self.last.scan.as_ref();
        let scan = rescan(&list, before.unwrap_or(&Scan::default()), progress);
        let news = News::between(before, &scan);
        log(news, &scan, started);
        self.last.paths = list.into_iter().map(|source| source.folder).chain(asked).collect();
        if before.is_none_or(|before| !before.is_same(&scan)) {
            self.last.ground = None;
        }
        self.warn(problems.into_iter().chain(scan.problems.iter().cloned()).collect());
        if news != News::Nothing {
            (self.publish)(Catalog::new(&scan.skills, &self.filter), &scan);
        }
        self.last.scan = Some(scan);
    }

    /// Warns of problems that were not there before.
    fn warn(&mut self, problems: Vec<Problem>) {
        for Problem { path, cause } in new_problems(&self.last.problems, &problems) {
            warn!(?path, hint = cause.hint(), "{cause}");
        }
        self.last.problems = problems;
    }

    /// What to watch in order to hear of changes to the last scan.
    pub(crate) fn lookout(&mut self) -> Lookout {
        let Last { scan, ground, paths, .. } = &mut self.last;
        let found = || scan.as_ref().map(Scan::folders).unwrap_or_default();
        let ground = ground.get_or_insert_with(|| Arc::new(Ground::new(found())));
        let mut lookout = Lookout::over(ground.clone());
        let real = |path: &Path| path.canonicalize().ok();
        // The whole machine opens files in `/etc` all the time.
        let busy = self.places.standard.as_ref().and_then(|it| real(&it.system));
        for path in paths.iter().chain(&ground.files) {
            lookout.expect(path, busy.as_deref(), &real);
        }
        lookout
    }
}

/// Says what a scan found, loudly if it is news.
fn log(news: News, scan: &Scan, started: Instant) {
    let ms = started.elapsed().as_millis();
    let (skills, problems) = (scan.skills.len(), scan.problems.len());
    match news {
        News::First => {
            let is_there = |(_, outcome): &&(_, Outcome)| *outcome != Outcome::Absent;
            let sources = scan.sources.iter().filter(is_there).count();
            info!(skills, problems, sources, ms, "scanned");
        }
        News::Nothing => debug!(skills, problems, ms, "scanned again, nothing has changed"),
        News::Changes { added, removed, changed } => {
            info!(added, removed, changed, skills, problems, ms, "scanned again");
        }
    }
}

#[cfg(test)]
mod tests;
