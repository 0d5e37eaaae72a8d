//! `skills/list` and `skills/get`.

use metier_skills::Digest;
use metier_wire::Era;
use serde_json::{Value, json};

use super::{ERAS, TREE, all, ask, front, refusal, uri};
use crate::tests::{
    gateway::{
        fake::Fake,
        fixture::{Front, Look, plan},
    },
    tools::fixture::Machine,
};

fn digest(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}

/// The entry of the skill of `TREE`.
fn pdf() -> Value {
    let skill = "---\nname: pdf\ndescription: Reads PDF files\n---\n\nBody.\n";
    let file = |path: &str, text: &str| {
        let uri = format!("skill://~/custom/pdf/{path}");
        json!({ "uri": uri, "digest": digest(text), "size": text.len() })
    };
    json!({
        "uri": "skill://~/custom/pdf/SKILL.md",
        "frontmatter": { "name": "pdf", "description": "Reads PDF files" },
        "resources": [
            file("SKILL.md", skill),
            file("docs/a%20b.md", "Fill them.\n"),
            file("docs/deep/x.txt", "x\n"),
        ],
    })
}

#[tokio::test]
async fn an_entry_has_the_frontmatter_as_it_is_and_every_file_with_its_digest() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let listed = ask(&mut client, "skills/list", json!({})).await;
    assert_eq!(listed, json!({ "skills": [pdf()] }));
    let got = ask(&mut client, "skills/get", uri("custom/pdf/SKILL.md")).await;
    assert_eq!(got, json!({ "skill": pdf() }));
}

#[tokio::test]
async fn results_of_2026_say_what_they_are_and_for_how_long() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Modern);
    let cached = json!({ "resultType": "complete", "ttlMs": 5000, "cacheScope": "private" });
    for (method, params, member, value) in [
        ("skills/list", json!({}), "skills", json!([pdf()])),
        ("skills/get", uri("custom/pdf/SKILL.md"), "skill", pdf()),
    ] {
        let mut expected = cached.clone();
        expected[member] = value;
        assert_eq!(ask(&mut client, method, params).await, expected);
    }
}

#[tokio::test]
async fn the_extension_is_declared_beside_resources_in_both_eras() {
    let machine = Machine::new("");
    let front = front(&machine);
    let mut client = front.client(Era::Modern);
    let discovered = ask(&mut client, "server/discover", json!({})).await;
    let mut client = front.client(Era::Legacy);
    let asked = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
    let initialized = ask(&mut client, "initialize", asked).await;
    for capabilities in [&discovered["capabilities"], &initialized["capabilities"]] {
        let skills = &capabilities["extensions"]["io.modelcontextprotocol/skills"];
        assert_eq!(skills, &json!({ "directoryRead": true }));
        assert_eq!(capabilities["resources"], json!({ "listChanged": true, "subscribe": true }));
        assert_eq!(capabilities["completions"], json!({}));
    }
}

#[tokio::test]
async fn a_notification_is_never_answered() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    for era in ERAS {
        let mut client = front.client(era);
        for method in ["skills/list", "skills/get", "resources/directory/read"] {
            client.notify(method, json!({ "uri": "skill://~" }));
        }
        client.ask("tools/list", json!({})).await;
        assert_eq!(client.rest(), [Value::Null; 0]);
    }
}

#[tokio::test]
async fn a_skill_that_cannot_be_published_costs_only_itself() {
    let machine = Machine::new(&format!(
        "{TREE}\
         //- custom/a/SKILL.md\nname: Not A Name | description: d\n\
         //- custom/b/SKILL.md\n---\nname: b\ndescription: Use when: always\n---\n\
         //- custom/c/SKILL.md\n---\nname: c\ndescription: d\nmetadata:\n  v: 1\n---\n"
    ));
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let listed = ask(&mut client, "skills/list", json!({})).await;
    assert_eq!(listed, json!({ "skills": [pdf()] }));
    let (code, message) = refusal(&mut client, "skills/get", uri("custom/b/SKILL.md")).await;
    assert_eq!(code, -32602);
    assert!(message.contains("line 3"), "{message}");
    // They can be loaded, and read as resources, all the same.
    let loaded = client.ask("tools/call", json!({ "name": "skill", "arguments": { "name": "b" } }));
    assert_eq!(loaded.await["result"]["isError"], Value::Null);
    let read = ask(&mut client, "resources/read", uri("custom/Not%20A%20Name/SKILL.md")).await;
    assert_eq!(all(&read["contents"], "mimeType"), ["text/markdown"]);
}

