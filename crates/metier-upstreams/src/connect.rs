//! Connecting: from an endpoint to a server that has said what it offers.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use metier_wire::Era;
use tokio::time::{Instant, timeout};

use crate::{
    audience::{Audience, Ear},
    child::{Child, StartError},
    doing::{Doing, doing},
    greet::{Capabilities, Greeting, greet},
    identity::Identity,
    link::{Ending, Failed, Link, News, Switchboard},
    list::List,
    listen::listen,
    offer::Offer,
    phase::{Cause, Event},
    spec::{Endpoint, Fallback, ServerName, ServerSpec},
    survey::survey,
};

/// How long a server may take to let us hear what it says by itself, until we go on without.
const ATTENTION: Duration = Duration::from_secs(1);
/// How long a program that closed its output may take to end, so that one can say how.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The one hold on a link: whoever lets go of it ends the link.
pub(crate) struct Hold(Link);

/// A way to a server that has not been greeted yet.
pub(crate) struct Opened {
    pub(crate) link: Hold,
    /// The program behind it, if we started one.
    pub(crate) child: Option<Child>,
}

/// Opens ways to servers, for those who we are and who hears them. Tests have their own.
#[derive(Clone)]
pub(crate) struct Opener {
    identity: Arc<Identity>,
    audience: Arc<dyn Audience>,
    open: Arc<dyn Fn(Endpoint, Arc<Switchboard>) -> Opening + Send + Sync>,
}

pub(crate) type Opening = Pin<Box<dyn Future<Output = Result<Opened, ConnectError>> + Send>>;

/// A server that has said what it offers.
pub(crate) struct Connection {
    pub(crate) link: Hold,
    pub(crate) offer: Arc<Offer>,
    pub(crate) capabilities: Capabilities,
    /// What had happened when it was asked what it offers.
    pub(crate) known: News,
    /// Hears what it tells by itself.
    pub(crate) listening: Doing<()>,
    /// How long it took to answer.
    pub(crate) latency: Duration,
}

/// Why a server could not be connected.
#[derive(Debug)]
pub(crate) struct ConnectError {
    reason: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Passing,
    /// It is there, but what it says makes no sense.
    Garbled,
    Permanent(Cause),
    Expired,
}

impl Hold {
    pub(crate) fn new(link: Link) -> Hold {
        Hold(link)
    }

    pub(crate) fn link(&self) -> &Link {
        &self.0
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.board().end(&Ending::Lost("it was left".to_owned()));
    }
}

impl Opener {
    pub(crate) fn new(
        identity: Identity,
        audience: Arc<dyn Audience>,
        open: impl Fn(Endpoint, Arc<Switchboard>) -> Opening + Send + Sync + 'static,
    ) -> Opener {
        Opener { identity: Arc::new(identity), audience, open: Arc::new(open) }
    }

    /// Opens a way to the server of that name.
    pub(crate) async fn open(
        &self,
        server: &ServerName,
        endpoint: &Endpoint,
    ) -> Result<Opened, ConnectError> {
        let ear = Ear { server: server.clone(), audience: self.audience.clone() };
        let board = Switchboard::new(self.identity.clone(), Arc::new(ear));
        (self.open)(endpoint.clone(), board).await
    }
}

impl ConnectError {
    /// Something that may be otherwise in a moment.
    pub(crate) fn passing(reason: String) -> ConnectError {
        ConnectError { reason, kind: Kind::Passing }
    }

    /// Something that stays so until someone mends it.
    pub(crate) fn permanent(reason: String) -> ConnectError {
        ConnectError { reason, kind: Kind::Permanent(Cause::Unusable) }
    }

    /// Whether the server may still have what it offered before.
    pub(crate) fn keeps_offer(&self) -> bool {
        self.kind != Kind::Garbled
    }

    pub(crate) fn event(self) -> Event {
        match self.kind {
            Kind::Passing | Kind::Garbled => Event::Lost(self.reason.into()),
            Kind::Permanent(cause) => Event::Refused(cause, self.reason.into()),
            Kind::Expired => Event::Expired,
        }
    }
}

impl From<StartError> for ConnectError {
    fn from(error: StartError) -> ConnectError {
        let make =
            if error.is_permanent() { ConnectError::permanent } else { ConnectError::passing };
        make(error.to_string())
    }
}

impl From<Failed> for ConnectError {
    fn from(failed: Failed) -> ConnectError {
        let kind = match &failed {
            Failed::Unauthorized(_) => Kind::Permanent(Cause::Unauthorized),
            Failed::Loop => Kind::Permanent(Cause::Loop),
            Failed::Expired => Kind::Expired,
            Failed::Refused(_) | Failed::Garbled(_) => Kind::Garbled,
            Failed::Status { status: 400 | 404 | 405 | 410, .. } => {
                Kind::Permanent(Cause::Unusable)
            }
            _ => Kind::Passing,
        };
        ConnectError { reason: failed.to_string(), kind }
    }
}

