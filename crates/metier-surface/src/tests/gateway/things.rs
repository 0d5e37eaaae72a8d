//! Resources, prompts and completion: whose each is, and what it is called there.

use metier_wire::Era;
use serde_json::{Value, json};

use super::{
    fake::{Act, Fake},
    fixture::{Front, error, names, result},
};

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];
const REFUSED: &str = r#"{"code":-32002,"message":"not mine"}"#;

/// What of its parameters but `_meta` a server saw last.
fn params(fake: &Fake, method: &str) -> Value {
    let mut params = fake.seen(method).pop().unwrap().message["params"].take();
    params.as_object_mut().unwrap().remove("_meta");
    params
}

#[tokio::test]
async fn a_uri_that_two_servers_have_leads_to_each_by_the_uri_that_is_shown() {
    let item = r#"{"uri":"x:y","name":"y"}"#;
    for era in ERAS {
        let one = Fake::new(era).listing("resources/list", item);
        let other = Fake::new(era).listing("resources/list", item);
        let front = Front::of(&[("a", &one), ("b", &other)]).await;
        let mut client = front.client(Era::Legacy);
        let list = client.ask("resources/list", "{}").await;
        assert_eq!(names(&list, "resources", "uri"), ["x:y", "b+x:y"]);
        client.ask("resources/read", r#"{"uri":"x:y","odd":1}"#).await;
        assert_eq!((one.seen("resources/read").len(), other.seen("resources/read").len()), (1, 0));
        assert_eq!(params(&one, "resources/read"), json!({ "uri": "x:y", "odd": 1 }));
        client.ask("resources/read", r#"{"uri":"b+x:y","odd":2}"#).await;
        assert_eq!((one.seen("resources/read").len(), other.seen("resources/read").len()), (1, 1));
        assert_eq!(params(&other, "resources/read"), json!({ "uri": "x:y", "odd": 2 }));
    }
}

#[tokio::test]
async fn a_uri_of_a_template_goes_to_whose_template_fits_best_and_on_if_that_one_refuses() {
    let broad = Fake::legacy()
        .listing("resources/templates/list", r#"{"uriTemplate":"x:{+any}","name":"a"}"#);
    let narrow = Fake::legacy()
        .listing("resources/templates/list", r#"{"uriTemplate":"x:deep/{id}","name":"b"}"#)
        .on("resources/read", |message| {
            vec![match message["params"]["uri"] == "x:deep/7" {
                true => Act::Give(r#"{"contents":[{"uri":"x:deep/7"}]}"#.to_owned()),
                false => Act::Refuse(REFUSED),
            }]
        });
    let front = Front::of(&[("a", &broad), ("b", &narrow)]).await;
    let mut client = front.client(Era::Legacy);
    let answer = client.ask("resources/read", json!({ "uri": "x:deep/7" })).await;
    assert_eq!(result(&answer), json!({ "contents": [{ "uri": "x:deep/7" }] }));
    assert_eq!(broad.seen("resources/read").len(), 0);
    let answer = client.ask("resources/read", json!({ "uri": "x:deep/8" })).await;
    assert_eq!(result(&answer), json!({ "contents": [] }));
    assert_eq!(params(&broad, "resources/read"), json!({ "uri": "x:deep/8" }));
}

#[tokio::test]
async fn what_nobody_has_is_refused_by_its_name() {
    let front = Front::of(&[("a", &Fake::legacy()), ("b", &Fake::modern())]).await;
    for era in ERAS {
        let mut client = front.client(era);
        for (method, params, word) in [
            ("resources/read", json!({ "uri": "no:where" }), "no:where"),
            ("resources/read", json!({}), "`uri`"),
            ("prompts/get", json!({ "name": "a__none" }), "a__none"),
            ("prompts/get", json!({ "name": 1 }), "`name`"),
            ("completion/complete", json!({ "ref": { "type": "ref/prompt", "name": "p" } }), "`p`"),
            ("completion/complete", json!({ "ref": { "type": "odd" } }), "`ref.type`"),
            ("completion/complete", json!({}), "`ref`"),
        ] {
            let (code, message) = error(&client.ask(method, params).await);
            // Earlier revisions have a code of its own for a resource that is not there.
            let is_missing = era == Era::Legacy && word == "no:where";
            assert_eq!(code, if is_missing { -32002 } else { -32602 }, "{message}");
            assert!(message.contains(word), "{message}");
        }
    }
}

#[tokio::test]
async fn a_prompt_is_asked_for_by_wire_name_or_id_and_the_server_hears_its_own() {
    for era in ERAS {
        let fake = Fake::new(era).listing("prompts/list", r#"{"name":"p.q"}"#);
        let front = Front::of(&[("a", &fake)]).await;
        for name in ["a__p_q", "a:p.q"] {
            let asked = json!({ "name": name, "arguments": { "x": "1" }, "odd": 1 });
            let answer = front.client(era).ask("prompts/get", asked).await;
            assert_eq!(answer["result"]["messages"], json!([]));
            let expected = json!({ "name": "p.q", "arguments": { "x": "1" }, "odd": 1 });
            assert_eq!(params(&fake, "prompts/get"), expected);
        }
    }
}

#[tokio::test]
async fn a_name_that_two_servers_have_for_a_prompt_is_refused_with_both_full_names() {
    let fakes = ["a", "b"].map(|_| Fake::legacy().listing("prompts/list", r#"{"name":"p"}"#));
    let front = Front::of(&[("a", &fakes[0]), ("b", &fakes[1])]).await;
    let reference = json!({ "type": "ref/prompt", "name": "p" });
    for (method, asked) in [
        ("prompts/get", json!({ "name": "p" })),
        (
            "completion/complete",
            json!({ "ref": reference, "argument": { "name": "x", "value": "" } }),
        ),
    ] {
        let (code, message) = error(&front.client(Era::Legacy).ask(method, asked).await);
        assert_eq!(code, -32602);
        assert_eq!(message, r#""prompt `p` is ambiguous: get one of `a__p`, `b__p`""#);
    }
}

#[tokio::test]
async fn completion_asks_the_server_in_its_own_words() {
    let template = r#"{"uriTemplate":"x:{id}","name":"x"}"#;
    for era in ERAS {
        let fake = |era| {
            let fake = Fake::new(era).able("completions");
            let fake = fake.listing("prompts/list", r#"{"name":"p.q"}"#);
            fake.listing("resources/templates/list", template)
        };
        let (one, other) = (fake(era), fake(era));
        let front = Front::of(&[("a", &one), ("b", &other)]).await;
        let mut client = front.client(era);
        for (asked, own) in [
            (
                json!({ "type": "ref/prompt", "name": "b__p_q", "odd": 1 }),
                json!({ "type": "ref/prompt", "name": "p.q", "odd": 1 }),
            ),
            (
                json!({ "type": "ref/resource", "uri": "b+x:{id}" }),
                json!({ "type": "ref/resource", "uri": "x:{id}" }),
            ),
        ] {
            let argument = json!({ "name": "id", "value": "o" });
            let asked = json!({ "ref": asked, "argument": argument, "context": { "odd": 1 } });
            let answer = client.ask("completion/complete", asked).await;
            assert_eq!(answer["result"]["completion"], json!({ "values": ["one"] }));
            let expected = json!({ "ref": own, "argument": argument, "context": { "odd": 1 } });
            assert_eq!(params(&other, "completion/complete"), expected);
        }
        assert_eq!(one.seen("completion/complete").len(), 0);
    }
}

#[tokio::test]
async fn a_server_that_completes_nothing_is_not_asked() {
    let fake = Fake::legacy().listing("prompts/list", r#"{"name":"p"}"#);
    let front = Front::of(&[("a", &fake)]).await;
    let asked = json!({ "ref": { "type": "ref/prompt", "name": "a__p" },
        "argument": { "name": "x", "value": "" } });
    let empty = json!({ "values": [], "total": 0, "hasMore": false });
    let answer = front.client(Era::Legacy).ask("completion/complete", &asked).await;
    assert_eq!(result(&answer), json!({ "completion": empty }));
    let answer = front.client(Era::Modern).ask("completion/complete", &asked).await;
    assert_eq!(result(&answer), json!({ "resultType": "complete", "completion": empty }));
    assert_eq!(fake.seen("completion/complete").len(), 0);
}
