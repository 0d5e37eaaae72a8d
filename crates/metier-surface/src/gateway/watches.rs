//! Watches: resources whose changes somebody wants to hear of, subscribed to once for all.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use metier_upstreams::{CallError, Caller, Phase, Request, Roster, ServerName, Upstreams};
use metier_wire::{Era, Error};
use serde_json::value::{RawValue, to_raw_value};
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use super::{ear::Ear, inside::inside, journey::explained};

/// How long nothing is tried after a subscription came to nothing.
const PAUSE: Duration = Duration::from_secs(5);

/// A resource that is watched for as long as somebody holds this.
pub struct Watch {
    begun: watch::Receiver<Option<Result<(), Error>>>,
    /// Ends the subscription with the last who holds it; it is another one once the resource is
    /// another server's.
    stop: Mutex<Arc<DropGuard>>,
}

/// Which resources of servers are watched, and under which URIs clients know each.
#[derive(Default)]
pub(super) struct Watched(Mutex<Held>);

/// Watches, by whose the resource is and what it is called there.
type Held = HashMap<Key, Spellings>;
type Key = (ServerName, String);

/// The watches of one resource, by the URIs under which clients know it; all share a subscription.
type Spellings = HashMap<Arc<str>, Weak<Watch>>;

/// Watches one resource.
struct Watcher {
    upstreams: Upstreams,
    server: ServerName,
    uri: String,
    ear: Arc<Ear>,
    begun: watch::Sender<Option<Result<(), Error>>>,
}

/// Hears of one resource by a stream of its own.
struct Listener {
    ear: Arc<Ear>,
    server: ServerName,
    uri: String,
}

impl Watch {
    /// A watch that needs nobody's leave; it ends what `stop` stops.
    pub(crate) fn begun_now(stop: &CancellationToken) -> Arc<Watch> {
        let (_, begun) = watch::channel(Some(Ok(())));
        Arc::new(Watch { begun, stop: Mutex::new(Arc::new(stop.clone().drop_guard())) })
    }

    /// Another watch of the same; what is watched ends with the last of them.
    fn shared(&self) -> Arc<Watch> {
        let stop = Mutex::new(Arc::clone(&self.stop()));
        Arc::new(Watch { begun: self.begun.clone(), stop })
    }

    fn stop(&self) -> MutexGuard<'_, Arc<DropGuard>> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the server took the subscription, once that is known.
    pub(crate) async fn begun(&self) -> Result<(), Error> {
        let mut begun = self.begun.clone();
        let begun = begun.wait_for(Option::is_some).await;
        begun.ok().and_then(|it| it.clone()).unwrap_or(Ok(()))
    }
}

impl Watched {
    /// The URIs under which clients know a resource that is watched.
    pub(super) fn shown(&self, server: &ServerName, uri: &str) -> Vec<Arc<str>> {
        let held = self.held();
        let spellings = held.get(&(server.clone(), uri.to_owned())).into_iter().flatten();
        spellings.filter(|(_, it)| it.strong_count() > 0).map(|(it, _)| Arc::clone(it)).collect()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a watch needs of the gateway.
#[derive(Clone, Copy)]
pub(super) struct Post<'a> {
    pub(super) ear: &'a Arc<Ear>,
    pub(super) upstreams: &'a Upstreams,
    pub(super) tasks: &'a TaskTracker,
    pub(super) runtime: &'a tokio::runtime::Handle,
}

impl Post<'_> {
    /// Watches a resource; who wants the same one shares the watch.
    pub(super) fn watch(self, shown: &str) -> Option<Arc<Watch>> {
        let key = owned(&self.upstreams.roster(), shown)?;
        let mut held = self.ear.watched.held();
        held.retain(|_, it| {
            it.retain(|_, watch| watch.strong_count() > 0);
            !it.is_empty()
        });
        let spellings = held.entry(key.clone()).or_default();
        if let Some(watch) = spellings.get(shown).and_then(Weak::upgrade) {
            return Some(watch);
        }
        let watch = self.subscribed(key, spellings);
        spellings.insert(shown.into(), Arc::downgrade(&watch));
        Some(watch)
    }

    /// Takes what is watched to the servers that list it now, and tells that it is another.
    pub(super) fn follow(self, roster: &Roster) {
        let mut held = self.ear.watched.held();
        let moved = held.iter().flat_map(|(key, spellings)| {
            spellings.iter().filter_map(move |(shown, watch)| {
                let now = listed(roster, shown).filter(|it| it != key)?;
                Some((key.clone(), Arc::clone(shown), watch.upgrade()?, now))
            })
        });
        for (before, shown, watch, now) in moved.collect::<Vec<_>>() {
            held.entry(before).or_default().remove(&shown);
            let spellings = held.entry(now.clone()).or_default();
            let other = self.subscribed(now, spellings);
            watch.stop().clone_from(&other.stop());
            spellings.insert(Arc::clone(&shown), Arc::downgrade(&watch));
            self.ear.updated(&shown);
        }
    }

