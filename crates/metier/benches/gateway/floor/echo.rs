//! The server behind every gateway: one tool, which gives back the text it is sent.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufRead, BufReader, Write},
    os::fd::AsFd,
};

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    arguments: Arguments<'a>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    text: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Greeting<'a> {
    #[serde(borrow)]
    protocol_version: &'a RawValue,
}

/// Reads a line, answers it, writes it.
pub(super) fn serve() -> io::Result<()> {
    let (mut input, mut output) = streams()?;
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line)? > 0 {
        answer(&line, &mut out);
        if !out.is_empty() {
            out.push(b'\n');
            output.write_all(&out)?;
        }
        line.clear();
        out.clear();
    }
    Ok(())
}

/// Stdin and stdout, past the buffers and locks of the standard library.
pub(super) fn streams() -> io::Result<(BufReader<File>, File)> {
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    Ok((BufReader::with_capacity(1 << 16, input), output))
}

/// Answers a message into a buffer; a notification leaves it empty.
pub(super) fn answer(message: &[u8], out: &mut Vec<u8>) {
    let Ok(message) = serde_json::from_slice::<Message>(message) else { return };
    let Some(id) = message.id else { return };
    let parts: [&str; 3] = match (&*message.method, message.params) {
        ("initialize", Some(params)) => match serde_json::from_str::<Greeting>(params.get()) {
            Ok(it) => [r#""result":{"protocolVersion":"#, it.protocol_version.get(), ABOUT],
            Err(_) => UNKNOWN,
        },
        ("tools/list", _) => [LIST, "", ""],
        ("tools/call", Some(params)) => match serde_json::from_str::<Call>(params.get()) {
            Ok(it) => [CONTENT, it.arguments.text.get(), "}]}"],
            Err(_) => UNKNOWN,
        },
        ("ping", _) => [r#""result":{}"#, "", ""],
        _ => UNKNOWN,
    };
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.get().as_bytes());
    out.push(b',');
    parts.iter().for_each(|it| out.extend_from_slice(it.as_bytes()));
    out.push(b'}');
}

const ABOUT: &str = r#","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}"#;
const CONTENT: &str = r#""result":{"content":[{"type":"text","text":"#;
const UNKNOWN: [&str; 3] = [r#""error":{"code":-32601,"message":"unknown"}"#, "", ""];
const LIST: &str = concat!(
    r#""result":{"tools":[{"name":"echo","description":"Gives back the text it is sent.","#,
    r#""inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"#,
    r#""required":["text"]}}]}"#
);
