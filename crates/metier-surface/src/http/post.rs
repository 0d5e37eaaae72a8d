//! `POST /mcp`: one message, of either era.

use std::{
    cell::{Cell, OnceCell},
    sync::Arc,
    time::Duration,
};

use axum::{
    body::Body,
    extract::State as Shared,
    http::{HeaderMap, HeaderValue, StatusCode},
    response::Response,
};
use futures_util::{StreamExt, stream};
use metier_wire::{
    Error, Fault, Frame, Message, Meta, Request, Revision,
    header::{self, Mirror},
};
use tokio::sync::mpsc;

use super::{
    Place, State,
    events::{self, Resumed},
    reply::{self, Refusal, accepted, busy, no_session},
    request::{PROTOCOL_VERSION, SESSION, Wants, is_modern, read, text},
    sessions::{Client, Full},
};
use crate::{
    lane::{Kind, Lane, Outgoing},
    replay::Replay,
    session::{Asked, Session, Taken},
};

/// How long a client waits in silence before the answer becomes a stream that shows life.
const PATIENCE: Duration = Duration::from_secs(10);

const WITHOUT_SESSION: &str = "header Mcp-Session-Id is missing: send `initialize` first, \
                               or the metadata of revision 2026-07-28";

pub(super) async fn post(
    Shared(state): Shared<Arc<State>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    match answer(&state, &headers, body).await {
        Ok(response) => response,
        Err(Refusal(response)) => *response,
    }
}

/// Answers a message, or says early why not.
async fn answer(state: &State, headers: &HeaderMap, body: Body) -> Result<Response, Refusal> {
    let wants = Wants::of(headers)?;
    let place = state.place()?;
    let body = read(headers, body).await?;
    let frame = match Frame::read(&body) {
        Ok(frame) => frame,
        Err(fault) => return Err(reply::fault(StatusCode::BAD_REQUEST, &fault).into()),
    };
    if let Frame::One(Message::Request(request)) = &frame
        && let Some(meta) = modern(request, headers)?
    {
        check_arguments(state, request, headers)?;
        let session = Session::new(&state.server, None);
        let asked = Asked { request, meta: &meta, revision: Revision::V2026_07_28 };
        return Ok(run_modern(session, &asked, wants, place).await);
    }
    if is_modern(headers) {
        return match frame {
            Frame::One(_) => Ok(accepted()),
            Frame::Batch(_) => {
                let message = "revision 2026-07-28 has no batches: send one message at a time";
                Err(reply::refusal(StatusCode::BAD_REQUEST, message).into())
            }
        };
    }
    run_legacy(state, headers, frame, (wants, place)).await
}

/// Checks the headers that repeat arguments of a tool.
fn check_arguments(
    state: &State,
    request: &Request<'_>,
    headers: &HeaderMap,
) -> Result<(), Refusal> {
    for (name, argument) in state.server.responder.mirrored(request) {
        header::repeats(&name, text(headers, &name), &argument).map_err(|error| {
            let fault = Fault { id: Some(request.id), error };
            reply::fault(StatusCode::BAD_REQUEST, &fault)
        })?;
    }
    Ok(())
}

/// The metadata of a request of 2026-07-28; `None` for one of an earlier revision.
fn modern<'a>(request: &Request<'a>, headers: &HeaderMap) -> Result<Option<Meta<'a>>, Refusal> {
    let refuse = |error| {
        let fault = Fault { id: Some(request.id), error };
        Refusal::from(reply::fault(StatusCode::BAD_REQUEST, &fault))
    };
    let meta = Meta::of(request.params).map_err(refuse)?;
    // Headers that say something else come before a revision that nobody knows.
    if let Some(revision) = &meta.revision {
        let mirror = Mirror {
            revision: text(headers, &PROTOCOL_VERSION),
            method: text(headers, header::METHOD),
            name: text(headers, header::NAME),
        };
        mirror.check(request, &revision.0).map_err(refuse)?;
    }
    match meta.modern().map_err(refuse)? {
        Some(_) => Ok(Some(meta)),
        None if is_modern(headers) => Err(refuse(Meta::absent())),
        None => Ok(None),
    }
}

/// Runs a request that needs no session. Who hangs up cancels it.
async fn run_modern(
    session: Arc<Session>,
    asked: &Asked<'_>,
    wants: Wants,
    place: Place,
) -> Response {
    let mut out = Vec::new();
    match run(&session, asked, &mut out) {
        (Taken::Running, Some(queue)) => streamed(queue, wants, (Alone(session), place)).await,
        (Taken::Refused(code), _) => wants.refusal(code, out),
        (Taken::Answered | Taken::Silently | Taken::Running, _) => wants.whole(StatusCode::OK, out),
    }
}

