//! What a request says of itself.

use serde_json::value::RawValue;

use crate::Meta;

/// The revision that a request says to be of, or what is wrong with what it says.
fn check(params: &str, expected: &str) {
    let params: &RawValue = serde_json::from_str(params).unwrap();
    let said = match Meta::of(Some(params)).and_then(|meta| meta.modern()) {
        Ok(None) => "legacy".to_owned(),
        Ok(Some(revision)) => revision.to_string(),
        Err(error) => format!("{} {}", error.code, error.message),
    };
    assert_eq!(said, expected);
}

const VERSION: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
const CAPABILITIES: &str = r#""io.modelcontextprotocol/clientCapabilities":{}"#;

#[test]
fn a_request_with_version_and_capabilities_is_modern() {
    check(&format!(r#"{{"_meta":{{{VERSION},{CAPABILITIES}}}}}"#), "2026-07-28");
    check(
        r#"{"\u005fmeta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{}}}"#,
        "2026-07-28",
    );
}

#[test]
fn a_request_that_says_nothing_of_itself_is_legacy() {
    check("{}", "legacy");
    check(r#"{"_meta":{"progressToken":1}}"#, "legacy");
    check(r#"{"_meta":null}"#, "legacy");
    check(r#"{"arguments":{"_meta":{}}}"#, "legacy");
}

#[test]
fn what_is_missing_is_named() {
    check(
        &format!(r#"{{"_meta":{{{VERSION}}}}}"#),
        "-32602 `_meta[\"io.modelcontextprotocol/clientCapabilities\"]` is missing",
    );
    check(
        &format!(r#"{{"_meta":{{{CAPABILITIES}}}}}"#),
        "-32602 `_meta[\"io.modelcontextprotocol/protocolVersion\"]` is missing",
    );
    check(
        &format!(r#"{{"_meta":{{{VERSION},"io.modelcontextprotocol/clientCapabilities":1}}}}"#),
        "-32602 `_meta[\"io.modelcontextprotocol/clientCapabilities\"]` must be an object",
    );
}

#[test]
fn another_revision_is_refused_with_those_that_are_spoken() {
    let params = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}"#;
    check(params, "-32022 protocol version `1900-01-01` is not supported");
    let params: &RawValue = serde_json::from_str(params).unwrap();
    let error = Meta::of(Some(params)).unwrap().modern().unwrap_err();
    assert_eq!(
        error.data.unwrap().get(),
        r#"{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"1900-01-01"}"#
    );
}

#[test]
fn metadata_of_another_shape_is_refused() {
    check(r#"{"_meta":[]}"#, "-32602 `_meta` must be an object");
    check(r#"{"_meta":5}"#, "-32602 `_meta` must be an object");
}
