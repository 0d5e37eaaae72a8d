//! Subscriptions of revision 2026-07-28: one request whose answer is a stream of changes.

use metier_wire::{Error, Request, write};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::{Session, lifecycle::TOOLS_CHANGED, news::News};
use crate::{
    call::Call,
    responder::{Answer, Body, Done},
};

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

#[derive(Deserialize)]
struct Listen {
    notifications: Filter,
}

/// What the client wants to hear of. What is not offered here is left out of the answer.
#[derive(Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Filter {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tools_list_changed: bool,
}

#[derive(Serialize)]
struct Tagged<'a> {
    #[serde(rename = "_meta")]
    meta: Meta<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notifications: Option<&'a Filter>,
}

#[derive(Serialize)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    subscription: &'a RawValue,
}

impl Session {
    pub(super) fn listen(&self, request: &Request<'_>) -> Result<Answer, Error> {
        let params = request.params.map_or("{}", RawValue::get);
        let listen: Listen = serde_json::from_str(params)
            .map_err(|error| Error::invalid_params(format!("subscriptions/listen: {error}")))?;
        let subscription = Subscription {
            id: request.id.to_raw(),
            filter: listen.notifications,
            news: News::new(self.server.responder.changes()),
            stop: self.server.stop.clone(),
        };
        Ok(Answer::Later(Box::new(move |call| Box::pin(subscription.run(call)))))
    }
}

struct Subscription {
    id: Box<RawValue>,
    filter: Filter,
    news: News,
    stop: CancellationToken,
}

impl Subscription {
    /// Tells of changes until the client cancels or the server stops.
    async fn run(mut self, call: Call) -> Done {
        call.notify(ACKNOWLEDGED, &self.tagged(Some(&self.filter))).await;
        loop {
            tokio::select! {
                () = self.stop.cancelled() => break,
                changed = self.news.of_tools() => if changed.is_err() { break },
            }
            if self.filter.tools_list_changed {
                call.notify(TOOLS_CHANGED, &self.tagged(None)).await;
            }
        }
        let mut out = br#"{"resultType":"complete","_meta":"#.to_vec();
        write::json(&mut out, &self.tagged(None).meta);
        out.push(b'}');
        Ok(Body::WithMeta(out))
    }

    fn tagged<'a>(&'a self, notifications: Option<&'a Filter>) -> Tagged<'a> {
        Tagged { meta: Meta { subscription: &self.id }, notifications }
    }
}
