//! Supervision: one task keeps one server. The connection lives in its frame and nowhere else.

use std::{panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use futures_util::FutureExt;
use metier_wire::Era;
use tokio::{
    sync::{Notify, Semaphore, mpsc},
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::{
    care::{Care, Happening},
    child::Child,
    connect::{ConnectError, Connection, Opener, connect},
    doing::{Doing, doing},
    phase::{Event, Phase},
    roster::Standing,
    spec::{ServerName, ServerSpec},
    survey::remember,
};

/// How long one that is slow to start may keep others from starting.
const SLOT_HELD: Duration = Duration::from_secs(2);

/// What the one who keeps a server says of it.
pub(crate) struct Report {
    pub(crate) server: ServerName,
    /// Which of those who kept a server of that name says so.
    pub(crate) generation: u64,
    pub(crate) standing: Standing,
}

/// The one who keeps a server.
pub(crate) struct Keeper {
    pub(crate) spec: Arc<ServerSpec>,
    pub(crate) generation: u64,
    pub(crate) opener: Opener,
    /// Places for those who are being started.
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) reports: mpsc::Sender<Report>,
    pub(crate) stop: CancellationToken,
    /// Someone does not want to wait for the next attempt.
    pub(crate) nudge: Arc<Notify>,
    pub(crate) standing: Standing,
    /// The era in which the server was last met.
    pub(crate) era: Option<Era>,
    /// A program that was left, and takes its time to end.
    pub(crate) leaving: Doing<()>,
}

impl Keeper {
    /// Keeps the server until told to stop.
    pub(crate) async fn keep(mut self) {
        loop {
            self.report().await;
            let pause = self.standing.phase.pause();
            if pause.is_none() {
                // Before the next one starts, and before we go.
                self.left().await;
            }
            if pause.is_none() && !matches!(self.standing.phase, Phase::Connecting { .. }) {
                return;
            }
            let happening = async {
                match pause {
                    Some(pause) => self.wait(pause).await,
                    None => self.meet().await,
                }
            };
            // A fault of our own costs this connection; the server is kept all the same.
            let stumbled = |_| Some(Event::Lost("metier stumbled over what it said".into()));
            match AssertUnwindSafe(happening).catch_unwind().await.unwrap_or_else(stumbled) {
                Some(event) => self.step(event),
                None => self.enter(Phase::Stopped),
            }
        }
    }

    /// Meets the server and stays for as long as that lasts; what ended it, or `None` if told to stop.
    async fn meet(&mut self) -> Option<Event> {
        let mut child = None;
        let connected = self.connect(&mut child).await;
        self.standing.stderr = child.as_ref().map(Child::stderr);
        match connected {
            Some(Ok(connection)) => self.tend(connection, child).await,
            Some(Err(error)) => {
                self.leave(child);
                self.standing.offer.take_if(|_| !error.keeps_offer());
                Some(error.event())
            }
            None => {
                self.leave(child);
                None
            }
        }
    }

    /// Lets a program end in its own time; nobody is told any later for that.
    fn leave(&mut self, child: Option<Child>) {
        self.leaving = child.map(|child| Box::pin(child.stop()) as _);
    }

    /// Resolves when the program that was left has ended.
    async fn left(&mut self) {
        if self.leaving.is_some() {
            doing(&mut self.leaving).await;
        }
    }

    async fn report(&mut self) {
        let report = Report {
            server: self.spec.name.clone(),
            generation: self.generation,
            standing: self.standing.clone(),
        };
        let _ = self.reports.send(report).await;
    }

    fn step(&mut self, event: Event) {
        let luck = getrandom::u32().unwrap_or_default();
        let phase = self.standing.phase.clone().after(event, luck);
        self.enter(phase);
    }

    fn enter(&mut self, phase: Phase) {
        let server = &self.spec.name;
        match (phase.reason(), &phase) {
            (Some(reason), Phase::Failed { .. }) => {
                tracing::warn!(%server, phase = phase.word(), reason);
            }
            (reason, _) => tracing::info!(%server, phase = phase.word(), reason),
        }
        if let Some(reason) = phase.reason() {
            self.standing.last_error = Some((reason.into(), Instant::now()));
        }
        if !phase.keeps_offer() {
            self.standing.offer = None;
        }
        // A session that is renewed keeps its place: who comes meanwhile sees that, and waits.
        let is_renewed = matches!(
            (&self.standing.phase, &phase),
            (Phase::Ready { .. }, Phase::Connecting { .. })
        );
        self.standing.link.take_if(|_| !is_renewed);
        self.standing.since = Instant::now();
        self.standing.phase = phase;
    }

    /// Waits for the next attempt; `None` if there is none.
    async fn wait(&mut self, pause: Duration) -> Option<Event> {
        let mut pausing = pin!(sleep(pause));
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = &mut pausing => return Some(Event::RetryDue),
                () = self.nudge.notified() => return Some(Event::RetryDue),
                () = doing(&mut self.leaving) => {}
            }
        }
    }

    /// Connects, in a place that others who start may have soon; `None` if told to stop.
    async fn connect(
        &mut self,
        child: &mut Option<Child>,
    ) -> Option<Result<Connection, ConnectError>> {
        let Keeper { slots, spec, opener, era, stop, .. } = &*self;
        let starting = async {
            let slot = slots.acquire().await;
            let mut connecting = Box::pin(connect(spec, opener, *era, child));
            tokio::select! {
                connected = &mut connecting => connected,
                () = sleep(SLOT_HELD) => {
                    drop(slot);
                    connecting.await
                }
            }
        };
        tokio::select! {
            biased;
            // Whoever was told to stop before this starts nothing.
            () = stop.cancelled() => None,
            connected = starting => Some(connected),
        }
    }

    /// Keeps a connection while it lasts.
    async fn tend(&mut self, mut connection: Connection, child: Option<Child>) -> Option<Event> {
        if let Some(before) = &self.standing.offer {
            remember(Arc::make_mut(&mut connection.offer), before);
        }
        self.era = Some(connection.offer.revision.era());
        self.standing.latency = Some(connection.latency);
        self.standing.offer = Some(connection.offer.clone());
        self.step(Event::Connected);
        self.standing.link = Some(connection.link.link().clone());
        self.report().await;
        let mut care = Care::new(connection, child, self.spec.clone());
        let ended = loop {
            let happening = tokio::select! {
                happening = care.next() => happening,
                () = self.stop.cancelled() => break None,
            };
            if let Some(event) = self.take(&mut care, happening).await {
                break Some(event);
            }
        };
        let child = care.end().await;
        self.leave(child);
        ended
    }

    /// Takes in what happened; the event, if that ends the connection.
    async fn take(&mut self, care: &mut Care, happening: Happening) -> Option<Event> {
        match happening {
            Happening::Ended(event) => return Some(event),
            Happening::Stable => {
                // Since when it is ready does not change by that.
                self.standing.phase = self.standing.phase.clone().after(Event::Stable, 0);
            }
            Happening::Listed(Ok(offer)) => {
                care.offer = offer;
                self.standing.offer = Some(care.offer.clone());
                self.report().await;
            }
            // What was offered before still counts.
            Happening::Listed(Err(failed)) => {
                tracing::warn!(server = %self.spec.name, %failed, "a list that changed cannot be read");
            }
            Happening::Latency(latency) => {
                self.standing.latency = Some(latency);
                self.report().await;
            }
            Happening::Nothing => {}
        }
        None
    }
}
