//! Levels of log messages: which a client wants, and who is told.

use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use futures_util::future::join_all;
use metier_upstreams::{Request, Server, ServerName, Upstreams};
use metier_wire::{Era, Error, Members};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::timeout;

use super::Gateway;
use crate::responder::{Answer, Asking, Body};

/// How long servers may take to hear which log messages are wanted.
const WITHIN: Duration = Duration::from_secs(2);
/// No client has said which log messages it wants.
pub(super) const NO_LEVEL: u8 = u8::MAX;

const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The number of a level.
pub(super) fn number(level: &str) -> Option<u8> {
    LEVELS.iter().position(|it| *it == level).and_then(|at| u8::try_from(at).ok())
}

/// The level of that number.
pub(super) fn word(number: u8) -> &'static str {
    LEVELS.get(usize::from(number)).copied().unwrap_or("emergency")
}

/// The level of a log message; one that says none is always heard.
pub(super) fn of_message(params: Option<&RawValue>) -> u8 {
    #[derive(Deserialize)]
    struct Message {
        level: String,
    }
    let message = params.and_then(|it| serde_json::from_str::<Message>(it.get()).ok());
    message.and_then(|it| number(&it.level)).unwrap_or(u8::MAX)
}

impl Gateway {
    /// Takes in which log messages a client wants, and tells the servers.
    pub(crate) fn set_level(self: &Arc<Self>, asking: &Asking<'_>) -> Result<Answer, Error> {
        let params = asking.request.params.and_then(Members::of).unwrap_or_default();
        let level = params.text("level").and_then(|it| number(&it)).ok_or_else(|| {
            Error::invalid_params(format!("`level` must be one of {}", LEVELS.join(", ")))
        })?;
        asking.client.set_level(level);
        let gateway = Arc::clone(self);
        Ok(Answer::Later(Box::new(move |_| {
            Box::pin(async move {
                gateway.tell_levels().await;
                Ok(Body::plain(b"{}".to_vec()))
            })
        })))
    }

    /// Tells all servers which log messages the client wants that wants most, of those that said.
    async fn tell_levels(&self) {
        let clients = self.ear.clients();
        let Some(level) = clients.iter().filter_map(|it| it.wanted_level()).min() else { return };
        self.level.store(level, Relaxed);
        let roster = self.upstreams.roster();
        let told = roster.servers().filter(|it| logs(it));
        let told = told.map(|it| tell(self.upstreams.clone(), it.name().clone(), level));
        join_all(told).await;
    }

    /// Tells a server that has just come which log messages are wanted, if any client has said so.
    pub(super) fn tell_level(&self, server: &Server) {
        let level = self.level.load(Relaxed);
        if level != NO_LEVEL && logs(server) {
            let told = tell(self.upstreams.clone(), server.name().clone(), level);
            self.tasks.spawn_on(told, &self.runtime);
        }
    }
}

/// Whether a server can be told which log messages are wanted.
fn logs(server: &Server) -> bool {
    let offer = server.standing.offer.as_ref();
    offer.is_some_and(|it| it.revision.era() == Era::Legacy && it.has("logging"))
}

async fn tell(upstreams: Upstreams, server: ServerName, level: u8) {
    let level = to_raw_value(word(level)).unwrap_or_default();
    let params = [("level", &*level)];
    let request = Request::new("logging/setLevel", &params);
    let told = upstreams.request(&server, request, Arc::new(()));
    // Nobody waits for a server that is slow at this.
    let _ = timeout(WITHIN, told).await;
}
