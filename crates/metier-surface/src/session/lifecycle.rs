//! How a session begins in each era, and what it hears unasked.

use std::{borrow::Cow, sync::Arc};

use metier_wire::{Era, Error, Request, Revision, write};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::{Session, news::News};
use crate::{
    lane::{Kind, Lane},
    responder::{Answer, Implementation},
};

/// How long clients may remember what the server can do.
const DISCOVERY_TTL_MS: u64 = 3_600_000;

pub(super) const TOOLS_CHANGED: &str = "notifications/tools/list_changed";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialize<'a> {
    #[serde(borrow)]
    protocol_version: Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Initialized<'a> {
    protocol_version: &'static str,
    capabilities: &'a serde_json::Value,
    server_info: &'a Implementation,
    instructions: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Discovered<'a> {
    result_type: &'static str,
    supported_versions: [&'static str; Revision::ALL.len()],
    capabilities: &'a serde_json::Value,
    instructions: &'a str,
    ttl_ms: u64,
    cache_scope: &'static str,
}

impl Session {
    /// Answers what belongs to the session itself, and hands on the rest.
    pub(super) fn answer(
        self: &Arc<Session>,
        request: &Request<'_>,
        revision: Revision,
        out: &mut Vec<u8>,
    ) -> Result<Answer, Error> {
        match (&*request.method, revision.era()) {
            ("initialize", Era::Legacy) => self.initialize(request, out),
            ("ping", Era::Legacy) => {
                out.extend_from_slice(b"{}");
                Ok(Answer::Now)
            }
            ("server/discover", Era::Modern) => {
                self.discover(out);
                Ok(Answer::Now)
            }
            ("subscriptions/listen", Era::Modern) => self.listen(request),
            // Each era has methods that the other does not know.
            ("initialize" | "ping" | "server/discover" | "subscriptions/listen", _) => {
                Err(Error::method_not_found(&request.method))
            }
            (_, era) => self.server.responder.answer(request, era, out),
        }
    }

    fn initialize(&self, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Answer, Error> {
        let params = request.params.map_or("{}", RawValue::get);
        let asked: Initialize<'_> = serde_json::from_str(params)
            .map_err(|error| Error::invalid_params(format!("initialize: {error}")))?;
        let revision = Revision::negotiated(&asked.protocol_version);
        self.state().revision = Some(revision);
        tracing::info!(%revision, "a client begins");
        let greeting = self.server.responder.greeting();
        let initialized = Initialized {
            protocol_version: revision.as_str(),
            capabilities: &greeting.capabilities,
            server_info: &greeting.server,
            instructions: &greeting.instructions,
        };
        write::json(out, &initialized);
        Ok(Answer::Now)
    }

    fn discover(&self, out: &mut Vec<u8>) {
        let greeting = self.server.responder.greeting();
        let discovered = Discovered {
            result_type: "complete",
            supported_versions: Revision::ALL.map(Revision::as_str),
            capabilities: &greeting.capabilities,
            instructions: &greeting.instructions,
            ttl_ms: DISCOVERY_TTL_MS,
            cache_scope: "private",
        };
        write::json(out, &discovered);
    }

    /// The client is ready to hear of changes.
    pub(super) fn initialized(&self) {
        let mut state = self.state();
        let (Some(_), Some(lane), false) = (state.revision, &self.aside, state.is_initialized)
        else {
            return;
        };
        state.is_initialized = true;
        let server = &self.server;
        let announce =
            announce(News::new(server.responder.changes()), lane.clone(), self.end.clone());
        let announce = server.stop.clone().run_until_cancelled_owned(announce);
        server.tasks.spawn_on(announce, &server.runtime);
    }
}

/// Tells a client of an earlier revision, unasked, that a list has changed.
async fn announce(mut news: News, lane: Lane, end: CancellationToken) {
    loop {
        tokio::select! {
            () = end.cancelled() => return,
            () = lane.closed() => return,
            changed = news.of_tools() => if changed.is_err() { return },
        }
        let mut out = Vec::new();
        write::notification(&mut out, TOOLS_CHANGED, None::<&()>);
        lane.send(Kind::Aside, out).await;
    }
}
