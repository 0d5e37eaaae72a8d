//! Audiences: who hears what servers say that belongs to no call.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::{
    caller::{Answering, Caller, refusal},
    spec::ServerName,
};

/// Who hears what servers say that belongs to no call. `()` hears nothing.
///
/// What a server says on the stream of one call is for the [`Caller`] of that call alone. All else
/// is for the audience: what comes by a stream that calls share, and questions that nobody's call can
/// have led to.
pub trait Audience: Send + Sync {
    /// A server tells something, such as a log message or that a resource has changed.
    fn told(&self, server: &ServerName, method: &str, params: Option<&RawValue>) {
        let _ = (server, method, params);
    }

    /// A server asks something (sampling, elicitation, roots), and waits for the answer.
    fn asked<'a>(
        &'a self,
        server: &'a ServerName,
        method: &'a str,
        params: Option<&'a RawValue>,
    ) -> Answering<'a> {
        let _ = (server, params);
        refusal(method)
    }
}

impl Audience for () {}

/// The audience as one server sees it: someone whose call never ends.
pub(crate) struct Ear {
    pub(crate) server: ServerName,
    pub(crate) audience: Arc<dyn Audience>,
}

impl Caller for Ear {
    fn told(&self, method: &str, params: Option<&RawValue>) {
        self.audience.told(&self.server, method, params);
    }

    fn asked<'a>(&'a self, method: &'a str, params: Option<&'a RawValue>) -> Answering<'a> {
        self.audience.asked(&self.server, method, params)
    }
}
