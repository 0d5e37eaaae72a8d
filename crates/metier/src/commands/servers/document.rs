//! The document that `metier servers --json` prints.

use std::time::{Duration, SystemTime};

use metier_upstreams::{Gap, Roster, Server};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    config::servers::shown_endpoint,
    hub::{Known, told},
    json::{ProblemJson, text},
    moment::utc,
};

/// All servers, and what is wrong in configuration files.
#[derive(Serialize)]
pub(super) struct ServersJson<'a> {
    servers: Vec<ServerJson<'a>>,
    problems: Vec<ProblemJson>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ServerJson<'a> {
    name: &'a str,
    /// Absent where the entry cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<&'static str>,
    /// The program or the address, without what may be secret; absent where only a variable knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    phase: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    tools: usize,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_info: Option<&'a RawValue>,
    /// The lists that were not read whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lacks: Vec<LackJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<ErrorJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
}

#[derive(Serialize)]
struct LackJson<'a> {
    method: &'static str,
    reason: &'a str,
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    reason: &'a str,
    at: String,
}

impl<'a> ServersJson<'a> {
    pub(super) fn new(known: &'a Known, roster: &'a Roster) -> ServersJson<'a> {
        let servers = roster.servers().map(|server| {
            let name = server.name();
            let configured = known.servers.iter().find(|it| it.spec.name == *name);
            ServerJson {
                tools: roster.tools().of(name).count(),
                source: configured.map(|it| text(&it.source)).unwrap_or_default(),
                ..ServerJson::from(&**server)
            }
        });
        let broken = known.broken().map(|(name, problem)| ServerJson {
            source: text(&problem.path),
            ..ServerJson::broken(name, told(problem))
        });
        let mut servers: Vec<ServerJson<'_>> = servers.chain(broken).collect();
        servers.sort_by_key(|it| it.name);
        ServersJson { servers, problems: known.problems.iter().map(ProblemJson::from).collect() }
    }
}

impl<'a> ServerJson<'a> {
    fn broken(name: &'a str, reason: String) -> ServerJson<'a> {
        ServerJson {
            name,
            transport: None,
            endpoint: None,
            phase: "failed",
            reason: Some(reason),
            tools: 0,
            source: String::new(),
            since: None,
            latency_ms: None,
            revision: None,
            server_info: None,
            lacks: Vec::new(),
            last_error: None,
            stderr: None,
        }
    }
}

impl<'a> From<&'a Gap> for LackJson<'a> {
    fn from(Gap { method, reason }: &'a Gap) -> LackJson<'a> {
        LackJson { method, reason }
    }
}

impl<'a> From<&'a Server> for ServerJson<'a> {
    fn from(server: &'a Server) -> ServerJson<'a> {
        let standing = &server.standing;
        let offer = standing.offer.as_ref();
        let now = SystemTime::now();
        let last_error = standing.last_error.as_ref().map(|(reason, at)| {
            let at = utc(now - at.elapsed());
            ErrorJson { reason, at }
        });
        let stderr = standing.stderr.as_ref().map(|it| it.text());
        ServerJson {
            name: server.name().as_str(),
            transport: Some(server.spec.endpoint.transport()),
            endpoint: shown_endpoint(&server.spec.endpoint),
            phase: standing.phase.word(),
            reason: standing.phase.reason().map(str::to_owned),
            tools: 0,
            source: String::new(),
            since: Some(utc(now - standing.since.elapsed())),
            latency_ms: standing.latency.map(milliseconds),
            revision: offer.map(|it| it.revision.as_str()),
            server_info: offer.and_then(|it| it.server.as_deref()),
            lacks: offer.map(|it| it.gaps.iter().map(LackJson::from).collect()).unwrap_or_default(),
            last_error,
            stderr: stderr.filter(|it| !it.is_empty()),
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}
