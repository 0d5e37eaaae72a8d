//! Exposure: which tools of servers are listed, and how the others are found.

use metier_wire::Era;
use serde_json::{Value, json};

use super::{
    fake::{Act, Fake},
    fixture::{Client, Front, Look, error, names, result},
};
use crate::{Expose, Tool, tests::tools::fixture::Machine};

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];
const FINDERS: [&str; 3] = ["tools_search", "tools_describe", "tools_call"];

/// A server with tools about the weather and about files.
fn talented(era: Era) -> Fake {
    Fake::new(era).listing(
        "tools/list",
        r#"{"name":"forecast","description":"Tells the weather of tomorrow.\n\nAt length.","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}},"n":1.0},{"name":"read.file","description":"Reads a file","odd":true}"#,
    )
}

async fn searching(era: Era) -> (Fake, Front) {
    let fake = talented(era);
    let front = Front::looking(Look::exposing(Expose::Search), &[("sky", &fake)]).await;
    (fake, front)
}

async fn listed(client: &mut Client) -> Vec<String> {
    names(&client.ask("tools/list", "{}").await, "tools", "name")
}

async fn find(client: &mut Client, finder: &str, arguments: Value) -> Value {
    client.ask("tools/call", json!({ "name": finder, "arguments": arguments })).await
}

#[tokio::test]
async fn with_search_three_tools_are_listed_that_find_all_others() {
    let (_, front) = searching(Era::Legacy).await;
    for era in ERAS {
        assert_eq!(listed(&mut front.client(era)).await, FINDERS);
    }
    let look = Look { expose: Expose::Search, ..Look::canonical() };
    let front = Front::looking(look, &[("sky", &talented(Era::Legacy))]).await;
    let canonical = ["tools.search", "tools.describe", "tools.call"];
    assert_eq!(listed(&mut front.client(Era::Legacy)).await, canonical);
}

#[tokio::test]
async fn tools_search_gives_ids_and_first_paragraphs_the_most_relevant_first() {
    let (_, front) = searching(Era::Legacy).await;
    for era in ERAS {
        let mut client = front.client(era);
        let answer = find(&mut client, "tools_search", json!({ "query": "weather" })).await;
        let mut found = result(&answer)["structuredContent"].take();
        assert!(found["results"][0]["score"].take().as_f64().unwrap() > 0.0);
        let first = json!({ "id": "sky:forecast", "server": "sky", "score": null,
            "description": "Tells the weather of tomorrow." });
        assert_eq!(found, json!({ "query": "weather", "limit": 5, "results": [first] }));
        let answer = find(&mut client, "tools_search", json!({ "query": "nothing like it" })).await;
        assert_eq!(result(&answer)["structuredContent"]["results"], json!([]));
    }
}

