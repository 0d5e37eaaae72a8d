//! Refusals: what a response that is no success says, as a failure.

use std::time::Duration;

use futures_util::StreamExt;
use http::{
    HeaderMap, Response, StatusCode,
    header::{LOCATION, RETRY_AFTER, WWW_AUTHENTICATE},
};
use metier_wire::{Error, Frame, Message, Outcome};
use url::Url;

use super::{
    Failed,
    remote::{Kind, Remote},
    switchboard::read_error,
};
use crate::web::{Body, WebError};

/// How much of the body is read.
const MOST_READ: usize = 64 << 10;
/// How long that may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many characters of it are shown.
const MOST_SHOWN: usize = 200;

/// Says why a request of `remote` was refused.
pub(crate) async fn refusal(remote: &Remote, response: Response<Body>) -> Failed {
    let (head, body) = response.into_parts();
    let read = tokio::time::timeout(PATIENCE, whole(body, MOST_READ)).await;
    let body = read.ok().and_then(Result::ok).flatten().unwrap_or_default();
    let error = error_of(&body);
    if matches!(head.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        let mut text = unauthorized(remote, head.status, &head.headers);
        text += &error.map(|it| format!(": {}", shown(&it.message))).unwrap_or_default();
        return Failed::Unauthorized(text);
    }
    if let Some(error) = error {
        return Failed::Refused(error);
    }
    let text = moved(remote, &head.headers).filter(|_| head.status.is_redirection());
    let text = text.or_else(|| later(&head.headers));
    let text = text.unwrap_or_else(|| match Kind::of(&head.headers) {
        Kind::Json | Kind::Text => shown(&String::from_utf8_lossy(&body)),
        Kind::Events | Kind::Other => String::new(),
    });
    Failed::Status { status: head.status.as_u16(), text }
}

/// The whole of a body, or nothing if it is longer than `bound`.
pub(crate) async fn whole(mut body: Body, bound: usize) -> Result<Option<Vec<u8>>, WebError> {
    let mut bytes = Vec::new();
    while let Some(part) = body.next().await {
        let part = part?;
        if bytes.len() + part.len() > bound {
            return Ok(None);
        }
        bytes.extend_from_slice(&part);
    }
    Ok(Some(bytes))
}

/// The error of the protocol that a body is, if it is one.
fn error_of(body: &[u8]) -> Option<Error> {
    let Ok(Frame::One(Message::Response(response))) = Frame::read(body) else { return None };
    match response.outcome {
        Outcome::Error(error) => Some(read_error(error)),
        Outcome::Result(_) => None,
    }
}

fn unauthorized(remote: &Remote, status: StatusCode, headers: &HeaderMap) -> String {
    let wish = match (status, remote.is_authorized()) {
        (StatusCode::FORBIDDEN, _) => "the server forbids this",
        (_, true) => "the server does not accept the `Authorization` header that it was sent",
        (_, false) => "the server wants an `Authorization` header",
    };
    let mut text = format!("{wish} (HTTP status {})", status.as_u16());
    let challenge = headers.get(WWW_AUTHENTICATE).and_then(|it| it.to_str().ok());
    let challenge = challenge.unwrap_or_default();
    if let Some(scope) = parameter(challenge, "scope") {
        text += &format!(", with scope `{}`", shown(scope));
    }
    let metadata = parameter(challenge, "resource_metadata").and_then(|it| Url::parse(it).ok());
    if let Some(url) = metadata {
        text += &format!("; how to get one is told at `{}`", address(url));
    }
    text
}

/// The quoted value of a parameter of a challenge.
fn parameter<'a>(challenge: &'a str, name: &str) -> Option<&'a str> {
    let key = format!("{name}=\"");
    let mut places = challenge.match_indices(&key).map(|(at, _)| challenge.split_at(at));
    let (_, found) =
        places.find(|(before, _)| before.is_empty() || before.ends_with([' ', ',']))?;
    Some(found[key.len()..].split_once('"')?.0)
}

fn moved(remote: &Remote, headers: &HeaderMap) -> Option<String> {
    let to = remote.url().join(headers.get(LOCATION)?.to_str().ok()?).ok()?;
    Some(format!("it has moved to `{}`; use that address if you trust it", address(to)))
}

fn later(headers: &HeaderMap) -> Option<String> {
    let after = headers.get(RETRY_AFTER)?.to_str().ok()?;
    let unit = if after.bytes().all(|it| it.is_ascii_digit()) { " s" } else { "" };
    Some(format!("it wants to be asked again after {}{unit}", shown(after)))
}

/// An address without what may be secret.
fn address(mut url: Url) -> String {
    let _ = (url.set_username(""), url.set_password(None));
    url.set_query(None);
    url.set_fragment(None);
    shown(url.as_str())
}

/// What a stranger wrote, on one line and cut.
fn shown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut line: String = words.join(" ").chars().filter(|it| !it.is_control()).collect();
    if let Some((end, _)) = line.char_indices().nth(MOST_SHOWN) {
        line.truncate(end);
        line.push('…');
    }
    line
}
