//! Streamable HTTP: a request each, answered by a message or by a stream of them.

use std::sync::Arc;

use super::{Ask, Failed, Reply, switchboard::Switchboard};

/// A server at an address.
pub(crate) struct Http {}

impl Http {
    pub(crate) async fn request(&self, _board: &Arc<Switchboard>, _ask: Ask<'_>) -> Reply {
        Err(Failed::Unsent(String::new()))
    }

    pub(crate) async fn post(
        &self,
        _board: &Arc<Switchboard>,
        _message: Vec<u8>,
    ) -> Result<(), Failed> {
        Err(Failed::Unsent(String::new()))
    }

    pub(crate) async fn hear(&self, _board: &Arc<Switchboard>) -> Result<(), Failed> {
        Err(Failed::Unsent(String::new()))
    }

    pub(crate) async fn leave(&self) {}
}
