//! Subscriptions of revision 2026-07-28: one request whose answer is a stream of changes.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::future::join_all;
use metier_wire::{Error, Request, write};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::{sync::broadcast, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    Session,
    announce::{UPDATED, next},
    news::{List, News},
};
use crate::{
    call::Call,
    gateway::Watch,
    responder::{Answer, Body, Done, Remark, Watching},
};

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
/// How many resources one subscription may name.
const MOST_RESOURCES: usize = 256;
/// How long servers may take to agree to a subscription before the client hears of it.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Listen {
    notifications: Filter,
}

/// What the client wants to hear of. What is not offered here is left out of the answer.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::struct_excessive_bools, reason = "the protocol has it so")]
struct Filter {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tools_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resources_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts_list_changed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resource_subscriptions: Vec<String>,
}

#[derive(Serialize)]
struct Tagged<'a> {
    #[serde(rename = "_meta")]
    meta: Tag<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notifications: Option<&'a Filter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
}

#[derive(Serialize)]
struct Tag<'a> {
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    subscription: &'a RawValue,
}

impl Session {
    pub(super) fn listen(&self, request: &Request<'_>) -> Result<Answer, Error> {
        let params = request.params.map_or("{}", RawValue::get);
        let listen: Listen = serde_json::from_str(params)
            .map_err(|error| Error::invalid_params(format!("subscriptions/listen: {error}")))?;
        let mut filter = listen.notifications;
        if filter.resource_subscriptions.len() > MOST_RESOURCES {
            let message =
                format!("at most {MOST_RESOURCES} resources can be subscribed to at once");
            return Err(Error::invalid_params(message));
        }
        let responder = &self.server.responder;
        let offers = |capability| responder.greeting().capabilities.get(capability).is_some();
        filter.tools_list_changed &= offers("tools");
        filter.resources_list_changed &= offers("resources");
        filter.prompts_list_changed &= offers("prompts");
        let uris = filter.resource_subscriptions.drain(..);
        let watching: Vec<_> = uris.map(|uri| (responder.watch(&uri), uri)).collect();
        let subscription = Subscription {
            id: request.id.to_raw(),
            filter,
            watched: HashMap::new(),
            news: News::new(responder.changes()),
            remarks: responder.remarks(),
            stop: self.server.stop.clone(),
        };
        Ok(Answer::Later(Box::new(move |call| Box::pin(subscription.run(watching, call)))))
    }
}

struct Subscription {
    id: Box<RawValue>,
    filter: Filter,
    watched: HashMap<String, Arc<Watch>>,
    news: News,
    remarks: broadcast::Receiver<Remark>,
    stop: CancellationToken,
}

/// A resource that is watched; none if nobody has it, or who has it refuses.
async fn begun((watching, uri): (Watching, String), call: Call) -> Option<(String, Arc<Watch>)> {
    let watch = watching(call).await.ok()?;
    match timeout(PATIENCE, watch.begun()).await {
        Ok(Err(_)) => None,
        // One that does not answer is asked again for as long as the watch is held.
        Ok(Ok(())) | Err(_) => Some((uri, watch)),
    }
}

impl Subscription {
    /// Tells of changes until the client cancels or the server stops.
    async fn run(mut self, watching: Vec<(Watching, String)>, call: Call) -> Done {
        let begun = join_all(watching.into_iter().map(|it| begun(it, call.clone())));
        let begun = self.stop.run_until_cancelled(begun).await.unwrap_or_default();
        self.watched = begun.into_iter().flatten().collect();
        self.filter.resource_subscriptions = self.watched.keys().cloned().collect();
        self.filter.resource_subscriptions.sort();
        call.notify(ACKNOWLEDGED, &self.tagged(Some(&self.filter))).await;
        loop {
            tokio::select! {
                () = self.stop.cancelled() => break,
                changed = self.news.next() => match changed {
                    Ok(lists) => self.announce(&lists, &call).await,
                    Err(_) => break,
                },
                remark = next(&mut self.remarks) => self.pass_on(remark, &call).await,
            }
        }
        let mut out = br#"{"resultType":"complete","_meta":"#.to_vec();
        write::json(&mut out, &self.tagged(None).meta);
        out.push(b'}');
        Ok(Body::with_meta(out))
    }

    async fn announce(&self, lists: &[List], call: &Call) {
        for list in lists {
            let is_wanted = match list {
                List::Tools => self.filter.tools_list_changed,
                List::Resources => self.filter.resources_list_changed,
                List::Prompts => self.filter.prompts_list_changed,
            };
            if is_wanted {
                call.notify(list.notification(), &self.tagged(None)).await;
            }
        }
    }

    /// Tells of a resource that has changed.
    async fn pass_on(&self, remark: Remark, call: &Call) {
        if let Remark::Updated(uri) = remark
            && self.watched.contains_key(&*uri)
        {
            let tagged = Tagged { uri: Some(&uri), ..self.tagged(None) };
            call.notify(UPDATED, &tagged).await;
        }
    }

    fn tagged<'a>(&'a self, notifications: Option<&'a Filter>) -> Tagged<'a> {
        Tagged { meta: Tag { subscription: &self.id }, notifications, uri: None }
    }
}
