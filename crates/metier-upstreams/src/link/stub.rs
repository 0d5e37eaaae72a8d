//! A server for tests that answers by a script, one request after another, and keeps a log.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::Request,
    response::Response,
};
use futures_util::{StreamExt, stream};
use metier_wire::{Frame, Message};

use super::{Failed, Reply};
use crate::{
    spec::{Secrets, Site},
    web::Web,
};

/// The headers that the log shows.
const SHOWN: [&str; 7] = [
    "authorization",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-param-region",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// A server that answers by a script.
///
/// An answer is a status, headers of a line each, an empty line and a body. A body that ends in
/// `<hang>` never ends, and one that ends in `<break>` breaks off; the answer `<hang>` never comes.
#[derive(Clone)]
pub(crate) struct Stub(Arc<Mutex<Play>>);

struct Play {
    script: VecDeque<String>,
    log: Vec<String>,
}

impl Stub {
    pub(crate) fn new(script: &[&str]) -> Stub {
        let script = script.iter().map(|it| (*it).to_owned()).collect();
        Stub(Arc::new(Mutex::new(Play { script, log: Vec::new() })))
    }

    pub(crate) fn web(&self) -> Web {
        let stub = self.clone();
        Web::of(Router::new().fallback(move |request: Request| {
            let stub = stub.clone();
            async move { stub.serve(request).await }
        }))
    }

    /// What was asked so far, a line each.
    pub(crate) fn log(&self) -> String {
        self.0.lock().unwrap().log.join("\n")
    }

    async fn serve(&self, request: Request) -> Response {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let mut line = format!("{} {}", head.method, head.uri.path_and_query().unwrap());
        for name in SHOWN {
            if let Some(value) = head.headers.get(name) {
                line += &format!(" {name}={}", value.to_str().unwrap());
            }
        }
        line += &said(&body);
        let answer = {
            let mut play = self.0.lock().unwrap();
            play.log.push(line);
            play.script.pop_front().unwrap_or_else(|| "500\n\nthe script is over".to_owned())
        };
        // As over a wire, those who ask at the same time have all asked before one is answered.
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        if answer == "<hang>" {
            return std::future::pending().await;
        }
        respond(&answer)
    }
}

/// What a body says, in a word.
fn said(body: &Bytes) -> String {
    match Frame::read(body) {
        Ok(Frame::One(Message::Request(it))) => format!(" {}", it.method),
        Ok(Frame::One(Message::Notification(it))) => {
            format!(" {} {}", it.method, it.params.map_or("", |it| it.get()))
        }
        Ok(Frame::One(Message::Response(_))) => format!(" {}", String::from_utf8_lossy(body)),
        _ => String::new(),
    }
}

fn respond(answer: &str) -> Response {
    let (head, body) = answer.split_once("\n\n").unwrap_or((answer, ""));
    let mut lines = head.lines();
    let mut response = Response::builder().status(lines.next().unwrap());
    for (name, value) in lines.map(|it| it.split_once(": ").unwrap()) {
        response = response.header(name, value);
    }
    let part = |text: &str| stream::iter([Ok::<_, std::io::Error>(text.to_owned())]);
    let body = if let Some(text) = body.strip_suffix("<hang>") {
        Body::from_stream(part(text).chain(stream::pending()))
    } else if let Some(text) = body.strip_suffix("<break>") {
        let broken = std::io::Error::other("cut");
        Body::from_stream(part(text).chain(stream::iter([Err(broken)])))
    } else {
        Body::from(body.to_owned())
    };
    let Ok(response) = Ok::<_, Infallible>(response.body(body).unwrap());
    response
}

/// Where the server is.
pub(crate) fn site(url: &str, headers: &[(&str, &str)]) -> Site {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Site { url: url.parse().unwrap(), headers: Secrets(headers.collect()) }
}

/// What came of a request, in words.
pub(crate) fn told(reply: Reply) -> String {
    match reply {
        Ok(result) => format!("ok {result}"),
        Err(failed) => {
            let kind = match &failed {
                Failed::Refused(_) => "refused",
                Failed::Unsent(_) => "unsent",
                Failed::Lost(_) => "lost",
                Failed::Expired => "expired",
                Failed::Silent(_) => "silent",
                Failed::Garbled(_) => "garbled",
                Failed::Loop => "loop",
                Failed::Unauthorized(_) => "unauthorized",
                Failed::Status { .. } => "status",
            };
            format!("{kind}: {failed}")
        }
    }
}
