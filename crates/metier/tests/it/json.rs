//! The documents that scripts read.

use serde_json::{Value, json};

use super::support::Machine;

const TREE: &str = "\
//- project/.agents/skills/pdf/SKILL.md
---
name: pdf
description: Reads PDFs
license: MIT
allowed-tools: [Read, Bash]
version: 1.10
---

Body with a form.
//- project/.agents/skills/pdf/run.sh
echo
//- home/.agents/skills/pdf/SKILL.md
name: pdf | description: Shadowed
//- home/.codex/skills/off/.SKILL.md
name: off | description: Not now
//- home/.codex/skills/broken/SKILL.md
no head
";

fn pdf(machine: &Machine) -> Value {
    let folder = machine.path("project/.agents/skills/pdf");
    json!({
        "id": "pdf",
        "name": "pdf",
        "description": "Reads PDFs",
        "provider": "agents",
        "location": "project",
        "path": folder.join("SKILL.md"),
        "baseDirectory": folder,
        "disabled": false,
        "frontmatter": {"license": "MIT", "allowed-tools": ["Read", "Bash"], "version": 1.10},
    })
}

#[test]
fn list_gives_skills_and_problems() {
    let machine = Machine::new(TREE);
    let broken = machine.path("home/.codex/skills/broken/SKILL.md");
    assert_eq!(
        machine.json("list --json"),
        json!({
            "skills": [pdf(&machine)],
            "problems": [{
                "path": broken,
                "level": "error",
                "reason": "there is no frontmatter: the file does not begin with a line `---`",
                "hint": "begin the file with a line `---`, a `name: …`, a `description: …` and a line `---`",
            }],
        })
    );
}

#[test]
fn list_all_says_who_won_and_what_is_disabled() {
    let skills = Machine::new(TREE).json("list --all --json");
    let told: Vec<Value> = skills["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| json!([it["id"], it["name"], it["disabled"], it["shadowedBy"]]))
        .collect();
    let expected = [
        json!(["pdf", "pdf", false, null]),
        json!([null, "pdf", false, "pdf"]),
        json!(["off", "off", true, null]),
    ];
    assert_eq!(told, expected);
}

#[test]
fn show_gives_the_skill_with_files_and_content() {
    let machine = Machine::new(TREE);
    let content = std::fs::read_to_string(machine.path("project/.agents/skills/pdf/SKILL.md"));
    let mut expected = pdf(&machine);
    let content = content.unwrap();
    expected["files"] =
        json!([{"path": "SKILL.md", "size": content.len()}, {"path": "run.sh", "size": 5}]);
    expected["content"] = json!(content);
    assert_eq!(machine.json("show --json pdf"), expected);
}

#[test]
fn search_gives_query_limit_total_and_results() {
    let machine = Machine::new(TREE);
    let mut hit = pdf(&machine);
    hit["score"] = json!(2);
    hit["excerpt"] = json!("Body with a form.");
    assert_eq!(
        machine.json("search --json --limit 3 FORM reads"),
        json!({"query": "FORM reads", "limit": 3, "total": 1, "results": [hit]})
    );
}

#[test]
fn validate_gives_errors_and_warnings_of_each_skill() {
    let machine = Machine::new("//- project/skills/b/SKILL.md\nname: a | description: d\n");
    assert_eq!(
        machine.json("validate --json"),
        json!({"valid": false, "skills": [{
            "path": machine.path("project/skills/b/SKILL.md"),
            "valid": false,
            "errors": [{
                "line": 2,
                "field": "name",
                "message": "the name is `a`, but the folder is called `b`",
                "fix": "rename the folder to `a` or set `name: b`",
            }],
            "warnings": [],
        }]})
    );
}

#[test]
fn doctor_gives_ok_and_findings() {
    let machine = Machine::new(TREE);
    let report = machine.json("doctor --json");
    assert_eq!(report["ok"], false);
    let errors: Vec<&Value> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["level"] == "error")
        .map(|it| &it["subject"])
        .collect();
    assert_eq!(errors, [&json!(machine.path("home/.codex/skills/broken/SKILL.md"))]);
}

#[test]
fn a_plugin_skill_names_its_plugin() {
    let machine = Machine::new(
        "//- home/.claude/plugins/installed_plugins.json\n\
         {\"plugins\":{\"office@m\":[{\"scope\":\"user\",\"installPath\":\"$ROOT/o\",\"version\":\"1.2.0\"}]}}\n\
         //- o/skills/pdf/SKILL.md\nname: pdf | description: d\n",
    );
    let skill = &machine.json("list --json")["skills"][0];
    let told = ["id", "provider", "location", "plugin", "marketplace", "pluginVersion"];
    let told = told.map(|key| skill[key].as_str().unwrap());
    assert_eq!(told, ["office:pdf", "claude", "plugin", "office", "m", "1.2.0"]);
    assert_eq!(machine.json("list --json --no-plugins")["skills"], json!([]));
}
