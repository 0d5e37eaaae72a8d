//! Announcements: what a client of an earlier revision hears without asking.

use std::sync::Arc;

use metier_wire::write;
use serde::Serialize;
use tokio::sync::broadcast::{self, error::RecvError};

use super::news::{List, News};
use crate::{
    client::Client,
    lane::{Kind, Lane},
    responder::Remark,
};

/// What a client is told of a resource that has changed.
pub(super) const UPDATED: &str = "notifications/resources/updated";

#[derive(Serialize)]
struct Updated<'a> {
    uri: &'a str,
}

/// Tells one client what it wants to hear.
pub(super) struct Announcer {
    pub(super) news: News,
    pub(super) remarks: broadcast::Receiver<Remark>,
    pub(super) client: Arc<Client>,
    pub(super) lane: Lane,
}

impl Announcer {
    /// Tells the client until it is gone.
    pub(super) async fn run(mut self) {
        let end = self.client.end.clone();
        loop {
            tokio::select! {
                () = end.cancelled() => return,
                () = self.lane.closed() => return,
                changed = self.news.next() => match changed {
                    Ok(lists) => self.announce(&lists).await,
                    Err(_) => return,
                },
                () = self.client.sees_more.notified() => self.announce(&[List::Tools]).await,
                remark = next(&mut self.remarks) => self.pass_on(remark).await,
            }
        }
    }

    async fn announce(&self, lists: &[List]) {
        for list in lists {
            let mut out = Vec::new();
            write::notification(&mut out, list.notification(), None::<&()>);
            self.lane.send(Kind::Notice, out).await;
        }
    }

    async fn pass_on(&self, remark: Remark) {
        let (kind, message) = match remark {
            Remark::Log(level, message) if level >= self.client.level() => {
                (Kind::Aside, message.into())
            }
            Remark::Updated(uri) if self.client.watches(&uri) => {
                let mut out = Vec::new();
                write::notification(&mut out, UPDATED, Some(&Updated { uri: &uri }));
                (Kind::Notice, out)
            }
            Remark::Other(message) => (Kind::Aside, message.into()),
            Remark::Log(..) | Remark::Updated(..) => return,
        };
        self.lane.send(kind, message).await;
    }
}

/// The next remark. A client that is slow misses some; nobody keeps them for it.
pub(super) async fn next(remarks: &mut broadcast::Receiver<Remark>) -> Remark {
    loop {
        match remarks.recv().await {
            Ok(remark) => return remark,
            Err(RecvError::Lagged(n_missed)) => tracing::debug!(n_missed, "a client is slow"),
            Err(RecvError::Closed) => return std::future::pending().await,
        }
    }
}
