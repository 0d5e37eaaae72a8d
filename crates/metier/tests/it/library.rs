//! Skills as the protocol's own, of the built server.

use std::fs;

use serde_json::{Value, json};

use crate::{
    peer::{Peer, Way},
    support::{Machine, tree},
};

const ALL: [Way; 3] = [Way::Stdio, Way::Http, Way::Sse];
const PDF: &str = "
//- project/.agents/skills/pdf/SKILL.md
name: pdf | description: Reads PDFs
//- project/.agents/skills/pdf/notes.md
One.
";

fn request(id: u64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

#[test]
fn a_changed_file_is_told_to_its_subscribers_on_every_transport() {
    for way in ALL {
        let machine = Machine::new(PDF);
        let mut peer = Peer::start(&machine, way, "--no-servers");
        peer.initialize("2025-11-25");
        let notes = json!({ "uri": "skill://~/agents/pdf/notes.md" });
        let answer = peer.ask(&request(1, "resources/subscribe", &notes));
        assert_eq!(answer["result"], json!({}), "{way:?}: {answer}");
        fs::write(machine.path("project/.agents/skills/pdf/notes.md"), "Another.\n").unwrap();
        let notice = peer.next();
        assert_eq!(notice["method"], "notifications/resources/updated", "{way:?}");
        assert_eq!(notice["params"], notes);
    }
}

#[test]
fn a_skill_that_comes_is_published_without_a_restart_even_without_refresh() {
    let machine = Machine::new(PDF);
    let mut peer = Peer::start(&machine, Way::Stdio, "--no-refresh");
    let uris = |peer: &mut Peer, id: u64| -> Vec<String> {
        let mut params = json!({});
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let answer = peer.ask(&request(id, "skills/list", &params));
        let skills = answer["result"]["skills"].as_array().unwrap();
        skills.iter().map(|it| it["uri"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(uris(&mut peer, 1), ["skill://~/agents/pdf/SKILL.md"]);
    tree::write(&machine.path("project"), "skills/git/SKILL.md", "name: git | description: Git");
    let both = ["skill://~/agents/git/SKILL.md", "skill://~/agents/pdf/SKILL.md"];
    let mut listed = uris(&mut peer, 2);
    listed.sort();
    assert_eq!(listed, both);
}

#[test]
fn no_prompts_leaves_the_prompts_of_skills_out() {
    for (flags, expected) in [("", json!(["pdf"])), ("--no-prompts", json!([]))] {
        let machine = Machine::new(PDF);
        let mut peer = Peer::start(&machine, Way::Stdio, flags);
        peer.initialize("2025-11-25");
        let answer = peer.ask(&request(1, "prompts/list", &json!({})));
        let prompts = answer["result"]["prompts"].as_array().unwrap();
        let names: Value = prompts.iter().map(|it| it["name"].clone()).collect();
        assert_eq!(names, expected, "{flags}");
    }
}

#[test]
fn doctor_names_the_skills_that_cannot_be_published_and_why() {
    let machine = Machine::new(
        "//- project/skills/a/SKILL.md\nname: My Skill | description: d\n\
         //- project/skills/b/SKILL.md\n---\nname: b\ndescription: d\nmetadata:\n  version: 2\n---\n\
         //- project/skills/c/SKILL.md\nname: c | description: d\n",
    );
    let found = machine.json("doctor --json");
    assert_eq!(found["ok"], true);
    let warnings =
        found["findings"].as_array().unwrap().iter().filter(|it| it["level"] == "warning");
    let warnings: Vec<String> = warnings
        .map(|it| {
            let subject = it["subject"].as_str().unwrap().rsplit('/').nth(1).unwrap().to_owned();
            format!("{subject}: {}", it["message"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        warnings,
        [
            "a: not in `skills/list`: the name must be 1 to 64 of `a` to `z`, `0` to `9` and single hyphens",
            "b: not in `skills/list`: `metadata` must be a map of texts",
        ]
    );
}

#[test]
fn doctor_names_files_that_are_not_called_as_they_seem() {
    let machine = Machine::new(PDF);
    fs::write(machine.path("project/.agents/skills/pdf/a\u{200b}b.md"), "x").unwrap();
    let found = machine.json("doctor --json");
    let messages = found["findings"].as_array().unwrap().iter().map(|it| &it["message"]);
    let hidden = messages.filter(|it| it.as_str().unwrap().contains("hidden"));
    assert_eq!(hidden.collect::<Vec<_>>(), [r"the name of `a\u{200b}b.md` has hidden characters"]);
}
