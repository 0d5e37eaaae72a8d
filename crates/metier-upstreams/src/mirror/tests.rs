//! Arguments in headers.

use serde_json::value::RawValue;

use super::{headers, mirrored};
use crate::offer::Tool;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// The headers that a call with `arguments` has, where the tool takes `properties`.
#[track_caller]
fn check(properties: &str, arguments: &str, expected: &str) {
    let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
    let tool = raw(&format!(r#"{{"name":"look","inputSchema":{schema}}}"#));
    let headers = headers(&Tool::read(&tool).unwrap(), &[("arguments", &raw(arguments))]);
    let said: Vec<String> =
        headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(said.join("\n"), expected);
}

/// Why a tool with this schema may not be used.
#[track_caller]
fn check_wrong(schema: &str, expected: &str) {
    assert_eq!(mirrored(Some(&raw(schema))).unwrap_err(), expected);
}

const REGION: &str = r#"{"r":{"type":"string","x-mcp-header":"Region"}}"#;

#[test]
fn a_tool_without_annotations_repeats_nothing() {
    assert_eq!(mirrored(None), Ok(Box::default()));
    check(r#"{"a":{"type":"string"}}"#, r#"{"a":"b"}"#, "");
}

#[test]
fn values_of_each_primitive_type_are_repeated() {
    check(REGION, r#"{"r":"us-west1"}"#, "Mcp-Param-Region: us-west1");
    let count = r#"{"n":{"type":"integer","x-mcp-header":"N"}}"#;
    check(count, r#"{"n":-7}"#, "Mcp-Param-N: -7");
    check(count, r#"{"n":42.0}"#, "Mcp-Param-N: 42");
    check(count, r#"{"n":1e3}"#, "Mcp-Param-N: 1000");
    check(r#"{"b":{"type":"boolean","x-mcp-header":"B"}}"#, r#"{"b":true}"#, "Mcp-Param-B: true");
}

#[test]
fn what_a_header_cannot_carry_is_wrapped() {
    check(REGION, r#"{"r":"Hello, 世界"}"#, "Mcp-Param-Region: =?base64?SGVsbG8sIOS4lueVjA==?=");
    check(REGION, r#"{"r":" padded "}"#, "Mcp-Param-Region: =?base64?IHBhZGRlZCA=?=");
    check(REGION, r#"{"r":"line1\nline2"}"#, "Mcp-Param-Region: =?base64?bGluZTEKbGluZTI=?=");
}

#[test]
fn a_value_that_is_absent_or_null_has_no_header() {
    check(REGION, "{}", "");
    check(REGION, r#"{"r":null}"#, "");
    check(REGION, r#"{"r":["a"]}"#, "");
    check(REGION, "7", "");
}

#[test]
fn properties_of_properties_are_found_by_their_path() {
    let nested =
        r#"{"at":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"R"}}}}"#;
    check(nested, r#"{"at":{"r":"x"},"r":"y"}"#, "Mcp-Param-R: x");
    check(nested, r#"{"at":"x"}"#, "");
}

#[test]
fn a_property_or_a_value_may_have_the_name_of_the_annotation() {
    check(r#"{"x-mcp-header":{"type":"string"}}"#, r#"{"x-mcp-header":"a"}"#, "");
    check(r#"{"a":{"type":"object","default":{"x-mcp-header":""}}}"#, "{}", "");
}

#[test]
fn an_annotation_that_names_no_header_makes_the_tool_unusable() {
    let wrong = "`x-mcp-header` of `a` is not the name of a header";
    for name in [r#""""#, r#""a b""#, r#""a:b""#, r#""a\r\nb""#, r#""é""#, "7", "null"] {
        let schema =
            format!(r#"{{"properties":{{"a":{{"type":"string","x-mcp-header":{name}}}}}}}"#);
        check_wrong(&schema, wrong);
    }
}

#[test]
fn an_annotation_of_a_value_that_is_not_primitive_makes_the_tool_unusable() {
    let wrong = "`x-mcp-header` of `a` needs the type `string`, `integer` or `boolean`";
    for kind in [r#""type":"number","#, r#""type":"object","#, r#""type":["string"],"#, ""] {
        let schema = format!(r#"{{"properties":{{"a":{{{kind}"x-mcp-header":"A"}}}}}}"#);
        check_wrong(&schema, wrong);
    }
}

#[test]
fn two_annotations_may_not_name_the_same_header() {
    let schema = r#"{"properties":{
        "a":{"type":"string","x-mcp-header":"Region"},
        "b":{"type":"string","x-mcp-header":"region"}}}"#;
    check_wrong(schema, "`x-mcp-header` of `b` names a header that another has");
}

#[test]
fn an_annotation_that_properties_alone_do_not_lead_to_makes_the_tool_unusable() {
    let inner = r#"{"type":"string","x-mcp-header":"A"}"#;
    let wrong = "`x-mcp-header` stands where no property is";
    check_wrong(inner, wrong);
    for schema in [
        format!(r#"{{"properties":{{"a":{{"type":"array","items":{inner}}}}}}}"#),
        format!(r#"{{"oneOf":[{{"properties":{{"a":{inner}}}}}]}}"#),
        format!(r#"{{"if":{{"properties":{{"a":{inner}}}}}}}"#),
        format!(r#"{{"$defs":{{"a":{inner}}}}}"#),
        format!(r#"{{"$defs":{{"a":{{"properties":{{"b":{inner}}}}}}}}}"#),
        format!(r#"{{"additionalProperties":{inner}}}"#),
    ] {
        check_wrong(&schema, wrong);
    }
}
