//! Headers that repeat the body.

use crate::{
    Frame, Message,
    header::{Mirror, decoded, encoded, named_by},
};

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"é x"}}"#;
const READ: &str = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"x"}}"#;

/// Holds a body against version, method and name; says `ok` or what is wrong.
fn check(body: &str, [revision, method, name]: [&str; 3], expected: &str) {
    let Ok(Frame::One(Message::Request(request))) = Frame::read(body.as_bytes()) else {
        panic!("{body}")
    };
    let header = |value| Some(value).filter(|it: &&str| !it.is_empty());
    let mirror = Mirror { revision: header(revision), method: header(method), name: header(name) };
    let said = match mirror.check(&request, "2026-07-28") {
        Ok(()) => "ok".to_owned(),
        Err(error) => format!("{} {}", error.code, error.message),
    };
    assert_eq!(said, expected);
}

#[test]
fn headers_that_agree_with_the_body_pass() {
    check(CALL, ["2026-07-28", "tools/call", "=?base64?w6kgeA==?="], "ok");
    check(READ, ["2026-07-28", "resources/read", "a:b"], "ok");
    check(LIST, ["2026-07-28", "tools/list", ""], "ok");
    check(LIST, ["2026-07-28", "tools/list", "ignored"], "ok");
}

#[test]
fn a_header_that_is_missing_or_differs_is_named() {
    check(
        LIST,
        ["", "tools/list", ""],
        "-32020 header MCP-Protocol-Version is missing or repeated",
    );
    check(LIST, ["2026-07-28", "", ""], "-32020 header Mcp-Method is missing or repeated");
    check(
        READ,
        ["2026-07-28", "resources/read", ""],
        "-32020 header Mcp-Name is missing or repeated",
    );
    check(
        LIST,
        ["2025-11-25", "tools/list", ""],
        "-32020 header MCP-Protocol-Version says `2025-11-25`, the body `2026-07-28`",
    );
    check(
        LIST,
        ["2026-07-28", "Tools/List", ""],
        "-32020 header Mcp-Method says `Tools/List`, the body `tools/list`",
    );
    check(
        CALL,
        ["2026-07-28", "tools/call", "=?base64?!?="],
        "-32020 a header value in `=?base64?…?=` is not base64 of UTF-8",
    );
}

#[test]
fn nothing_else_in_the_body_turns_the_check_off() {
    let body = CALL.replace(r#"{"name""#, r#"{"uri":1,"name""#);
    check(
        &body,
        ["2026-07-28", "tools/call", "x"],
        "-32020 header Mcp-Name says `x`, the body `é x`",
    );
}

#[test]
fn values_that_a_header_cannot_carry_are_wrapped() {
    let check = |value: &str, expected: &str| {
        assert_eq!(encoded(value), expected);
        assert_eq!(decoded(expected).unwrap(), value);
    };
    check("us-west1", "us-west1");
    check("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?=");
    check(" padded ", "=?base64?IHBhZGRlZCA=?=");
    check("line1\nline2", "=?base64?bGluZTEKbGluZTI=?=");
    check("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
}

#[test]
fn three_methods_are_about_something_with_a_name() {
    let methods = ["tools/call", "prompts/get", "resources/read", "tools/list"];
    assert_eq!(methods.map(named_by), [Some("name"), Some("name"), Some("uri"), None]);
}
