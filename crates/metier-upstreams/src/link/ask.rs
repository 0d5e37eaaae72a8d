//! Requests on their way out: what is asked, and how that is written for each era.

use std::sync::Arc;

use metier_wire::{Era, Revision, write};
use serde_json::value::RawValue;

use crate::{caller::Running, identity::Identity, offer::Tool};

/// A member of an object, as it was or will be sent.
pub type Member<'a> = (&'a str, &'a RawValue);

/// The request by which servers of the modern era are met, and asked whether they are there.
pub(crate) const DISCOVER: &str = "server/discover";
/// The key under which a request says how it wants to hear of progress.
const PROGRESS_TOKEN: &str = "progressToken";
/// The key that says what whoever asks can do for the server.
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The keys that every request of 2026-07-28 has, and that hold between us and the server.
const OURS: [&str; 3] =
    ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientInfo", CAPABILITIES];

/// How many bytes a message has beside what it carries, about.
const ENVELOPE: usize = 512;

/// One request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    /// The tool that it calls, if it calls one.
    pub(crate) tool: Option<&'a Tool>,
    /// The members of its parameters, without `_meta` and the name of the tool.
    pub(crate) params: &'a [Member<'a>],
    /// Members for its `_meta`.
    pub(crate) meta: &'a [Member<'a>],
    /// What whoever asks can do for the server, if that is not what we can do in general.
    pub(crate) capabilities: Option<&'a RawValue>,
    /// The call that it is made for, if it is one.
    pub(crate) running: Option<&'a Arc<Running>>,
}

impl<'a> Ask<'a> {
    /// A request of our own.
    pub(crate) fn new(method: &'a str, params: &'a [Member<'a>]) -> Ask<'a> {
        Ask { method, params, ..Ask::default() }
    }

    /// The revision that it is written for, if one is settled; `server/discover` exists in one only.
    pub(crate) fn revision(&self, settled: Option<Revision>) -> Option<Revision> {
        if self.method == DISCOVER { Some(Revision::V2026_07_28) } else { settled }
    }

    /// The request as a message.
    pub(crate) fn message(
        &self,
        id: u64,
        identity: &Identity,
        revision: Option<Revision>,
    ) -> Vec<u8> {
        let payload =
            self.params.iter().chain(self.meta).map(|(key, it)| key.len() + it.get().len());
        let mut message = Vec::with_capacity(ENVELOPE + payload.sum::<usize>());
        let out = &mut message;
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        write::json(out, &id);
        out.extend_from_slice(br#","method":"#);
        write::json(out, self.method);
        out.extend_from_slice(br#","params":{"#);
        self.write_meta(out, id, identity, revision);
        if let Some(tool) = self.tool {
            member(out, "name", tool.quoted.get());
        }
        for (key, value) in self.params {
            member(out, key, value.get());
        }
        out.extend_from_slice(b"}}");
        message
    }

    fn write_meta(
        &self,
        out: &mut Vec<u8>,
        id: u64,
        identity: &Identity,
        revision: Option<Revision>,
    ) {
        let is_modern = self.revision(revision).is_some_and(|it| it.era() == Era::Modern);
        if !is_modern && self.meta.is_empty() && self.running.is_none() {
            return;
        }
        out.extend_from_slice(br#""_meta":{"#);
        if is_modern {
            out.extend_from_slice(identity.meta().as_bytes());
            let capabilities = self.capabilities.map(RawValue::get);
            member(out, CAPABILITIES, capabilities.unwrap_or_else(|| identity.capabilities()));
        }
        if self.running.is_some() {
            key(out, PROGRESS_TOKEN);
            write::json(out, &id);
        }
        for (name, value) in self.meta {
            if *name != PROGRESS_TOKEN && !(is_modern && OURS.contains(name)) {
                member(out, name, value.get());
            }
        }
        out.push(b'}');
    }
}

/// Appends one member of an object.
fn member(out: &mut Vec<u8>, name: &str, value: &str) {
    key(out, name);
    out.extend_from_slice(value.as_bytes());
}

/// Appends the key of a member, and the comma before it if it is not the first.
fn key(out: &mut Vec<u8>, name: &str) {
    if !out.ends_with(b"{") {
        out.push(b',');
    }
    write::json(out, name);
    out.push(b':');
}
