//! Heads beside what was published of them.

use serde_json::{Map, Value};

use super::super::differing_field;

/// The field that differs; none is `-`.
#[track_caller]
fn check(head: &str, published: &str, expected: &str) {
    let published: Map<String, Value> = serde_json::from_str(published).unwrap();
    let found = differing_field(&format!("---\nname: a\n{head}\n---\n"), &published).unwrap();
    assert_eq!(found.as_deref().unwrap_or("-"), expected, "{head:?}");
}

#[test]
fn fields_are_compared_one_by_one_in_any_order() {
    check(
        "description: d\nx: [1, {y: true}]",
        r#"{"x":[1,{"y":true}],"description":"d","name":"a"}"#,
        "-",
    );
    check("description: d", r#"{"name":"b","description":"d"}"#, "name");
    check("description: d", r#"{"name":"a","description":"D"}"#, "description");
    check("description: d\nx: [1, 2]", r#"{"name":"a","description":"d","x":[1]}"#, "x");
    check("description: d\nx: {y: 1}", r#"{"name":"a","description":"d","x":{"y":1,"z":2}}"#, "x");
    check("description: d\nx: '1'", r#"{"name":"a","description":"d","x":1}"#, "x");
}

#[test]
fn a_field_that_only_one_side_has_differs() {
    check("description: d\nhooks: run", r#"{"name":"a","description":"d"}"#, "hooks");
    check("description: d", r#"{"name":"a","description":"d","hooks":"run"}"#, "hooks");
}

#[test]
fn numbers_are_compared_by_value_and_texts_without_the_spaces_around_them() {
    check("description: >\n  d\nv: 1.0", r#"{"name":"a","description":"d","v":1}"#, "-");
    check("description: d", r#"{"name":"a","description":"d\n"}"#, "-");
}
