//! The gateway: what other servers offer, shown as one; requests on their way to whose it is.
//!
//! ```text
//! Roster ── Stock ──▶ Shelf ──▶ lists
//! request ──▶ Errand ── Journey ──▶ server        Relay: progress, remarks, questions ──▶ client
//!                                   server ──▶ Ear: what belongs to no call ──▶ all clients
//! ```

mod cost;
mod ear;
mod finder;
mod inside;
mod journey;
mod ledger;
mod levels;
mod parked;
mod relay;
mod revealed;
mod shape;
mod shelf;
mod skills;
mod stock;
mod tally;
mod things;
mod tools;
mod watches;

use std::sync::{Arc, atomic::AtomicU8};

use futures_util::future::join_all;
use metier_skills::Skill;
use metier_upstreams::{Roster, Upstreams};
use metier_wire::{Era, Error, Members};
use serde_json::value::RawValue;
use tokio::{
    runtime::Handle,
    sync::watch,
    time::{Instant, timeout_at},
};
use tokio_util::task::TaskTracker;

pub use self::{
    cost::{Cost, Size},
    ear::Ear,
    watches::Watch,
};
use self::{
    journey::{Errand, Journey, Parcel, Target},
    ledger::Ledger,
    levels::NO_LEVEL,
    parked::Parked,
    shelf::{Fitting, Shown},
    stock::Stock,
    watches::Post,
};
pub(crate) use self::{
    shelf::Shelf,
    things::{unknown, unsubscribe},
};
use crate::{
    call::Call,
    client::Client,
    responder::{Changes, Done},
    surface::Publisher,
    tools::ToolNames,
};

/// Which tools of servers are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expose {
    /// All of them.
    All,
    /// None, but three tools to find, describe and call them.
    Search,
    /// Those that a skill names which was loaded in the session.
    Skills,
    /// All up to 40 tools, else as `Search`.
    #[default]
    Auto,
}

/// What other servers offer, as one.
pub(crate) struct Gateway {
    upstreams: Upstreams,
    shelves: watch::Receiver<Arc<Shelf>>,
    /// The definitions of the tools that find others.
    finders: Vec<u8>,
    parked: Parked,
    ledger: Arc<Ledger>,
    ear: Arc<Ear>,
    /// The least severe log messages that any client wants.
    level: AtomicU8,
    tasks: TaskTracker,
    runtime: Handle,
}

/// Joins servers to clients: the gateway, and what keeps its lists until the servers end.
pub(crate) fn gateway(
    upstreams: Upstreams,
    ear: Arc<Ear>,
    (names, expose): (ToolNames, Expose),
    instance: &str,
    (changes, publisher): (Arc<watch::Sender<Changes>>, Publisher),
) -> (Arc<Gateway>, impl Future<Output = ()> + Send + use<>) {
    let fitting = Fitting { names, expose, instance: instance.into() };
    let (publish, shelves) = watch::channel(stock::first_shelf(&upstreams, &fitting));
    let gateway = Arc::new(Gateway {
        upstreams,
        shelves,
        finders: finder::definitions(names),
        parked: Parked::default(),
        ledger: Arc::default(),
        ear,
        level: AtomicU8::new(NO_LEVEL),
        tasks: TaskTracker::new(),
        runtime: Handle::current(),
    });
    let stock = Stock {
        gateway: Arc::clone(&gateway),
        fitting,
        shelves: publish,
        changes,
        publisher,
        is_seen: false,
    };
    let ledger = Arc::clone(&gateway.ledger);
    let kept = async move {
        tokio::select! {
            () = stock.run() => {}
            () = ledger.keep() => {}
        }
    };
    (gateway, kept)
}

impl Gateway {
    /// What servers offer now.
    pub(crate) fn shelf(&self) -> Arc<Shelf> {
        self.shelves.borrow().clone()
    }

    /// What they offer, if nobody is worth waiting for.
    pub(crate) fn settled_shelf(&self) -> Option<Arc<Shelf>> {
        let shelf = self.shelf();
        shelf.patience.is_none_or(|until| until <= Instant::now()).then_some(shelf)
    }

    /// What servers offer when all have been met, or when that takes too long.
    pub(crate) async fn settled(&self) -> Arc<Shelf> {
        let mut shelves = self.shelves.clone();
        loop {
            let shelf = shelves.borrow_and_update().clone();
            let Some(until) = shelf.patience else { return shelf };
            match timeout_at(until, shelves.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return self.shelf(),
            }
        }
    }

