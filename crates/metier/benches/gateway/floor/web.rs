//! On HTTP: a bare axum handler in front of the tool itself, and one in front of a proxy.

use std::{
    io,
    os::fd::OwnedFd,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderName, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
    serve::ListenerExt,
};
use memchr::memchr;
use tokio::{
    net::{
        TcpListener,
        unix::pipe::{Receiver, Sender},
    },
    runtime::Builder,
    sync::oneshot,
};
use tokio_util::task::TaskTracker;

use super::{
    echo,
    proxy::{Front, Upstreams},
    surgery::{Call, Pending, answer_to},
};

/// Who waits for the answers of the servers.
type Waiting = Pending<oneshot::Sender<Vec<u8>>>;

struct Proxy {
    ways: Vec<Mutex<Sender>>,
    waiting: Waiting,
    front: Front,
}

/// Serves the tool.
pub(super) fn echo(port: u16) -> io::Result<()> {
    let answer = async |message: Bytes| {
        let mut out = Vec::new();
        echo::answer(&message, &mut out);
        response(out)
    };
    block_on(serve(Router::new().route("/mcp", post(answer)), port))
}

/// Serves a proxy.
pub(super) fn proxy(upstreams: Upstreams, port: u16) -> io::Result<()> {
    block_on(async {
        let mut receivers = Vec::new();
        let mut ways = Vec::new();
        for upstream in upstreams.all {
            ways.push(Mutex::new(Sender::from_owned_fd(OwnedFd::from(upstream.to))?));
            let from = OwnedFd::from(upstream.from.into_inner());
            receivers.push(Receiver::from_owned_fd(from)?);
        }
        let proxy = Arc::new(Proxy { ways, waiting: Waiting::new(), front: upstreams.front });
        let tasks = TaskTracker::new();
        for from in receivers {
            tasks.spawn(bring_back(from, proxy.clone()));
        }
        serve(Router::new().route("/mcp", post(forward)).with_state(proxy), port).await
    })
}

fn block_on(serving: impl Future<Output = io::Result<()>>) -> io::Result<()> {
    Builder::new_multi_thread().enable_all().build()?.block_on(serving)
}

async fn serve(router: Router, port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await
}

async fn forward(State(proxy): State<Arc<Proxy>>, message: Bytes) -> Response {
    let mut out = Vec::new();
    let Some(call) = Call::read(&message) else {
        proxy.front.answer(&message, &mut out);
        return response(out);
    };
    let (sender, receiver) = oneshot::channel();
    call.write(proxy.waiting.keep(sender), &mut out);
    out.push(b'\n');
    // A pipe takes so short a line as a whole or not at all; what is in flight always fits.
    if proxy.ways[call.upstream].lock().unwrap().try_write(&out).is_err() {
        return StatusCode::BAD_GATEWAY.into_response();
    }
    let Ok(line) = receiver.await else { return StatusCode::BAD_GATEWAY.into_response() };
    out.clear();
    answer_to(call.id(), &line, &mut out);
    response(out)
}

/// Gives each answer of one server to who waits for it.
async fn bring_back(from: Receiver, proxy: Arc<Proxy>) -> io::Result<()> {
    // No line is longer than what a pipe holds.
    let (mut buffer, mut end) = (vec![0; 1 << 16], 0);
    loop {
        from.readable().await?;
        match from.try_read(&mut buffer[end..]) {
            Ok(0) => return Ok(()),
            Ok(read) => end += read,
            Err(it) if it.kind() == io::ErrorKind::WouldBlock => continue,
            Err(it) => return Err(it),
        }
        let mut start = 0;
        while let Some(length) = memchr(b'\n', &buffer[start..end]) {
            let line = &buffer[start..start + length];
            if let Some(sender) = proxy.waiting.take(line) {
                let _ = sender.send(line.to_vec());
            }
            start += length + 1;
        }
        buffer.copy_within(start..end, 0);
        end -= start;
    }
}

fn response(out: Vec<u8>) -> Response {
    if out.is_empty() {
        return StatusCode::ACCEPTED.into_response();
    }
    // Clients send a session's id with each request, so let there be one.
    ([(CONTENT_TYPE, "application/json"), SESSION], out).into_response()
}

const SESSION: (HeaderName, &str) =
    (HeaderName::from_static("mcp-session-id"), "5f8e8e7c-2f0d-4b52-9a59-2d1b0e6c7a11");
