//! `skills_list`: every skill with its metadata.

use serde_json::{Value, json};

use super::fixture::{Machine, TREE, text};
use crate::Tool;

fn ids(result: &Value) -> Vec<&str> {
    let skills = result["structuredContent"]["skills"].as_array().unwrap();
    skills.iter().map(|it| it["id"].as_str().unwrap()).collect()
}

#[track_caller]
fn check(query: &str, expected: &str) {
    let result = Machine::new(TREE).call(Tool::List, &json!({"query": query}).to_string());
    assert_eq!(ids(&result).join(" "), expected, "{query}");
}

#[test]
fn everything_about_a_skill_is_told() {
    let result = Machine::new(TREE).call(Tool::List, "{}");
    assert_eq!(
        text(&result),
        "4 skills\n- pdf: Reads PDF files\n- code-review: Reviews code\n\
         - commit: Writes commits\n- office:slides: Makes slides"
    );
    let skills = &result["structuredContent"]["skills"];
    assert_eq!(
        skills[1],
        json!({
            "id": "code-review",
            "installName": "review",
            "meta": {"name": "code-review", "description": "Reviews code"},
            "skillPath": "$ROOT/project/.claude/skills/review",
            "skillFile": "$ROOT/project/.claude/skills/review/SKILL.md",
            "provider": "claude",
            "location": "project",
        })
    );
    assert_eq!(skills[3]["plugin"], "office");
    assert_eq!(skills[3]["id"], "office:slides");
}

#[test]
fn a_query_is_found_in_install_name_name_or_description_without_case() {
    check("PDF", "pdf");
    check("review", "code-review");
    check("CODE-", "code-review");
    check("writes COMMITS", "commit");
    check("s", "pdf code-review commit office:slides");
    check("nowhere", "");
    check(" ", "pdf code-review commit office:slides");
}

#[test]
fn the_text_says_what_was_asked_for() {
    let machine = Machine::new(TREE);
    let ask = |query: &str| text(&machine.call(Tool::List, &json!({"query": query}).to_string()));
    assert_eq!(ask("pdf"), "1 skill with 'pdf'\n- pdf: Reads PDF files");
    assert_eq!(ask("no\nwhere"), "0 skills with 'no where'");
}

#[test]
fn a_body_comes_only_if_it_is_asked_for() {
    let machine = Machine::new(TREE);
    let result = machine.call(Tool::List, r#"{"query":"pdf","includeBody":true}"#);
    let body = result["structuredContent"]["skills"][0]["body"].as_str().unwrap();
    assert_eq!(body.trim_start(), "Body.\n");
    let result = machine.call(Tool::List, r#"{"query":"pdf","includeBody":false}"#);
    assert!(result["structuredContent"]["skills"][0].get("body").is_none());
}

#[test]
fn bodies_stop_at_a_bound_and_say_so() {
    let machine = Machine::new("");
    let body = "x".repeat(1_000_000);
    for number in 0..10 {
        let text = format!("---\nname: s{number}\ndescription: d\n---\n{body}");
        machine.write(&format!("custom/s{number}/SKILL.md"), &text);
    }
    let result = machine.call(Tool::List, r#"{"includeBody":true}"#);
    let skills = result["structuredContent"]["skills"].as_array().unwrap();
    assert_eq!(skills.iter().filter(|it| it.get("body").is_some()).count(), 8);
    assert_eq!(result["structuredContent"]["bodiesOmitted"], 2);
    let text = text(&result);
    assert!(text.starts_with("10 skills\nThe bodies of 2 are left out: "), "{text}");
}

#[test]
fn a_body_that_cannot_be_read_costs_only_itself() {
    let machine = Machine::new(TREE);
    let offer = machine.offer();
    std::fs::remove_file(machine.path("custom/pdf/SKILL.md")).unwrap();
    let result = super::fixture::result(
        &offer,
        metier_wire::Era::Legacy,
        Tool::List,
        r#"{"includeBody":true}"#,
    );
    let result: Value = serde_json::from_str(&result).unwrap();
    let skills = &result["structuredContent"]["skills"];
    assert!(skills[0].get("body").is_none() && skills[1].get("body").is_some());
}
