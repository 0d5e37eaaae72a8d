//! Clients that come by HTTP: streamable HTTP of both eras, and the older two-endpoint SSE.

mod events;
mod front;
mod get;
mod guard;
mod legacy_sse;
mod post;
mod probes;
mod reply;
mod request;
mod sessions;

use std::{io, sync::Arc, time::Duration};

use axum::{Router, ServiceExt, serve::ListenerExt};
use tokio::{
    net::TcpListener,
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;

pub use self::guard::Guard;
use self::{front::front, reply::Refusal, sessions::Sessions};
use crate::session::Server;

/// How many requests of all clients may be worked on at a time, open streams of answers among them.
const MOST_REQUESTS: usize = 4_096;
/// How long connections may take to end once everything is answered.
const FAREWELL: Duration = Duration::from_secs(1);

/// What is served, and to whom.
#[derive(Clone, Debug)]
pub struct Site {
    /// Who may come in.
    pub guard: Guard,
    /// Which transports `/mcp` speaks.
    pub transports: Transports,
}

/// Which transports `/mcp` speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transports {
    /// Streamable HTTP, and legacy SSE for clients that ask for it.
    All,
    /// Legacy SSE alone.
    LegacySse,
}

/// What the handlers share.
pub(crate) struct State {
    server: Arc<Server>,
    sessions: Arc<Sessions>,
    site: Site,
    requests: Arc<Semaphore>,
}

/// A request's place among those that are worked on.
type Place = OwnedSemaphorePermit;

impl State {
    fn new(server: &Arc<Server>, site: Site) -> Arc<State> {
        let sessions = Sessions::new(server);
        let requests = Arc::new(Semaphore::new(MOST_REQUESTS));
        Arc::new(State { server: Arc::clone(server), sessions, site, requests })
    }

    /// A place for another request, if there is one.
    fn place(&self) -> Result<Place, Refusal> {
        let place = Arc::clone(&self.requests).try_acquire_owned();
        place.map_err(|_| reply::busy().into())
    }
}

/// The routes of a site.
pub(crate) fn routes(server: &Arc<Server>, site: Site) -> Router {
    Router::new().fallback_service(front(State::new(server, site)))
}

/// Serves a site until `stop` is cancelled, then lets what is in flight finish.
pub(crate) async fn serve(
    server: Arc<Server>,
    listener: TcpListener,
    site: Site,
    stop: CancellationToken,
) -> io::Result<()> {
    // Without this every event would wait for the acknowledgement of the one before.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let ended = stop.clone().cancelled_owned();
    let front = front(State::new(&server, site)).into_make_service();
    let serving = axum::serve(listener, front).with_graceful_shutdown(ended).into_future();
    let finishing = async {
        stop.cancelled().await;
        server.finish().await;
        tokio::time::sleep(FAREWELL).await;
    };
    tokio::select! {
        served = serving => served,
        () = finishing => {
            tracing::warn!("connections are left behind");
            Ok(())
        }
    }
}
