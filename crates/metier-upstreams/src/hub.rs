//! The hub: who keeps which server, and the one writer of the roster.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use tokio::{
    sync::{Notify, Semaphore, mpsc, watch},
    task::JoinHandle,
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    connect::Opener,
    filter::ToolFilter,
    phase::Phase,
    roster::{Roster, Server, Standing},
    spec::{Admission, ServerName, ServerSpec},
    supervise::{Keeper, Report},
};

/// How many servers are started at a time.
const START_AT_ONCE: usize = 16;

/// Which servers there are to be, and which of their tools exist.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The servers; of two with one name the later counts.
    pub servers: Vec<ServerSpec>,
    /// Which tools of all of them exist.
    pub tools: ToolFilter,
}

/// What the hub is told.
pub(crate) enum Order {
    /// There are to be other servers.
    Plan(Plan),
    /// Someone does not want to wait for the next attempt.
    Retry(ServerName),
}

/// Who keeps which server.
pub(crate) struct Hub {
    opener: Opener,
    tasks: TaskTracker,
    stop: CancellationToken,
    roster: watch::Sender<Arc<Roster>>,
    kept: BTreeMap<ServerName, Kept>,
    /// Who is still leaving a server that is no longer kept.
    leaving: BTreeMap<ServerName, JoinHandle<()>>,
    tools: ToolFilter,
    slots: Arc<Semaphore>,
    generation: u64,
    reports: mpsc::Sender<Report>,
    incoming: mpsc::Receiver<Report>,
}

/// A server that is kept.
struct Kept {
    server: Arc<Server>,
    generation: u64,
    stop: CancellationToken,
    nudge: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Hub {
    pub(crate) fn new(
        opener: Opener,
        tasks: TaskTracker,
        stop: CancellationToken,
        roster: watch::Sender<Arc<Roster>>,
    ) -> Hub {
        let (reports, incoming) = mpsc::channel(64);
        Hub {
            opener,
            tasks,
            stop,
            roster,
            kept: BTreeMap::new(),
            leaving: BTreeMap::new(),
            tools: ToolFilter::default(),
            slots: Arc::new(Semaphore::new(START_AT_ONCE)),
            generation: 0,
            reports,
            incoming,
        }
    }

    /// Follows a plan: servers that stay as they are stay connected.
    pub(crate) fn follow(&mut self, plan: Plan) {
        let names: HashSet<&ServerName> = plan.servers.iter().map(|spec| &spec.name).collect();
        let gone: Vec<ServerName> =
            self.kept.keys().filter(|name| !names.contains(name)).cloned().collect();
        gone.iter().for_each(|name| self.leave(name));
        self.leaving.retain(|_, task| !task.is_finished());
        self.tools = plan.tools;
        let latest: BTreeMap<ServerName, ServerSpec> =
            plan.servers.into_iter().map(|spec| (spec.name.clone(), spec)).collect();
        for spec in latest.into_values() {
            match self.kept.get_mut(&spec.name) {
                Some(kept) if kept.server.spec.connects_like(&spec) => {
                    let Server { standing, gate, .. } = &*kept.server;
                    let (standing, gate) = (standing.clone(), gate.clone());
                    kept.server = Arc::new(Server { spec: Arc::new(spec), standing, gate });
                }
                _ => self.keep(spec),
            }
        }
        self.publish();
    }

    /// No longer keeps a server.
    fn leave(&mut self, name: &ServerName) {
        if let Some(kept) = self.kept.remove(name) {
            kept.stop.cancel();
            self.leaving.insert(name.clone(), kept.task);
        }
    }

    /// Begins to keep a server; whoever kept one of that name ends first.
    fn keep(&mut self, spec: ServerSpec) {
        self.generation += 1;
        self.leave(&spec.name);
        let before = self.leaving.remove(&spec.name);
        let spec = Arc::new(spec);
        let stop = self.stop.child_token();
        let nudge = Arc::new(Notify::new());
        let standing = Standing::at_first(&spec.admission);
        let keeper = Keeper {
            spec: spec.clone(),
            generation: self.generation,
            opener: self.opener.clone(),
            slots: self.slots.clone(),
            reports: self.reports.clone(),
            stop: stop.clone(),
            nudge: nudge.clone(),
            standing: standing.clone(),
            era: None,
            leaving: None,
        };
        let task = self.tasks.spawn(async move {
            if let Some(before) = before {
                let _ = before.await;
            }
            keeper.keep().await;
        });
        let server = Arc::new(Server { spec: spec.clone(), standing, gate: Arc::default() });
        let kept = Kept { server, generation: self.generation, stop, nudge, task };
        self.kept.insert(spec.name.clone(), kept);
    }

    /// Takes in orders and reports until told to stop.
    pub(crate) async fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    Some(Order::Plan(plan)) => self.follow(plan),
                    Some(Order::Retry(name)) => {
                        self.kept.get(&name).iter().for_each(|kept| kept.nudge.notify_one());
                    }
                    // Nobody is left who could want a server.
                    None => break,
                },
                Some(report) = self.incoming.recv() => self.take(report),
                () = self.stop.cancelled() => break,
            }
        }
        self.stop.cancel();
        self.close().await;
    }

    /// Takes in a report and all that came with it, then publishes once.
    fn take(&mut self, report: Report) {
        let mut offers_changed = self.fold(report);
        while let Ok(report) = self.incoming.try_recv() {
            offers_changed |= self.fold(report);
        }
        if offers_changed {
            self.publish();
        } else {
            let servers = self.servers();
            self.roster.send_modify(|roster| *roster = Arc::new(roster.with(servers)));
        }
    }

    /// Whether a report changed what is offered.
    fn fold(&mut self, Report { server, generation, standing }: Report) -> bool {
        let Some(kept) = self.kept.get_mut(&server).filter(|it| it.generation == generation) else {
            // Someone who kept an earlier server of that name ends.
            return false;
        };
        let same = match (&kept.server.standing.offer, &standing.offer) {
            (None, None) => true,
            (Some(had), Some(has)) => Arc::ptr_eq(had, has),
            _ => false,
        };
        let Server { spec, gate, .. } = &*kept.server;
        kept.server = Arc::new(Server { spec: spec.clone(), standing, gate: gate.clone() });
        !same
    }

    fn servers(&self) -> BTreeMap<ServerName, Arc<Server>> {
        self.kept.iter().map(|(name, kept)| (name.clone(), kept.server.clone())).collect()
    }

    fn publish(&self) {
        self.roster.send_replace(Arc::new(Roster::new(self.servers(), &self.tools)));
    }

    /// Waits until all servers have been left, and says so.
    async fn close(mut self) {
        // The keepers hold the other ends; when the last one has ended, so have the reports.
        self.reports = mpsc::channel(1).0;
        while let Some(report) = self.incoming.recv().await {
            self.take(report);
        }
    }
}

impl Standing {
    fn at_first(admission: &Admission) -> Standing {
        let phase = match admission {
            Admission::Granted => Phase::Connecting { attempt: 0 },
            Admission::Untrusted(reason) => Phase::Untrusted { reason: reason.as_str().into() },
            Admission::Disabled => Phase::Disabled,
        };
        Standing {
            phase,
            since: Instant::now(),
            offer: None,
            latency: None,
            last_error: None,
            stderr: None,
            link: None,
        }
    }
}
