//! Events as servers frame them, rightly and otherwise.

use futures_util::{FutureExt, StreamExt, stream};

use super::{Data, Events};
use crate::link::lines::LONGEST_LINE;

/// What comes out of a stream that arrives in these parts: `name#id~retry=data`.
fn events(parts: &[&[u8]]) -> Vec<String> {
    let parts: Vec<_> = parts.iter().map(|it| Ok(bytes::Bytes::copy_from_slice(it))).collect();
    let mut events = Events::new(stream::iter(parts).boxed());
    let mut out = Vec::new();
    while let Some(Ok(event)) = events.next().now_or_never().unwrap() {
        let mut text = event.name;
        text += &event.id.map(|it| format!("#{it}")).unwrap_or_default();
        text += &event.retry.map(|it| format!("~{it}")).unwrap_or_default();
        out.push(match event.data {
            Data::Whole(data) => format!("{text}={}", String::from_utf8_lossy(&data)),
            Data::TooLong(id) => format!("{text}: too long: {id:?}"),
        });
    }
    out
}

/// The same must come of it however it is cut.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(events(&[text.as_bytes()]), expected);
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    assert_eq!(events(&bytes), expected);
}

#[test]
fn an_event_has_a_name_data_an_id_and_a_time_to_come_back() {
    check("event: message\nid: 7\nretry: 50\ndata: {}\n\n", &["message#7~50={}"]);
    check("data: a\n\ndata:b\n\n", &["=a", "=b"]);
}

#[test]
fn lines_end_in_any_way() {
    check("data: a\r\rdata: b\r\n\r\ndata: c\n\n", &["=a", "=b", "=c"]);
}

#[test]
fn data_may_have_many_lines_and_be_empty() {
    check("data: {\ndata: }\n\n", &["={\n}"]);
    check("id: 1\ndata:\n\n", &["#1="]);
    check("data\ndata\n\n", &["=\n"]);
}

#[test]
fn comments_marks_and_fields_that_nobody_knows_are_passed_over() {
    check("\u{feff}: ping\n\nnews: x\nodd line\ndata: a\n\n", &["=a"]);
    check("retry: soon\nid: a\0b\nevent: x\nevent: y\ndata: a\n\n", &["y=a"]);
}

#[test]
fn an_event_without_its_end_is_none() {
    check("data: a\n\ndata: b\n", &["=a"]);
}

#[test]
fn an_event_that_is_too_long_says_whose_it_was() {
    let filler = vec![b'x'; LONGEST_LINE];
    let head = br#"data: {"jsonrpc":"2.0","id":7,"result":""#.as_slice();
    let long = [head, &filler, b"xx", &filler, b"\"}\n\ndata: next\n\n"];
    assert_eq!(events(&long), [": too long: Some(7)", "=next"]);
    let lines = [head, b"\ndata: ", &filler, b"\ndata: x\n\ndata: next\n\n"];
    assert_eq!(events(&lines), [": too long: Some(7)", "=next"]);
}
