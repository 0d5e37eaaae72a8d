//! Calls: requests of our callers to one server, with a deadline each and errors that have a name.

use std::{sync::Arc, time::Duration};

use metier_wire::Error;
use serde_json::value::RawValue;
use thiserror::Error as ThisError;
use tokio::{sync::watch, time::timeout};

use crate::{
    caller::{Caller, Kind, Running},
    gate::{Crowded, Pass},
    link::{Ask, Ending, Failed, Link, Member},
    offer::Tool,
    phase::Phase,
    roster::{Roster, Server},
    spec::ServerName,
};

/// How long a caller waits for a server that is just being reached again.
const COMING_BACK: Duration = Duration::from_secs(30);

/// Something to ask a server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// The method.
    pub method: &'a str,
    /// The members of its parameters, without `_meta`.
    pub params: &'a [Member<'a>],
    /// Members for its `_meta`; those that the protocol wants are added.
    pub meta: &'a [Member<'a>],
    /// What whoever asks can do for the server, if that is not what our [`Identity`] says. Servers
    /// of the modern era are told so with each request; others heard of the identity's alone.
    ///
    /// [`Identity`]: crate::Identity
    pub capabilities: Option<&'a RawValue>,
}

/// A call of a tool, as a client sent it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolCall<'a> {
    /// The members of its parameters in their order, without `name` and `_meta`.
    pub params: &'a [Member<'a>],
    /// Members for its `_meta`; those that the protocol wants are added.
    pub meta: &'a [Member<'a>],
    /// What the client can do for the server, as in [`Request::capabilities`].
    pub capabilities: Option<&'a RawValue>,
}

impl<'a> Request<'a> {
    /// A request with these parameters.
    #[must_use]
    pub fn new(method: &'a str, params: &'a [Member<'a>]) -> Request<'a> {
        Request { method, params, ..Request::default() }
    }

    pub(crate) fn ask(self) -> Ask<'a> {
        let Request { method, params, meta, capabilities } = self;
        Ask { method, params, meta, capabilities, ..Ask::default() }
    }
}

impl<'a> ToolCall<'a> {
    pub(crate) fn ask(self, tool: &'a Tool) -> Ask<'a> {
        let ToolCall { params, meta, capabilities } = self;
        let tool = Some(tool);
        Ask { method: "tools/call", tool, params, meta, capabilities, running: None }
    }
}

/// Why a call has no result.
#[derive(Debug, ThisError)]
pub enum CallError {
    /// There is no such server.
    #[error("there is no server `{0}`")]
    NoServer(ServerName),
    /// There is no such tool, or a filter hides it.
    #[error("there is no tool `{0}`")]
    NoTool(String),
    /// The server is not connected.
    #[error("server `{server}` is {phase}{}", because(reason.as_deref()))]
    Down {
        /// Which.
        server: ServerName,
        /// Where it stands.
        phase: &'static str,
        /// Why, where that is known.
        reason: Option<String>,
    },
    /// Too many calls are under way already.
    #[error("server `{server}` has too many calls under way")]
    Busy {
        /// Which.
        server: ServerName,
    },
    /// The server was silent for too long.
    #[error("server `{server}` was silent for {} s", after.as_secs_f32())]
    Timeout {
        /// Which.
        server: ServerName,
        /// How long.
        after: Duration,
    },
    /// The server answered with an error.
    #[error("server `{server}` answered with an error: {error}")]
    Refused {
        /// Which.
        server: ServerName,
        /// Its own words.
        error: Error,
    },
    /// The server wants to know who we are, or does not want us.
    #[error("server `{server}` does not let us in: {reason}")]
    Unauthorized {
        /// Which.
        server: ServerName,
        /// What it said.
        reason: String,
    },
    /// The call did not reach the server.
    #[error("server `{server}` could not be reached: {reason}")]
    Unsent {
        /// Which.
        server: ServerName,
        /// Why.
        reason: String,
    },
    /// The connection broke, or the answer is none; the server may have done what it was asked.
    #[error("server `{server}` was asked, but the answer is lost: {reason}")]
    Lost {
        /// Which.
        server: ServerName,
        /// Why.
        reason: String,
    },
}

fn because(reason: Option<&str>) -> String {
    reason.map(|reason| format!(": {reason}")).unwrap_or_default()
}

/// Asks a server something, once; again only if it has certainly not taken it up.
pub(crate) async fn request(
    roster: &watch::Receiver<Arc<Roster>>,
    name: &ServerName,
    ask: &Ask<'_>,
    caller: &Arc<dyn Caller>,
) -> Result<Box<RawValue>, CallError> {
    let running = Running::new(caller.clone());
    let ready = roster.borrow().server(name).filter(|it| it.standing.link.is_some()).cloned();
    let server = match ready {
        Some(server) => server,
        None => Box::pin(reachable(roster, name)).await?,
    };
    let Some(_pass) = server.gate.try_pass() else {
        return Box::pin(in_turn(roster, &server, ask, &running)).await;
    };
    put_twice(roster, &server, ask, &running).await
}

/// Asks for a stream that stays open. It takes no place among the calls, and may be silent.
pub(crate) async fn listen(
    roster: &watch::Receiver<Arc<Roster>>,
    name: &ServerName,
    ask: Ask<'_>,
    caller: Arc<dyn Caller>,
) -> Result<Box<RawValue>, CallError> {
    let server = reachable(roster, name).await?;
    let Some(link) = &server.standing.link else { return Err(down(&server)) };
    let running = Running::of(Kind::Stream, caller);
    let ended = link.request(Ask { running: Some(&running), ..ask }).await;
    ended.map_err(|failed| named(name, failed))
}

/// Asks when it is one's turn.
async fn in_turn(
    roster: &watch::Receiver<Arc<Roster>>,
    server: &Server,
    ask: &Ask<'_>,
    running: &Arc<Running>,
) -> Result<Box<RawValue>, CallError> {
    let _pass = turn(server, running).await?;
    // It may have been reached anew by then.
    let server = reachable(roster, server.name()).await?;
    put_twice(roster, &server, ask, running).await
}

/// Asks, and once more if the server has certainly not taken it up.
async fn put_twice(
    roster: &watch::Receiver<Arc<Roster>>,
    server: &Server,
    ask: &Ask<'_>,
    running: &Arc<Running>,
) -> Result<Box<RawValue>, CallError> {
    let name = server.name();
    match put(server, ask, running).await {
        Err(Failed::Expired) => {}
        // It came too late for a session that is being renewed, and was not sent.
        Err(Failed::Unsent(_)) if has_expired(server) => {}
        other => return other.map_err(|failed| named(name, failed)),
    }
    let again = async {
        renewed(roster, server).await;
        let server = reachable(roster, name).await?;
        let running = Running::new(running.caller.clone());
        put(&server, ask, &running).await.map_err(|failed| named(name, failed))
    };
    Box::pin(again).await
}

/// Waits for one's turn at a server, as long as one's patience lasts.
async fn turn<'a>(server: &'a Server, running: &Running) -> Result<Pass<'a>, CallError> {
    let (name, after) = (|| server.name().clone(), server.spec.call_timeout);
    tokio::select! {
        biased;
        // First: whoever has waited for too long no longer wants it done.
        () = running.silent_for(after) => Err(CallError::Timeout { server: name(), after }),
        pass = server.gate.pass(running.caller.client()) => pass.map_err(|Crowded| CallError::Busy { server: name() }),
    }
}

