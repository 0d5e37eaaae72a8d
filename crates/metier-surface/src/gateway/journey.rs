//! A journey: one request of a client on its way to a server, until it is back with an answer.

use std::{pin::Pin, sync::Arc};

use metier_upstreams::{CallError, Member, Request, ServerName, ToolCall, ToolEntry, Upstreams};
use metier_wire::{Era, Error, Members, Text};
use serde_json::{Value, json, value::RawValue};

use super::{
    ledger::Ledger,
    parked::Parked,
    relay::{Event, Relay},
    shelf::Shelf,
    tally::Counted,
};
use crate::{
    call::Call,
    responder::{Asking, Body, Done, Meta},
};

/// The members of `_meta` that hold between two neighbours only.
const BETWEEN_NEIGHBOURS: [&str; 4] = [
    "progressToken",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
];

/// What a client sent, and what it can do.
pub(super) struct Parcel {
    pub(super) params: Box<RawValue>,
    pub(super) capabilities: Option<Arc<RawValue>>,
}

/// What a client asks of a server.
pub(super) struct Errand {
    pub(super) upstreams: Upstreams,
    pub(super) target: Target,
    pub(super) parcel: Parcel,
}

/// What is asked for.
pub(super) enum Target {
    /// A call of a tool, and the era of its server.
    Tool(Arc<ToolEntry>, Era),
    /// Something else; the first of these that a server gives.
    Things(Vec<Thing>),
}

/// Something that a server may give.
pub(super) struct Thing {
    pub(super) server: ServerName,
    pub(super) era: Era,
    pub(super) method: &'static str,
    /// The member of the parameters that is otherwise in the server's words.
    pub(super) key: &'static str,
    pub(super) value: Box<RawValue>,
}

/// An errand that is under way.
pub(super) struct Journey {
    going: Pin<Box<dyn Future<Output = (Era, Outcome)> + Send>>,
    relay: Arc<Relay>,
    counted: Option<Counted>,
    is_read: bool,
    /// What it is after.
    pub(super) purpose: Arc<str>,
}

type Outcome = Result<Box<RawValue>, CallError>;

impl Parcel {
    pub(super) fn of(asking: &Asking<'_>) -> Parcel {
        Parcel {
            params: asking.request.params.map(ToOwned::to_owned).unwrap_or_default(),
            capabilities: match asking.era() {
                Era::Legacy => asking.client.capabilities().cloned(),
                Era::Modern => asking.meta.capabilities.map(|it| it.to_owned().into()),
            },
        }
    }
}

impl Errand {
    /// The journey that this goes on with, if it goes on with one that began here.
    pub(super) fn resumes(&self, parked: &Parked) -> Result<Option<Journey>, Error> {
        // Most errands need not be read for that.
        if !self.parcel.params.get().contains("\"requestState\"") {
            return Ok(None);
        }
        let members = Members::of(&self.parcel.params).unwrap_or_default();
        let Some(raw) = members.get("requestState") else { return Ok(None) };
        let Ok(Text(state)) = serde_json::from_str(raw.get()) else {
            return Err(Error::invalid_params("`requestState` must be a string"));
        };
        match parked.resume(&state, &members, &self.target.purpose())? {
            // Its server may have begun it.
            None if self.target.knows_rounds() => Ok(None),
            None => {
                let message = "`requestState` is unknown here: make the request anew, without it";
                Err(Error::invalid_params(message))
            }
            journey => Ok(journey),
        }
    }
}

impl Target {
    /// Whether a server that may be asked can ask for more by its result.
    fn knows_rounds(&self) -> bool {
        match self {
            Target::Tool(_, era) => *era == Era::Modern,
            Target::Things(things) => things.iter().any(|it| it.era == Era::Modern),
        }
    }

    /// What tells it from all others.
    fn purpose(&self) -> Arc<str> {
        match self {
            Target::Tool(entry, _) => entry.id.clone(),
            Target::Things(things) => {
                let all =
                    things.iter().map(|it| format!("{} {} {}", it.method, it.server, it.value));
                all.collect::<Vec<_>>().join("\n").into()
            }
        }
    }
}

impl Journey {
    /// Sets out.
    pub(super) fn new(errand: Errand, call: &Call, shelf: &Shelf, ledger: &Arc<Ledger>) -> Journey {
        let (counted, is_read) = match &errand.target {
            Target::Tool(entry, _) => {
                let tally = shelf.tally(&entry.id).cloned();
                let ledger = Arc::clone(ledger);
                (Some(Counted::new(entry.clone(), tally, ledger, call.since())), false)
            }
            Target::Things(things) => (None, things.iter().any(|it| it.method == "resources/read")),
        };
        let purpose = errand.target.purpose();
        let Errand { upstreams, target, parcel } = errand;
        let relay = Relay::new(call.clone(), parcel);
        let going = Box::pin(go(upstreams, target, Arc::clone(&relay)));
        Journey { going, relay, counted, is_read, purpose }
    }

