//! HTTP responses: where one ends, and the message in it.

use std::{borrow::Cow, io};

use memchr::memmem;

use crate::reply;

/// What a server answered.
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    pub(crate) body: Cow<'a, [u8]>,
    /// How many bytes it took.
    pub(crate) length: usize,
}

/// A response, once all of it is there.
pub(crate) fn whole(bytes: &[u8]) -> io::Result<Option<Response<'_>>> {
    let Some(head_end) = memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let head = str::from_utf8(&bytes[..head_end]).map_err(io::Error::other)?;
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
    let (mut length, mut session) = (0, None);
    let mut is_chunked = false;
    for (name, value) in head.lines().filter_map(|line| line.split_once(": ")) {
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().map_err(io::Error::other)?;
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            is_chunked = true;
        } else if name.eq_ignore_ascii_case("mcp-session-id") {
            session = Some(value.to_owned());
        }
    }
    let rest = &bytes[head_end + 4..];
    let body = if is_chunked { unchunked(rest)? } else { rest.get(..length).map(Cow::Borrowed) };
    let Some(body) = body else { return Ok(None) };
    Ok(Some(Response { status, session, body, length: bytes.len() }))
}

/// The content of all chunks, once the last of them is there.
fn unchunked(bytes: &[u8]) -> io::Result<Option<Cow<'_, [u8]>>> {
    let mut body = Vec::new();
    let mut rest = bytes;
    loop {
        let Some(end) = memmem::find(rest, b"\r\n") else { return Ok(None) };
        let size = str::from_utf8(&rest[..end]).map_err(io::Error::other)?;
        let size = usize::from_str_radix(size, 16).map_err(io::Error::other)?;
        rest = &rest[end + 2..];
        if rest.len() < size + 2 {
            return Ok(None);
        }
        if size == 0 {
            return Ok(Some(Cow::Owned(body)));
        }
        body.extend_from_slice(&rest[..size]);
        rest = &rest[size + 2..];
    }
}

/// The message in a body: all of it, or the data of the event that has one.
pub(crate) fn message(body: &[u8]) -> io::Result<&[u8]> {
    if body.starts_with(b"{") {
        return Ok(body);
    }
    let Some(at) = memmem::find(body, b"data: {") else { return Err(reply::odd(body)) };
    let data = &body[at + 6..];
    Ok(&data[..memchr::memchr(b'\n', data).unwrap_or(data.len())])
}
