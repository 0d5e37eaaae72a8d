//! `POST /mcp`: one message, of either era.

use std::{
    cell::{Cell, OnceCell},
    sync::Arc,
    time::Duration,
};

use axum::{
    body::{Body, to_bytes},
    extract::State as Shared,
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER},
    },
    response::Response,
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use metier_wire::{
    Era, Error, Fault, Frame, Message, Meta, Request, Revision,
    header::{self, Mirror},
    write,
};
use tokio::sync::mpsc;

use super::{
    State,
    events::{self, Resumed},
    reply,
    sessions::{Client, Full},
};
use crate::{
    MESSAGE_LIMIT,
    lane::{Kind, Lane, Outgoing},
    replay::Replay,
    session::{Asked, Session, Taken},
};

/// How long a client waits in silence before the answer becomes a stream that shows life.
const PATIENCE: Duration = Duration::from_secs(10);

const WITHOUT_SESSION: &str = "header Mcp-Session-Id is missing: send `initialize` first, \
                               or the metadata of revision 2026-07-28";

/// A response that ends the handling of a request early.
pub(super) struct Refusal(pub(super) Box<Response>);

impl From<Response> for Refusal {
    fn from(response: Response) -> Refusal {
        Refusal(Box::new(response))
    }
}

pub(super) async fn post(
    Shared(state): Shared<Arc<State>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    match taken(&state, &headers, body).await {
        Ok(response) => response,
        Err(Refusal(response)) => *response,
    }
}

/// Answers a message, or says early why not.
async fn taken(state: &State, headers: &HeaderMap, body: Body) -> Result<Response, Refusal> {
    let wants = Wants::new(headers)?;
    let body = read(headers, body).await?;
    let Ok(_permit) = state.requests.try_acquire() else { return Err(busy().into()) };
    let frame = match Frame::read(&body) {
        Ok(frame) => frame,
        Err(fault) => return Err(refused(StatusCode::BAD_REQUEST, &fault).into()),
    };
    if let Frame::One(Message::Request(request)) = &frame
        && let Some(meta) = modern(request, headers)?
    {
        return Ok(run_modern(state, request, &meta, wants).await);
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
    run_legacy(state, headers, frame, wants).await
}

/// The metadata of a request of 2026-07-28; `None` for one of an earlier revision.
fn modern<'a>(request: &Request<'a>, headers: &HeaderMap) -> Result<Option<Meta<'a>>, Refusal> {
    let refuse = |error| {
        Refusal::from(refused(StatusCode::BAD_REQUEST, &Fault { id: Some(request.id), error }))
    };
    let meta = Meta::of(request.params).map_err(refuse)?;
    let Some(revision) = meta.modern().map_err(refuse)? else {
        return if is_modern(headers) { Err(refuse(Meta::absent())) } else { Ok(None) };
    };
    let mirror = Mirror {
        revision: text(headers, header::PROTOCOL_VERSION),
        method: text(headers, header::METHOD),
        name: text(headers, header::NAME),
    };
    mirror.check(request, revision.as_str()).map_err(refuse)?;
    Ok(Some(meta))
}

