//! Heads as any strict reader has them, and heads that leave room for another reading.

use super::super::verbatim;

/// What a whole file says, as JSON, or why nobody can be sure.
#[track_caller]
fn check_file(text: &str, expected: &str) {
    let found = verbatim(text).map(|it| serde_json::to_string(&it).unwrap());
    assert_eq!(found.unwrap_or_else(|error| format!("! {error}")), expected, "{text:?}");
}

/// The same of one field.
#[track_caller]
fn check(value: &str, expected: &str) {
    check_file(&format!("---\nx: {value}\n---\n"), &format!("{{\"x\":{expected}}}"));
}

#[track_caller]
fn check_unclear(head: &str, word: &str) {
    let said = verbatim(&format!("---\n{head}\n---\n")).unwrap_err().to_string();
    assert!(said.contains(word), "{head:?}: {said}");
}

const FENCES: &str =
    "! the frontmatter does not stand between two lines `---` from the first line on";

#[test]
fn words_are_typed_by_the_core_schema_and_nothing_else() {
    for (value, expected) in [
        ("yes", r#""yes""#),
        ("on", r#""on""#),
        ("2026-07-28", r#""2026-07-28""#),
        ("2026-07-28T10:00:00Z", r#""2026-07-28T10:00:00Z""#),
        ("12:30:45", r#""12:30:45""#),
        ("1_000", r#""1_000""#),
        ("007", "7"),
        ("0o17", "15"),
        ("0xff", "255"),
        ("0b1", r#""0b1""#),
        ("1.10", "1.1"),
        ("1e3", "1000.0"),
        ("True", "true"),
        ("~", "null"),
        ("\"007\"", r#""007""#),
        ("<<", r#""<<""#),
        ("[1, yes, null]", r#"[1,"yes",null]"#),
    ] {
        check(value, expected);
    }
}

#[test]
fn name_and_description_are_typed_like_any_other_field() {
    check_file("---\nname: 007\n---\n", r#"{"name":7}"#);
    check_file("---\nname: \"007\"\n---\n", r#"{"name":"007"}"#);
    check_file("---\ndescription: true\n---\n", r#"{"description":true}"#);
}

#[test]
fn text_keeps_the_spaces_and_line_ends_that_yaml_gives_it() {
    check_file(
        "---\ndescription: |\n  a\n  b\nq: \" x \"\n---\n",
        r#"{"description":"a\nb\n","q":" x "}"#,
    );
    check_file("---\r\ndescription: >\r\n  a\r\n  b\r\n---\r\n", r#"{"description":"a b\n"}"#);
}

#[test]
fn fields_keep_the_order_and_the_case_of_the_file() {
    check_file("---\nZ: 1\na: 2\nName: x\n---\n", r#"{"Z":1,"a":2,"Name":"x"}"#);
}

#[test]
fn only_plain_fences_are_the_same_to_all() {
    check_file("---\na: 1\n---  \nBody", r#"{"a":1}"#);
    check_file("---\na: 1\n---", r#"{"a":1}"#);
    for text in [
        "\u{feff}---\na: 1\n---\n",
        "\n---\na: 1\n---\n",
        "--- \na: 1\n---\n",
        "---\na: 1\n---- \n",
        "---\na: 1\n---glued\n",
        "---\na: 1\n...\n",
        "---\n---\na: 1\n---\n",
        "---\na: \"b\u{2028}c\"\n---\n",
    ] {
        check_file(text, FENCES);
    }
}

#[test]
fn what_is_guessed_or_lost_is_no_clear_reading() {
    check_unclear("description: a: b", "line 2");
    check_unclear("a: 1\na: 2", "more than once");
    check_unclear("m:\n  a: 1\n  a: 2", "more than once");
    check_unclear("description: fix #12 soon", "#12");
    check_unclear("a: !own 1", "!own");
    check_unclear("a: &x 1", "&x");
    check_unclear("- a", "a list");
}

#[test]
fn an_alias_stands_for_its_value() {
    check_file("---\na: &x [1]\nb: *x\n---\n", r#"{"a":[1],"b":[1]}"#);
}

#[test]
fn keys_and_numbers_that_json_does_not_have_are_unclear() {
    for head in [
        "1: a",
        "m:\n  true: a",
        "a: .inf",
        "a: -.Inf",
        "a: [.nan]",
        "a: 1e999",
        "a: 123456789012345678901234567890",
        "a: 0xfffffffffffffffffffff",
    ] {
        check_unclear(head, "JSON");
    }
}
