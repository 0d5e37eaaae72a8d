//! Writing: messages appended to a buffer, payloads as bytes or as small typed values.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::{error::Error, id::Id};

/// Appends the response to `id`; `body` appends its result.
pub fn result<T>(out: &mut Vec<u8>, id: Id<'_>, body: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_str().as_bytes());
    out.extend_from_slice(br#","result":"#);
    let value = body(out);
    out.push(b'}');
    value
}

/// Appends the error response to `id`, or to nobody if no id could be read.
pub fn error(out: &mut Vec<u8>, id: Option<Id<'_>>, error: &Error) {
    #[derive(Serialize)]
    struct Body<'a> {
        code: i64,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<&'a RawValue>,
    }
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    if let Some(id) = id {
        out.extend_from_slice(br#""id":"#);
        out.extend_from_slice(id.as_str().as_bytes());
        out.push(b',');
    }
    out.extend_from_slice(br#""error":"#);
    let Error { code, message, data } = error;
    json(out, &Body { code: *code, message, data: data.as_deref() });
    out.push(b'}');
}

/// Appends a notification.
pub fn notification(out: &mut Vec<u8>, method: &str, params: Option<&impl Serialize>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    json(out, method);
    close(out, params);
}

/// Appends a request of this side; its ids are numbers.
pub fn request(out: &mut Vec<u8>, id: u64, method: &str, params: Option<&impl Serialize>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    json(out, &id);
    out.extend_from_slice(br#","method":"#);
    json(out, method);
    close(out, params);
}

/// Appends a value as compact JSON.
pub fn json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let before = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        // Memory takes everything; only a value that cannot be JSON ends here.
        out.truncate(before);
        out.extend_from_slice(b"null");
    }
}

fn close(out: &mut Vec<u8>, params: Option<&impl Serialize>) {
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        json(out, params);
    }
    out.push(b'}');
}
