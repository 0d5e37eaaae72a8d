//! Calls: requests of our callers to one server, with a deadline each and errors that have a name.

use std::{sync::Arc, time::Duration};

use metier_wire::Error;
use serde_json::value::RawValue;
use thiserror::Error as ThisError;
use tokio::{sync::watch, time::timeout};

use crate::{
    caller::{Caller, Running},
    link::{Ask, Ending, Failed, Link, Member, Switchboard},
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
    /// Headers that repeat some of its arguments; [`Upstreams::call`](crate::Upstreams::call) knows them.
    pub(crate) headers: &'a [(String, String)],
}

impl<'a> Request<'a> {
    /// A request with these parameters.
    #[must_use]
    pub fn new(method: &'a str, params: &'a [Member<'a>]) -> Request<'a> {
        Request { method, params, ..Request::default() }
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
    server: &ServerName,
    request: Request<'_>,
    caller: &Arc<dyn Caller>,
) -> Result<Box<RawValue>, CallError> {
    let (server, link) = reachable(roster, server).await?;
    let expired = link.board().clone();
    match ask(&server, &link, request, caller).await {
        Err(Failed::Expired) => {}
        // It came too late for a session that is being renewed, and was not sent.
        Err(Failed::Unsent(_)) if has_expired(&expired) => {}
        other => return other.map_err(|failed| named(server.name(), failed)),
    }
    // The session is being renewed, once for all who wait here.
    let renewed = |roster: &Arc<Roster>| match roster.server(server.name()) {
        Some(now) => match (&now.standing.link, &now.standing.phase) {
            (Some(link), _) => !Arc::ptr_eq(link.board(), &expired),
            (None, Phase::Connecting { .. }) => false,
            (None, _) => true,
        },
        None => true,
    };
    let _ = timeout(COMING_BACK, roster.clone().wait_for(renewed)).await;
    let (server, link) = reachable(roster, server.name()).await?;
    ask(&server, &link, request, caller).await.map_err(|failed| named(server.name(), failed))
}

fn has_expired(board: &Switchboard) -> bool {
    board.news().borrow().ending == Some(Ending::Expired)
}

/// The server and the way to it; one whose first attempt is under way is waited for.
async fn reachable(
    roster: &watch::Receiver<Arc<Roster>>,
    name: &ServerName,
) -> Result<(Arc<Server>, Link), CallError> {
    let decided = |roster: &Arc<Roster>| {
        roster.server(name).is_none_or(|it| !it.standing.phase.is_undecided())
    };
    let now = roster.borrow().clone();
    let roster = if decided(&now) {
        now
    } else {
        let mut later = roster.clone();
        // A first attempt ends within the time that the server's spec gives it.
        later.wait_for(decided).await.map_or(now, |it| it.clone())
    };
    let Some(server) = roster.server(name) else {
        return Err(CallError::NoServer(name.clone()));
    };
    match &server.standing.link {
        Some(link) => Ok((server.clone(), link.clone())),
        None => Err(down(server)),
    }
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

/// Sends a request over a link and waits for as long as something is heard of it.
async fn ask(
    server: &Server,
    link: &Link,
    request: Request<'_>,
    caller: &Arc<dyn Caller>,
) -> Result<Box<RawValue>, Failed> {
    let running = Running::new(caller.clone());
    let Request { method, params, meta, headers } = request;
    let ask = Ask { method, params, meta, headers, running: Some(&running) };
    let patience = server.spec.call_timeout;
    tokio::select! {
        biased;
        reply = link.request(ask) => reply,
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
        Failed::Lost(_) | Failed::Expired | Failed::Garbled(_) | Failed::Status { .. } => {
            CallError::Lost { server, reason }
        }
    }
}
