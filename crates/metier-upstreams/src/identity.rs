//! How we introduce ourselves to servers.

use std::future;

use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use metier_wire::Revision;
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

/// The name under which servers know us, and what we can do for them.
#[derive(Clone, Debug)]
pub struct Identity {
    name: String,
    version: String,
    /// What we can do, once that is known.
    capabilities: Shared<BoxFuture<'static, Box<RawValue>>>,
    /// The members of `_meta` that every request of 2026-07-28 has beside our capabilities.
    meta: String,
    instance: Option<Box<str>>,
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
        let identity = Identity::awaiting(name, version, future::ready(capabilities));
        // What is known is known from now on.
        let _ = identity.capabilities.clone().now_or_never();
        identity
    }

    /// A client who learns a little later what its callers can answer.
    ///
    /// Programs are started and addresses reached all the same; only the first message to each
    /// server waits.
    #[must_use]
    pub fn awaiting(
        name: &str,
        version: &str,
        capabilities: impl Future<Output = Value> + Send + 'static,
    ) -> Identity {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": Revision::V2026_07_28.as_str(),
            "io.modelcontextprotocol/clientInfo": { "name": name, "version": version },
        });
        let meta = meta.to_string();
        let members = meta.trim_start_matches('{').strip_suffix('}').unwrap_or_default();
        let capabilities = capabilities.map(|it| to_raw_value(&it).unwrap_or_default());
        Identity {
            name: name.to_owned(),
            version: version.to_owned(),
            capabilities: capabilities.boxed().shared(),
            meta: members.to_owned(),
            instance: None,
        }
    }

    /// The same, as one running process that can tell itself from others by `id`, of at most 64
    /// characters: a server whose list of tools names it leads back to us, and is not used, unless
    /// the first that it names has the greater id and will leave us.
    #[must_use]
    pub fn instance(self, id: &str) -> Identity {
        Identity { instance: Some(id.into()), ..self }
    }

    /// Whether a list that came through these, the nearest first, leads back to us, and we are the
    /// one to leave it. Of two neighbours in a circle that is the one with the greater id: if both
    /// did at the same moment, neither would have the other.
    pub(crate) fn breaks(&self, instances: &[Box<str>]) -> bool {
        let (Some(own), Some(nearest)) = (self.instance.as_deref(), instances.first()) else {
            return false;
        };
        instances.iter().any(|it| **it == *own) && **nearest <= *own
    }

    /// What every request of 2026-07-28 says of us, beside what we can do.
    pub(crate) fn meta(&self) -> &str {
        &self.meta
    }

    /// What we can do, as far as that is known.
    pub(crate) fn capabilities(&self) -> &str {
        self.capabilities.peek().map_or("{}", |it| it.get())
    }

    /// What we can do, when that is known.
    pub(crate) async fn known(&self) -> Box<RawValue> {
        self.capabilities.clone().await
    }

    /// Our name and version, as `initialize` says them.
    pub(crate) fn client(&self) -> Value {
        json!({ "name": self.name, "version": self.version })
    }
}