/// The session of one request, which ends with it.
struct Alone(Arc<Session>);

impl Drop for Alone {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Runs a request; an answer that comes later takes a queue of its own.
fn run(
    session: &Arc<Session>,
    asked: &Asked<'_>,
    out: &mut Vec<u8>,
) -> (Taken, Option<mpsc::Receiver<Outgoing>>) {
    let queue = Cell::new(None);
    let lane = || {
        let (lane, far_end) = Lane::queue();
        queue.set(Some(far_end));
        lane
    };
    let taken = session.run(asked, &lane, out);
    (taken, queue.into_inner())
}

/// The reply if it is the first message to come, else a stream of all of them.
async fn streamed(
    mut queue: mpsc::Receiver<Outgoing>,
    wants: Wants,
    held: (Alone, Place),
) -> Response {
    let first = match tokio::time::timeout(PATIENCE, queue.recv()).await {
        Ok(None) => return accepted(),
        Ok(Some(Outgoing { kind: Kind::Reply, message })) => {
            return wants.whole(StatusCode::OK, message);
        }
        Ok(Some(Outgoing { kind: Kind::Refusal(code), message })) => {
            return wants.refusal(code, message);
        }
        Ok(first) => first,
        Err(_) => None,
    };
    let events = events::of_queue(first, queue);
    reply::events(events.map(move |event| {
        // Session and place last as long as the stream.
        let _held = &held;
        event
    }))
}

async fn run_legacy(
    state: &State,
    headers: &HeaderMap,
    frame: Frame<'_>,
    (wants, place): (Wants, Place),
) -> Result<Response, Refusal> {
    if let Some(revision) = text(headers, &PROTOCOL_VERSION)
        && Revision::named(revision).is_none()
    {
        let fault = Fault { id: None, error: Error::unsupported_revision(revision) };
        return Err(reply::fault(StatusCode::BAD_REQUEST, &fault).into());
    }
    let is_first = matches!(&frame, Frame::One(Message::Request(it)) if it.method == "initialize");
    let session = text(headers, &SESSION);
    let client = match session {
        Some(id) => state.sessions.find(id).ok_or_else(|| Refusal::from(no_session()))?,
        None if is_first => state.sessions.streamable(),
        None => return Err(reply::refusal(StatusCode::BAD_REQUEST, WITHOUT_SESSION).into()),
    };
    let mut out = Vec::new();
    match take(&client, frame, &mut out) {
        (Taken::Silently, _) => Ok(accepted()),
        (Taken::Running, Some(replay)) => Ok(resumable(&client, replay, wants, place).await),
        (Taken::Answered, _) if session.is_none() => {
            admitted(state, client, wants.whole(StatusCode::OK, out))
        }
        (Taken::Answered | Taken::Refused(_) | Taken::Running, _) => {
            Ok(wants.whole(StatusCode::OK, out))
        }
    }
}

/// Takes what came; an answer that comes later takes a stream of its own.
fn take(client: &Client, frame: Frame<'_>, out: &mut Vec<u8>) -> (Taken, Option<Arc<Replay>>) {
    let replay = OnceCell::new();
    let lane = || Lane::Replay(Arc::clone(replay.get_or_init(Arc::<Replay>::default)));
    let taken = client.session.take(Ok(frame), &lane, out);
    (taken, replay.into_inner())
}

/// The answer to `initialize`, with the session's id.
fn admitted(
    state: &State,
    client: Arc<Client>,
    mut response: Response,
) -> Result<Response, Refusal> {
    let id = state.sessions.admit(client).map_err(|Full| Refusal::from(busy()))?;
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(&SESSION, id);
    }
    Ok(response)
}

/// The reply if it is the first message to come, else a stream that can be resumed.
async fn resumable(
    client: &Arc<Client>,
    replay: Arc<Replay>,
    wants: Wants,
    place: Place,
) -> Response {
    let connection = client.connect();
    let mut reader = replay.reader(None);
    match tokio::time::timeout(PATIENCE, replay.next(&mut reader)).await {
        Ok(Some((_, Outgoing { kind: Kind::Reply | Kind::Refusal(_), message }))) => {
            return wants.whole(StatusCode::OK, message);
        }
        Ok(None) if client.session.client.end.is_cancelled() => return no_session(),
        Ok(None) => return accepted(),
        Ok(Some(_)) | Err(_) => {}
    }
    let number = client.keep(&replay);
    let reader = replay.reader(Some(0));
    let stop = client.session.client.end.clone();
    let is_primed = client.session.revision() >= Some(Revision::V2025_11_25);
    let primer = is_primed.then(|| Ok(events::primer(number)));
    let rest = Resumed { number, replay, reader, stop }.events((connection, place));
    reply::events(stream::iter(primer).chain(rest))
}
