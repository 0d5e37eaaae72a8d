//! How we introduce ourselves to servers.

use metier_wire::Revision;
use serde_json::{Value, json};

/// The name under which servers know us, and what we can do for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    name: String,
    version: String,
    capabilities: Value,
    /// The members of `_meta` that every request of 2026-07-28 has.
    meta: String,
}

impl Identity {
    /// A client that can do nothing for servers.
    #[must_use]
    pub fn new(name: &str, version: &str) -> Identity {
        Identity::capable(name, version, json!({}))
    }

    /// A client whose callers can answer what servers may ask them.
    #[must_use]
    pub fn capable(name: &str, version: &str, capabilities: Value) -> Identity {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": Revision::V2026_07_28.as_str(),
            "io.modelcontextprotocol/clientInfo": { "name": name, "version": version },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let meta = meta.to_string();
        let members = meta.trim_start_matches('{').strip_suffix('}').unwrap_or_default();
        Identity {
            name: name.to_owned(),
            version: version.to_owned(),
            capabilities,
            meta: members.to_owned(),
        }
    }

    pub(crate) fn meta(&self) -> &str {
        &self.meta
    }

    /// What `initialize` says of us.
    pub(crate) fn client(&self) -> (Value, &Value) {
        (json!({ "name": self.name, "version": self.version }), &self.capabilities)
    }
}
