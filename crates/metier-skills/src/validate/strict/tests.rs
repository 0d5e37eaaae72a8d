use super::{Entry, Node, Value, read};

/// A value in one line: `{a: "x", b: ["y"]}`.
fn shown(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => format!("{:?}", text.text),
        Value::List(items) => {
            format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Value::Map(entries) => shown_map(entries),
        Value::Broken => "broken".to_owned(),
    }
}

fn shown_map(entries: &[Entry]) -> String {
    let shown = |entry: &Entry| format!("{}: {}", entry.key, shown(&entry.node));
    format!("{{{}}}", entries.iter().map(shown).collect::<Vec<_>>().join(", "))
}

#[track_caller]
fn check(head: &str, expected: &str) {
    let reading = read(head, 2);
    let faults = reading.faults.iter().map(|fault| format!(" {} {:?}", fault.line, fault.what));
    assert_eq!(shown_map(&reading.entries) + &faults.collect::<String>(), expected);
}

#[test]
fn every_scalar_is_a_text() {
    check(
        "a: 1.0\nb: on\nc: ~\nd:\ne: 'it''s'",
        r#"{a: "1.0", b: "on", c: "~", d: "", e: "it's"}"#,
    );
}

#[test]
fn plain_texts_fold_and_end_before_comments() {
    check("a: x\n  y\n\n  z # c\nb: http://x#y:z", r#"{a: "x y\nz", b: "http://x#y:z"}"#);
}

#[test]
fn quoted_texts_may_reach_the_margin() {
    check("a: \"x\ny\n\nz\"\nb: 'p\n\n  q'", r#"{a: "x y\nz", b: "p\nq"}"#);
}

#[test]
fn escapes_stand_for_characters() {
    check(r#"a: "\t\x41\u00e9\U0001F600\\\"\/" "#, r#"{a: "\tAé😀\\\"/"}"#);
    check(r#"a: "\ud83d" "#, "{a: \"\u{fffd}\"}");
}

#[test]
fn block_texts_keep_or_drop_their_ends() {
    check(
        "a: |\n  x\n   y\n\nb: >-\n  p\n  q\n\n  r\nc: |+\n  z\n\n",
        r#"{a: "x\n y\n", b: "p q\nr", c: "z\n\n"}"#,
    );
    check("a: |2-\n    x\n  y", r#"{a: "  x\ny"}"#);
}

#[test]
fn lists_and_maps_nest_by_indentation() {
    check(
        "a:\n- x\n- b: y\n  c: z\n-\nd:\n  - - p\n    - q",
        r#"{a: ["x", {b: "y", c: "z"}, ""], d: [["p", "q"]]}"#,
    );
}

#[test]
fn a_fault_costs_only_its_entry() {
    check(
        "a: [x]\nb: y\nc: p: q\nd: z",
        r#"{a: broken, b: "y", c: broken, d: "z"} 2 Flow 4 Colon"#,
    );
    check("a: \"x\nb: y", r#"{a: broken, b: "y"} 2 Quote"#);
    check("a: x\nloose\nb: y", r#"{a: "x", b: "y"} 3 NotAKey"#);
}

#[test]
fn faults_are_placed_on_their_lines() {
    check("a: x\n b: y", r#"{a: broken} 3 Colon"#);
    check("a: 'x'\n b: y", r#"{a: "x"} 3 Indent"#);
    check("a: x\na: y", r#"{a: "x", a: "y"} 3 Duplicate("a")"#);
    check("a: b\n...\nc: d", r#"{a: "b"} 3 Dots"#);
    check("\n# c\n", "{} 4 Empty");
}

#[test]
fn nesting_without_end_is_refused() {
    check(&format!("a:\n  {}x", "- ".repeat(100_000)), "{a: broken} 3 Deep");
}