fn has_expired(server: &Server) -> bool {
    let ending = |link: &Link| link.board().news().borrow().ending.clone();
    server.standing.link.as_ref().and_then(ending) == Some(Ending::Expired)
}

/// Waits until a session has been renewed, once for all who wait here.
async fn renewed(roster: &watch::Receiver<Arc<Roster>>, expired: &Server) {
    let board = |server: &Server| server.standing.link.as_ref().map(|it| it.board().clone());
    let is_renewed = |roster: &Arc<Roster>| match roster.server(expired.name()) {
        Some(now) => match (board(now), board(expired), &now.standing.phase) {
            (Some(now), Some(expired), _) => !Arc::ptr_eq(&now, &expired),
            (None, _, Phase::Connecting { .. }) => false,
            _ => true,
        },
        None => true,
    };
    let _ = timeout(COMING_BACK, roster.clone().wait_for(is_renewed)).await;
}

/// The server, if there is a way to it; one whose first attempt is under way is waited for.
async fn reachable(
    roster: &watch::Receiver<Arc<Roster>>,
    name: &ServerName,
) -> Result<Arc<Server>, CallError> {
    let is_decided = |it: &Arc<Server>| !it.standing.phase.is_undecided();
    let mut server = roster.borrow().server(name).cloned();
    if !server.as_ref().is_none_or(is_decided) {
        // A first attempt ends within the time that the server's spec gives it.
        let decided = |roster: &Arc<Roster>| roster.server(name).is_none_or(is_decided);
        let mut later = roster.clone();
        if let Ok(roster) = later.wait_for(decided).await {
            server = roster.server(name).cloned();
        }
    }
    let server = server.ok_or_else(|| CallError::NoServer(name.clone()))?;
    if server.standing.link.is_some() { Ok(server) } else { Err(down(&server)) }
}

fn down(server: &Server) -> CallError {
    let phase = &server.standing.phase;
    let (name, reason) = (server.name().clone(), phase.reason().map(str::to_owned));
    match (phase, reason) {
        (Phase::Failed { cause: crate::phase::Cause::Unauthorized, .. }, Some(reason)) => {
            CallError::Unauthorized { server: name, reason }
        }
        (_, reason) => CallError::Down { server: name, phase: phase.word(), reason },
    }
}

/// Sends a request and waits for as long as something is heard of it.
async fn put(
    server: &Server,
    ask: &Ask<'_>,
    running: &Arc<Running>,
) -> Result<Box<RawValue>, Failed> {
    let Some(link) = &server.standing.link else {
        return Err(Failed::Unsent("there is no way to it".to_owned()));
    };
    let patience = server.spec.call_timeout;
    tokio::select! {
        biased;
        reply = link.request(Ask { running: Some(running), ..*ask }) => reply,
        () = running.silent_for(patience) => Err(Failed::Silent(patience)),
    }
}

fn named(server: &ServerName, failed: Failed) -> CallError {
    let (server, reason) = (server.clone(), failed.to_string());
    match failed {
        Failed::Refused(error) => CallError::Refused { server, error },
        Failed::Unsent(_) => CallError::Unsent { server, reason },
        Failed::Unauthorized(reason) => CallError::Unauthorized { server, reason },
        Failed::Silent(after) => CallError::Timeout { server, after },
        Failed::Lost(_)
        | Failed::Expired
        | Failed::Garbled(_)
        | Failed::Loop
        | Failed::Status { .. } => CallError::Lost { server, reason },
    }
}
