//! The older HTTP transport: one stream for all that comes, a request each for what goes.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};
use tokio_util::task::TaskTracker;

use super::{
    Failed, Piped,
    events::{Data, Event, Events},
    lines::LONGEST_LINE,
    piped::{Inbox, Outgoing, unpanicked},
    refusal::{refusal, whole},
    remote::{Kind, Remote},
    switchboard::{Ending, Switchboard},
};
use crate::{
    spec::Site,
    web::{Body, Web},
};

/// How many requests may be on their way at a time.
const MOST_SENDING: usize = 64;
/// How long those wait that come after a notification.
const PATIENCE: Duration = Duration::from_secs(10);

/// Connects to a server that speaks it.
pub(crate) async fn legacy_sse(
    site: &Site,
    web: &Web,
    board: &Arc<Switchboard>,
    tasks: &TaskTracker,
) -> Result<Piped, Failed> {
    let remote = Remote::new(site, web.clone())?;
    let (piped, inbox, outgoing) = Piped::new(board, tasks);
    let mut events = Events::new(open(&remote).await?);
    let door = first_door(&remote, &mut events, &inbox).await?;
    let (door, doors) = watch::channel(door);
    let writer = Writer { doors, inbox: inbox.clone(), board: board.clone() };
    let over = board.clone();
    tasks.spawn(async move {
        tokio::select! {
            () = writer.write(outgoing) => {}
            () = over.over() => {}
        }
    });
    let over = board.clone();
    tasks.spawn(async move {
        let reading = unpanicked(read(&remote, events, &inbox, &door));
        tokio::select! {
            reason = reading => over.end(&Ending::Lost(reason)),
            () = over.over() => {}
        }
    });
    Ok(piped)
}

/// Opens the stream of all that comes.
async fn open(remote: &Remote) -> Result<Body, Failed> {
    let accept = [(ACCEPT, HeaderValue::from_static("text/event-stream"))];
    let response = remote.send(Method::GET, HeaderMap::from_iter(accept), Vec::new()).await?;
    let status = response.status();
    if !status.is_success() {
        return Err(refusal(remote, response).await);
    }
    if Kind::of(response.headers()) != Kind::Events {
        let text = "it offers no stream of events".to_owned();
        return Err(Failed::Status { status: status.as_u16(), text });
    }
    Ok(response.into_body())
}

/// Waits until the server says where messages go.
async fn first_door(remote: &Remote, events: &mut Events, inbox: &Inbox) -> Result<Remote, Failed> {
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| Failed::Unsent(error.to_string()))?;
        if let Some(door) = door(remote, &event) {
            return door;
        }
        take(inbox, &event);
    }
    Err(Failed::Unsent("the stream ended before it said where messages go".to_owned()))
}

/// The place for messages that an event names, if it names one.
fn door(remote: &Remote, event: &Event) -> Option<Result<Remote, Failed>> {
    let Data::Whole(data) = &event.data else { return None };
    let text = str::from_utf8(data).ok().filter(|_| event.name == "endpoint")?;
    let no_address = || Failed::Unsent("where messages go is not an address".to_owned());
    let url = remote.url().join(text.trim()).map_err(|_| no_address());
    Some(url.and_then(|url| remote.at(url)))
}

fn take(inbox: &Inbox, event: &Event) {
    match event.message() {
        Some(Data::Whole(bytes)) => inbox.take(bytes),
        Some(Data::TooLong(id)) => inbox.give_up(*id),
        None => {}
    }
}

/// Takes in events until there are no more; says why.
async fn read(
    remote: &Remote,
    mut events: Events,
    inbox: &Inbox,
    doors: &watch::Sender<Remote>,
) -> String {
    while let Some(event) = events.next().await {
        match event {
            Err(error) => return error.to_string(),
            Ok(event) => match door(remote, &event) {
                Some(Ok(door)) => drop(doors.send_replace(door)),
                Some(Err(failed)) => return failed.to_string(),
                None => take(inbox, &event),
            },
        }
    }
    "it closed its stream".to_owned()
}

/// What sends messages on their way.
struct Writer {
    doors: watch::Receiver<Remote>,
    inbox: Inbox,
    board: Arc<Switchboard>,
}

impl Writer {
    /// Sends messages in their order. What follows a notification may build on it, so it waits
    /// until that was taken; requests do not wait for each other, as a server may keep one open
    /// until it has its answer.
    async fn write(&self, mut outgoing: mpsc::Receiver<Outgoing>) {
        let mut sending = FuturesUnordered::new();
        loop {
            tokio::select! {
                next = outgoing.recv(), if sending.len() < MOST_SENDING => match next {
                    Some(next @ Outgoing { id: Some(_), .. }) => sending.push(self.send(next)),
                    Some(next) => {
                        let mut told = std::pin::pin!(timeout(PATIENCE, self.send(next)));
                        while tokio::select! {
                            _ = &mut told => false,
                            Some(()) = sending.next() => true,
                        } {}
                    }
                    None => return,
                },
                Some(()) = sending.next() => {}
            }
        }
    }

    async fn send(&self, outgoing: Outgoing) {
        let Outgoing { id, message } = outgoing;
        let Err(failed) = self.post(message).await else { return };
        tracing::debug!(%failed, "a message was not taken");
        if matches!(failed, Failed::Unsent(_) | Failed::Lost(_)) {
            self.board.trouble();
        }
        let is_gone = matches!(failed, Failed::Expired);
        if let Some(id) = id {
            self.board.fail(id, failed);
        }
        if is_gone {
            // Others may have been taken before, so theirs are not the words for it.
            self.board.end(&Ending::Lost("the server no longer knows our session".to_owned()));
        }
    }

    async fn post(&self, message: Vec<u8>) -> Result<(), Failed> {
        let door = self.doors.borrow().clone();
        let json = HeaderValue::from_static("application/json");
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, json)]);
        let response = door.send(Method::POST, headers, message).await?;
        match response.status() {
            StatusCode::NOT_FOUND | StatusCode::GONE => Err(Failed::Expired),
            status if !status.is_success() => Err(refusal(&door, response).await),
            // Some give the answer here instead of on the stream.
            _ if Kind::of(response.headers()) == Kind::Json => {
                let body = whole(response.into_body(), LONGEST_LINE).await?;
                self.inbox.take(&body.unwrap_or_default());
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
