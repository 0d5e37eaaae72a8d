//! Care: a connection while it lasts, and what is done about it at the moment.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until, timeout},
};

use crate::{
    child::Child,
    connect::{ConnectError, Connection},
    doing::{Doing, doing},
    link::{Ending, Failed, News},
    list::List,
    offer::Offer,
    phase::{Cause, Event, STABLE_AFTER},
    probe::{Health, Probe, Verdict, probe},
    spec::ServerSpec,
    survey::survey,
};

/// How long changes of a list are gathered until it is asked for again.
const BURST: Duration = Duration::from_millis(300);
/// The first and the longest pause until a list that was not read whole is asked for again.
const FIRST_MEND: Duration = Duration::from_secs(1);
const SLOWEST_MEND: Duration = Duration::from_secs(300);

/// What can happen to a connection.
pub(crate) enum Happening {
    Ended(Event),
    Stable,
    Listed(Result<Arc<Offer>, Failed>),
    Latency(Duration),
    Nothing,
}

/// A connection, and what is done about it at the moment.
pub(crate) struct Care {
    spec: Arc<ServerSpec>,
    connection: Connection,
    /// The program behind it, if we started one.
    child: Option<Child>,
    pub(crate) offer: Arc<Offer>,
    news: watch::Receiver<News>,
    known: News,
    listening: Doing<()>,
    relisting: Doing<(BTreeSet<List>, Result<Offer, Failed>)>,
    mending: Doing<Result<Offer, Failed>>,
    /// Lists that have changed and could not be read since.
    missed: BTreeSet<List>,
    probing: Doing<Probe>,
    /// Which lists have changed.
    changed: BTreeSet<List>,
    /// When to ask for them.
    relist_at: Option<Instant>,
    /// When to ask for those that were not read whole, and how long to wait the next time.
    mend_at: Option<Instant>,
    mend_pause: Duration,
    health: Health,
    probe_at: Instant,
    /// Whether something makes it worth asking a server that was heard lately.
    is_suspect: bool,
    stable_at: Option<Instant>,
}

impl Care {
    pub(crate) fn new(
        mut connection: Connection,
        child: Option<Child>,
        spec: Arc<ServerSpec>,
    ) -> Care {
        let now = Instant::now();
        let mut news = connection.link.link().board().news();
        news.mark_changed();
        let health = Health::default();
        let has_gaps = !connection.offer.gaps.is_empty();
        Care {
            spec,
            listening: connection.listening.take(),
            offer: connection.offer.clone(),
            known: std::mem::take(&mut connection.known),
            connection,
            child,
            news,
            relisting: None,
            mending: None,
            missed: BTreeSet::new(),
            probing: None,
            changed: BTreeSet::new(),
            relist_at: None,
            mend_at: has_gaps.then(|| now + FIRST_MEND),
            mend_pause: FIRST_MEND,
            health,
            probe_at: now + health.pause(),
            is_suspect: false,
            stable_at: Some(now + STABLE_AFTER),
        }
    }

    /// Waits for the next thing that matters.
    pub(crate) async fn next(&mut self) -> Happening {
        let ending = self.news.borrow().ending.clone();
        if let Some(ending) = ending {
            return Happening::Ended(self.over(ending).await);
        }
        let relist_at = self.relist_at.filter(|_| self.relisting.is_none());
        let mend_at = self.mend_at.filter(|_| self.relisting.is_none());
        tokio::select! {
            _ = self.news.changed() => self.hear_news(),
            reason = ended(&mut self.child) => Happening::Ended(Event::Lost(reason.into())),
            () = doing(&mut self.listening) => Happening::Nothing,
            (lists, listed) = doing(&mut self.relisting) => self.relisted(lists, listed),
            listed = doing(&mut self.mending) => self.mended(listed),
            probe = doing(&mut self.probing) => self.judge(probe),
            () = at(self.stable_at) => {
                self.stable_at = None;
                Happening::Stable
            }
            () = at(relist_at) => self.relist(),
            () = at(mend_at) => self.mend(),
            () = at(Some(self.probe_at)), if self.probing.is_none() => self.look(),
        }
    }

    fn hear_news(&mut self) -> Happening {
        let news = self.news.borrow_and_update().clone();
        let is_news = |list: &List| match list {
            List::Tools => news.tools != self.known.tools,
            // Nothing else tells that skills have changed.
            List::Resources | List::Templates | List::Skills => {
                news.resources != self.known.resources
            }
            List::Prompts => news.prompts != self.known.prompts,
        };
        let changed: BTreeSet<List> =
            self.connection.capabilities.lists().filter(is_news).collect();
        self.change(changed);
        if news.troubles != self.known.troubles {
            self.probe_at = Instant::now();
            self.is_suspect = true;
        }
        self.known = news;
        Happening::Nothing
    }

