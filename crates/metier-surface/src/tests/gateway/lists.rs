//! Lists: everything of all servers, every field kept.

use metier_wire::Era;
use serde_json::json;

use super::{
    fake::Fake,
    fixture::{Front, Look, error, names, result},
};

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// The items of a list as they are written, for a server `a` that has them so.
async fn check(method: &'static str, items: &str, expected: &str) {
    for server in ERAS {
        let fake = Fake::new(server).listing(method, items);
        let front = Front::of(&[("a", &fake)]).await;
        for client in ERAS {
            let text = front.client(client).ask_for_text(method, "{}").await;
            assert!(text.contains(&format!("[{expected}]")), "{server:?} {client:?}: {text}");
        }
    }
}

#[tokio::test]
async fn a_tool_is_listed_by_its_wire_name_with_every_field_as_it_was_written() {
    let rest = r#""title":"T","big":123456789012345678901,"n":1.0,"inputSchema":{ "type":"object", "$defs":{"x":true} },"outputSchema":{"type":"object"},"annotations":{"odd":null},"icons":[],"execution":{"taskSupport":"optional"},"_meta":{"x/y":"z"}"#;
    let (item, expected) =
        (format!(r#"{{"name":"t",{rest}}}"#), format!(r#"{{"name":"a__t",{rest}}}"#));
    check("tools/list", &item, &expected).await;
}

#[tokio::test]
async fn a_prompt_is_listed_by_its_wire_name_with_every_field_as_it_was_written() {
    let rest = r#""arguments":[ {"name":"x","required":true,"odd":1.0} ],"_meta":{"x":123456789012345678901}"#;
    let (item, expected) =
        (format!(r#"{{"name":"p",{rest}}}"#), format!(r#"{{"name":"a__p",{rest}}}"#));
    check("prompts/list", &item, &expected).await;
}

#[tokio::test]
async fn resources_and_templates_are_listed_as_they_were_written() {
    let resource =
        r#"{"uri":"file:///x","name":"x","size":12345678901234567890,"odd":{ "a":1.0 }}"#;
    check("resources/list", resource, resource).await;
    let template = r#"{"uriTemplate":"file:///{x}","name":"x","annotations":{"priority":1.0}}"#;
    check("resources/templates/list", template, template).await;
}

#[tokio::test]
async fn the_lists_of_all_servers_are_one_by_server_and_name() {
    let (one, other) = (Fake::legacy(), Fake::modern());
    let one = one.tools(&["z", "a b", "m"]).listing("prompts/list", r#"{"name":"p"}"#);
    let other = other.tools(&["m", "b.c"]).listing("prompts/list", r#"{"name":"p"}"#);
    let front = Front::of(&[("z.z", &one), ("b", &other)]).await;
    for era in ERAS {
        let mut client = front.client(era);
        let tools = client.ask("tools/list", "{}").await;
        assert_eq!(
            names(&tools, "tools", "name"),
            ["b__b_c", "b__m", "z_z__a_b", "z_z__m", "z_z__z"]
        );
        let prompts = client.ask("prompts/list", "{}").await;
        assert_eq!(names(&prompts, "prompts", "name"), ["b__p", "z_z__p"]);
    }
}

#[tokio::test]
async fn with_canonical_names_tools_and_prompts_are_listed_by_their_ids() {
    let fake = Fake::legacy().tools(&["x.y"]).listing("prompts/list", r#"{"name":"p"}"#);
    let front = Front::looking(Look::canonical(), &[("a", &fake)]).await;
    let mut client = front.client(Era::Legacy);
    assert_eq!(names(&client.ask("tools/list", "{}").await, "tools", "name"), ["a:x.y"]);
    assert_eq!(names(&client.ask("prompts/list", "{}").await, "prompts", "name"), ["a:p"]);
}

#[tokio::test]
async fn a_list_says_what_its_era_wants_and_through_whom_it_came() {
    let front = Front::of(&[("a", &Fake::legacy().tools(&["t"]))]).await;
    let list = front.client(Era::Legacy).ask("tools/list", "{}").await;
    assert_eq!(
        list["result"],
        json!({ "tools": [{ "name": "a__t", "inputSchema": { "type": "object" } }], "_meta": { "metier/instances": ["here"] } })
    );
    let list = front.client(Era::Modern).ask("tools/list", "{}").await;
    let server = json!({ "name": "metier", "version": "0" });
    assert_eq!(
        list["result"],
        json!({ "resultType": "complete", "tools": [{ "name": "a__t", "inputSchema": { "type": "object" } }], "ttlMs": 5000,
            "cacheScope": "private", "_meta": { "metier/instances": ["here"],
                "io.modelcontextprotocol/serverInfo": server } })
    );
    let mut client = front.client(Era::Modern);
    for (method, member) in
        [("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")]
    {
        let list = result(&client.ask(method, "{}").await);
        let mut expected =
            json!({ "resultType": "complete", "ttlMs": 5000, "cacheScope": "private" });
        expected[member] = json!([]);
        assert_eq!(list, expected);
    }
}

#[tokio::test]
async fn a_cursor_that_was_not_given_out_is_refused() {
    let front = Front::of(&[("a", &Fake::legacy())]).await;
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        for era in ERAS {
            let answer = front.client(era).ask(method, r#"{"cursor":"x"}"#).await;
            assert_eq!(error(&answer).0, -32602, "{answer}");
        }
    }
}

#[tokio::test]
async fn a_server_that_is_away_costs_only_its_own_tools() {
    let (here, away) = (Fake::legacy().tools(&["t"]), Fake::legacy().tools(&["t"]));
    let away = away.on("initialize", |_| vec![super::fake::Act::Break]);
    let front = Front::of(&[("here", &here), ("away", &away)]).await;
    let list = front.client(Era::Legacy).ask("tools/list", "{}").await;
    assert_eq!(names(&list, "tools", "name"), ["here__t"]);
}
