//! Opening: the real ways to servers.

use std::sync::Arc;

use tokio_util::task::TaskTracker;

use crate::{
    audience::Audience,
    child::{Child, Guard},
    connect::{ConnectError, Hold, Opened, Opener},
    identity::Identity,
    link::{Http, Link, Piped, Switchboard, Way, legacy_sse},
    spec::Endpoint,
    web::Web,
};

/// What all ways to servers share.
struct World {
    tasks: TaskTracker,
    web: Web,
    guard: Guard,
}

impl Opener {
    /// Starts programs and goes to the web.
    pub(crate) fn real(
        identity: Identity,
        audience: Arc<dyn Audience>,
        tasks: &TaskTracker,
    ) -> Opener {
        let (tasks, web, guard) = (tasks.clone(), Web::new(), Guard::default());
        let world = Arc::new(World { tasks, web, guard });
        Opener::new(identity, audience, move |endpoint, board| {
            let world = world.clone();
            Box::pin(async move { world.open(&endpoint, board).await })
        })
    }
}

impl World {
    async fn open(
        &self,
        endpoint: &Endpoint,
        board: Arc<Switchboard>,
    ) -> Result<Opened, ConnectError> {
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
