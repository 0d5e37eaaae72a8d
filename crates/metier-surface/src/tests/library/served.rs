//! Skills of servers beside those of this machine.

use std::sync::atomic::{AtomicUsize, Ordering};

use metier_skills::Digest;
use metier_wire::Era;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{ERAS, TREE, all, ask, refusal};
use crate::tests::{
    gateway::{
        fake::{Act, Fake, SOON},
        fixture::{Front, Look, plan},
    },
    tools::fixture::Machine,
};

pub(super) const TEXT: &str = "---\nname: cat\ndescription: Cats\nx: 1.50\n---\n";

/// An entry of a server, with something that nobody knows.
pub(super) fn entry(root: &str, text: &str) -> Value {
    let file = |path: &str, text: &str| {
        let digest = Digest::of(text.as_bytes()).to_string();
        json!({ "uri": format!("{root}/{path}"), "digest": digest, "size": text.len(), "odd": 1 })
    };
    json!({
        "uri": format!("{root}/SKILL.md"),
        "frontmatter": { "name": "cat", "description": "Cats", "x": 1.50 },
        "resources": [file("SKILL.md", text), file("a/b.md", "deep")],
        "_meta": { "odd": root.len() },
    })
}

/// A server with one skill, which serves this text.
pub(super) fn fake(era: Era, listed: &Value, served: &'static str) -> Fake {
    let entry = listed.clone();
    Fake::new(era)
        .skilled(std::slice::from_ref(listed))
        .on("skills/get", move |_| {
            let got = json!({ "resultType": "complete", "skill": entry, "ttlMs": 1, "cacheScope": "public" });
            vec![Act::Give(got.to_string())]
        })
        .on("resources/read", move |message| {
            let uri = &message["params"]["uri"];
            let read = json!({ "resultType": "complete", "contents": [{ "uri": uri, "text": served }] });
            vec![Act::Give(read.to_string())]
        })
}

pub(super) async fn front(machine: &Machine, fake: &Fake) -> Front {
    let front = Front::begin(Look::default(), plan(&[("zoo", fake)]).await);
    front.publisher.publish(machine.catalog());
    front
}

/// The same entry with the URIs that clients are shown.
fn shown(entry: &Value) -> Value {
    serde_json::from_str(&entry.to_string().replace("own://pets/", "skill://zoo/pets/")).unwrap()
}

#[tokio::test]
async fn skills_of_servers_are_listed_after_ours_with_rewritten_uris_and_nothing_else_changed() {
    let machine = Machine::new(TREE);
    for era in ERAS {
        let listed = entry("own://pets/cat", TEXT);
        let fake = fake(era, &listed, TEXT);
        let front = front(&machine, &fake).await;
        let mut client = front.client(Era::Legacy);
        let skills = ask(&mut client, "skills/list", json!({})).await["skills"].clone();
        let uris = ["skill://~/custom/pdf/SKILL.md", "skill://zoo/pets/cat/SKILL.md"];
        assert_eq!(all(&skills, "uri"), uris);
        assert_eq!(skills[1], shown(&listed));
        assert_eq!(fake.seen("resources/read").len(), 0);
        let cursor = json!({ "cursor": uris[1] });
        let rest = ask(&mut client, "skills/list", cursor).await;
        assert_eq!(rest, json!({ "skills": [shown(&listed)] }));
    }
}

