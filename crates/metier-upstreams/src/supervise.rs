//! Supervision: one task keeps one server. The connection lives in its frame and nowhere else.

use std::{sync::Arc, time::Duration};

use metier_wire::Era;
use tokio::{
    sync::{Notify, Semaphore, mpsc, watch},
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{
    connect::{ConnectError, Connection, Opener, Part, connect, relist},
    doing::{Doing, doing},
    link::{Ending, Failed, News},
    offer::Offer,
    phase::{Cause, Event, Phase, STABLE_AFTER},
    probe::{Health, Probe, Verdict, probe},
    roster::Standing,
    spec::{ServerName, ServerSpec},
};

/// How long one that is slow to start may keep others from starting.
const SLOT_HELD: Duration = Duration::from_secs(2);
/// How long changes of a list are gathered until it is asked for again.
const BURST: Duration = Duration::from_millis(300);

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
}

impl Keeper {
    /// Keeps the server until told to stop.
    pub(crate) async fn keep(mut self) {
        loop {
            self.report().await;
            let event = match &self.standing.phase {
                Phase::Connecting { .. } => match self.connect().await {
                    Some(Ok(connection)) => self.tend(connection).await,
                    Some(Err(error)) => {
                        self.standing.offer.take_if(|_| !error.keeps_offer());
                        Some(error.event())
                    }
                    None => None,
                },
                phase => match phase.pause() {
                    Some(pause) => self.wait(pause).await,
                    None => return,
                },
            };
            match event {
                Some(event) => self.step(event),
                None => self.enter(Phase::Stopped),
            }
        }
    }

    async fn report(&self) {
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
        self.standing.link = None;
        self.standing.since = Instant::now();
        self.standing.phase = phase;
    }

    /// Waits for the next attempt; `None` if there is none.
    async fn wait(&self, pause: Duration) -> Option<Event> {
        tokio::select! {
            () = self.stop.cancelled() => None,
            () = sleep(pause) => Some(Event::RetryDue),
            () = self.nudge.notified() => Some(Event::RetryDue),
        }
    }

    /// Connects, in a place that others who start may have soon; `None` if told to stop.
    async fn connect(&self) -> Option<Result<Connection, ConnectError>> {
        let starting = async {
            let slot = self.slots.acquire().await;
            let mut connecting = Box::pin(connect(&self.spec, &self.opener, self.era));
            tokio::select! {
                connected = &mut connecting => connected,
                () = sleep(SLOT_HELD) => {
                    drop(slot);
                    connecting.await
                }
            }
        };
        tokio::select! {
            connected = starting => Some(connected),
            () = self.stop.cancelled() => None,
        }
    }