    /// Whether a request wants the very same of it.
    pub(super) fn has_arguments(&self, members: &Members<'_>) -> bool {
        let first = Members::of(self.relay.params()).unwrap_or_default();
        let value = |it: &RawValue| serde_json::from_str::<Value>(it.get()).unwrap_or_default();
        match (first.get("arguments"), members.get("arguments")) {
            (Some(one), Some(other)) => one.get() == other.get() || value(one) == value(other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// Goes on until there is an answer for the client: the result, or a question.
    pub(super) async fn go(mut self, call: Call, parked: &Parked) -> Done {
        self.relay.go_on(&call);
        let (server, outcome) = loop {
            tokio::select! {
                biased;
                event = self.relay.next() => match event {
                    Event::Progress(message) | Event::Remark(message) => call.tell(message).await,
                    Event::Question(question) => return parked.park(self, question),
                },
                outcome = &mut self.going => break outcome,
            }
        };
        while let Some(event) = self.relay.try_next() {
            if let Event::Progress(message) | Event::Remark(message) = event {
                call.tell(message).await;
            }
        }
        if let Some(counted) = self.counted.take() {
            counted.end(&outcome);
        }
        match outcome {
            // No client knows what to do with one.
            Ok(result) if !result.get().starts_with('{') => {
                Err(failed("lost", "the server answered with a result that is no object"))
            }
            Ok(result) => Ok(Arrival { server, is_read: self.is_read }.at(call.era(), result)),
            Err(error) => Err(explained(&error)),
        }
    }
}

impl Drop for Journey {
    fn drop(&mut self) {
        self.relay.end();
    }
}

/// Asks whoever may give what is asked for. There is one of these for each call that is under way: what
/// is rare does not make all of them larger.
async fn go(upstreams: Upstreams, target: Target, relay: Arc<Relay>) -> (Era, Outcome) {
    let members = Members::of(relay.params()).unwrap_or_default();
    let meta = members.get("_meta").and_then(Members::of).unwrap_or_default();
    let passed_on = meta.0.iter().filter(|(key, _)| !BETWEEN_NEIGHBOURS.contains(&&**key));
    let meta = |server: Era| -> Vec<Member<'_>> {
        let passed_on = passed_on.clone().map(|(key, value)| (&**key, *value));
        passed_on.chain(relay.wish_for(server)).collect()
    };
    let rest = |key: &'static str| {
        let rest = members.0.iter().filter(move |(it, _)| it != "_meta" && it != key);
        rest.map(|(key, value)| (&**key, *value))
    };
    match &target {
        Target::Tool(entry, era) => {
            let (params, meta): (Vec<Member<'_>>, _) = (rest("name").collect(), meta(*era));
            let capabilities = relay.capabilities();
            let call = ToolCall { params: &params, meta: &meta, capabilities };
            let outcome = if relay.asks_for(*era) {
                Box::pin(upstreams.forward_through(entry, call, relay.clone())).await
            } else {
                upstreams.forward(entry, call, relay.clone()).await
            };
            (*era, outcome)
        }
        Target::Things(things) => {
            let mut first = None;
            for thing in things {
                let own = [(thing.key, &*thing.value)];
                let params: Vec<Member<'_>> = own.into_iter().chain(rest(thing.key)).collect();
                let meta = meta(thing.era);
                let outcome = Box::pin(thing.ask(&upstreams, &params, &meta, &relay)).await;
                // Another one may have what this one does not.
                if !matches!(outcome, Err(CallError::Refused { .. } | CallError::Down { .. })) {
                    return (thing.era, outcome);
                }
                first = first.or(Some((thing.era, outcome)));
            }
            first.unwrap_or_else(|| (Era::Modern, Err(CallError::NoTool(String::new()))))
        }
    }
}

impl Thing {
    async fn ask(
        &self,
        upstreams: &Upstreams,
        params: &[Member<'_>],
        meta: &[Member<'_>],
        relay: &Arc<Relay>,
    ) -> Outcome {
        let capabilities = relay.capabilities();
        let request = Request { method: self.method, params, meta, capabilities };
        if relay.asks_for(self.era) {
            upstreams.request_through(&self.server, request, relay.clone()).await
        } else {
            upstreams.request(&self.server, request, relay.clone()).await
        }
    }
}

/// What must be done to a result for its client.
#[derive(Clone, Copy)]
struct Arrival {
    /// The era of the server.
    server: Era,
    is_read: bool,
}

impl Arrival {
    /// A result as a client of that era wants it.
    fn at(self, client: Era, result: Box<RawValue>) -> Body {
        let result = String::from(Box::<str>::from(result));
        match (client, self.server) {
            (Era::Modern, Era::Legacy) if result.starts_with('{') => self.modernized(&result),
            _ => Body::with_meta(result.into_bytes()),
        }
    }

    /// A result of an earlier revision with the members that every result of 2026-07-28 has.
    fn modernized(self, result: &str) -> Body {
        let meta = if result.contains("\"_meta\"") { Meta::Own } else { Meta::Absent };
        let mut out = Vec::with_capacity(result.len() + 64);
        out.extend_from_slice(br#"{"resultType":"complete""#);
        if self.is_read {
            out.extend_from_slice(br#","ttlMs":0,"cacheScope":"private""#);
        }
        let rest = result[1..].trim_start();
        if !rest.starts_with('}') {
            out.push(b',');
        }
        out.extend_from_slice(rest.as_bytes());
        Body { result: out, meta }
    }
}

/// An error as it was sent, or one that names the server.
pub(super) fn explained(error: &CallError) -> Error {
    let kind = match error {
        CallError::Refused { error, .. } => return error.clone(),
        CallError::NoServer(_) | CallError::NoTool(_) => "gone",
        CallError::Down { .. } => "down",
        CallError::Timeout { .. } => "timeout",
        CallError::Unauthorized { .. } => "unauthorized",
        CallError::Unsent { .. } => "unsent",
        CallError::Lost { .. } => "lost",
        CallError::Busy { .. } => "busy",
    };
    failed(kind, &error.to_string())
}

/// An error of ours, with a word for programs.
fn failed(kind: &str, message: &str) -> Error {
    let data = serde_json::value::to_raw_value(&json!({ "kind": kind })).ok();
    Error { data, ..Error::internal(message.to_owned()) }
}
