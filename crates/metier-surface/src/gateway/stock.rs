//! Stock-taking: the one writer of shelves.

use std::{collections::HashMap, sync::Arc, time::Duration};

use metier_upstreams::{Phase, Roster, ServerName, Upstreams};
use tokio::{
    sync::watch,
    time::{Instant, interval},
};

use super::{
    Gateway,
    shelf::{Fitting, Shelf},
};
use crate::{responder::Changes, surface::Publisher};

/// How long lists wait for servers that are still being met.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often calls are looked for whose clients do not come back.
const SWEEP: Duration = Duration::from_secs(60);

/// Fills a shelf for every roster, and says what has changed.
pub(super) struct Stock {
    pub(super) gateway: Arc<Gateway>,
    pub(super) fitting: Fitting,
    pub(super) shelves: watch::Sender<Arc<Shelf>>,
    pub(super) changes: Arc<watch::Sender<Changes>>,
    pub(super) publisher: Publisher,
    /// Whether anybody may have seen a list yet: only then is a change of it news.
    pub(super) is_seen: bool,
}

/// The shelf before any server has been met.
pub(super) fn first_shelf(upstreams: &Upstreams, fitting: &Fitting) -> Arc<Shelf> {
    let roster = upstreams.roster();
    let patience = (!roster.is_settled()).then(|| Instant::now() + PATIENCE);
    Arc::new(Shelf::new(roster, fitting, None, patience))
}

impl Stock {
    /// Keeps the shelf as the roster is, for as long as there is one.
    pub(super) async fn run(mut self) {
        let mut rosters = self.gateway.upstreams.rosters();
        let mut sweep = interval(SWEEP);
        let mut met = HashMap::new();
        loop {
            let roster = rosters.borrow_and_update().clone();
            self.greet(&roster, &mut met);
            self.publisher.serve(&roster);
            self.gateway.post().follow(&roster);
            self.fill(roster);
            loop {
                tokio::select! {
                    changed = rosters.changed() => match changed {
                        Ok(()) => break,
                        Err(_) => return,
                    },
                    _ = sweep.tick() => self.gateway.parked.sweep(),
                }
            }
        }
    }

    fn fill(&mut self, roster: Arc<Roster>) {
        let before = self.shelves.borrow().clone();
        // Lists wait for the first servers.
        self.is_seen |= before.patience.is_none_or(|until| until <= Instant::now());
        let patience = match before.patience {
            _ if roster.is_settled() => None,
            Some(until) => Some(until),
            None => Some(Instant::now() + PATIENCE),
        };
        let shelf = Shelf::new(roster, &self.fitting, Some(&before), patience);
        let is_other = |one: &Arc<_>, other: &Arc<_>| u64::from(!Arc::ptr_eq(one, other));
        let tools = u64::from(shelf.shows_other_tools(&before));
        let resources = is_other(&shelf.resources, &before.resources)
            .max(is_other(&shelf.templates, &before.templates));
        let prompts = is_other(&shelf.prompts, &before.prompts);
        // The shelf is there before anybody hears of it.
        self.shelves.send_replace(Arc::new(shelf));
        if !self.is_seen {
            return;
        }
        self.changes.send_if_modified(|changes| {
            changes.tools += tools;
            changes.resources += resources;
            changes.prompts += prompts;
            tools + resources + prompts > 0
        });
    }

    /// Tells servers that have just come which log messages are wanted.
    fn greet(&self, roster: &Roster, met: &mut HashMap<ServerName, Instant>) {
        for server in roster.servers() {
            let standing = &server.standing;
            let is_ready = matches!(standing.phase, Phase::Ready { .. });
            if is_ready && met.insert(server.name().clone(), standing.since) != Some(standing.since)
            {
                self.gateway.tell_level(server);
            }
        }
        met.retain(|name, _| roster.server(name).is_some());
    }
}
