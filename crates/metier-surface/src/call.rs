//! A call: one request that is being worked on, and its ways back to the client.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use metier_wire::{Era, Error, Members, Revision, write};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    client::Client,
    lane::{Kind, Lane},
};

/// One request that is being worked on; clones are the same one. When the client no longer wants its
/// answer, the work is dropped.
#[derive(Clone)]
pub struct Call(Arc<Inner>);

struct Inner {
    client: Arc<Client>,
    lane: Lane,
    revision: Revision,
    progress_token: Option<Box<RawValue>>,
    since: Instant,
    is_over: AtomicBool,
}

/// Why the client did not answer a request of ours.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// Revision 2026-07-28 has no requests to the client.
    #[error("a client of revision {0} cannot be asked")]
    NotAskable(Revision),
    /// There is no way to the client at the moment.
    #[error("the client cannot be reached")]
    Unreachable,
    /// The client is gone, or took too long.
    #[error("the client did not answer")]
    Unanswered,
    /// The client refused.
    #[error("the client refused")]
    Refused(Box<RawValue>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Progress<'a> {
    progress_token: &'a RawValue,
    progress: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

impl Call {
    pub(crate) fn new(
        client: &Arc<Client>,
        lane: Lane,
        revision: Revision,
        progress_token: Option<&RawValue>,
        since: Instant,
    ) -> Call {
        let progress_token = progress_token.map(ToOwned::to_owned);
        let is_over = AtomicBool::new(false);
        let client = Arc::clone(client);
        Call(Arc::new(Inner { client, lane, revision, progress_token, since, is_over }))
    }

    /// The lifecycle under which the request came.
    #[must_use]
    pub fn era(&self) -> Era {
        self.0.revision.era()
    }

    pub(crate) fn client(&self) -> &Arc<Client> {
        &self.0.client
    }

    pub(crate) fn lane(&self) -> &Lane {
        &self.0.lane
    }

    pub(crate) fn progress_token(&self) -> Option<&RawValue> {
        self.0.progress_token.as_deref()
    }

    /// When the request came.
    pub(crate) fn since(&self) -> Instant {
        self.0.since
    }

    /// Whether it has ended, or nobody wants its answer any more.
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_over.load(Ordering::Acquire)
    }

    /// Takes note that it has ended, with or without an answer.
    pub(crate) fn end(&self) {
        self.0.is_over.store(true, Ordering::Release);
        self.0.lane.leave();
    }

    /// Tells the client how far the work has come, if it wants to know.
    pub async fn progress(&self, progress: u64, message: Option<&str>) {
        let Some(progress_token) = self.progress_token() else { return };
        // Revision 2024-11-05 has no message; clients ignore what they do not know.
        let params = Progress { progress_token, progress, message };
        self.notify("notifications/progress", &params).await;
    }

    /// Tells the client something that belongs to this request.
    pub async fn notify(&self, method: &str, params: &impl Serialize) {
        let mut out = Vec::new();
        write::notification(&mut out, method, Some(params));
        self.0.lane.send(Kind::Aside, out).await;
    }

    /// Asks the client something on behalf of this request.
    pub async fn ask(
        &self,
        method: &str,
        params: Option<&(impl Serialize + Sync)>,
    ) -> Result<Box<RawValue>, AskError> {
        if self.era() == Era::Modern {
            return Err(AskError::NotAskable(self.0.revision));
        }
        self.0.client.ask(&self.0.lane, method, params).await
    }

    /// Sends the client a message that belongs to this request.
    pub(crate) async fn tell(&self, message: Vec<u8>) {
        self.0.lane.send(Kind::Aside, message).await;
    }
}

impl From<AskError> for Error {
    fn from(error: AskError) -> Error {
        match error {
            AskError::Refused(error) => as_sent(&error),
            error => Error::internal(error.to_string()),
        }
    }
}

/// An error of the client as it was sent; what is missing in it is filled in.
fn as_sent(raw: &RawValue) -> Error {
    let members = Members::of(raw).unwrap_or_default();
    let code = members.get("code").and_then(|it| it.get().parse().ok());
    let message = members.text("message").unwrap_or("the client refused".into()).into_owned();
    let data = members.get("data").map(ToOwned::to_owned);
    Error { data, ..Error::new(code.unwrap_or(Error::INTERNAL), message) }
}
