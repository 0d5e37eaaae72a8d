//! Opening: the real ways to servers.

use std::sync::Arc;

use tokio_util::task::TaskTracker;

use crate::{
    child::{Child, Guard},
    connect::{ConnectError, Hold, Opened, Opener},
    identity::Identity,
    link::{Http, Link, Piped, Switchboard, Way, legacy_sse},
    spec::Endpoint,
    web::Web,
};

/// What all ways to servers share.
struct World {
    identity: Arc<Identity>,
    tasks: TaskTracker,
    web: Web,
    guard: Guard,
}

impl Opener {
    /// Starts programs and goes to the web.
    pub(crate) fn real(identity: Identity, tasks: &TaskTracker) -> Opener {
        let identity = Arc::new(identity);
        let (tasks, web, guard) = (tasks.clone(), Web::new(), Guard::default());
        let world = Arc::new(World { identity, tasks, web, guard });
        Opener::new(move |endpoint| {
            let world = world.clone();
            Box::pin(async move { world.open(&endpoint).await })
        })
    }
}

impl World {
    async fn open(&self, endpoint: &Endpoint) -> Result<Opened, ConnectError> {
        let board = Switchboard::new(self.identity.clone());
        let (way, child) = match endpoint {
            Endpoint::Stdio(program) => {
                let started = Child::start(program, &self.tasks, &self.guard);
                let (child, output, input) = started?;
                (Way::Piped(Piped::lines(&board, &self.tasks, output, input)), Some(child))
            }
            Endpoint::Http { site, .. } => {
                (Way::Http(Http::new(site, self.web.clone(), &self.tasks)?), None)
            }
            Endpoint::LegacySse(site) => {
                (Way::Piped(legacy_sse(site, &self.web, &board, &self.tasks).await?), None)
            }
        };
        Ok(Opened { link: Hold::new(Link::new(way, board)), child })
    }
}