    /// A watch of a resource: of the same subscription as others, or of a new one.
    fn subscribed(self, (server, uri): Key, others: &Spellings) -> Arc<Watch> {
        if let Some(other) = others.values().find_map(Weak::upgrade) {
            return other.shared();
        }
        let stop = CancellationToken::new();
        let (begun, known) = watch::channel(None);
        let (upstreams, ear) = (self.upstreams.clone(), Arc::clone(self.ear));
        let watcher = Watcher { upstreams, server, uri, ear, begun };
        self.tasks.spawn_on(watcher.run(stop.clone()), self.runtime);
        Arc::new(Watch { begun: known, stop: Mutex::new(Arc::new(stop.drop_guard())) })
    }
}

/// Whose a resource is, and what it is called there.
fn owned(roster: &Roster, shown: &str) -> Option<Key> {
    listed(roster, shown).or_else(|| {
        inside(roster, shown).ok()?;
        let route = roster.resources().routes(shown).into_iter().next()?;
        Some((route.server.clone(), route.uri.into_owned()))
    })
}

/// The same, if the server lists it.
fn listed(roster: &Roster, shown: &str) -> Option<Key> {
    if let Some(file) = inside(roster, shown).ok()? {
        return Some((file.server, file.uri));
    }
    let resources = roster.resources();
    let entry = resources.entries().get(resources.position(shown)?)?;
    Some((entry.server.clone(), entry.item.key.to_string()))
}

impl Watcher {
    /// Keeps the subscription, through all connections of the server, until nobody wants it.
    async fn run(self, stop: CancellationToken) {
        let mut rosters = self.upstreams.rosters();
        loop {
            let ready = self.ready(&rosters.borrow_and_update());
            let Some((era, since)) = ready else {
                tokio::select! {
                    () = stop.cancelled() => return,
                    changed = rosters.changed() => if changed.is_err() { return },
                }
                continue;
            };
            let subscribed = tokio::select! {
                () = stop.cancelled() => return,
                subscribed = self.subscribe(era) => subscribed,
            };
            let is_taken = subscribed.is_ok();
            let result = subscribed.map_err(|error| explained(&error));
            self.begun
                .send_if_modified(|begun| begun.is_none().then(|| *begun = Some(result)).is_some());
            let is_other = |it: &Arc<Roster>| self.ready(it).is_none_or(|(_, at)| at != since);
            let another = async { rosters.wait_for(is_other).await.is_ok() };
            tokio::select! {
                () = stop.cancelled() => return self.unsubscribe(era).await,
                is_kept = another => if !is_kept { return },
                // A stream that ended is opened again; one that was refused, later.
                () = sleep(PAUSE), if era == Era::Modern || !is_taken => {}
            }
        }
    }

    /// Since when the server is connected, and by which rules, if it is.
    fn ready(&self, roster: &Roster) -> Option<(Era, Instant)> {
        let server = roster.server(&self.server)?;
        let is_ready = matches!(server.standing.phase, Phase::Ready { .. });
        let offer = server.standing.offer.as_ref().filter(|_| is_ready)?;
        Some((offer.revision.era(), server.standing.since))
    }

    async fn subscribe(&self, era: Era) -> Result<(), CallError> {
        let uri = to_raw_value(&self.uri).unwrap_or_default();
        match era {
            Era::Legacy => {
                let params = [("uri", &*uri)];
                let request = Request::new("resources/subscribe", &params);
                self.upstreams.request(&self.server, request, Arc::new(())).await.map(|_| ())
            }
            Era::Modern => {
                self.begun
                    .send_if_modified(|it| it.is_none().then(|| *it = Some(Ok(()))).is_some());
                let filter = format!(r#"{{"resourceSubscriptions":[{uri}]}}"#);
                let filter = RawValue::from_string(filter).unwrap_or_default();
                let params = [("notifications", &*filter)];
                let request = Request::new("subscriptions/listen", &params);
                let (ear, server) = (Arc::clone(&self.ear), self.server.clone());
                let listener = Arc::new(Listener { ear, server, uri: self.uri.clone() });
                self.upstreams.listen(&self.server, request, listener).await.map(|_| ())
            }
        }
    }

    async fn unsubscribe(&self, era: Era) {
        if era == Era::Modern {
            return;
        }
        let uri = to_raw_value(&self.uri).unwrap_or_default();
        let params = [("uri", &*uri)];
        let request = Request::new("resources/unsubscribe", &params);
        let _ = self.upstreams.request(&self.server, request, Arc::new(())).await;
    }
}

impl Caller for Listener {
    fn told(&self, method: &str, _: Option<&RawValue>) {
        if method == "notifications/resources/updated" {
            self.ear.changed(&self.server, &self.uri);
        }
    }
}
