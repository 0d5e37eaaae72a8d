//! How a session begins in each era, and what it hears unasked.

use std::{borrow::Cow, sync::Arc};

use metier_wire::{Era, Error, Request, Revision, write};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Asked, Session, announce::Announcer, news::News};
use crate::responder::{Answer, Asking, Implementation, Meta};

/// How long clients may remember what the server can do.
const DISCOVERY_TTL_MS: u64 = 3_600_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialize<'a> {
    #[serde(borrow)]
    protocol_version: Cow<'a, str>,
    #[serde(borrow, default)]
    capabilities: Option<&'a RawValue>,
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
        asked: &Asked<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, Error> {
        let Asked { request, meta, revision } = *asked;
        match (&*request.method, revision.era()) {
            ("initialize", Era::Legacy) => self.initialize(request, out),
            ("ping", Era::Legacy) => {
                out.extend_from_slice(b"{}");
                Ok(Answer::Now(Meta::Absent))
            }
            ("server/discover", Era::Modern) => {
                self.discover(out);
                Ok(Answer::Now(Meta::Absent))
            }
            ("subscriptions/listen", Era::Modern) => self.listen(request),
            // Each era has methods that the other does not know.
            ("initialize" | "ping" | "server/discover" | "subscriptions/listen", _) => {
                Err(Error::method_not_found(&request.method))
            }
            _ => {
                let asking = Asking { request, meta, revision, client: &self.client };
                self.server.responder.answer(&asking, out)
            }
        }
    }

    fn initialize(&self, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Answer, Error> {
        let params = request.params.map_or("{}", RawValue::get);
        let asked: Initialize<'_> = serde_json::from_str(params)
            .map_err(|error| Error::invalid_params(format!("initialize: {error}")))?;
        let revision = Revision::negotiated(&asked.protocol_version);
        self.state().revision = Some(revision);
        self.client.introduce(Era::Legacy, asked.capabilities);
        self.server.responder.meet(&self.client);
        tracing::info!(%revision, "a client begins");
        let greeting = self.server.responder.greeting();
        let initialized = Initialized {
            protocol_version: revision.as_str(),
            capabilities: &greeting.capabilities,
            server_info: &greeting.server,
            instructions: &greeting.instructions,
        };
        write::json(out, &initialized);
        Ok(Answer::Now(Meta::Absent))
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
        let (Some(_), Some(lane), false) =
            (state.revision, self.client.aside(), state.is_initialized)
        else {
            return;
        };
        state.is_initialized = true;
        let server = &self.server;
        let announcer = Announcer {
            news: News::new(server.responder.changes()),
            remarks: server.responder.remarks(),
            client: Arc::clone(&self.client),
            lane: lane.clone(),
        };
        let announce = announcer.run();
        let announce = server.stop.clone().run_until_cancelled_owned(announce);
        server.home.tasks.spawn_on(announce, &server.home.runtime);
    }
}
