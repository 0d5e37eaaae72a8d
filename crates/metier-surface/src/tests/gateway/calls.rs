//! Calls: what a client asks reaches the server whose it is, and what that answers the client.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use metier_wire::Era;
use serde_json::json;

use super::{
    fake::{Act, Fake},
    fixture::{Front, Look, error},
};
use crate::{Expose, Presentation};

#[tokio::test]
async fn a_call_by_wire_name_or_by_id_reaches_the_servers_own_name() {
    let fake = Fake::legacy().tools(&["x.y", "x_y", "z z"]);
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.client(Era::Legacy);
    for name in ["a__x_y_28755da7", "a__x_y_38be8ab2", "a__z_z", "a:x.y", "a:x_y", "a:z z"] {
        let answer = client.ask("tools/call", json!({ "name": name })).await;
        assert_eq!(answer["result"], json!({ "content": [] }));
    }
    let seen = fake.seen("tools/call");
    let names: Vec<_> = seen.iter().map(|it| it.message["params"]["name"].clone()).collect();
    assert_eq!(names, ["x.y", "x_y", "z z", "x.y", "x_y", "z z"]);
}

#[tokio::test]
async fn a_tool_that_nobody_has_is_refused_by_its_name() {
    let front = Front::of(&[("a", &Fake::legacy().tools(&["t"]))]).await;
    for era in [Era::Legacy, Era::Modern] {
        for name in ["u", "a__u", "b__t", "tools_search"] {
            let answer = front.client(era).ask("tools/call", json!({ "name": name })).await;
            let (code, message) = error(&answer);
            assert_eq!(code, -32602);
            assert!(message.contains(&format!("`{name}`")), "{message}");
        }
    }
}

#[tokio::test]
async fn a_name_that_only_one_server_uses_is_enough_and_one_that_two_use_is_not() {
    let (one, other) = (Fake::legacy().tools(&["x.y", "t"]), Fake::legacy().tools(&["t"]));
    let front = Front::of(&[("a", &one), ("b", &other)]).await;
    let mut client = front.client(Era::Legacy);
    let answer = client.ask("tools/call", json!({ "name": "x.y" })).await;
    assert_eq!(answer["result"], json!({ "content": [] }));
    assert_eq!(one.seen("tools/call")[0].message["params"]["name"], "x.y");
    assert_eq!(error(&client.ask("tools/call", json!({ "name": "t" })).await).0, -32602);
}

