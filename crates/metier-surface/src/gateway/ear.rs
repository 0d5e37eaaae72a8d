//! The ear: hears what servers say that belongs to no call, and passes it on.

use std::{
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use bytes::Bytes;
use metier_upstreams::{Answering, Audience, ServerName};
use metier_wire::{Error, write};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::{
    sync::{broadcast, watch},
    time::timeout,
};

use super::{levels, relay::refusal, watches::Watched};
use crate::{client::Client, responder::Remark};

/// How many remarks wait for clients that are slow.
const MOST_REMARKS: usize = 256;
/// How long a server's question waits for a client to come.
const COMING: Duration = Duration::from_secs(5);

/// Hears servers on behalf of all clients.
pub struct Ear {
    remarks: broadcast::Sender<Remark>,
    clients: Mutex<Vec<Weak<Client>>>,
    /// What the first client said that it can do.
    first: watch::Sender<Option<Box<RawValue>>>,
    pub(super) watched: Watched,
}

#[derive(Deserialize)]
struct Updated {
    uri: String,
}

impl Ear {
    pub(crate) fn new() -> Arc<Ear> {
        Arc::new(Ear {
            remarks: broadcast::Sender::new(MOST_REMARKS),
            clients: Mutex::default(),
            first: watch::Sender::default(),
            watched: Watched::default(),
        })
    }

    pub(crate) fn remarks(&self) -> broadcast::Receiver<Remark> {
        self.remarks.subscribe()
    }

    /// Takes note of a client.
    pub(crate) fn meet(&self, client: &Arc<Client>) {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|it| it.strong_count() > 0);
        clients.push(Arc::downgrade(client));
        drop(clients);
        self.first.send_if_modified(|first| {
            let is_first = first.is_none();
            if is_first {
                *first =
                    Some(client.capabilities().map(|it| (**it).to_owned()).unwrap_or_default());
            }
            is_first
        });
    }

    /// What the first client can do, once there is one.
    pub(crate) async fn first_client(self: Arc<Ear>) -> Box<RawValue> {
        let mut first = self.first.subscribe();
        let known = first.wait_for(Option::is_some).await.ok().and_then(|it| it.clone());
        known.unwrap_or_default()
    }

    /// The clients that are there.
    pub(super) fn clients(&self) -> Vec<Arc<Client>> {
        let clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.iter().filter_map(Weak::upgrade).filter(|it| !it.end.is_cancelled()).collect()
    }

    /// Tells all who listen that a resource has changed.
    pub(crate) fn updated(&self, uri: &Arc<str>) {
        // Nobody may be listening.
        let _ = self.remarks.send(Remark::Updated(Arc::clone(uri)));
    }

    /// The only client that can be asked such a question of no call, or why there is none.
    async fn only_client(&self, method: &str) -> Result<Arc<Client>, Error> {
        let mut first = self.first.subscribe();
        let _ = timeout(COMING, first.wait_for(Option::is_some)).await;
        let mut clients = self.clients();
        clients.retain(|it| it.ear().is_some());
        let unable =
            clients.iter().find_map(|it| refusal(it.capabilities().map(|it| &**it), method));
        clients.retain(|it| refusal(it.capabilities().map(|it| &**it), method).is_none());
        match (clients.len(), clients.pop(), unable) {
            (1, Some(client), _) => Ok(client),
            (0, _, Some(unable)) => Err(unable),
            (0, _, None) => Err(unheard(method)),
            _ => {
                let message = format!(
                    "it is not clear whom `{method}` is for: it belongs to no call, and several \
                     clients could answer"
                );
                Err(Error::new(Error::METHOD_NOT_FOUND, message))
            }
        }
    }
}

impl Ear {
    /// Tells of a change of a resource of a server, by every URI under which it is watched.
    pub(super) fn changed(&self, server: &ServerName, uri: &str) {
        self.watched.shown(server, uri).iter().for_each(|it| self.updated(it));
    }
}

impl Audience for Ear {
    fn told(&self, server: &ServerName, method: &str, params: Option<&RawValue>) {
        let remark = match method {
            "notifications/message" => {
                Remark::Log(levels::of_message(params), message(method, params))
            }
            "notifications/resources/updated" => {
                let updated = params.and_then(|it| serde_json::from_str::<Updated>(it.get()).ok());
                return updated.iter().for_each(|it| self.changed(server, &it.uri));
            }
            _ if is_between_neighbours(method) => return,
            _ => Remark::Other(message(method, params)),
        };
        let _ = self.remarks.send(remark);
    }

    fn asked<'a>(
        &'a self,
        _: &'a ServerName,
        method: &'a str,
        params: Option<&'a RawValue>,
    ) -> Answering<'a> {
        Box::pin(async move {
            let client = self.only_client(method).await?;
            let Some(lane) = client.ear() else { return Err(unheard(method)) };
            tokio::select! {
                answer = client.ask(lane, method, params.as_ref()) => answer.map_err(Error::from),
                () = client.unheard() => Err(unheard(method)),
            }
        })
    }
}

/// Why a question of no call is not asked if nobody listens.
fn unheard(method: &str) -> Error {
    let message =
        format!("nobody can be asked `{method}` now: it belongs to no call, and no client listens");
    Error::new(Error::METHOD_NOT_FOUND, message)
}

/// Whether a notification says something of a request between a server and us, by an id that means
/// nothing, or something else, to clients.
pub(super) fn is_between_neighbours(method: &str) -> bool {
    let about_requests = ["progress", "cancelled", "subscriptions/acknowledged"];
    method.strip_prefix("notifications/").is_some_and(|it| about_requests.contains(&it))
}

fn message(method: &str, params: Option<&RawValue>) -> Bytes {
    let mut out = Vec::new();
    write::notification(&mut out, method, params.as_ref());
    out.into()
}
