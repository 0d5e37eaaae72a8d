//! Which arguments are taken, and what is said of others.

use proptest::prelude::{any, prop_oneof, proptest};
use serde_json::value::RawValue;

use crate::{Tool, tools::Order};

fn order(tool: Tool, arguments: &str) -> Result<Order, String> {
    let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
    tool.order(Some(&arguments)).map_err(|error| {
        assert_eq!(error.code, -32602);
        error.message.into_owned()
    })
}

#[track_caller]
fn check(tool: Tool, arguments: &str, expected: &Order) {
    assert_eq!(order(tool, arguments).as_ref(), Ok(expected), "{arguments}");
}

#[track_caller]
fn check_error(tool: Tool, arguments: &str, expected: &str) {
    assert_eq!(order(tool, arguments), Err(expected.to_owned()), "{arguments}");
}

#[test]
fn a_name_alone_loads() {
    let expected = Order::Load { name: "pdf".into() };
    check(Tool::Skill, r#"{"name":"pdf"}"#, &expected);
    check(Tool::Skill, r#" { "name" : "\u0070df" } "#, &expected);
}

#[test]
fn what_may_be_left_out_has_a_default() {
    let list = Order::List { query: None, include_body: false };
    assert_eq!(Tool::List.order(None).unwrap(), list);
    check(Tool::List, "{}", &list);
    check(Tool::Search, r#"{"query":"a"}"#, &Order::Search { query: "a".into(), limit: 10 });
    check(Tool::Read, r#"{"name":"a"}"#, &Order::Read { name: "a".into(), path: None });
}

#[test]
fn everything_that_is_given_arrives() {
    let list = Order::List { query: Some("a b".into()), include_body: true };
    check(Tool::List, r#"{"query":"a b","includeBody":true}"#, &list);
    let search = Order::Search { query: "a".into(), limit: 25 };
    check(Tool::Search, r#"{"limit":25,"query":"a"}"#, &search);
    check(Tool::Search, r#"{"limit":25.0,"query":"a"}"#, &search);
    let read = Order::Read { name: "a".into(), path: Some("b/c.md".into()) };
    check(Tool::Read, r#"{"name":"a","path":"b/c.md"}"#, &read);
}

#[test]
fn a_missing_argument_is_named() {
    check_error(Tool::Skill, "{}", "`name` is required");
    check_error(Tool::Search, r#"{"limit":3}"#, "`query` is required");
    check_error(Tool::Read, r#"{"path":"x"}"#, "`name` is required");
    assert_eq!(Tool::Skill.order(None).unwrap_err().message, "`name` is required");
}

#[test]
fn an_empty_argument_is_named() {
    check_error(Tool::Skill, r#"{"name":""}"#, "`name` must not be empty");
    check_error(Tool::Skill, r#"{"name":" \n"}"#, "`name` must not be empty");
    check_error(Tool::Search, r#"{"query":"\u3000"}"#, "`query` must not be empty");
    check_error(Tool::Read, r#"{"name":"a","path":""}"#, "`path` must not be empty");
}

#[test]
fn an_argument_of_the_wrong_type_is_named() {
    check_error(Tool::Skill, r#"{"name":1}"#, "`name` must be a string");
    check_error(Tool::Skill, r#"{"name":null}"#, "`name` must be a string");
    check_error(Tool::Skill, r#"{"name":["pdf"]}"#, "`name` must be a string");
    check_error(Tool::List, r#"{"query":null}"#, "`query` must be a string");
    check_error(Tool::List, r#"{"includeBody":"yes"}"#, "`includeBody` must be true or false");
    check_error(Tool::List, r#"{"includeBody":null}"#, "`includeBody` must be true or false");
    check_error(Tool::Read, r#"{"name":"a","path":{}}"#, "`path` must be a string");
}

#[test]
fn a_limit_is_a_whole_number_within_bounds() {
    for limit in ["0", "26", "-1", "2.5", "1e300", "\"5\"", "null", "[]", "18446744073709551616"] {
        check_error(
            Tool::Search,
            &format!(r#"{{"query":"a","limit":{limit}}}"#),
            "`limit` must be a whole number from 1 to 25",
        );
    }
}

#[test]
fn an_unknown_argument_is_named() {
    let expected = "there is no argument `args`, only `name`";
    check_error(Tool::Skill, r#"{"name":"pdf","args":"x"}"#, expected);
    check_error(Tool::Skill, r#"{"args":"x"}"#, expected);
    let expected = "there is no argument `include_body`, only `query` and `includeBody`";
    check_error(Tool::List, r#"{"include_body":true}"#, expected);
    let name = format!("{}…", "x".repeat(64));
    check_error(
        Tool::Skill,
        &format!(r#"{{"name":"pdf","{}":1}}"#, "x".repeat(10_000)),
        &format!("there is no argument `{name}`, only `name`"),
    );
    let expected = "there is no argument `a[31m b`, only `name`";
    check_error(Tool::Skill, r#"{"a\u001b[31m\nb":1}"#, expected);
}

#[test]
fn arguments_are_an_object() {
    for arguments in ["null", "[]", r#"["pdf"]"#, "\"pdf\"", "1", "true"] {
        check_error(Tool::Skill, arguments, "`arguments` must be an object");
    }
}

#[test]
fn an_argument_is_given_once() {
    check_error(Tool::Skill, r#"{"name":"a","name":"b"}"#, "an argument is given twice");
}

#[test]
fn a_long_text_is_refused_by_its_characters() {
    let query = |n: usize| format!(r#"{{"query":"{}"}}"#, "ä".repeat(n));
    let expected = "`query` must have at most 1000 characters";
    assert!(order(Tool::Search, &query(1_000)).is_ok());
    assert!(order(Tool::List, &query(1_000)).is_ok());
    check_error(Tool::Search, &query(1_001), expected);
    check_error(Tool::List, &query(1_001), expected);
    let path = format!(r#"{{"name":"a","path":"{}"}}"#, "a/".repeat(2_049));
    check_error(Tool::Read, &path, "`path` must have at most 4096 characters");
    assert!(order(Tool::Skill, &format!(r#"{{"name":"{}"}}"#, "x".repeat(100_000))).is_ok());
}

#[test]
fn only_loading_is_quick_and_only_lists_must_be_fresh() {
    let facts = |tool, arguments| {
        let order = order(tool, arguments).unwrap();
        (order.is_quick(), order.wants_fresh())
    };
    assert_eq!(facts(Tool::Skill, r#"{"name":"a"}"#), (true, false));
    assert_eq!(facts(Tool::List, "{}"), (false, true));
    assert_eq!(facts(Tool::Search, r#"{"query":"a"}"#), (false, true));
    assert_eq!(facts(Tool::Read, r#"{"name":"a"}"#), (false, false));
}

proptest! {
    #![proptest_config(super::cases(512))]

    #[test]
    fn no_arguments_do_harm(
        json in prop_oneof![
            "(\\{|\\[)(\"(name|query|limit|path|includeBody|x)\":(1|true|null|\"\"|\"\\\\\\\\ud800\"|\\{\\}|-0.0|\"a\"),?){0,4}(\\}|\\])",
            any::<String>(),
        ],
    ) {
        if let Ok(raw) = RawValue::from_string(json) {
            for tool in Tool::ALL {
                if let Err(error) = tool.order(Some(&raw)) {
                    assert_eq!(error.code, -32602);
                    assert!(error.message.chars().count() < 200, "{}", error.message);
                }
            }
        }
    }
}