/// What a server of each era gets for parameters, and what it got for `_meta`, with its own id.
#[tokio::test]
async fn everything_that_a_client_sends_is_passed_on_but_what_holds_between_neighbours() {
    const PARAMS: &str = r#"{"name":"a__t","arguments":{ "n":1.0, "big":123456789012345678901 },"task":{"ttl":1},"odd":[null]}"#;
    const META: &str = r#""progressToken":"mine","x/y":{ "z":1.0 },"traceparent":"00-1""#;
    for client in [Era::Legacy, Era::Modern] {
        for server in [Era::Legacy, Era::Modern] {
            let fake = Fake::new(server).tools(&["t"]);
            let front = Front::of(&[("a", &fake)]).await;
            front.client(client).ask_with("tools/call", PARAMS, META).await;
            let seen = fake.seen("tools/call").remove(0);
            let rest = r#""name":"t","arguments":{ "n":1.0, "big":123456789012345678901 },"task":{"ttl":1},"odd":[null]}}"#;
            assert!(seen.text.ends_with(rest), "{}", seen.text);
            let id = &seen.message["id"];
            let mut meta =
                json!({ "progressToken": id, "x/y": { "z": 1.0 }, "traceparent": "00-1" });
            if server == Era::Modern {
                let version = "io.modelcontextprotocol/protocolVersion";
                meta[version] = "2026-07-28".into();
                meta["io.modelcontextprotocol/clientInfo"] =
                    json!({ "name": "metier", "version": "0" });
                meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
                assert_eq!(seen.headers["mcp-name"], "t");
            }
            assert_eq!(seen.message["params"]["_meta"], meta);
            assert!(seen.text.contains(r#""x/y":{ "z":1.0 }"#));
        }
    }
}

/// The result that a client gets of a server's, as both are written.
async fn check(client: Era, server: Era, method: &'static str, given: &str, expected: &str) {
    let result = given.to_owned();
    let fake = Fake::new(server)
        .tools(&["t"])
        .listing("resources/list", r#"{"uri":"x:y","name":"y"}"#)
        .listing("prompts/list", r#"{"name":"t"}"#)
        .on(method, move |_| vec![Act::Give(result.clone())]);
    let front = Front::of(&[("a", &fake)]).await;
    let params = json!({ "name": "a__t", "uri": "x:y" });
    let text = front.client(client).ask_for_text(method, params).await;
    let got = text.split_once(r#""result":"#).unwrap_or_else(|| panic!("{text}")).1;
    assert_eq!(got.strip_suffix('}').unwrap(), expected, "{client:?} {server:?}");
}

const METHODS: [&str; 3] = ["tools/call", "resources/read", "prompts/get"];

#[tokio::test]
async fn a_result_for_a_client_of_the_servers_era_is_what_the_server_wrote() {
    for method in METHODS {
        for given in [
            r#"{ "content":[{"type":"text","text":"\u00e9"}], "isError":true, "n":1.0, "_meta":{"a":1} }"#,
            r#"{"structuredContent":{"big":123456789012345678901}}"#,
            "{}",
        ] {
            check(Era::Legacy, Era::Legacy, method, given, given).await;
        }
        let given = r#"{"resultType":"complete", "n":1.0,"ttlMs":7,"cacheScope":"public"}"#;
        check(Era::Modern, Era::Modern, method, given, given).await;
        check(Era::Legacy, Era::Modern, method, given, given).await;
    }
}

#[tokio::test]
async fn a_client_of_2026_07_28_finds_in_older_results_what_it_needs() {
    const US: &str =
        r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"metier","version":"0"}}"#;
    for (given, expected) in [
        (r#"{ "n":1.0 }"#, format!(r#"{{"resultType":"complete","n":1.0 ,{US}}}"#)),
        ("{}", format!(r#"{{"resultType":"complete",{US}}}"#)),
        (r#"{"_meta":{"a":1}}"#, r#"{"resultType":"complete","_meta":{"a":1}}"#.to_owned()),
    ] {
        check(Era::Modern, Era::Legacy, "tools/call", given, &expected).await;
        check(Era::Modern, Era::Legacy, "prompts/get", given, &expected).await;
        let cached = r#""resultType":"complete","ttlMs":0,"cacheScope":"private""#;
        let expected = expected.replace(r#""resultType":"complete""#, cached);
        check(Era::Modern, Era::Legacy, "resources/read", given, &expected).await;
    }
}

#[tokio::test]
async fn a_name_that_several_servers_have_for_a_tool_is_ambiguous_and_answered_with_all_of_theirs()
{
    let (one, other) = (Fake::legacy().tools(&["t"]), Fake::legacy().tools(&["t"]));
    let front = Front::of(&[("a", &one), ("b", &other)]).await;
    let answer = front.client(Era::Legacy).ask("tools/call", json!({ "name": "t" })).await;
    let words = "tool `t` is ambiguous: call one of `a__t`, `b__t`";
    assert_eq!(answer["error"], json!({ "code": -32602, "message": words }));
    let front = Front::looking(Look::exposing(Expose::Search), &[("a", &one), ("b", &other)]).await;
    let mut client = front.client(Era::Legacy);
    let through = json!({ "name": "tools_call", "arguments": { "tool": "t" } });
    let answer = client.ask("tools/call", through).await;
    let words = "tool `t` is ambiguous: call one of `a:t`, `b:t`";
    assert_eq!(answer["error"], json!({ "code": -32602, "message": words }));
    let describe = json!({ "name": "tools_describe", "arguments": { "tools": ["t"] } });
    let answer = client.ask("tools/call", describe).await;
    let words = "Tool `t` is ambiguous: ask for one of `a:t`, `b:t`.";
    assert_eq!(answer["result"]["content"][0]["text"], words);
    assert_eq!(one.seen("tools/call").len() + other.seen("tools/call").len(), 0);
}

/// A server whose tool `t` is refused with HTTP status 404 that often, and `u` never.
fn forgetful(n_times: usize) -> Fake {
    let n_left = AtomicUsize::new(n_times);
    Fake::legacy().tools(&["t", "u"]).on("tools/call", move |message| {
        let is_forgotten = message["params"]["name"] == "t"
            && n_left.fetch_update(Relaxed, Relaxed, |it| it.checked_sub(1)).is_ok();
        vec![if is_forgotten { Act::Status(404) } else { Act::Give(r#"{"n":1}"#.to_owned()) }]
    })
}

#[tokio::test]
async fn a_session_that_a_server_has_forgotten_is_renewed_once_for_all_and_each_call_made_again() {
    let fake = forgetful(10).on("ping", |_| vec![Act::Status(404)]);
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.client(Era::Legacy);
    for _ in 0..10 {
        client.send("tools/call", json!({ "name": "a__t" }));
    }
    for _ in 0..10 {
        assert_eq!(client.next().await["result"], json!({ "n": 1 }));
    }
    assert_eq!((fake.seen("initialize").len(), fake.seen("tools/call").len()), (2, 20));
}

#[tokio::test]
async fn a_call_that_comes_while_a_session_is_renewed_waits_for_it() {
    let n_greeted = AtomicUsize::new(0);
    let greeting = json!({ "protocolVersion": "2025-11-25", "serverInfo": {},
        "capabilities": { "tools": {} } });
    let fake = forgetful(1).on("ping", |_| vec![Act::Status(404)]).on("initialize", move |_| {
        match n_greeted.fetch_add(1, Relaxed) {
            0 => vec![Act::Give(greeting.to_string())],
            _ => vec![Act::Wait, Act::Give(greeting.to_string())],
        }
    });
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.client(Era::Legacy);
    client.send("tools/call", json!({ "name": "a__t" }));
    fake.sees("initialize", 2).await;
    client.send("tools/call", json!({ "name": "a__u" }));
    fake.go_on();
    for _ in 0..2 {
        assert_eq!(client.next().await["result"], json!({ "n": 1 }));
    }
    assert_eq!((fake.seen("initialize").len(), fake.seen("tools/call").len()), (2, 3));
}

#[tokio::test]
async fn a_call_that_a_server_does_not_find_costs_nobody_the_session() {
    let fake = forgetful(usize::MAX);
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.client(Era::Legacy);
    for _ in 0..20 {
        let answer = client.ask("tools/call", json!({ "name": "a__t" })).await;
        assert_eq!(answer["error"]["data"], json!({ "kind": "lost" }), "{answer}");
        let answer = client.ask("tools/call", json!({ "name": "a__u" })).await;
        assert_eq!(answer["result"], json!({ "n": 1 }));
    }
    assert_eq!(fake.seen("initialize").len(), 1);
}

#[tokio::test]
async fn a_server_that_finds_no_call_any_more_has_forgotten_the_session_whatever_else_it_says() {
    let fake = forgetful(3);
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.client(Era::Legacy);
    for _ in 0..2 {
        let answer = client.ask("tools/call", json!({ "name": "a__t" })).await;
        assert_eq!(answer["error"]["data"], json!({ "kind": "lost" }), "{answer}");
    }
    let answer = client.ask("tools/call", json!({ "name": "a__t" })).await;
    assert_eq!((&answer["result"], fake.seen("initialize").len()), (&json!({ "n": 1 }), 2));
}

/// A server that has one skill.
fn with_skill(uri: &'static str) -> Fake {
    let skill = json!({ "uri": uri, "resources": "dynamic",
        "frontmatter": { "name": "refunds", "description": "Refunds" } });
    let greeting = json!({ "protocolVersion": "2025-11-25", "serverInfo": {},
        "capabilities": { "extensions": { "io.modelcontextprotocol/skills": {} } } });
    Fake::legacy()
        .on("initialize", move |_| vec![Act::Give(greeting.to_string())])
        .on("skills/list", move |_| vec![Act::Give(json!({ "skills": [skill] }).to_string())])
}

#[tokio::test]
async fn a_name_that_several_servers_have_for_a_skill_is_ambiguous_and_answered_with_all_of_theirs()
{
    let fakes =
        [with_skill("skill://x/refunds/SKILL.md"), with_skill("skill://y/refunds/SKILL.md")];
    let look = Look { presentation: Presentation::default(), ..Look::default() };
    let front = Front::looking(look, &[("a", &fakes[0]), ("b", &fakes[1])]).await;
    let mut client = front.client(Era::Legacy);
    // Until then it may not be known here what servers have.
    client.ask("tools/list", "{}").await;
    for tool in ["skill", "skills_read"] {
        let params = json!({ "name": tool, "arguments": { "name": "Refunds" } });
        let answer = client.ask("tools/call", params).await;
        let words = "Skill 'Refunds' is ambiguous: 2 skills go by that name.\n\n\
                     - a:refunds: Refunds\n- b:refunds: Refunds\n\nUse one of these full names.";
        let text = &answer["result"]["content"][0]["text"];
        assert_eq!((text, &answer["result"]["isError"]), (&json!(words), &json!(true)));
    }
}

#[tokio::test]
async fn an_error_of_a_server_keeps_its_code_its_words_and_its_data() {
    const ERROR: &str = r#"{"code":-9007199254740991,"message":"no \"way\"","data":{ "n":1.0 }}"#;
    for client in [Era::Legacy, Era::Modern] {
        for server in [Era::Legacy, Era::Modern] {
            for method in METHODS {
                let fake = Fake::new(server)
                    .tools(&["t"])
                    .listing("resources/list", r#"{"uri":"x:y","name":"y"}"#)
                    .listing("prompts/list", r#"{"name":"t"}"#)
                    .on(method, |_| vec![Act::Refuse(ERROR)]);
                let front = Front::of(&[("a", &fake)]).await;
                let params = json!({ "name": "a__t", "uri": "x:y" });
                let text = front.client(client).ask_for_text(method, params).await;
                assert!(text.ends_with(&format!(r#""error":{ERROR}}}"#)), "{text}");
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_gets_lost_names_the_server_and_is_not_made_again() {
    for server in [Era::Legacy, Era::Modern] {
        let fake = Fake::new(server).tools(&["t"]).on("tools/call", |_| vec![Act::Break]);
        let front = Front::of(&[("a", &fake)]).await;
        let answer = front.client(Era::Legacy).ask("tools/call", json!({ "name": "a__t" })).await;
        let (code, message) = error(&answer);
        assert_eq!((code, &answer["error"]["data"]), (-32603, &json!({ "kind": "lost" })));
        assert!(message.contains("server `a`"), "{message}");
        assert_eq!(fake.seen("tools/call").len(), 1);
    }
}
