//! The sessions of clients that come by HTTP, and when they end.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    lane::Lane,
    replay::Replay,
    session::{Server, Session},
};

/// How many sessions there may be at a time.
const MOST_SESSIONS: usize = 10_000;
/// After how long a session ends that nobody uses.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// How often idle sessions are looked for.
const SWEEP: Duration = Duration::from_secs(60);
/// How many interrupted streams of a session can be resumed.
const MOST_STREAMS: usize = 8;

/// All sessions of a site by their ids.
pub(super) struct Sessions {
    server: Arc<Server>,
    by_id: Mutex<HashMap<String, Arc<Client>>>,
}

/// A client with a session.
pub(super) struct Client {
    pub(super) session: Arc<Session>,
    /// How messages reach it that belong to no request.
    way: Way,
    used: Mutex<Instant>,
    n_connections: AtomicUsize,
    streams: Mutex<Streams>,
}

enum Way {
    /// Stream 0, which the client may open and resume.
    Stream(Arc<Replay>),
    /// The one stream of a legacy SSE client.
    Sse(Lane),
}

/// The streams that answer requests, newest last.
#[derive(Default)]
struct Streams {
    newest: u64,
    kept: Vec<(u64, Arc<Replay>)>,
}

/// A connection that keeps its client's session alive.
pub(super) struct Connection(Arc<Client>);

/// There is no room for another session.
pub(super) struct Full;

impl Sessions {
    pub(super) fn new(server: &Arc<Server>) -> Arc<Sessions> {
        let sessions = Arc::new(Sessions { server: Arc::clone(server), by_id: Mutex::default() });
        let sweep = sweep(Arc::downgrade(&sessions));
        let sweep = server.stop.clone().run_until_cancelled_owned(sweep);
        server.home.tasks.spawn_on(sweep, &server.home.runtime);
        sessions
    }

    /// A client of streamable HTTP, which is not known by its id yet.
    pub(super) fn streamable(&self) -> Arc<Client> {
        let replay = Arc::new(Replay::default());
        let lane = Lane::Replay(Arc::clone(&replay));
        Client::new(Session::new(&self.server, Some(lane)), Way::Stream(replay))
    }

    /// A client of legacy SSE, which listens at the end of `lane`.
    pub(super) fn legacy_sse(&self, lane: Lane) -> Arc<Client> {
        let session = Session::new(&self.server, Some(lane.clone()));
        Client::new(session, Way::Sse(lane))
    }

    /// Gives a client an id by which it is found from now on.
    pub(super) fn admit(&self, client: Arc<Client>) -> Result<String, Full> {
        let id = new_id().ok_or(Full)?;
        let mut by_id = self.by_id();
        if by_id.len() >= MOST_SESSIONS {
            let unused = by_id.iter().filter(|(_, client)| !client.is_in_use());
            let oldest = unused.min_by_key(|(_, client)| client.last_used());
            let oldest = oldest.map(|(id, _)| id.clone()).ok_or(Full)?;
            by_id.remove(&oldest).ok_or(Full)?.end();
        }
        by_id.insert(id.clone(), client);
        self.server.meter.set_sessions(by_id.len());
        Ok(id)
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<Client>> {
        let client = self.by_id().get(id).cloned()?;
        client.touch();
        Some(client)
    }

    /// Ends a session; says whether there was one.
    pub(super) fn end(&self, id: &str) -> bool {
        let mut by_id = self.by_id();
        let client = by_id.remove(id);
        self.server.meter.set_sessions(by_id.len());
        drop(by_id);
        client.map(|client| client.end()).is_some()
    }

    fn sweep(&self) {
        let mut by_id = self.by_id();
        by_id.retain(|_, client| {
            let is_kept = !client.is_idle();
            if !is_kept {
                client.end();
            }
            is_kept
        });
        self.server.meter.set_sessions(by_id.len());
    }

    fn by_id(&self) -> MutexGuard<'_, HashMap<String, Arc<Client>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    fn new(session: Arc<Session>, way: Way) -> Arc<Client> {
        Arc::new(Client {
            session,
            way,
            used: Mutex::new(Instant::now()),
            n_connections: AtomicUsize::new(0),
            streams: Mutex::default(),
        })
    }

    /// The lane of a legacy SSE client.
    pub(super) fn sse_lane(&self) -> Option<&Lane> {
        match &self.way {
            Way::Sse(lane) => Some(lane),
            Way::Stream(_) => None,
        }
    }

    /// The stream of that number; 0 is the one that belongs to no request.
    pub(super) fn stream(&self, number: u64) -> Option<Arc<Replay>> {
        match (&self.way, number) {
            (Way::Stream(replay), 0) => Some(Arc::clone(replay)),
            _ => {
                let streams = self.streams();
                let found = streams.kept.iter().find(|(it, _)| *it == number);
                found.map(|(_, replay)| Arc::clone(replay))
            }
        }
    }

    /// Keeps a stream so that it can be resumed, and says its number.
    pub(super) fn keep(&self, replay: &Arc<Replay>) -> u64 {
        let mut streams = self.streams();
        streams.newest += 1;
        let number = streams.newest;
        streams.kept.push((number, Arc::clone(replay)));
        if streams.kept.len() > MOST_STREAMS {
            streams.kept.remove(0);
        }
        number
    }

    /// Counts a connection for as long as it is held.
    pub(super) fn connect(self: &Arc<Client>) -> Connection {
        self.n_connections.fetch_add(1, Relaxed);
        Connection(Arc::clone(self))
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Whether someone is connected, or something is being worked on.
    fn is_in_use(&self) -> bool {
        self.n_connections.load(Relaxed) > 0 || self.session.is_busy()
    }

    fn last_used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_idle(&self) -> bool {
        !self.is_in_use() && self.last_used().elapsed() >= IDLE
    }

    fn end(&self) {
        self.session.end();
        match &self.way {
            Way::Stream(replay) => replay.close(),
            // The stream is the session: whoever ends one has ended the other.
            Way::Sse(_) => {}
        }
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.n_connections.fetch_sub(1, Relaxed);
        self.0.touch();
    }
}

/// Ends idle sessions for as long as there are any to come.
async fn sweep(sessions: Weak<Sessions>) {
    let mut tick = tokio::time::interval(SWEEP);
    loop {
        tick.tick().await;
        let Some(sessions) = sessions.upgrade() else { return };
        sessions.sweep();
    }
}

/// 128 bits that nobody can guess, if the system has any.
fn new_id() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