#[tokio::test]
async fn what_is_said_of_one_skill_is_asked_of_its_server() {
    let machine = Machine::new(TREE);
    for era in ERAS {
        let listed = entry("own://pets/cat", TEXT);
        let fake = fake(era, &listed, TEXT);
        let front = front(&machine, &fake).await;
        let asked = json!({ "uri": "skill://zoo/pets/cat/SKILL.md" });
        let got = ask(&mut front.client(Era::Legacy), "skills/get", asked.clone()).await;
        assert_eq!(got, json!({ "skill": shown(&listed) }));
        let got = ask(&mut front.client(Era::Modern), "skills/get", asked).await;
        let cached = json!({ "resultType": "complete", "ttlMs": 5000, "cacheScope": "private",
            "skill": shown(&listed) });
        assert_eq!(got, cached);
        let own = &fake.seen("skills/get")[0].message["params"]["uri"];
        assert_eq!(own, "own://pets/cat/SKILL.md");
        let unknown = json!({ "uri": "skill://nobody/cat/SKILL.md" });
        assert_eq!(refusal(&mut front.client(era), "skills/get", unknown).await.0, -32602);
    }
}

#[tokio::test]
async fn a_skill_that_its_server_does_not_list_is_asked_for_by_its_uri() {
    let machine = Machine::new("");
    let unlisted = entry("skill://pets/cat", TEXT);
    let fake = fake(Era::Modern, &unlisted, TEXT).skilled(&[]);
    let front = front(&machine, &fake).await;
    let mut client = front.client(Era::Legacy);
    assert_eq!(ask(&mut client, "skills/list", json!({})).await, json!({ "skills": [] }));
    let asked = json!({ "uri": "skill://zoo/pets/cat/SKILL.md" });
    let got = ask(&mut client, "skills/get", asked.clone()).await;
    assert_eq!(got["skill"]["uri"], "skill://zoo/pets/cat/SKILL.md");
    assert_eq!(got["skill"]["resources"][1]["uri"], "skill://zoo/pets/cat/a/b.md");
    let other = Fake::modern()
        .on("skills/get", |_| vec![Act::Refuse(r#"{"code":-32601,"message":"no such method"}"#)]);
    let front = Front::of(&[("zoo", &other)]).await;
    assert_eq!(refusal(&mut front.client(Era::Legacy), "skills/get", asked).await.0, -32602);
}

#[tokio::test]
async fn a_file_of_a_listed_skill_is_held_to_its_digest_however_it_is_asked_for() {
    let machine = Machine::new("");
    for (served, is_fine) in [(TEXT, true), ("---\nname: dog\ndescription: Cats\n---\n", false)] {
        let fake = fake(Era::Legacy, &entry("skill://pets/cat", TEXT), served);
        let front = front(&machine, &fake).await;
        let mut client = front.client(Era::Legacy);
        client.ask("skills/list", json!({})).await;
        for uri in [
            "skill://zoo/pets/cat/SKILL.md",
            "zoo+skill://pets/cat/SKILL.md",
            "skill://pets/cat/SKILL.md",
        ] {
            let answer = client.ask("resources/read", json!({ "uri": uri })).await;
            let read =
                json!({ "resultType": "complete", "contents": [{ "uri": uri, "text": TEXT }] });
            match is_fine {
                true => assert_eq!(answer["result"], read),
                false => assert_eq!(answer["error"]["code"], -32603, "{answer}"),
            }
        }
    }
}

#[tokio::test]
async fn a_file_that_is_what_was_listed_arrives_as_it_was_sent_with_progress() {
    let machine = Machine::new("");
    for era in ERAS {
        let fake = fake(era, &entry("own://pets/cat", TEXT), TEXT).on("resources/read", |message| {
            let params = &message["params"];
            assert_eq!(params["odd"], 7);
            let token = &params["_meta"]["progressToken"];
            let progress = json!({ "progressToken": token, "progress": 1 });
            let content = |uri: &str, text: &str| {
                format!(r#"{{"odd":1.50,"uri":"{uri}","text":{},"_meta":{{"x":[]}}}}"#, json!(text))
            };
            let file = content("own://pets/cat/SKILL.md", TEXT);
            let other = content("own://pets/cat/a/b.md", "deep");
            let changed = content("own://pets/cat/a/b.md", "deeq");
            let foreign = content("own://pets/dog/SKILL.md", "x");
            let result = format!(
                r#"{{"more":[],"resultType":"complete","ttlMs":9,"cacheScope":"public","contents":[{file},{other},{changed},{foreign}]}}"#
            );
            vec![Act::Say("notifications/progress", progress), Act::Give(result)]
        });
        let front = front(&machine, &fake).await;
        for client_era in ERAS {
            let mut client = front.client(client_era);
            client.ask("skills/list", json!({})).await;
            let asked = json!({ "uri": "skill://zoo/pets/%63at/SKILL.md", "odd": 7 });
            let answer =
                client.ask_with("resources/read", asked, r#""progressToken":"mine""#).await;
            let content = |uri: &str, text: &str| json!({ "odd": 1.50, "uri": uri, "text": text, "_meta": { "x": [] } });
            let contents = json!([
                content("skill://zoo/pets/%63at/SKILL.md", TEXT),
                content("skill://zoo/pets/cat/a/b.md", "deep"),
            ]);
            assert_eq!(answer["result"]["contents"], contents, "{answer}");
            assert_eq!(answer["result"]["more"], json!([]));
            assert_eq!((&answer["result"]["ttlMs"], client.asides.len()), (&json!(9), 1));
            assert_eq!(client.asides[0]["params"]["progressToken"], "mine");
        }
    }
}

#[tokio::test]
async fn a_file_with_two_texts_is_read_only_if_both_are_what_was_listed() {
    let machine = Machine::new("");
    let uri = r#""uri":"skill://pets/cat/SKILL.md""#;
    let text = json!(TEXT);
    for content in [
        format!(r#"{{{uri},"text":{text},"blob":"eA=="}}"#),
        format!(r#"{{{uri},"text":{text},"text":"x"}}"#),
        format!(r#"{{{uri},"text":{text},"te\u0078t":"x"}}"#),
        format!(r#"{{{uri},"text":{text}}},{{{uri},"text":"x"}}"#),
    ] {
        let fake = fake(Era::Legacy, &entry("skill://pets/cat", TEXT), TEXT)
            .on("resources/read", move |_| {
                vec![Act::Give(format!(r#"{{"contents":[{content}]}}"#))]
            });
        let front = front(&machine, &fake).await;
        let asked = json!({ "uri": "skill://zoo/pets/cat/SKILL.md" });
        let answer = front.client(Era::Legacy).ask("resources/read", asked).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
    }
}

/// What becomes of reads by these spellings, where the server gives another file than it listed.
async fn spelled(own: &str, uris: &[&str]) -> (Vec<i64>, usize) {
    let machine = Machine::new("");
    let fake = fake(Era::Legacy, &entry(own, TEXT), "another text");
    let front = front(&machine, &fake).await;
    let mut client = front.client(Era::Legacy);
    client.ask("skills/list", json!({})).await;
    let mut codes = Vec::new();
    for uri in uris {
        codes.push(refusal(&mut client, "resources/read", json!({ "uri": uri })).await.0);
    }
    (codes, fake.seen("resources/read").len())
}

#[tokio::test]
async fn a_file_is_held_to_its_digest_however_its_uri_is_spelled() {
    let uris = [
        "skill://zoo/pets/%63at/SKILL.md",
        "SKILL://zoo/pets/cat/SKILL.md",
        "skill://Zoo/pets/cat/SKILL.md",
        " skill://zoo/pets/cat/SKILL.md",
        "skill://%7Aoo/PETS/cat/SKILL%2Emd",
        "skill://pets/c%61t/SKILL.md",
        "Skill://Pets/cat/SKILL.md",
        "zoo+SKILL://pets/%63at/SKILL.md",
        "ZOO+skill://pets/cat/SKILL.md",
    ];
    let (codes, n_asked) = spelled("skill://pets/cat", &uris).await;
    assert_eq!((codes, n_asked), (vec![-32603; uris.len()], uris.len()));
    let uris =
        ["own://Pets/%63at/SKILL.md", "OWN://pets/cat/SKILL.md", "skill://zoo/pets/c%61t/SKILL.md"];
    let (codes, n_asked) = spelled("own://pets/cat", &uris).await;
    assert_eq!((codes, n_asked), (vec![-32603; uris.len()], uris.len()));
}

#[tokio::test]
async fn a_file_is_held_to_its_digest_also_if_its_server_was_just_being_met() {
    let machine = Machine::new("");
    for uri in ["skill://zoo/pets/cat/SKILL.md", "skill://z%6Fo/pets/cat/SKILL.md"] {
        let listed = entry("skill://pets/cat", TEXT);
        let list = json!({ "skills": [listed] }).to_string();
        let fake = fake(Era::Legacy, &listed, "another text")
            .on("skills/list", move |_| vec![Act::Wait, Act::Give(list.clone())]);
        let front = front(&machine, &fake).await;
        let mut client = front.client(Era::Legacy);
        let id = client.send("resources/read", json!({ "uri": uri }));
        fake.sees("skills/list", 1).await;
        fake.go_on();
        assert_eq!(client.answer_to(id).await["error"]["code"], -32603, "{uri}");
    }
}

#[tokio::test]
async fn a_file_is_held_to_its_digest_also_if_it_is_listed_while_it_is_read() {
    let machine = Machine::new("");
    for (served, expected) in [(TEXT, Value::Null), ("another text", json!(-32603))] {
        let listed = entry("skill://pets/cat", TEXT);
        let lists = AtomicUsize::new(0);
        let entries = [json!([]), json!([listed])];
        let fake = fake(Era::Legacy, &listed, served)
            .on("skills/list", move |_| {
                let at = lists.fetch_add(1, Ordering::Relaxed).min(1);
                vec![Act::Give(json!({ "skills": entries[at] }).to_string())]
            })
            .on("resources/read", move |message| {
                let uri = &message["params"]["uri"];
                let read = json!({ "contents": [{ "uri": uri, "text": served }] });
                vec![Act::Wait, Act::Give(read.to_string())]
            });
        let front = front(&machine, &fake).await;
        let mut client = front.client(Era::Legacy);
        client.ask("skills/list", json!({})).await;
        let uri = "skill://zoo/pets/cat/SKILL.md";
        let id = client.send("resources/read", json!({ "uri": uri }));
        fake.sees("resources/read", 1).await;
        let method = "notifications/resources/list_changed";
        fake.heard(method, &json!({})).await;
        fake.say(method, &json!({}));
        let mut rosters = front.upstreams.rosters();
        let is_listed = rosters.wait_for(|it| it.skills().next().is_some());
        drop(timeout(SOON, is_listed).await.unwrap().unwrap());
        fake.go_on();
        assert_eq!(client.answer_to(id).await["error"]["code"], expected);
    }
}

#[tokio::test]
async fn a_file_is_held_to_its_digest_if_its_own_uri_begins_with_the_name_of_its_server() {
    let uris =
        ["skill://zoo/cat/SKILL.md", "skill://Zoo/c%61t/SKILL.md", "skill://zoo/zoo/cat/SKILL.md"];
    let (codes, n_asked) = spelled("skill://zoo/cat", &uris).await;
    assert_eq!((codes, n_asked), (vec![-32603; uris.len()], uris.len()));
}

#[tokio::test]
async fn a_uri_of_a_skill_without_a_clean_form_is_refused_and_not_asked_for() {
    let uris = [
        "skill://zoo/pets%2fcat/SKILL.md",
        "skill://zoo/pets/x/../cat/SKILL.md",
        "skill://zoo/./pets/cat/SKILL.md",
        "skill://zoo//pets/cat/SKILL.md",
        "skill:///zoo/pets/cat/SKILL.md",
        "skill:zoo/pets/cat/SKILL.md",
        "skill://zoo/pets?/cat/SKILL.md",
        " skill://pets/cat/SKILL.md",
        "zoo+skill://pets%2Fcat/SKILL.md",
        "skill://me@pets/cat/SKILL.md",
        "skill://zoo/pets:80/cat/SKILL.md",
        "skill://nobody/pets%2Fcat/SKILL.md",
    ];
    assert_eq!(spelled("skill://pets/cat", &uris).await, (vec![-32602; uris.len()], 0));
    let uris = ["own://pets%2fcat/SKILL.md", "own://pets/./cat/SKILL.md"];
    assert_eq!(spelled("own://pets/cat", &uris).await, (vec![-32602; uris.len()], 0));
}

#[tokio::test]
async fn what_is_spelled_as_a_uri_of_this_machine_goes_to_no_server() {
    let uris = ["SKILL://~/x", "skill://%7e/x", "skill://a@~/x", "skill://~:1/x", "skill://~?x"];
    assert_eq!(spelled("skill://pets/cat", &uris).await, (vec![-32002; uris.len()], 0));
}

#[tokio::test]
async fn a_skill_and_its_folders_are_found_by_every_spelling_and_shown_by_one() {
    let machine = Machine::new("");
    let listed = entry("own://pets/cat", TEXT);
    let fake = fake(Era::Modern, &listed, TEXT);
    let front = front(&machine, &fake).await;
    let mut client = front.client(Era::Legacy);
    let asked = json!({ "uri": "SKILL://ZOO/Pets/%63at/SKILL.md" });
    let got = ask(&mut client, "skills/get", asked).await;
    assert_eq!(got, json!({ "skill": shown(&listed) }));
    let asked = json!({ "uri": "skill://zoo/pets/%63at/%61" });
    let read = ask(&mut client, "resources/directory/read", asked).await;
    assert_eq!(all(&read["resources"], "uri"), ["skill://zoo/pets/cat/a/b.md"]);
    for method in ["skills/get", "resources/directory/read"] {
        let asked = json!({ "uri": "skill://zoo/pets%2Fcat/SKILL.md" });
        let (code, message) = refusal(&mut client, method, asked).await;
        assert_eq!(code, -32602);
        assert!(message.ends_with("encoded slash, backslash or control character"), "{message}");
    }
}

#[tokio::test]
async fn a_file_that_a_skill_does_not_list_is_not_asked_for() {
    let machine = Machine::new("");
    let fake = fake(Era::Legacy, &entry("skill://pets/cat", TEXT), TEXT);
    let front = front(&machine, &fake).await;
    let mut client = front.client(Era::Legacy);
    client.ask("skills/list", json!({})).await;
    let asked = json!({ "uri": "skill://zoo/pets/cat/other.md" });
    assert_eq!(refusal(&mut client, "resources/read", asked).await.0, -32002);
    assert_eq!(fake.seen("resources/read").len(), 0);
}

#[tokio::test]
async fn a_folder_of_a_skill_is_known_from_what_its_server_listed() {
    let machine = Machine::new("");
    let fake = fake(Era::Legacy, &entry("skill://pets/cat", TEXT), TEXT);
    let front = front(&machine, &fake).await;
    let mut client = front.client(Era::Legacy);
    let mut children = async |uri: &str| {
        let listed = ask(&mut client, "resources/directory/read", json!({ "uri": uri })).await;
        all(&listed["resources"], "uri").join(" ")
    };
    let root = "skill://zoo/pets/cat";
    assert_eq!(children(root).await, format!("{root}/SKILL.md {root}/a"));
    assert_eq!(children(&format!("{root}/a")).await, format!("{root}/a/b.md"));
    for uri in [format!("{root}/SKILL.md"), format!("{root}/none"), "skill://zoo/x".to_owned()] {
        let refused = refusal(&mut client, "resources/directory/read", json!({ "uri": uri })).await;
        assert_eq!(refused.0, -32602, "{}", refused.1);
    }
}