/// Connects a server within its time. `era` is the one it spoke when it was last met.
///
/// A program that is started goes to `child` at once, so that it can be ended in good order whatever
/// becomes of this.
pub(crate) async fn connect(
    spec: &ServerSpec,
    opener: &Opener,
    era: Option<Era>,
    child: &mut Option<Child>,
) -> Result<Connection, ConnectError> {
    let within = spec.connect_timeout;
    let late =
        |_| ConnectError::passing(format!("it was not ready within {} s", within.as_secs_f32()));
    let began = Instant::now();
    let opening = opener.open(&spec.name, &spec.endpoint);
    let Opened { link, child: started } = timeout(within, opening).await.map_err(late)??;
    *child = started;
    let left = within.saturating_sub(began.elapsed());
    // What we can do may not be known yet, which is not for the server to answer for.
    opener.identity.known().await;
    timeout(left, meet(spec, opener, era, (link, child))).await.map_err(late)?
}

/// Greets a server to which there is a way, and asks what it offers.
async fn meet(
    spec: &ServerSpec,
    opener: &Opener,
    era: Option<Era>,
    (link, child): (Hold, &mut Option<Child>),
) -> Result<Connection, ConnectError> {
    let endpoint = &spec.endpoint;
    // Programs of the legacy era start up for any first message but `initialize`, or give up; servers
    // at an address say at once what they do not know.
    let usual = match endpoint {
        Endpoint::Http { .. } => Era::Modern,
        Endpoint::Stdio(_) | Endpoint::LegacySse(_) => Era::Legacy,
    };
    let began = Instant::now();
    let met = match greet(link.link(), era.unwrap_or(usual)).await {
        Ok(greeting) => survey_of(link, greeting, began.elapsed()).await,
        Err(failed) => match older(endpoint).filter(|_| is_not_spoken(&failed)) {
            Some(older) => by_older_way(&spec.name, &older, opener).await.ok_or(failed),
            None => Err(failed),
        },
    };
    match met {
        Ok(connection) => Ok(connection),
        Err(failed) => Err(told_by(failed, child.as_mut()).await),
    }
}

/// Whether a server says that streamable HTTP is not spoken at its address. 200 is one that answers
/// with the stream of the older transport.
fn is_not_spoken(failed: &Failed) -> bool {
    matches!(failed, Failed::Status { status: 200 | 400 | 404 | 405, .. })
}

/// The older way to the same address, if it may be tried.
fn older(endpoint: &Endpoint) -> Option<Endpoint> {
    match endpoint {
        Endpoint::Http { site, fallback: Fallback::LegacySse } => {
            Some(Endpoint::LegacySse(site.clone()))
        }
        _ => None,
    }
}

/// A connection by the older way; if it leads nowhere, what the newer one said counts.
async fn by_older_way(
    server: &ServerName,
    endpoint: &Endpoint,
    opener: &Opener,
) -> Option<Connection> {
    let Opened { link, .. } = opener.open(server, endpoint).await.ok()?;
    let began = Instant::now();
    let greeting = greet(link.link(), Era::Legacy).await.ok()?;
    survey_of(link, greeting, began.elapsed()).await.ok()
}

/// A program that went away can say more about why than the pipe that it left.
async fn told_by(failed: Failed, child: Option<&mut Child>) -> ConnectError {
    match (&failed, child) {
        (Failed::Lost(_) | Failed::Unsent(_), Some(child)) => {
            match timeout(LAST_WORDS, child.ended()).await {
                Ok(reason) => ConnectError::passing(reason),
                Err(_) => failed.into(),
            }
        }
        _ => failed.into(),
    }
}

/// The connection to a server that was greeted, with what it offers.
async fn survey_of(
    link: Hold,
    greeting: Greeting,
    latency: Duration,
) -> Result<Connection, Failed> {
    let capabilities = Capabilities::read(&greeting.capabilities);
    let offer = Offer {
        revision: greeting.revision,
        server: greeting.server,
        capabilities: greeting.capabilities,
        instructions: greeting.instructions,
        tools: Vec::new(),
        resources: Vec::new(),
        templates: Vec::new(),
        prompts: Vec::new(),
        instances: Vec::new(),
        skills: Vec::new(),
        unfit_skills: Vec::new(),
        gaps: Vec::new(),
    };
    let lists = capabilities.lists().collect();
    // What changes from here on may be missing in what is listed.
    let known = link.link().board().news().borrow().clone();
    // Whoever listens before asking misses no change.
    let mut listening: Doing<()> = Some(Box::pin(listen(link.link().clone(), capabilities)));
    let listed = {
        // What a server asks during a call may come by that way, and is lost where nobody hears it.
        let attended = timeout(ATTENTION, link.link().board().attended());
        let listed = survey(link.link(), &offer, &lists, List::patience);
        let mut listed = pin!(async { tokio::join!(listed, attended).0 });
        loop {
            tokio::select! {
                listed = &mut listed => break listed,
                () = doing(&mut listening) => {}
            }
        }
    };
    match listed.map(Arc::new) {
        Ok(offer) => Ok(Connection { link, offer, capabilities, known, listening, latency }),
        Err(failed) => {
            // It has a session for us by now.
            link.link().leave().await;
            Err(failed)
        }
    }
}
