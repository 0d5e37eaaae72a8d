//! Prompts: one for each skill.

use metier_wire::Era;
use serde_json::{Value, json};

use super::{ERAS, all, ask, front, refusal};
use crate::{
    Presentation,
    tests::{
        gateway::{
            fake::Fake,
            fixture::{Front, Look, plan},
        },
        tools::fixture::{Machine, TREE},
    },
};

#[tokio::test]
async fn every_skill_is_a_prompt_that_takes_a_task() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let listed = ask(&mut client, "prompts/list", json!({})).await;
    let names = ["pdf", "code-review", "commit", "office_slides"];
    assert_eq!(all(&listed["prompts"], "name"), names);
    let argument =
        json!({ "name": "task", "description": "What to do with the skill", "required": false });
    let slides = json!({ "name": "office_slides", "title": "office:slides",
        "description": "Makes slides", "arguments": [argument] });
    assert_eq!(listed["prompts"][3], slides);
}

#[tokio::test]
async fn a_prompt_is_the_skill_as_it_is_loaded_and_the_task() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    for era in ERAS {
        let mut client = front.client(era);
        let called = json!({ "name": "skill", "arguments": { "name": "pdf" } });
        let loaded = ask(&mut client, "tools/call", called).await["content"][0]["text"].clone();
        let loaded = loaded.as_str().unwrap();
        for (arguments, end) in [
            (json!({}), ""),
            (json!({ "task": " " }), ""),
            (json!({ "task": "Read it.", "other": 1 }), "\n\nTask: Read it."),
        ] {
            let got =
                ask(&mut client, "prompts/get", json!({ "name": "pdf", "arguments": arguments }))
                    .await;
            let content = json!({ "type": "text", "text": format!("{loaded}{end}") });
            assert_eq!(got["messages"], json!([{ "role": "user", "content": content }]));
            assert_eq!(got["description"], "Reads PDF files");
            assert_eq!(got.get("resultType").is_some(), era == Era::Modern);
        }
    }
}

#[tokio::test]
async fn a_prompt_goes_by_its_name_or_the_id_of_its_skill() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    for name in ["office_slides", "office:slides"] {
        let got = ask(&mut client, "prompts/get", json!({ "name": name })).await;
        assert_eq!(got["description"], "Makes slides");
    }
    for params in
        [json!({ "name": "none" }), json!({}), json!({ "name": "pdf", "arguments": { "task": 7 } })]
    {
        assert_eq!(refusal(&mut client, "prompts/get", params).await.0, -32602);
    }
}

#[tokio::test]
async fn a_prompt_of_a_server_never_takes_the_name_of_a_skill() {
    let machine = Machine::new(TREE);
    let prompts = r#"{"name":"slides"},{"name":"pdf"}"#;
    let fake = Fake::legacy().listing("prompts/list", prompts);
    let mut look = Look::canonical();
    look.presentation.tools = Vec::new();
    let front = Front::begin(look, plan(&[("office", &fake)]).await);
    front.publisher.publish(machine.catalog());
    let mut client = front.client(Era::Legacy);
    let listed = ask(&mut client, "prompts/list", json!({})).await;
    let names = ["pdf", "code-review", "commit", "office_slides", "office:pdf", "office:slides"];
    assert_eq!(all(&listed["prompts"], "name"), names);
    for name in ["pdf", "office:slides"] {
        ask(&mut client, "prompts/get", json!({ "name": name })).await;
    }
    assert_eq!(fake.seen("prompts/get").len(), 0);
    ask(&mut client, "prompts/get", json!({ "name": "office:pdf" })).await;
    assert_eq!(fake.seen("prompts/get").len(), 1);
}

#[tokio::test]
async fn without_prompts_there_are_none_and_nobody_says_so() {
    let machine = Machine::new(TREE);
    let front = Front::alone(Presentation { prompts: false, ..Presentation::default() });
    front.publisher.publish(machine.catalog());
    let mut client = front.client(Era::Modern);
    let discovered = ask(&mut client, "server/discover", json!({})).await;
    assert_eq!(discovered["capabilities"]["prompts"], Value::Null);
    for method in ["prompts/list", "prompts/get"] {
        assert_eq!(refusal(&mut client, method, json!({ "name": "pdf" })).await.0, -32601);
    }
}
