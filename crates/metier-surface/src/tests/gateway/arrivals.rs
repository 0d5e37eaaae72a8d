//! Arrivals: what waits for servers that are just being met, and for how long.

use std::{collections::HashMap, time::Duration};

use metier_wire::Era;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::{
    fake::{Act, Fake, SOON},
    fixture::{Front, Look, names, plan, result},
};
use crate::{Expose, Presentation};

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];
const TEXT: &str = "---\nname: cat\ndescription: Cats\n---\n";
const LISTS: [&str; 4] =
    ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

/// A server that is met as soon as the test lets it go on.
fn late(era: Era) -> Fake {
    let result = r#"{"resultType":"complete","tools":[{"name":"t"}]}"#;
    Fake::new(era)
        .on("tools/list", move |_| vec![Act::Wait, Act::Give(result.to_owned())])
        .listing("resources/list", r#"{"uri":"x:y","name":"y"}"#)
        .listing("resources/templates/list", r#"{"uriTemplate":"x:{z}","name":"z"}"#)
        .listing("prompts/list", r#"{"name":"p"}"#)
}

/// A server that never answers.
fn mute() -> Fake {
    Fake::legacy().on("server/discover", |_| vec![Act::Wait]).on("initialize", |_| vec![Act::Wait])
}

/// A skill as a server lists it.
fn cat() -> Value {
    let uri = "skill://pets/cat/SKILL.md";
    let digest = metier_skills::Digest::of(TEXT.as_bytes()).to_string();
    json!({ "uri": uri, "frontmatter": { "name": "cat", "description": "Cats" },
        "resources": [{ "uri": uri, "digest": digest, "size": TEXT.len() }] })
}

/// A surface with a server that is there and one that never answers.
async fn half_met() -> Front {
    let plan = plan(&[("here", &Fake::legacy().tools(&["t"])), ("mute", &mute())]).await;
    let front = Front::begin(Look::default(), plan);
    let mut rosters = front.upstreams.rosters();
    let is_there = rosters.wait_for(|it| it.tools().get("here:t").is_some());
    timeout(SOON, is_there).await.unwrap().unwrap();
    front
}

#[tokio::test]
async fn a_list_waits_for_servers_that_are_being_met() {
    for server in ERAS {
        for client in ERAS {
            let fake = late(server);
            let front = Front::begin(Look::default(), plan(&[("a", &fake)]).await);
            let mut clients = LISTS.map(|_| front.client(client));
            let mut ids = Vec::new();
            for (client, list) in clients.iter_mut().zip(LISTS) {
                ids.push(client.send(list, "{}"));
                assert!(!client.has_answer_at_once());
            }
            fake.sees("tools/list", 1).await;
            fake.go_on();
            for ((client, list), id) in clients.iter_mut().zip(LISTS).zip(ids) {
                let listed = result(&client.answer_to(id).await);
                let n_items = listed.as_object().unwrap().values().find_map(Value::as_array);
                assert_eq!(n_items.unwrap().len(), 1, "{list}");
                client.send(list, "{}");
                assert!(client.has_answer_at_once());
            }
        }
    }
}

#[tokio::test]
async fn a_list_waits_five_seconds_at_most_and_later_ones_not_at_all() {
    tokio::time::pause();
    let began = Instant::now();
    tokio::time::resume();
    let front = half_met().await;
    tokio::time::pause();
    let mut client = front.client(Era::Legacy);
    let list = client.ask("tools/list", "{}").await;
    assert_eq!(names(&list, "tools", "name"), ["here__t"]);
    let waited = began.elapsed();
    assert!((Duration::from_secs(5)..Duration::from_secs(6)).contains(&waited), "{waited:?}");
    for list in LISTS {
        client.send(list, "{}");
        assert!(client.has_answer_at_once(), "{list}");
        client.next().await;
    }
}

#[tokio::test]
async fn a_call_to_a_server_that_is_there_waits_for_no_other() {
    let front = half_met().await;
    let began = Instant::now();
    tokio::time::pause();
    let answer = front.client(Era::Legacy).ask("tools/call", json!({ "name": "here__t" })).await;
    assert_eq!(answer["result"], json!({ "content": [] }));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[tokio::test]
async fn what_a_server_may_have_that_is_being_met_is_asked_for_when_it_is_there() {
    for server in ERAS {
        for (method, params, member) in [
            ("tools/call", json!({ "name": "a__t" }), "content"),
            ("tools/call", json!({ "name": "a:t" }), "content"),
            ("resources/read", json!({ "uri": "x:y" }), "contents"),
            ("prompts/get", json!({ "name": "a__p" }), "messages"),
        ] {
            let fake = late(server);
            let front = Front::begin(Look::default(), plan(&[("a", &fake)]).await);
            let mut client = front.client(Era::Legacy);
            let id = client.send(method, params);
            assert!(!client.has_answer_at_once());
            fake.sees("tools/list", 1).await;
            fake.go_on();
            assert_eq!(client.answer_to(id).await["result"][member], json!([]), "{method}");
        }
    }
}

#[tokio::test]
async fn what_is_completed_by_a_server_that_is_being_met_waits_for_it() {
    for reference in [
        json!({ "type": "ref/prompt", "name": "a__p" }),
        json!({ "type": "ref/prompt", "name": "p" }),
        json!({ "type": "ref/resource", "uri": "x:{z}" }),
        json!({ "type": "ref/resource", "uri": "a+x:{z}" }),
    ] {
        let fake = late(Era::Legacy).able("completions");
        let front = Front::begin(Look::default(), plan(&[("a", &fake)]).await);
        let mut client = front.client(Era::Legacy);
        let argument = json!({ "name": "z", "value": "" });
        let asked = json!({ "ref": reference, "argument": argument });
        let id = client.send("completion/complete", &asked);
        fake.sees("tools/list", 1).await;
        fake.go_on();
        let completed = json!({ "values": ["one"] });
        assert_eq!(client.answer_to(id).await["result"]["completion"], completed, "{asked}");
    }
}

#[tokio::test]
async fn who_listens_hears_what_is_watched_when_servers_are_there_that_were_being_met() {
    for server in ERAS {
        let fake = late(server);
        let refusing = Fake::legacy()
            .listing("resources/list", r#"{"uri":"z:z","name":"z"}"#)
            .on("resources/subscribe", |_| vec![Act::Refuse(r#"{"code":-7,"message":"no"}"#)]);
        let plan = plan(&[("a", &fake), ("b", &refusing)]).await;
        let front = Front::begin(Look::default(), plan);
        let mut client = front.client(Era::Modern);
        let wanted = json!({ "resourceSubscriptions": ["x:y", "z:z", "no:where"] });
        client.send("subscriptions/listen", json!({ "notifications": wanted }));
        fake.sees("tools/list", 1).await;
        fake.go_on();
        let taken = json!({ "resourceSubscriptions": ["x:y"] });
        assert_eq!(client.next().await["params"]["notifications"], taken);
        fake.heard("notifications/resources/updated", &json!({ "uri": "x:y" })).await;
        fake.say("notifications/resources/updated", &json!({ "uri": "x:y" }));
        assert_eq!(client.next().await["params"]["uri"], "x:y");
    }
}

#[tokio::test]
async fn a_tool_is_waited_for_by_its_own_name_and_through_the_tool_that_calls_others() {
    for (expose, params) in [
        (Expose::All, json!({ "name": "t" })),
        (Expose::Search, json!({ "name": "t" })),
        (Expose::Search, json!({ "name": "tools_call", "arguments": { "tool": "a:t" } })),
        (Expose::Search, json!({ "name": "tools_call", "arguments": { "tool": "t" } })),
    ] {
        let fake = late(Era::Legacy);
        let front = Front::begin(Look::exposing(expose), plan(&[("a", &fake)]).await);
        let mut client = front.client(Era::Legacy);
        let id = client.send("tools/call", &params);
        assert!(!client.has_answer_at_once());
        fake.sees("tools/list", 1).await;
        fake.go_on();
        assert_eq!(client.answer_to(id).await["result"]["content"], json!([]), "{params}");
    }
}

#[tokio::test]
async fn a_skill_of_a_server_that_is_being_met_is_waited_for_longer_than_any_list() {
    let (uri, entry) = ("skill://pets/cat/SKILL.md", cat());
    let got = json!({ "skill": entry }).to_string();
    let read = json!({ "contents": [{ "uri": uri, "text": TEXT }] }).to_string();
    let fake = late(Era::Legacy)
        .skilled(std::slice::from_ref(&entry))
        .on("skills/get", move |_| vec![Act::Give(got.clone())])
        .on("resources/read", move |_| vec![Act::Give(read.clone())]);
    let look = Look { presentation: Presentation::default(), ..Look::default() };
    let front = Front::begin(look, plan(&[("a", &fake)]).await);
    fake.sees("tools/list", 1).await;
    tokio::time::pause();
    front.client(Era::Legacy).ask("prompts/list", json!({})).await;
    tokio::time::resume();
    let (shown, folder) = ("skill://a/pets/cat/SKILL.md", "skill://a/pets/cat");
    let skill = |tool: &str, name: &str| json!({ "name": tool, "arguments": { "name": name } });
    let requests = [
        ("tools/call", skill("skill", "a:cat")),
        ("tools/call", skill("skill", folder)),
        ("tools/call", skill("skills_read", "a:cat")),
        ("resources/read", json!({ "uri": shown })),
        ("skills/get", json!({ "uri": shown })),
        ("resources/directory/read", json!({ "uri": folder })),
        ("prompts/get", json!({ "name": "a__p" })),
    ];
    let mut client = front.client(Era::Legacy);
    let ids: Vec<u64> = requests.iter().map(|(method, it)| client.send(method, it)).collect();
    assert!(!client.has_answer_at_once());
    fake.go_on();
    let mut answers = HashMap::new();
    while answers.len() < ids.len() {
        let message = client.next().await;
        answers.extend(message["id"].as_u64().map(|id| (id, message)));
    }
    for (id, request) in ids.iter().zip(&requests) {
        let result = &answers[id]["result"];
        assert!(result.is_object() && result["isError"] != true, "{request:?}: {result}");
    }
}

#[tokio::test]
async fn nothing_waits_for_a_server_whose_name_its_own_only_begins_with() {
    let entry = cat();
    let read = |message: &Value| {
        let uri = &message["params"]["uri"];
        vec![Act::Give(json!({ "contents": [{ "uri": uri, "text": TEXT }] }).to_string())]
    };
    let got = json!({ "skill": entry }).to_string();
    let fake = Fake::legacy()
        .tools(&["t"])
        .skilled(std::slice::from_ref(&entry))
        .listing("resources/list", r#"{"uri":"s3://x","name":"x"},{"uri":"s+x:y","name":"y"}"#)
        .listing("prompts/list", r#"{"name":"p"}"#)
        .on("skills/get", move |_| vec![Act::Give(got.clone())])
        .on("resources/read", read);
    let plan = plan(&[("search", &fake), ("s", &mute())]).await;
    let look = Look { presentation: Presentation::default(), ..Look::default() };
    let front = Front::begin(look, plan);
    let mut client = front.client(Era::Legacy);
    client.ask("tools/list", json!({})).await;
    let (skill, folder) = ("skill://search/pets/cat/SKILL.md", "skill://search/pets/cat");
    for (method, params) in [
        ("tools/call", json!({ "name": "search__t" })),
        ("tools/call", json!({ "name": "search:t" })),
        ("tools/call", json!({ "name": "skill", "arguments": { "name": "search:cat" } })),
        ("resources/read", json!({ "uri": skill })),
        ("resources/read", json!({ "uri": "s3://x" })),
        ("resources/read", json!({ "uri": "s3://unlisted" })),
        ("resources/subscribe", json!({ "uri": "s3://x" })),
        ("skills/get", json!({ "uri": skill })),
        ("resources/directory/read", json!({ "uri": folder })),
        ("prompts/get", json!({ "name": "search__p" })),
        ("prompts/get", json!({ "name": "p" })),
    ] {
        let answer = client.ask(method, &params).await;
        assert!(answer["result"].is_object(), "{method} {params}: {answer}");
        assert!(!front.upstreams.roster().is_settled(), "{method} {params}");
    }
    let answer = client.ask("prompts/get", json!({ "name": "snone" })).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert!(!front.upstreams.roster().is_settled());
}

#[tokio::test]
async fn a_tool_that_nobody_has_is_waited_for_as_long_as_the_first_list() {
    let front = half_met().await;
    tokio::time::pause();
    let began = Instant::now();
    let mut client = front.client(Era::Legacy);
    let answer = client.ask("tools/call", json!({ "name": "nothing" })).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    let answer = client.ask("tools/call", json!({ "name": "nothing" })).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_server_that_comes_later_is_announced_and_listed() {
    let (one, other) = (Fake::legacy().tools(&["t"]), Fake::modern().tools(&["u"]));
    let early = plan(&[("a", &one)]).await;
    let front = Front::begin(Look::default(), early.clone());
    front.upstreams.settled(SOON).await;
    let mut client = front.client(Era::Legacy);
    assert_eq!(names(&client.ask("tools/list", "{}").await, "tools", "name"), ["a__t"]);
    let mut both = plan(&[("b", &other)]).await;
    both.servers.extend(early.servers.clone());
    front.follow(both).await;
    assert_eq!(client.next().await["method"], "notifications/tools/list_changed");
    assert_eq!(names(&client.ask("tools/list", "{}").await, "tools", "name"), ["a__t", "b__u"]);
    front.follow(early).await;
    assert_eq!(client.next().await["method"], "notifications/tools/list_changed");
    assert_eq!(names(&client.ask("tools/list", "{}").await, "tools", "name"), ["a__t"]);
}