#[tokio::test]
async fn what_is_no_skill_is_refused_with_its_uri_in_both_eras() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    for era in ERAS {
        let mut client = front.client(era);
        for path in ["custom/none/SKILL.md", "custom/pdf", "custom/pdf/docs/a%20b.md", "custom"] {
            let (code, message) = refusal(&mut client, "skills/get", uri(path)).await;
            assert_eq!(code, -32602);
            assert!(message.contains(path), "{message}");
        }
        let (code, _) =
            refusal(&mut client, "skills/get", json!({ "uri": "skill://x/SKILL.md" })).await;
        assert_eq!(code, -32602);
        let (code, message) = refusal(&mut client, "skills/get", json!({})).await;
        assert_eq!((code, message.contains("`uri`")), (-32602, true));
    }
}

#[tokio::test]
async fn many_skills_come_by_pages_and_each_once() {
    let skill = |at: usize| format!("//- custom/s{at}/SKILL.md\nname: s{at} | description: d\n");
    let machine = Machine::new(&(0..600).map(skill).collect::<String>());
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let (mut cursor, mut uris, mut pages) = (Value::Null, Vec::new(), Vec::new());
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let page = ask(&mut client, "skills/list", params).await;
        let listed = all(&page["skills"], "uri");
        pages.push(listed.len());
        uris.extend(listed.into_iter().map(str::to_owned));
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(pages, [256, 256, 88]);
    uris.sort();
    uris.dedup();
    assert_eq!(uris.len(), 600);
}

#[tokio::test]
async fn resources_and_prompts_come_by_pages_too_and_each_once() {
    let skill = |at: usize| format!("//- custom/s{at}/SKILL.md\nname: s{at} | description: d\n");
    let machine = Machine::new(&(0..999).map(skill).collect::<String>());
    let items = |key: &str| {
        let item = |at: usize| format!(r#"{{"{key}":"x:{at}","name":"x:{at}"}}"#);
        (0..1_003).map(item).collect::<Vec<_>>().join(",")
    };
    let fake = Fake::legacy()
        .listing("resources/list", &items("uri"))
        .listing("prompts/list", &items("odd"));
    let front = Front::begin(Look::default(), plan(&[("zoo", &fake)]).await);
    front.publisher.publish(machine.catalog());
    for (method, list, key) in
        [("resources/list", "resources", "uri"), ("prompts/list", "prompts", "name")]
    {
        let mut client = front.client(Era::Modern);
        let (mut params, mut seen, mut pages) = (json!({}), Vec::new(), Vec::new());
        loop {
            let page = ask(&mut client, method, params).await;
            let listed = all(&page[list], key);
            pages.push(listed.len());
            seen.extend(listed.into_iter().map(str::to_owned));
            match &page["nextCursor"] {
                Value::Null => break,
                cursor => params = json!({ "cursor": cursor }),
            }
        }
        assert_eq!(pages, [1_000, 1_000, 2], "{method}");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 2_002);
        for cursor in [json!("x"), json!(""), json!(7)] {
            let (code, message) = refusal(&mut client, method, json!({ "cursor": cursor })).await;
            assert_eq!((code, message.contains("`cursor`")), (-32602, true), "{message}");
        }
    }
}

#[tokio::test]
async fn a_cursor_that_is_malformed_or_whose_skill_has_gone_is_refused() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    for cursor in [json!("x"), json!(""), json!(7), json!("skill://~/custom/gone/SKILL.md")] {
        let (code, message) =
            refusal(&mut client, "skills/list", json!({ "cursor": cursor })).await;
        assert_eq!((code, message.contains("`cursor`")), (-32602, true), "{message}");
    }
    let known = json!({ "cursor": "skill://~/custom/pdf/SKILL.md" });
    assert_eq!(ask(&mut client, "skills/list", known).await, json!({ "skills": [pdf()] }));
}

#[tokio::test]
async fn a_file_that_changes_changes_its_digest_at_once() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    for text in ["one\n", "two\n"] {
        machine.write("custom/pdf/docs/a b.md", text);
        let got = ask(&mut client, "skills/get", uri("custom/pdf/SKILL.md")).await;
        assert_eq!(got["skill"]["resources"][1]["digest"], digest(text));
        let read = ask(&mut client, "resources/read", uri("custom/pdf/docs/a%20b.md")).await;
        assert_eq!(read["contents"][0]["text"], text);
    }
}
