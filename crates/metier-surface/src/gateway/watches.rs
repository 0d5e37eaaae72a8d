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

use super::{ear::Ear, journey::explained};

/// How long nothing is tried after a subscription came to nothing.
const PAUSE: Duration = Duration::from_secs(5);

/// A resource that is watched for as long as somebody holds this.
pub struct Watch {
    begun: watch::Receiver<Option<Result<(), Error>>>,
    _stop: DropGuard,
}

/// Which resources of servers are watched, and under which URI clients know each.
#[derive(Default)]
pub(super) struct Watched(Mutex<HashMap<(ServerName, String), Held>>);

struct Held {
    shown: Arc<str>,
    watch: Weak<Watch>,
}

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
    shown: Arc<str>,
}

impl Watch {
    /// A watch that needs nobody's leave; it ends what `stop` stops.
    pub(crate) fn begun_now(stop: &CancellationToken) -> Arc<Watch> {
        let (_, begun) = watch::channel(Some(Ok(())));
        Arc::new(Watch { begun, _stop: stop.clone().drop_guard() })
    }

    /// Whether the server took the subscription, once that is known.
    pub(crate) async fn begun(&self) -> Result<(), Error> {
        let mut begun = self.begun.clone();
        let begun = begun.wait_for(Option::is_some).await;
        begun.ok().and_then(|it| it.clone()).unwrap_or(Ok(()))
    }
}

impl Watched {
    /// The URI under which clients know a resource that is watched.
    pub(super) fn shown(&self, server: &ServerName, uri: &str) -> Option<Arc<str>> {
        let held = self.held();
        held.get(&(server.clone(), uri.to_owned())).map(|it| Arc::clone(&it.shown))
    }

    fn held(&self) -> MutexGuard<'_, HashMap<(ServerName, String), Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Watches a resource; who wants the same one shares the watch.
pub(super) fn watch(
    ear: &Arc<Ear>,
    upstreams: &Upstreams,
    tasks: (&TaskTracker, &tokio::runtime::Handle),
    shown: &str,
) -> Option<Arc<Watch>> {
    let roster = upstreams.roster();
    let route = roster.resources().routes(shown).into_iter().next()?;
    let key = (route.server.clone(), route.uri.into_owned());
    let mut held = ear.watched.held();
    held.retain(|_, it| it.watch.strong_count() > 0);
    if let Some(watch) = held.get(&key).and_then(|it| it.watch.upgrade()) {
        return Some(watch);
    }
    let stop = CancellationToken::new();
    let (begun, known) = watch::channel(None);
    let watcher = Watcher {
        upstreams: upstreams.clone(),
        server: key.0.clone(),
        uri: key.1.clone(),
        ear: Arc::clone(ear),
        begun,
    };
    let watch = Arc::new(Watch { begun: known, _stop: stop.clone().drop_guard() });
    held.insert(key, Held { shown: shown.into(), watch: Arc::downgrade(&watch) });
    drop(held);
    tasks.0.spawn_on(watcher.run(stop), tasks.1);
    Some(watch)
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
                let Some(shown) = self.ear.watched.shown(&self.server, &self.uri) else {
                    return Ok(());
                };
                let listener = Arc::new(Listener { ear: Arc::clone(&self.ear), shown });
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
            self.ear.updated(&self.shown);
        }
    }
}
