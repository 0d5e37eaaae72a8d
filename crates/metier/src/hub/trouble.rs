//! Why a server cannot be asked, or did not answer, in words for people.

use metier_upstreams::{CallError, Cause, Phase, Server};

use super::Known;
use crate::{
    failure::{Exit, Failure},
    json::text,
    ui::cut,
};

/// The code by which servers say that there is no such resource.
const NO_RESOURCE: i64 = -32002;
/// The code by which servers say that they want other arguments.
const INVALID_PARAMS: i64 = -32602;
/// How much of what a server says for programs is shown to people.
const LONGEST_DATA: usize = 2_000;

pub(crate) fn is_ready(server: &Server) -> bool {
    matches!(server.standing.phase, Phase::Ready { .. })
}

/// Why a server cannot be asked now, if it cannot.
pub(crate) fn absence(server: &Server, known: &Known) -> Option<Failure> {
    let (name, phase) = (server.name().clone(), &server.standing.phase);
    let place = place(name.as_str(), known);
    let down = |reason: Option<&str>| {
        let reason = reason.map(str::to_owned);
        failure(&CallError::Down { server: name.clone(), phase: phase.word(), reason }, known)
    };
    Some(match phase {
        Phase::Ready { .. } => return None,
        Phase::Failed { reason, cause: Cause::Unauthorized } => {
            let (server, reason) = (name.clone(), reason.to_string());
            failure(&CallError::Unauthorized { server, reason }, known)
        }
        Phase::Failed { cause: Cause::Loop, .. } => down(phase.reason()).hinted(format!(
            "write `\"disabled\": true` {place}, or take metier out of that server"
        )),
        Phase::Untrusted { .. } => {
            down(phase.reason()).hinted("--trust-project lets it start this once")
        }
        Phase::Disabled => down(None).hinted(format!("take `disabled` out {place}")),
        Phase::Connecting { .. }
        | Phase::Waiting { .. }
        | Phase::Failed { .. }
        | Phase::Stopped => down(phase.reason()),
    })
}

/// Why a call came to nothing, with the next thing to try.
pub(crate) fn failure(error: &CallError, known: &Known) -> Failure {
    let (exit, hint) = match error {
        CallError::NoServer(_) => (Exit::NotFound, "`metier servers` lists them".to_owned()),
        CallError::NoTool(_) => (Exit::NotFound, "`metier tools` lists them".to_owned()),
        CallError::Unauthorized { server, .. } => {
            let header = r#""headers": {"Authorization": "Bearer ${TOKEN}"}"#;
            (Exit::Unauthorized, format!("write `{header}` {}", place(server.as_str(), known)))
        }
        CallError::Timeout { .. } => (Exit::Failed, "--timeout gives it longer".to_owned()),
        CallError::Refused { server, error } if error.code == NO_RESOURCE => {
            (Exit::NotFound, format!("`metier resources {server}` lists what it has"))
        }
        CallError::Refused { server, error } if error.code == INVALID_PARAMS => {
            (Exit::Failed, format!("`metier tools {server} --schema` shows what its tools take"))
        }
        CallError::Refused { server, .. }
        | CallError::Down { server, .. }
        | CallError::Busy { server }
        | CallError::Unsent { server, .. }
        | CallError::Lost { server, .. } => {
            (Exit::Failed, format!("`metier servers {server}` tells more"))
        }
    };
    Failure::new(exit, error).detailed(details(error)).hinted(hint)
}

/// What a server says beside its sentence.
fn details(error: &CallError) -> Vec<String> {
    let CallError::Refused { error, .. } = error else { return Vec::new() };
    let data = error.data.iter();
    data.map(|data| format!("data: {}", cut(data.get(), LONGEST_DATA))).collect()
}

/// Where a server is configured.
fn place(server: &str, known: &Known) -> String {
    match known.servers.iter().find(|it| it.spec.name.as_str() == server) {
        Some(it) => format!("in the entry `{server}` of {}", text(&it.source)),
        None => format!("in the entry `{server}` of your configuration"),
    }
}