    /// Notes which lists are to be asked for again.
    fn change(&mut self, mut lists: BTreeSet<List>) {
        if !lists.is_empty() {
            self.changed.append(&mut lists);
            self.relist_at.get_or_insert(Instant::now() + BURST);
        }
    }

    /// Asks again for the lists that have changed.
    fn relist(&mut self) -> Happening {
        self.relist_at = None;
        // What has changed is not to wait for what is missing.
        self.mending = None;
        let lists = std::mem::take(&mut self.changed);
        let (link, offer) = (self.connection.link.link().clone(), self.offer.clone());
        let within = self.spec.connect_timeout;
        self.relisting = Some(Box::pin(async move {
            let patience = |list: List| list.patience().or(Some(within));
            let listed = survey(&link, &offer, &lists, patience).await;
            (lists, listed)
        }));
        Happening::Nothing
    }

    fn relisted(&mut self, lists: BTreeSet<List>, listed: Result<Offer, Failed>) -> Happening {
        match listed {
            Ok(_) => self.missed.retain(|it| !lists.contains(it)),
            // It may be busy; what it offers has changed all the same.
            Err(Failed::Silent(_)) => self.change(lists),
            Err(_) => self.missed.extend(lists),
        }
        self.listed(listed)
    }

    /// Asks again for the lists that were not read whole. Nobody waits, so they may take their time.
    fn mend(&mut self) -> Happening {
        self.mend_at = None;
        self.mend_pause = (self.mend_pause * 2).min(SLOWEST_MEND);
        let (link, offer) = (self.connection.link.link().clone(), self.offer.clone());
        let lists = self.connection.capabilities.lists();
        let is_short = |it: &List| self.missed.contains(it) || offer.gap(it.method()).is_some();
        let lists = lists.filter(is_short).collect();
        let within = self.spec.connect_timeout;
        self.mending = Some(Box::pin(async move {
            survey(&link, &offer, &lists, |list| list.patience().max(Some(within))).await
        }));
        Happening::Nothing
    }

    fn mended(&mut self, listed: Result<Offer, Failed>) -> Happening {
        if listed.is_ok() {
            self.missed.clear();
        }
        self.listed(listed)
    }

    fn listed(&mut self, listed: Result<Offer, Failed>) -> Happening {
        if let Err(failed @ Failed::Loop) = listed {
            return Happening::Ended(ConnectError::from(failed).event());
        }
        let is_whole = listed.as_ref().unwrap_or(&self.offer).gaps.is_empty();
        if is_whole && self.missed.is_empty() {
            (self.mend_at, self.mend_pause) = (None, FIRST_MEND);
        } else {
            self.mend_at = Some(Instant::now() + self.mend_pause);
        }
        Happening::Listed(listed.map(Arc::new))
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
            Probe::Silent if self.may_be_busy() => Happening::Nothing,
            Probe::Silent => match self.health.missed() {
                Verdict::Shaky => Happening::Nothing,
                Verdict::Dead => Happening::Ended(Event::Lost("it no longer answers".into())),
            },
        };
        self.probe_at = Instant::now() + self.health.pause();
        happening
    }

    /// Whether a call may be all that keeps the server from answering. One that has been silent for
    /// much longer than a call may be is not busy, however often it is called.
    fn may_be_busy(&self) -> bool {
        let board = self.connection.link.link().board();
        board.is_busy() && board.quiet() < self.spec.call_timeout.saturating_mul(2)
    }

    /// What the end of the link means; a program that ended says more.
    async fn over(&mut self, ending: Ending) -> Event {
        match ending {
            Ending::Expired => Event::Expired,
            Ending::Lost(reason) => {
                let last_words = match &mut self.child {
                    Some(child) => timeout(BURST, child.ended()).await.ok(),
                    None => None,
                };
                Event::Lost(last_words.unwrap_or(reason).into())
            }
        }
    }

    /// Ends the connection, in good order; what is left is the program behind it.
    pub(crate) async fn end(self) -> Option<Child> {
        let link = &self.connection.link;
        if !link.link().board().is_over() {
            link.link().leave().await;
        }
        self.child
    }
}

/// Resolves when a program has ended, if there is one.
async fn ended(child: &mut Option<Child>) -> String {
    match child {
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
