//! Batches: several messages as one array, answered as one array.

use std::sync::Arc;

use metier_upstreams::pump::When;
use metier_wire::{Error, Fault, Message, Revision};
use tokio::sync::mpsc;

use super::{Session, Taken};
use crate::lane::{Kind, Lane, Outgoing};

impl Session {
    /// Takes a batch, if the session's revision has them.
    pub(super) fn take_batch(
        self: &Arc<Session>,
        members: Vec<Result<Message<'_>, Fault<'_>>>,
        lane: &dyn Fn() -> Lane,
        out: &mut Vec<u8>,
    ) -> Taken {
        if !self.revision().is_some_and(Revision::has_batches) {
            let message = "batches are for sessions of revision 2025-03-26: \
                           send one message at a time";
            return self.refuse(&Fault { id: None, error: Error::invalid_request(message) }, out);
        }
        let (own, replies) = Lane::queue();
        let mut answered = Vec::new();
        let mut is_running = false;
        for member in members {
            let mut reply = Vec::new();
            let taken = match member {
                Ok(message) => self.take_message(message, &|| own.clone(), &mut reply),
                Err(fault) => self.refuse(&fault, &mut reply),
            };
            match taken {
                Taken::Silently => {}
                Taken::Answered | Taken::Refused(_) => answered.push(reply),
                Taken::Running => is_running = true,
            }
        }
        match (is_running, answered.is_empty()) {
            (true, _) => {
                let gather = gather(replies, answered, lane());
                self.server.home.begin(When::Soon, gather);
                Taken::Running
            }
            (false, true) => Taken::Silently,
            (false, false) => {
                out.extend_from_slice(&array(&answered));
                Taken::Answered
            }
        }
    }
}

/// Waits for the replies that are still missing; cancelled requests have none.
async fn gather(mut replies: mpsc::Receiver<Outgoing>, mut answered: Vec<Vec<u8>>, lane: Lane) {
    while let Some(Outgoing { kind, message }) = replies.recv().await {
        match kind {
            Kind::Reply | Kind::Refusal(_) => answered.push(message.into()),
            Kind::Aside | Kind::Notice => lane.send(kind, message.into()).await,
            Kind::End => break,
        }
    }
    if answered.is_empty() {
        return lane.leave();
    }
    lane.send(Kind::Reply, array(&answered)).await;
}

fn array(members: &[Vec<u8>]) -> Vec<u8> {
    [b"[".as_slice(), &members.join(&b','), b"]"].concat()
}
