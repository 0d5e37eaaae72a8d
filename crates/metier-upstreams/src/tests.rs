//! The rules of upstreams, from pure ones to whole servers in memory.

mod attention;
mod audiences;
mod calls;
mod capabilities;
mod eras;
pub(crate) mod fake;
mod forwarding;
mod gaps;
mod gates;
mod health;
mod lifecycle;
mod listing;
mod loops;
mod noise;
pub(crate) mod offers;
mod phases;
mod plans;
mod questions;
mod soak;
mod starts;

use std::{sync::Arc, time::Duration};

use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::{CallError, Caller, Roster, ServerName, Upstreams};

/// One line about each server.
pub(crate) fn shown(roster: &Roster) -> String {
    let lines = roster.servers().map(|server| {
        let phase = &server.standing.phase;
        let tools: Vec<&str> = roster.tools().of(server.name()).map(|it| &*it.id).collect();
        let reason = phase.reason().map(|it| format!(" ({it})")).unwrap_or_default();
        format!("{} {}{reason} {}", server.name(), phase.word(), tools.join(",")).trim().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Waits until that is what is shown.
async fn until(upstreams: &Upstreams, expected: &str) {
    let mut rosters = upstreams.rosters();
    let wanted = rosters.wait_for(|roster| shown(roster) == expected);
    let got = timeout(Duration::from_secs(200_000), wanted).await.is_ok();
    assert!(got, "expected {expected}, is {}", shown(&upstreams.roster()));
}

/// Waits until every server has been tried once.
pub(crate) async fn settle(upstreams: &Upstreams) -> Arc<Roster> {
    upstreams.settled(Duration::from_secs(10_000)).await
}

pub(crate) fn name(text: &str) -> ServerName {
    ServerName::new(text).unwrap()
}

pub(crate) fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Calls the tool `echo` of the server `fake`, for someone who hears and answers nothing.
async fn call(upstreams: &Upstreams, arguments: &str) -> Result<String, CallError> {
    call_for(upstreams, arguments, Arc::new(())).await
}

async fn call_for(
    upstreams: &Upstreams,
    arguments: &str,
    caller: Arc<dyn Caller>,
) -> Result<String, CallError> {
    let result = upstreams.call("fake:echo", Some(&raw(arguments)), caller).await;
    result.map(|it| it.get().to_owned())
}

/// What a call came to, in words.
fn outcome(result: Result<String, CallError>) -> String {
    result.unwrap_or_else(|error| error.to_string())
}