/// Runs a request that needs no session. Who hangs up cancels it.
async fn run_modern(
    state: &State,
    request: &Request<'_>,
    meta: &Meta<'_>,
    wants: Wants,
) -> Response {
    let session = Session::new(&state.server, None);
    let asked = Asked { request, meta, revision: Revision::V2026_07_28 };
    let mut out = Vec::new();
    match run(&session, &asked, &mut out) {
        (Taken::Running, Some(queue)) => streamed(queue, wants, session).await,
        (Taken::Refused(code), _) => reply::json(reply::modern_status(code), out),
        (Taken::Answered | Taken::Silently | Taken::Running, _) => wants.whole(StatusCode::OK, out),
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
    session: Arc<Session>,
) -> Response {
    let first = match tokio::time::timeout(PATIENCE, queue.recv()).await {
        Ok(None) => return accepted(),
        Ok(Some(Outgoing { kind: Kind::Reply, message })) => {
            return wants.whole(StatusCode::OK, message);
        }
        Ok(first) => first,
        Err(_) => None,
    };
    let events = events::of_queue(first, queue);
    reply::events(events.map(move |event| {
        // The session ends with the stream.
        let _session = &session;
        event
    }))
}

async fn run_legacy(
    state: &State,
    headers: &HeaderMap,
    frame: Frame<'_>,
    wants: Wants,
) -> Result<Response, Refusal> {
    if let Some(revision) = text(headers, header::PROTOCOL_VERSION)
        && Revision::named(revision).is_none()
    {
        let error = Error::unsupported_revision(revision);
        return Err(reply::error(StatusCode::BAD_REQUEST, &error).into());
    }
    let is_first = matches!(&frame, Frame::One(Message::Request(it)) if it.method == "initialize");
    let client = match text(headers, header::SESSION) {
        Some(id) => state.sessions.find(id).ok_or_else(|| Refusal::from(no_session()))?,
        None if is_first => state.sessions.streamable(),
        None => return Err(reply::refusal(StatusCode::BAD_REQUEST, WITHOUT_SESSION).into()),
    };
    let is_new = text(headers, header::SESSION).is_none();
    let mut out = Vec::new();
    match take(&client, frame, &mut out) {
        (Taken::Silently, _) => Ok(accepted()),
        (Taken::Running, Some(replay)) => Ok(resumable(&client, replay, wants).await),
        (Taken::Answered, _) if is_new => admitted(state, client, wants.whole(StatusCode::OK, out)),
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
        response.headers_mut().insert(header::SESSION, id);
    }
    Ok(response)
}

/// The reply if it is the first message to come, else a stream that can be resumed.
async fn resumable(client: &Arc<Client>, replay: Arc<Replay>, wants: Wants) -> Response {
    let connection = client.connect();
    let mut reader = replay.reader(None);
    let first = tokio::select! {
        first = tokio::time::timeout(PATIENCE, replay.next(&mut reader)) => first,
        () = client.session.end.cancelled() => return no_session(),
    };
    match first {
        Ok(Some((_, Outgoing { kind: Kind::Reply, message }))) => {
            return wants.whole(StatusCode::OK, message);
        }
        Ok(None) => return accepted(),
        Ok(Some(_)) | Err(_) => {}
    }
    let number = client.keep(&replay);
    let reader = replay.reader(Some(0));
    let stop = client.session.end.clone();
    let is_primed = client.session.revision() >= Some(Revision::V2025_11_25);
    let primer = is_primed.then(|| Ok(events::primer(number)));
    let rest = Resumed { number, replay, reader, stop }.events(connection);
    reply::events(stream::iter(primer).chain(rest))
}

/// What kinds of body a client takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    Json,
    OnlyEvents,
}

impl Wants {
    fn new(headers: &HeaderMap) -> Result<Wants, Refusal> {
        let mut accepts =
            headers.get_all(ACCEPT).iter().filter_map(|it| it.to_str().ok()).peekable();
        if accepts.peek().is_none() {
            return Ok(Wants::Json);
        }
        let accepts: Vec<&str> = accepts
            .flat_map(|it| it.split(','))
            .map(|it| it.split(';').next().unwrap_or_default().trim())
            .collect();
        if accepts.iter().any(|it| matches!(*it, "application/json" | "application/*" | "*/*")) {
            return Ok(Wants::Json);
        }
        if accepts.iter().any(|it| matches!(*it, "text/event-stream" | "text/*")) {
            return Ok(Wants::OnlyEvents);
        }
        let reason = "header Accept must name application/json and text/event-stream";
        Err(reply::refusal(StatusCode::NOT_ACCEPTABLE, reason).into())
    }

    /// A reply that stands alone.
    fn whole(self, status: StatusCode, message: impl Into<Bytes>) -> Response {
        match self {
            Wants::Json => reply::json(status, message),
            Wants::OnlyEvents => {
                let message = Outgoing { kind: Kind::Reply, message: message.into() };
                let event = events::framed(None, &message);
                reply::events(stream::iter([Ok(event)]))
            }
        }
    }
}

/// The body, if it is JSON and not too long.
pub(super) async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let reason = "header Content-Type must be application/json";
        return Err(reply::refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, reason).into());
    }
    to_bytes(body, MESSAGE_LIMIT).await.map_err(|_| {
        let reason = format!("the message is longer than {MESSAGE_LIMIT} bytes, or broke off");
        reply::refusal(StatusCode::PAYLOAD_TOO_LARGE, reason).into()
    })
}

/// Whether the client says in a header that it speaks 2026-07-28.
pub(super) fn is_modern(headers: &HeaderMap) -> bool {
    let revision = text(headers, header::PROTOCOL_VERSION).and_then(Revision::named);
    revision.is_some_and(|it| it.era() == Era::Modern)
}

pub(super) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

pub(super) fn accepted() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

pub(super) fn no_session() -> Response {
    let reason = "there is no such session (any more): send `initialize` again";
    reply::refusal(StatusCode::NOT_FOUND, reason)
}

pub(super) fn busy() -> Response {
    let reason = "too many requests or sessions at a time: try again soon";
    let mut response = reply::refusal(StatusCode::SERVICE_UNAVAILABLE, reason);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

fn refused(status: StatusCode, fault: &Fault<'_>) -> Response {
    let mut out = Vec::new();
    write::error(&mut out, fault.id, &fault.error);
    reply::json(status, out)
}
