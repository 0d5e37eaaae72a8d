//! Reading messages: what each is, and what is said of those that are none.

use crate::{Fault, Frame, Message, Outcome, write};

/// Reads `text` and says in short what it is; a fault is its answer.
fn read(text: &[u8]) -> String {
    match Frame::read(text) {
        Ok(Frame::One(message)) => said(&message),
        Ok(Frame::Batch(members)) => {
            let said = members.iter().map(|it| it.as_ref().map_or_else(answer, said));
            format!("[{}]", said.collect::<Vec<_>>().join(", "))
        }
        Err(fault) => answer(&fault),
    }
}

fn said(message: &Message<'_>) -> String {
    let of = |params: Option<&serde_json::value::RawValue>| {
        params.map(|it| format!(" {}", it.get())).unwrap_or_default()
    };
    match message {
        Message::Request(it) => {
            format!("request {} {}{}", it.id.as_str(), it.method, of(it.params))
        }
        Message::Notification(it) => format!("notification {}{}", it.method, of(it.params)),
        Message::Response(it) => {
            let id = it.id.map(crate::Id::as_str).unwrap_or_default();
            match it.outcome {
                Outcome::Result(result) => format!("result {id} {}", result.get()),
                Outcome::Error(error) => format!("error {id} {}", error.get()),
            }
        }
    }
}

fn answer(fault: &Fault<'_>) -> String {
    let mut out = Vec::new();
    write::error(&mut out, fault.id, &fault.error);
    String::from_utf8(out).unwrap()
}

fn check(text: &str, expected: &str) {
    assert_eq!(read(text.as_bytes()), expected, "{text}");
}

/// Checks code, id and a part of the message of what is answered.
fn refused(text: &[u8], code: i64, id: &str, part: &str) {
    let answer: serde_json::Value = serde_json::from_str(&read(text)).unwrap();
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert_eq!(answer.get("id").map(ToString::to_string).unwrap_or_default(), id, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{answer}");
}

#[test]
fn a_request_keeps_its_id_and_its_parameters_as_they_were_sent() {
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"b":1.50, "a":2}}"#,
        r#"request 1 ping {"b":1.50, "a":2}"#,
    );
    check(r#"{"id":"é\n","method":"m","jsonrpc":"2.0"}"#, r#"request "é\n" m"#);
    check(r#"{"jsonrpc":"2.0","id":-0,"method":"m"}"#, "request -0 m");
    check(r#"{"jsonrpc":"2.0","id":1.0,"method":"m"}"#, "request 1.0 m");
    check(
        r#"{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"m"}"#,
        "request 123456789012345678901234567890 m",
    );
}

#[test]
fn a_message_without_an_id_is_a_notification() {
    check(r#"{"jsonrpc":"2.0","method":"m"}"#, "notification m");
    check(r#"{"jsonrpc":"2.0","method":"m","params":{}}"#, "notification m {}");
}

#[test]
fn a_message_with_a_result_or_an_error_is_a_response() {
    check(r#"{"jsonrpc":"2.0","id":7,"result":{"x":1}}"#, r#"result 7 {"x":1}"#);
    check(r#"{"jsonrpc":"2.0","id":7,"result":null}"#, "result 7 null");
    check(r#"{"jsonrpc":"2.0","id":7,"error":{"code":1}}"#, r#"error 7 {"code":1}"#);
}

#[test]
fn a_member_that_is_null_beside_the_other_does_not_count() {
    check(r#"{"jsonrpc":"2.0","id":7,"result":{},"error":null}"#, "result 7 {}");
    check(r#"{"jsonrpc":"2.0","id":7,"result":null,"error":{"code":1}}"#, r#"error 7 {"code":1}"#);
    check(r#"{"jsonrpc":"2.0","id":7,"result":null,"error":null}"#, "result 7 null");
}

#[test]
fn an_error_for_nobody_is_a_response_and_wants_no_answer() {
    check(r#"{"jsonrpc":"2.0","error":{"code":1}}"#, r#"error  {"code":1}"#);
    check(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#, r#"error  {"code":1}"#);
}

#[test]
fn a_batch_is_bounded() {
    refused(format!("[{}1]", "1,".repeat(1_000)).as_bytes(), -32600, "", "more than 1000");
}

#[test]
fn members_that_nobody_knows_are_passed_over() {
    check(r#"{"jsonrpc":"2.0","id":1,"method":"m","extra":[{}]}"#, "request 1 m");
}

#[test]
fn a_byte_order_mark_and_white_space_are_forgiven() {
    check("\u{feff} {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\r", "request 1 m");
}

#[test]
fn what_is_not_json_is_a_parse_error_without_id() {
    refused(b"garbage", -32700, "", "not JSON");
    refused(br#"{"jsonrpc":"2.0","id":1"#, -32700, "", "not JSON");
    refused(b"", -32700, "", "not JSON");
    refused(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, "", "UTF-8");
    refused(b"[1,", -32700, "", "not JSON");
}

#[test]
fn what_is_no_message_is_an_invalid_request_with_its_id_where_there_is_one() {
    refused(br#"{"id":1,"method":"m"}"#, -32600, "1", "jsonrpc");
    refused(br#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, -32600, "1", "jsonrpc");
    refused(br#"{"jsonrpc":2,"id":"a","method":"m"}"#, -32600, "\"a\"", "shape");
    refused(br#"{"jsonrpc":"2.0","id":1}"#, -32600, "1", "`method`");
    refused(br#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600, "1", "shape");
    refused(br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, -32600, "", "duplicate");
    refused(br#"{"jsonrpc":"2.0","id":1,"method":"m","params":5}"#, -32600, "1", "`params`");
    refused(br#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#, -32600, "1", "`params`");
    refused(br#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#, -32600, "1", "`params`");
    refused(br#"{"jsonrpc":"2.0","id":1,"method":"m","result":{}}"#, -32600, "1", "either");
    refused(br#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#, -32600, "1", "`method`");
    for text in ["5", "\"x\"", "null", "true"] {
        refused(text.as_bytes(), -32600, "", "an object");
    }
}

#[test]
fn an_id_is_a_string_or_an_integer() {
    for id in ["null", "1.5", "true", "{}", "[1]"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        refused(text.as_bytes(), -32600, "", "`id`");
    }
}

#[test]
fn members_of_a_batch_are_read_one_by_one() {
    check(
        r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]"#,
        "[request 1 a, notification b]",
    );
    refused(b" []", -32600, "", "empty");
    let mixed = read(br#"[1,{"jsonrpc":"2.0","id":1,"method":"a"}]"#);
    assert!(mixed.contains("-32600") && mixed.contains("request 1 a"), "{mixed}");
}

#[test]
fn deep_nesting_costs_no_stack() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{}{}}}}}"#,
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    assert!(read(deep.as_bytes()).starts_with("request 1 m"));
}

#[test]
fn spellings_of_one_string_are_one_key() {
    let key = |id: &str| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        match Frame::read(text.as_bytes()) {
            Ok(Frame::One(Message::Request(request))) => request.id.key(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(key(r#""a""#), key(r#""\u0061""#));
    assert_ne!(key(r#""1""#), key("1"));
}
