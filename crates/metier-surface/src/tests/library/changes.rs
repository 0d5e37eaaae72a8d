//! What clients hear when skills and their files change.

use metier_wire::Era;
use serde_json::{Value, json};

use super::{ERAS, TREE, ask, front, refusal, uri};
use crate::{
    Presentation,
    tests::{gateway::fixture::Front, tools::fixture::Machine},
};

const UPDATED: &str = "notifications/resources/updated";

#[tokio::test]
async fn a_subscriber_hears_when_the_file_changes_and_nobody_else_does() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let mut bystander = front.client(Era::Legacy);
    let file = uri("custom/pdf/docs/a%20b.md");
    assert_eq!(ask(&mut client, "resources/subscribe", file.clone()).await, json!({}));
    machine.write("custom/pdf/docs/a b.md", "Something else.\n");
    let notice = client.next().await;
    assert_eq!((&notice["method"], &notice["params"]), (&json!(UPDATED), &file));
    assert_eq!(ask(&mut client, "resources/unsubscribe", file.clone()).await, json!({}));
    assert_eq!(refusal(&mut client, "resources/unsubscribe", file).await.0, -32602);
    bystander.ask("tools/list", json!({})).await;
    assert_eq!(bystander.rest(), [Value::Null; 0]);
}

#[tokio::test]
async fn a_subscription_is_ended_by_any_spelling_of_its_uri() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    for (one, other) in [
        ("skill://~/custom/pdf/docs/a%20b.md", "SKILL://%7e/custom/p%64f/docs/a b.md"),
        ("skill://~/custom/%70df/SKILL.md", "skill://~/custom/pdf/SKILL.md"),
    ] {
        let (one, other) = (json!({ "uri": one }), json!({ "uri": other }));
        assert_eq!(ask(&mut client, "resources/subscribe", one.clone()).await, json!({}));
        let wrong = uri("custom/pdf/docs/deep/x.txt");
        assert_eq!(refusal(&mut client, "resources/unsubscribe", wrong).await.0, -32602);
        assert_eq!(ask(&mut client, "resources/unsubscribe", other).await, json!({}));
        assert_eq!(refusal(&mut client, "resources/unsubscribe", one).await.0, -32602);
    }
}

#[tokio::test]
async fn a_modern_client_hears_by_listening_also_that_the_file_is_gone() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Modern);
    let file = "skill://~/custom/pdf/SKILL.md";
    let wanted = json!({ "resourceSubscriptions": [file, "skill://~/custom/none/SKILL.md"] });
    let id = client.send("subscriptions/listen", json!({ "notifications": wanted }));
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
    let taken = json!({ "_meta": meta, "notifications": { "resourceSubscriptions": [file] } });
    assert_eq!(client.next().await["params"], taken);
    std::fs::remove_file(machine.path("custom/pdf/SKILL.md")).unwrap();
    let notice = client.next().await;
    assert_eq!(notice["method"], UPDATED);
    assert_eq!(notice["params"], json!({ "_meta": meta, "uri": file }));
}

#[tokio::test]
async fn a_subscriber_hears_when_another_file_has_the_uri_and_from_then_on_of_that_one() {
    for era in ERAS {
        let skill = |text: &str| format!("---\nname: pdf\ndescription: d\n---\n{text}\n");
        let machine = Machine::new("");
        machine.write("custom/pdf-2/SKILL.md", &skill("one"));
        let front = front(&machine);
        let mut client = front.client(era);
        let uri = "skill://~/custom/pdf/SKILL.md";
        match era {
            Era::Legacy => drop(client.ask("resources/subscribe", json!({ "uri": uri })).await),
            Era::Modern => {
                let wanted = json!({ "notifications": { "resourceSubscriptions": [uri] } });
                client.send("subscriptions/listen", wanted);
                client.next().await;
            }
        }
        for text in ["two", "three, and more"] {
            machine.write("custom/pdf-1/SKILL.md", &skill(text));
            front.publisher.publish(machine.catalog());
            let mut notice = client.next().await;
            // Earlier clients hear of the lists, too.
            while notice["method"] != UPDATED {
                notice = client.next().await;
            }
            assert_eq!(notice["params"]["uri"], uri);
            let read = client.ask("resources/read", json!({ "uri": uri })).await;
            assert_eq!(read["result"]["contents"][0]["text"], skill(text));
        }
        assert_eq!(client.rest().iter().filter(|it| it["method"] == UPDATED).count(), 0);
    }
}

#[tokio::test]
async fn who_listens_before_it_is_known_which_skills_there_are_hears_when_it_is() {
    let machine = Machine::new(TREE);
    let front = Front::alone(Presentation::default());
    let mut client = front.client(Era::Modern);
    let wanted = json!({ "resourceSubscriptions": ["skill://~/custom/pdf/SKILL.md"] });
    client.send("subscriptions/listen", json!({ "notifications": wanted }));
    assert!(!client.has_answer_at_once());
    front.publisher.publish(machine.catalog());
    assert_eq!(client.next().await["params"]["notifications"], wanted);
}

#[tokio::test]
async fn what_is_not_there_cannot_be_subscribed_to() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    for path in ["custom/pdf/none", "custom/pdf", "custom/pdf/docs", "none", "custom/pdf/../x"] {
        assert_eq!(
            refusal(&mut client, "resources/subscribe", uri(path)).await.0,
            -32002,
            "{path}"
        );
    }
    assert_eq!(
        refusal(&mut client, "resources/subscribe", json!({ "uri": "x:y" })).await.0,
        -32002
    );
}

#[tokio::test]
async fn a_skill_that_comes_or_changes_its_description_changes_the_lists_and_its_text_does_not() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Modern);
    let wanted = json!({ "resourcesListChanged": true, "promptsListChanged": true });
    client.send("subscriptions/listen", json!({ "notifications": wanted }));
    client.next().await;
    machine.write(
        "custom/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF files\n---\nOther.\n",
    );
    front.publisher.publish(machine.catalog());
    machine.write("custom/new/SKILL.md", "name: new | description: d\n");
    front.publisher.publish(machine.catalog());
    for list in ["resources", "prompts"] {
        let method = format!("notifications/{list}/list_changed");
        assert_eq!(client.next().await["method"], method);
    }
    machine.write("custom/new/SKILL.md", "name: new | description: other\n");
    front.publisher.publish(machine.catalog());
    assert_eq!(client.next().await["method"], "notifications/resources/list_changed");
}
