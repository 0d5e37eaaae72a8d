//! Which request a message answers, found without reading the whole of it.

use std::io;

use serde::Deserialize;
use serde_json::value::RawValue;

/// How nearly every reply begins.
const USUAL: &[u8] = br#"{"jsonrpc":"2.0","id":"#;

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
}

/// The id that a result answers, nothing for a message that is no reply.
pub(crate) fn answered(message: &[u8]) -> io::Result<Option<u32>> {
    if let Some(id) = usual(message) {
        return Ok(Some(id));
    }
    let Ok(reply) = serde_json::from_slice::<Reply>(message) else { return Err(odd(message)) };
    match (reply.method, reply.id, reply.result) {
        (Some(_), ..) => Ok(None),
        (None, Some(id), Some(_)) => id.get().parse().map(Some).map_err(|_| odd(message)),
        _ => Err(odd(message)),
    }
}

/// The result in a reply.
pub(crate) fn result(message: &[u8]) -> io::Result<&RawValue> {
    let reply: Reply = serde_json::from_slice(message)?;
    reply.result.ok_or_else(|| odd(message))
}

fn usual(message: &[u8]) -> Option<u32> {
    let rest = message.strip_prefix(USUAL)?;
    let digits = rest.iter().take_while(|it| it.is_ascii_digit()).count();
    rest[digits..].starts_with(br#","result":"#).then_some(())?;
    str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

/// An error that shows the beginning of a message that should not have come.
pub(crate) fn odd(message: &[u8]) -> io::Error {
    let start = &message[..message.len().min(300)];
    io::Error::other(format!("unexpected reply `{}`", String::from_utf8_lossy(start)))
}