    /// Waits while a server is met for the first time that a name says it belongs to.
    pub(crate) async fn meet(&self, name: &str) {
        self.wait_while(|it| it.is_meeting(name)).await;
    }

    /// Waits while it may still become known whose a resource is.
    pub(crate) async fn meet_owner(&self, uri: &str) {
        self.wait_while(|it| it.is_meeting_owner(uri)).await;
        if self.shelf().roster.resources().routes(uri).is_empty() {
            self.settled().await;
        }
    }

    async fn wait_while(&self, is_meeting: impl Fn(&Roster) -> bool) {
        let mut shelves = self.shelves.clone();
        // The end of all shelves ends the waiting, too.
        let _ = shelves.wait_for(|it| !is_meeting(&it.roster)).await;
    }

    /// The tools of servers that a client sees, separated by commas.
    pub(crate) fn tools(&self, shelf: &Shelf, era: Era, client: &Client) -> Vec<u8> {
        match (shelf.shown, era) {
            (Shown::All, _) => shelf.tools.all().to_vec(),
            (Shown::Search, _) | (Shown::Revealed, Era::Modern) => self.finders.clone(),
            (Shown::Revealed, Era::Legacy) => {
                let entries = shelf.roster.tools().entries().iter().enumerate();
                shelf.tools.some(entries.filter(|(_, it)| client.sees(&it.id)).map(|(at, _)| at))
            }
        }
    }

    /// Shows a client the tools that a skill it loaded wants to use.
    pub(crate) fn reveal(&self, client: &Client, skill: &Skill) {
        let shelf = self.shelf();
        if shelf.shown == Shown::Revealed {
            let wanted = revealed::wanted(skill);
            client.reveal(revealed::tools(&shelf.roster, &wanted));
        }
    }

    /// Does an errand for a client, or goes on with one that waited for its answer.
    async fn run(self: Arc<Self>, target: Target, parcel: Parcel, call: Call) -> Done {
        let errand = Errand { upstreams: self.upstreams.clone(), target, parcel };
        // Requests of earlier revisions go on with nothing.
        let resumed = match call.era() {
            Era::Modern => errand.resumes(&self.parked)?,
            Era::Legacy => None,
        };
        let journey = match resumed {
            Some(journey) => journey,
            None => Journey::new(errand, &call, &self.shelf(), &self.ledger),
        };
        journey.go(call, &self.parked).await
    }

    /// Passes on what a client says to nobody in particular.
    pub(crate) fn hear(&self, method: &str) {
        const ROOTS: &str = "notifications/roots/list_changed";
        if method != ROOTS {
            return;
        }
        let (upstreams, shelf) = (self.upstreams.clone(), self.shelf());
        let told = async move {
            // Later servers have no roots of their own to keep up to date.
            let servers = shelf.roster.servers().map(|it| it.name());
            let earlier = servers.filter(|it| things::era(&shelf.roster, it) == Era::Legacy);
            join_all(earlier.map(|it| upstreams.notify(it, ROOTS))).await;
        };
        self.tasks.spawn_on(told, &self.runtime);
    }

    /// Watches a resource for whoever holds the watch; one that nobody lists may be somebody's who is
    /// just being met.
    pub(crate) async fn watch(&self, uri: &str) -> Option<Arc<Watch>> {
        if self.shelf().roster.resources().position(uri).is_none() {
            self.settled().await;
        }
        self.post().watch(uri)
    }

    fn post(&self) -> Post<'_> {
        let Gateway { ear, upstreams, tasks, runtime, .. } = self;
        Post { ear, upstreams, tasks, runtime }
    }

    /// Appends the counts of all tools.
    pub(crate) fn metrics(&self, out: &mut String) {
        let shelf = self.shelf();
        tally::render(out, shelf.tallies());
    }
}

/// Refuses a cursor, for lists that have no second page.
pub(crate) fn only_page(params: Option<&RawValue>) -> Result<(), Error> {
    match params.and_then(Members::of).and_then(|it| it.get("cursor")) {
        Some(_) => Err(Error::invalid_params("`cursor` is unknown: the list is one page")),
        None => Ok(()),
    }
}