#[tokio::test]
async fn tools_describe_gives_whole_definitions_as_they_were_written() {
    let (_, front) = searching(Era::Legacy).await;
    let mut client = front.client(Era::Legacy);
    let asked = json!({ "tools": ["sky:read.file", "sky__forecast", "sky:none"] });
    let answer = find(&mut client, "tools_describe", asked).await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(r#"{"name":"read.file","description":"Reads a file","odd":true}"#));
    assert!(text.contains(r#"{"city":{"type":"string"}}},"n":1.0}"#), "{text}");
    assert!(text.contains("There is no tool `sky:none`"), "{text}");
    assert_eq!(answer["result"].get("isError"), None);
    let answer = find(&mut client, "tools_describe", json!({ "tools": ["sky:none"] })).await;
    assert_eq!(answer["result"]["isError"], true);
}

#[tokio::test]
async fn tools_call_is_like_a_direct_call() {
    const META: &str = r#""progressToken":"mine","x/y":1"#;
    let arguments = r#"{ "n":1.0, "big":123456789012345678901 }"#;
    let direct = format!(r#"{{"name":"sky__forecast","arguments":{arguments},"odd":1}}"#);
    let through = format!(
        r#"{{"name":"tools_call","arguments":{{"tool":"sky:forecast","arguments":{arguments}}},"odd":1}}"#
    );
    for era in ERAS {
        let (fake, front) = searching(era).await;
        let fake = fake.on("tools/call", |message| {
            let token = &message["params"]["_meta"]["progressToken"];
            let progress = json!({ "progressToken": token, "progress": 1 });
            let said = Act::Say("notifications/progress", progress);
            vec![said, Act::Give(r#"{"resultType":"complete","isError":true}"#.to_owned())]
        });
        let mut client = front.client(era);
        let one = client.ask_with("tools/call", &direct, META).await;
        let asides = std::mem::take(&mut client.asides);
        let other = client.ask_with("tools/call", &through, META).await;
        assert_eq!(one["result"], other["result"]);
        assert_eq!((asides.len(), &asides), (1, &client.asides));
        let seen = fake.seen("tools/call");
        let members = |at: usize| {
            let mut params = seen[at].message["params"].clone();
            params["_meta"]["progressToken"].take();
            assert!(seen[at].text.contains(arguments));
            params
        };
        assert_eq!(members(0), members(1));
    }
}

#[tokio::test]
async fn a_question_in_a_call_through_tools_call_resumes_that_call() {
    let (fake, front) = searching(Era::Legacy).await;
    let fake = fake.on("tools/call", |_| vec![Act::Ask("roots/list", json!({})), Act::GiveAnswers]);
    let mut client = front.modern(&json!({ "roots": {} }));
    let arguments = json!({ "tool": "sky:forecast" });
    let asked = result(&find(&mut client, "tools_call", arguments.clone()).await);
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap();
    let again = json!({ "name": "tools_call", "arguments": arguments,
        "requestState": asked["requestState"], "inputResponses": { key: { "roots": [] } } });
    let answer = client.ask("tools/call", again).await;
    assert_eq!(result(&answer)["answers"][0]["result"], json!({ "roots": [] }));
    assert_eq!(fake.seen("tools/call").len(), 1);
}

#[tokio::test]
async fn a_wrong_argument_of_a_finder_is_refused_by_its_name() {
    let (_, front) = searching(Era::Legacy).await;
    let mut client = front.client(Era::Legacy);
    for (finder, arguments, word) in [
        ("tools_search", json!({}), "`query`"),
        ("tools_search", json!({ "query": "" }), "`query`"),
        ("tools_search", json!({ "query": 1 }), "`query`"),
        ("tools_search", json!({ "query": "x", "limit": 0 }), "`limit`"),
        ("tools_search", json!({ "query": "x", "limit": 26 }), "`limit`"),
        ("tools_search", json!({ "query": "x", "limit": "5" }), "`limit`"),
        ("tools_search", json!({ "query": "x", "more": 1 }), "`more`"),
        ("tools_describe", json!({}), "`tools`"),
        ("tools_describe", json!({ "tools": "x" }), "`tools`"),
        ("tools_describe", json!({ "tools": [] }), "`tools`"),
        ("tools_describe", json!({ "tools": vec!["x"; 21] }), "`tools`"),
        ("tools_call", json!({}), "`tool`"),
        ("tools_call", json!({ "tool": "sky:none" }), "`sky:none`"),
        ("tools_call", json!({ "tool": "sky:forecast", "city": "x" }), "`city`"),
        ("tools_call", json!({ "tool": "sky:forecast", "arguments": "x" }), "`arguments`"),
        ("tools_call", json!([]), "`arguments`"),
    ] {
        let (code, message) = error(&find(&mut client, finder, arguments).await);
        assert_eq!(code, -32602, "{finder}: {message}");
        assert!(message.contains(word), "{finder}: {message}");
    }
}

#[tokio::test]
async fn auto_lists_forty_tools_and_hides_forty_one() {
    let all: Vec<String> = (10..51).map(|n| format!("t{n}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let fake = Fake::legacy().tools(&all[..40]);
    let front = Front::looking(Look::exposing(Expose::Auto), &[("a", &fake)]).await;
    let mut client = front.client(Era::Legacy);
    assert_eq!(listed(&mut client).await.len(), 40);
    fake.heard("notifications/tools/list_changed", &json!({})).await;
    let fake = fake.tools(&all);
    fake.say("notifications/tools/list_changed", &json!({}));
    assert_eq!(client.next().await["method"], "notifications/tools/list_changed");
    assert_eq!(listed(&mut client).await, FINDERS);
}

/// A machine with a skill that wants tools.
const SKILLS: &str = "\
//- custom/weather/SKILL.md
---
name: weather
description: Weather
allowed-tools: mcp__sky__forecast Read, Bash(ls *)
---
//- custom/all/SKILL.md
---
name: all
description: All
allowed-tools: [\"sky:*\"]
---
//- custom/none/SKILL.md
name: none | description: Wants nothing
";

async fn revealing() -> Front {
    let mut look = Look::exposing(Expose::Skills);
    look.presentation.tools = vec![Tool::Skill];
    let front = Front::looking(look, &[("sky", &talented(Era::Legacy))]).await;
    front.publisher.publish(Machine::new(SKILLS).catalog());
    front
}

#[tokio::test]
async fn with_skills_a_tool_is_listed_once_a_skill_that_names_it_was_loaded() {
    let front = revealing().await;
    let (mut client, mut other) = (front.client(Era::Legacy), front.client(Era::Legacy));
    assert_eq!(listed(&mut client).await, ["skill"]);
    find(&mut client, "skill", json!({ "name": "none" })).await;
    assert_eq!(listed(&mut client).await, ["skill"]);
    find(&mut client, "skill", json!({ "name": "weather" })).await;
    assert_eq!(client.next().await["method"], "notifications/tools/list_changed");
    assert_eq!(listed(&mut client).await, ["skill", "sky__forecast"]);
    find(&mut client, "skill", json!({ "name": "all" })).await;
    assert_eq!(client.next().await["method"], "notifications/tools/list_changed");
    assert_eq!(listed(&mut client).await, ["skill", "sky__forecast", "sky__read_file"]);
    find(&mut client, "skill", json!({ "name": "all" })).await;
    assert_eq!(listed(&mut client).await.len(), 3);
    assert_eq!(client.rest(), [Value::Null; 0], "nothing more was shown");
    assert_eq!(listed(&mut other).await, ["skill"]);
    assert_eq!(other.rest(), [Value::Null; 0], "another session hears nothing of it");
}

#[tokio::test]
async fn with_skills_a_client_without_session_searches() {
    let front = revealing().await;
    let mut client = front.client(Era::Modern);
    find(&mut client, "skill", json!({ "name": "all" })).await;
    assert_eq!(
        listed(&mut client).await,
        ["skill", "tools_search", "tools_describe", "tools_call"]
    );
    let answer = find(&mut client, "tools_call", json!({ "tool": "sky:forecast" })).await;
    assert_eq!(result(&answer)["content"], json!([]));
}

#[tokio::test]
async fn a_skill_that_is_loaded_before_the_first_scan_reveals_its_tools_too() {
    let mut look = Look::exposing(Expose::Skills);
    look.presentation.tools = vec![Tool::Skill];
    let plan = super::fixture::plan(&[("sky", &talented(Era::Legacy))]).await;
    let front = Front::unscanned(look, plan);
    front.upstreams.settled(super::fake::SOON).await;
    let mut client = front.client(Era::Legacy);
    let arguments = json!({ "name": "weather" });
    let id = client.send("tools/call", json!({ "name": "skill", "arguments": arguments }));
    front.publisher.publish(Machine::new(SKILLS).catalog());
    client.answer_to(id).await;
    assert_eq!(listed(&mut client).await, ["skill", "sky__forecast"]);
}
