//! What of servers' skills is not passed on, whoever asks for it in whatever way.

use metier_wire::Era;
use serde_json::json;

use super::{
    refusal,
    served::{TEXT, entry, fake},
};
use crate::{
    Presentation,
    tests::gateway::{
        fake::{Act, Fake},
        fixture::{Front, Look},
    },
};

/// A surface with tools for skills, and this server.
async fn front(fake: &Fake) -> Front {
    let look = Look { presentation: Presentation::default(), ..Look::default() };
    Front::looking(look, &[("zoo", fake)]).await
}

/// A server with a listed skill, and beside it one whose files nobody knows.
fn with_dynamic() -> Fake {
    let mut dynamic = entry("skill://pets/dog", TEXT);
    dynamic["frontmatter"]["name"] = json!("dog");
    dynamic["resources"] = json!("dynamic");
    let listed = entry("skill://pets/cat", TEXT);
    fake(Era::Legacy, &listed, "another text").skilled(&[listed, dynamic])
}

#[tokio::test]
async fn a_skill_whose_files_are_not_known_is_no_way_round_the_digests_of_others() {
    let fake = with_dynamic();
    let front = front(&fake).await;
    let mut client = front.client(Era::Legacy);
    for (path, reason) in [
        ("..%2Fcat%2Fa%2Fb.md", "encoded slash, backslash or control character"),
        ("x%2F..%2F..%2Fcat/a/b.md", "encoded slash, backslash or control character"),
        ("..%5Ccat%5Ca%5Cb.md", "encoded slash, backslash or control character"),
        ("..\\cat\\a\\b.md", "a backslash, a control character, or blanks around it"),
        ("\t../cat/a/b.md", "a backslash, a control character, or blanks around it"),
        ("%2e%2e/cat/a/b.md", "empty, `.` or `..`"),
        ("a.md?x", "a query or a fragment"),
    ] {
        for root in ["skill://zoo/pets/dog", "zoo+skill://pets/dog", "skill://pets/dog"] {
            let asked = json!({ "uri": format!("{root}/{path}") });
            let (code, message) = refusal(&mut client, "resources/read", asked).await;
            assert_eq!((code, message.ends_with(reason)), (-32602, true), "{message}");
        }
        let arguments = json!({ "name": "zoo:dog", "path": path });
        let call = json!({ "name": "skills_read", "arguments": arguments });
        let read = client.ask("tools/call", call).await;
        assert_eq!(read["result"]["isError"], true, "{read}");
        let text = read["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(reason), "{text}");
    }
    assert_eq!(fake.seen("resources/read").len(), 0);
    let asked = json!({ "uri": "skill://zoo/pets/dog/a%20b/%C3%BC.md" });
    let read = client.ask("resources/read", asked).await;
    assert_eq!(read["result"]["contents"][0]["text"], "another text");
}

#[tokio::test]
async fn a_skill_file_is_held_to_the_listed_frontmatter_whether_its_digest_is_listed_or_not() {
    const OTHER: &str = "---\nname: cat\ndescription: Dogs\nx: 1.5\n---\n";
    for is_dynamic in [false, true] {
        for (text, expected) in [(TEXT, None), (OTHER, Some(-32603))] {
            let mut listed = entry("skill://pets/cat", text);
            if is_dynamic {
                listed["resources"] = json!("dynamic");
            }
            let fake = fake(Era::Legacy, &listed, text);
            let front = front(&fake).await;
            let asked = json!({ "uri": "skill://zoo/pets/cat/SKILL.md" });
            let read = front.client(Era::Legacy).ask("resources/read", asked).await;
            assert_eq!(read["error"]["code"].as_i64(), expected, "{read}");
        }
    }
}

#[tokio::test]
async fn what_may_be_a_file_of_a_skill_is_not_passed_on_while_the_list_of_skills_is_missing() {
    let fake = fake(Era::Legacy, &entry("skill://pets/cat", TEXT), TEXT)
        .on("skills/list", |_| vec![Act::Refuse(r#"{"code":-32603,"message":"no"}"#)]);
    let front = front(&fake).await;
    let mut client = front.client(Era::Legacy);
    for uri in ["skill://zoo/pets/cat/SKILL.md", "zoo+skill://pets/cat/a", "skill://pets/cat/a"] {
        let refused = refusal(&mut client, "resources/read", json!({ "uri": uri })).await;
        let reason = "`skills/list` of server `zoo` could not be read: no (-32603)";
        let message = format!("`{uri}` cannot be checked: {reason}");
        assert_eq!(refused, (-32603, message));
    }
    assert_eq!(fake.seen("resources/read").len(), 0);
    let asked = json!({ "uri": "skill://zoo/pets/cat/SKILL.md" });
    let got = client.ask("skills/get", asked).await;
    assert_eq!(got["result"]["skill"]["uri"], "skill://zoo/pets/cat/SKILL.md");
    let read = client.ask("resources/read", json!({ "uri": "x:y" })).await;
    assert_eq!(read["result"]["contents"][0]["uri"], "x:y");
}

#[tokio::test]
async fn a_file_of_a_skill_is_watched_once_and_told_by_every_uri_it_was_asked_for() {
    const UPDATED: &str = "notifications/resources/updated";
    let own = json!({ "uri": "own://pets/cat/SKILL.md" });
    for era in [Era::Legacy, Era::Modern] {
        let fake = fake(era, &entry("own://pets/cat", TEXT), TEXT);
        let front = front(&fake).await;
        let mut clients = Vec::new();
        for uri in ["skill://zoo/pets/cat/SKILL.md", "zoo+own://pets/c%61t/SKILL.md"] {
            let (mut client, uri) = (front.client(Era::Legacy), json!({ "uri": uri }));
            assert_eq!(client.ask("resources/subscribe", &uri).await["result"], json!({}));
            clients.push((client, uri));
        }
        fake.heard(UPDATED, &own).await;
        fake.say(UPDATED, &own);
        for (client, uri) in &mut clients {
            assert_eq!(client.next().await["params"], *uri);
        }
        drop(clients.remove(0));
        fake.say(UPDATED, &own);
        let (client, uri) = &mut clients[0];
        assert_eq!(client.next().await["params"], *uri);
        assert!(fake.seen("resources/subscribe").len() <= 1);
        assert_eq!(fake.seen("resources/unsubscribe").len(), 0);
    }
}