    /// Keeps a connection while it lasts; what ended it, or `None` if told to stop.
    async fn tend(&mut self, connection: Connection) -> Option<Event> {
        self.era = Some(connection.offer.revision.era());
        self.standing.latency = Some(connection.latency);
        self.standing.stderr = connection.child.as_ref().map(crate::child::Child::stderr);
        self.standing.offer = Some(connection.offer.clone());
        self.step(Event::Connected);
        self.standing.link = Some(connection.link.link().clone());
        self.report().await;
        let mut care = Care::new(connection);
        let ended = loop {
            let happening = tokio::select! {
                happening = care.next() => happening,
                () = self.stop.cancelled() => break None,
            };
            if let Some(event) = self.take(&mut care, happening).await {
                break Some(event);
            }
        };
        care.end().await;
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
                care.offer = Arc::new(offer);
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

/// What can happen to a connection.
enum Happening {
    Ended(Event),
    Stable,
    Listed(Result<Offer, Failed>),
    Latency(Duration),
    Nothing,
}

/// A connection, and what is done about it at the moment.
struct Care {
    connection: Connection,
    offer: Arc<Offer>,
    news: watch::Receiver<News>,
    known: News,
    listening: Doing<()>,
    relisting: Doing<Result<Offer, Failed>>,
    probing: Doing<Probe>,
    /// Which lists have changed, and since when that is known.
    changed: Option<(Part, Instant)>,
    health: Health,
    probe_at: Instant,
    /// Whether something makes it worth asking a server that was heard lately.
    is_suspect: bool,
    stable_at: Option<Instant>,
}

impl Care {
    fn new(mut connection: Connection) -> Care {
        let now = Instant::now();
        let mut news = connection.link.link().board().news();
        let known = news.borrow_and_update().clone();
        let health = Health::default();
        Care {
            listening: connection.listening.take(),
            offer: connection.offer.clone(),
            connection,
            news,
            known,
            relisting: None,
            probing: None,
            changed: None,
            health,
            probe_at: now + health.pause(),
            is_suspect: false,
            stable_at: Some(now + STABLE_AFTER),
        }
    }

    /// Waits for the next thing that matters.
    async fn next(&mut self) -> Happening {
        let ending = self.news.borrow().ending.clone();
        if let Some(ending) = ending {
            return Happening::Ended(self.over(ending).await);
        }
        let relist_at = self.changed.filter(|_| self.relisting.is_none()).map(|(_, at)| at + BURST);
        tokio::select! {
            _ = self.news.changed() => self.hear_news(),
            reason = ended(&mut self.connection) => Happening::Ended(Event::Lost(reason.into())),
            () = doing(&mut self.listening) => Happening::Nothing,
            listed = doing(&mut self.relisting) => Happening::Listed(listed),
            probe = doing(&mut self.probing) => self.judge(probe),
            () = at(self.stable_at) => {
                self.stable_at = None;
                Happening::Stable
            }
            () = at(relist_at) => self.relist(),
            () = at(Some(self.probe_at)), if self.probing.is_none() => self.look(),
        }
    }

    fn hear_news(&mut self) -> Happening {
        let news = self.news.borrow_and_update().clone();
        let part = Part {
            tools: news.tools != self.known.tools,
            resources: news.resources != self.known.resources,
            prompts: news.prompts != self.known.prompts,
        };
        if part != Part::default() {
            let (had, since) = self.changed.unwrap_or((Part::default(), Instant::now()));
            let both = Part {
                tools: had.tools || part.tools,
                resources: had.resources || part.resources,
                prompts: had.prompts || part.prompts,
            };
            self.changed = Some((both, since));
        }
        if news.troubles != self.known.troubles {
            self.probe_at = Instant::now();
            self.is_suspect = true;
        }
        self.known = news;
        Happening::Nothing
    }

    /// Asks again for the lists that have changed.
    fn relist(&mut self) -> Happening {
        if let Some((part, _)) = self.changed.take() {
            let (link, offer) = (self.connection.link.link().clone(), self.offer.clone());
            let has = self.connection.capabilities;
            self.relisting = Some(Box::pin(async move { relist(&link, &offer, has, part).await }));
        }
        Happening::Nothing
    }

    /// Asks whether the server is there, unless it was heard lately.
    fn look(&mut self) -> Happening {
        let board = self.connection.link.link().board();
        let (quiet, pause) = (board.quiet(), self.health.pause());
        if quiet >= pause || std::mem::take(&mut self.is_suspect) {
            self.probing = Some(Box::pin(probe(self.connection.link.link().clone())));
        } else {
            self.health.heard();
            self.probe_at = Instant::now() + (pause - quiet);
        }
        Happening::Nothing
    }

    fn judge(&mut self, probe: Probe) -> Happening {
        let happening = match probe {
            Probe::Alive(latency) => {
                self.health.heard();
                Happening::Latency(latency)
            }
            Probe::Gone(Failed::Unauthorized(reason)) => {
                Happening::Ended(Event::Refused(Cause::Unauthorized, reason.into()))
            }
            Probe::Gone(failed) => Happening::Ended(Event::Lost(failed.to_string().into())),
            // A server that does one thing at a time may be busy with that; the call has a deadline.
            Probe::Silent if self.connection.link.link().board().is_busy() => Happening::Nothing,
            Probe::Silent => match self.health.missed() {
                Verdict::Fine | Verdict::Shaky => Happening::Nothing,
                Verdict::Dead => Happening::Ended(Event::Lost("it no longer answers".into())),
            },
        };
        self.probe_at = Instant::now() + self.health.pause();
        happening
    }

    /// What the end of the link means; a program that ended says more.
    async fn over(&mut self, ending: Ending) -> Event {
        match ending {
            Ending::Expired => Event::Expired,
            Ending::Lost(reason) => {
                let last_words = tokio::time::timeout(BURST, ended(&mut self.connection)).await;
                Event::Lost(last_words.unwrap_or(reason).into())
            }
        }
    }

    /// Ends the connection, in good order.
    async fn end(self) {
        let Connection { link, child, .. } = self.connection;
        link.link().leave().await;
        drop(link);
        if let Some(child) = child {
            child.stop().await;
        }
    }
}

/// Resolves when the program behind a connection has ended, if there is one.
async fn ended(connection: &mut Connection) -> String {
    match &mut connection.child {
        Some(child) => child.ended().await,
        None => std::future::pending().await,
    }
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
