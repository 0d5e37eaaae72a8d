//! Notices: log messages, changes of resources, changes of lists.

use std::time::Duration;

use metier_wire::Era;
use serde_json::{Value, json};

use super::{
    fake::{Act, CLOSED, Fake},
    fixture::{Client, Front, plan},
};

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];
const UPDATED: &str = "notifications/resources/updated";

fn log(level: &str) -> Value {
    json!({ "level": level, "logger": "x", "data": { "n": 1.5 } })
}

/// A server that logs at three levels during a call.
fn logging(era: Era) -> Fake {
    Fake::new(era).tools(&["t"]).on("tools/call", |_| {
        let say = |level| Act::Say("notifications/message", log(level));
        let result = Act::Give(r#"{"resultType":"complete"}"#.to_owned());
        vec![say("debug"), say("info"), say("error"), result]
    })
}

fn levels(client: &mut Client) -> Vec<Value> {
    let all = client.rest().into_iter();
    all.filter(|it| it["method"] == "notifications/message")
        .map(|mut it| it["params"]["level"].take())
        .collect()
}

#[tokio::test]
async fn a_level_reaches_all_servers_that_log_also_one_that_comes_later() {
    let (one, other) = (Fake::legacy(), Fake::legacy());
    let early = plan(&[("a", &one)]).await;
    let front = Front::begin(super::fixture::Look::default(), early.clone());
    front.upstreams.settled(super::fake::SOON).await;
    let mut client = front.client(Era::Legacy);
    let answer = client.ask("logging/setLevel", json!({ "level": "warning" })).await;
    assert_eq!(answer["result"], json!({}));
    assert_eq!(one.seen("logging/setLevel")[0].message["params"]["level"], "warning");
    let mut both = plan(&[("b", &other)]).await;
    both.servers.extend(early.servers);
    front.follow(both).await;
    let told = other.sees("logging/setLevel", 1).await;
    assert_eq!(told[0].message["params"]["level"], "warning");
    assert_eq!(one.seen("logging/setLevel").len(), 1);
}

#[tokio::test]
async fn servers_are_told_the_level_of_the_client_that_wants_most() {
    let fake = Fake::legacy();
    let front = Front::of(&[("a", &fake)]).await;
    let (mut one, mut other) = (front.client(Era::Legacy), front.client(Era::Legacy));
    one.ask("logging/setLevel", json!({ "level": "error" })).await;
    other.ask("logging/setLevel", json!({ "level": "info" })).await;
    one.ask("logging/setLevel", json!({ "level": "alert" })).await;
    let told: Vec<Value> = (fake.seen("logging/setLevel").into_iter())
        .map(|it| it.message["params"]["level"].clone())
        .collect();
    assert_eq!(told.last().unwrap(), "info", "{told:?}");
    let answer = one.ask("logging/setLevel", json!({ "level": "loud" })).await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn a_client_that_said_nothing_makes_no_server_talkative() {
    let fake = Fake::legacy();
    let front = Front::of(&[("a", &fake)]).await;
    let (mut client, _silent) = (front.client(Era::Legacy), front.client(Era::Legacy));
    client.ask("logging/setLevel", json!({ "level": "error" })).await;
    assert_eq!(fake.seen("logging/setLevel")[0].message["params"]["level"], "error");
}

#[tokio::test]
async fn a_modern_server_is_told_with_each_call_what_an_older_client_said_once() {
    let fake = logging(Era::Modern);
    let front = Front::of(&[("a", &fake)]).await;
    let mut client = front.client(Era::Legacy);
    client.ask("tools/call", json!({ "name": "a__t" })).await;
    client.ask("logging/setLevel", json!({ "level": "error" })).await;
    client.ask("tools/call", json!({ "name": "a__t" })).await;
    let level = |at: usize| {
        let meta = &fake.seen("tools/call")[at].message["params"]["_meta"];
        meta["io.modelcontextprotocol/logLevel"].clone()
    };
    assert_eq!((level(0), level(1)), (Value::Null, json!("error")));
}

#[tokio::test]
async fn a_client_hears_the_log_messages_of_its_calls_by_its_level() {
    for server in ERAS {
        let front = Front::of(&[("a", &logging(server))]).await;
        let mut client = front.client(Era::Legacy);
        client.ask("tools/call", json!({ "name": "a__t" })).await;
        assert_eq!(levels(&mut client), ["debug", "info", "error"]);
        client.ask("logging/setLevel", json!({ "level": "info" })).await;
        client.ask("tools/call", json!({ "name": "a__t" })).await;
        assert_eq!(levels(&mut client), ["info", "error"]);
    }
}

#[tokio::test]
async fn a_modern_client_hears_log_messages_only_if_the_call_asks_for_them() {
    for server in ERAS {
        let fake = logging(server);
        let front = Front::of(&[("a", &fake)]).await;
        let mut client = front.client(Era::Modern);
        client.ask("tools/call", json!({ "name": "a__t" })).await;
        assert_eq!(levels(&mut client), [Value::Null; 0]);
        let meta = r#""io.modelcontextprotocol/logLevel":"info""#;
        client.ask_with("tools/call", json!({ "name": "a__t" }), meta).await;
        assert_eq!(levels(&mut client), ["info", "error"]);
        let told = &fake.seen("tools/call")[1].message["params"]["_meta"];
        assert_eq!(told["io.modelcontextprotocol/logLevel"], "info", "{server:?}");
    }
}

#[tokio::test]
async fn log_messages_of_no_call_reach_all_clients_by_their_levels() {
    let fake = Fake::legacy();
    let front = Front::of(&[("a", &fake)]).await;
    fake.heard("notifications/message", &json!({})).await;
    let (mut all, mut few) = (front.client(Era::Legacy), front.client(Era::Legacy));
    few.ask("logging/setLevel", json!({ "level": "error" })).await;
    fake.say("notifications/message", &log("info"));
    fake.say("notifications/message", &log("critical"));
    assert_eq!(all.next().await["params"], log("info"));
    assert_eq!(all.next().await["params"], log("critical"));
    assert_eq!(few.next().await["params"], log("critical"));
}

/// Two servers with one URI: clients know the second one's by another.
fn sharing(era: Era) -> (Fake, Fake) {
    let item = r#"{"uri":"x:y","name":"y"}"#;
    (Fake::legacy().listing("resources/list", item), Fake::new(era).listing("resources/list", item))
}

#[tokio::test]
async fn a_subscription_hears_of_the_uri_that_clients_know_and_ends_with_its_client() {
    for server in ERAS {
        for how in ["unsubscribe", "leave"] {
            let (one, other) = sharing(server);
            let front = Front::of(&[("a", &one), ("b", &other)]).await;
            let mut client = front.client(Era::Legacy);
            let mut bystander = front.client(Era::Legacy);
            let answer = client.ask("resources/subscribe", json!({ "uri": "b+x:y" })).await;
            assert_eq!(answer["result"], json!({}));
            let changed = json!({ "uri": "x:y" });
            other.heard(UPDATED, &changed).await;
            one.say(UPDATED, &changed);
            other.say(UPDATED, &changed);
            let notice = client.next().await;
            assert_eq!(notice["method"], UPDATED);
            assert_eq!(notice["params"], json!({ "uri": "b+x:y" }));
            match how {
                "leave" => drop(client),
                _ => {
                    let answer =
                        client.ask("resources/unsubscribe", json!({ "uri": "b+x:y" })).await;
                    assert_eq!(answer["result"], json!({}));
                }
            }
            match server {
                Era::Legacy => {
                    let subscribed = &other.seen("resources/subscribe")[0].message["params"]["uri"];
                    assert_eq!(subscribed, "x:y");
                    let ended = other.sees("resources/unsubscribe", 1).await;
                    assert_eq!(ended[0].message["params"]["uri"], "x:y");
                }
                Era::Modern => {
                    let closed = other.sees(CLOSED, 1).await;
                    let filter = &closed[0].message["notifications"];
                    assert_eq!(filter, &json!({ "resourceSubscriptions": ["x:y"] }));
                }
            }
            assert_eq!(one.seen("resources/subscribe").len(), 0);
            bystander.ask("tools/list", "{}").await;
            assert_eq!(bystander.rest(), [Value::Null; 0]);
        }
    }
}

#[tokio::test]
async fn watched_resources_take_no_place_of_calls_and_may_be_silent_for_ever() {
    let item = |at: usize| json!({ "uri": format!("x:{at}"), "name": "y" }).to_string();
    let items: Vec<String> = (0..70).map(item).collect();
    let fake = Fake::modern().tools(&["t"]).listing("resources/list", &items.join(","));
    let mut plan = plan(&[("a", &fake)]).await;
    plan.servers[0].call_timeout = Duration::from_secs(5);
    let front = Front::begin(super::fixture::Look::default(), plan);
    front.upstreams.settled(super::fake::SOON).await;
    let mut client = front.client(Era::Modern);
    let uris: Vec<String> = (0..70).map(|at| format!("x:{at}")).collect();
    let wanted = json!({ "notifications": { "resourceSubscriptions": uris } });
    client.send("subscriptions/listen", wanted);
    client.next().await;
    // The server is listened to for its lists, too.
    fake.sees("subscriptions/listen", 71).await;
    let answer = client.ask("tools/call", json!({ "name": "a__t" })).await;
    assert_eq!(answer["result"]["content"], json!([]));
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(60)).await;
    tokio::time::resume();
    fake.say(UPDATED, &json!({ "uri": "x:69" }));
    assert_eq!(client.next().await["params"]["uri"], "x:69");
    assert_eq!(fake.seen("subscriptions/listen").len(), 71);
}

#[tokio::test]
async fn a_modern_client_subscribes_by_listening_and_its_notices_carry_the_subscription() {
    for server in ERAS {
        let (one, other) = sharing(server);
        let front = Front::of(&[("a", &one), ("b", &other)]).await;
        let mut client = front.client(Era::Modern);
        let wanted = json!({ "notifications": { "resourceSubscriptions": ["b+x:y", "no:where"] } });
        let id = client.send("subscriptions/listen", wanted);
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
        let acknowledged = client.next().await;
        assert_eq!(
            acknowledged["params"],
            json!({ "_meta": meta, "notifications": { "resourceSubscriptions": ["b+x:y"] } })
        );
        if server == Era::Legacy {
            other.sees("resources/subscribe", 1).await;
        }
        other.heard(UPDATED, &json!({ "uri": "x:y" })).await;
        other.say(UPDATED, &json!({ "uri": "x:y" }));
        let notice = client.next().await;
        assert_eq!(notice["method"], UPDATED);
        assert_eq!(notice["params"], json!({ "_meta": meta, "uri": "b+x:y" }));
        client.notify("notifications/cancelled", json!({ "requestId": id }));
        match server {
            Era::Legacy => drop(other.sees("resources/unsubscribe", 1).await),
            Era::Modern => drop(other.sees(CLOSED, 1).await),
        }
    }
}

#[tokio::test]
async fn a_subscription_to_what_nobody_has_or_that_is_refused_says_so() {
    let fake = Fake::legacy()
        .listing("resources/list", r#"{"uri":"x:y","name":"y"}"#)
        .on("resources/subscribe", |_| vec![Act::Refuse(r#"{"code":-7,"message":"no"}"#)]);
    let front = Front::of(&[("a", &fake), ("b", &Fake::legacy())]).await;
    let mut client = front.client(Era::Legacy);
    let answer = client.ask("resources/subscribe", json!({ "uri": "no:where" })).await;
    assert_eq!(answer["error"]["code"], -32002);
    let answer = client.ask("resources/subscribe", json!({ "uri": "x:y" })).await;
    assert_eq!(answer["error"], json!({ "code": -7, "message": "no" }));
    let answer = client.ask("resources/unsubscribe", json!({ "uri": "x:y" })).await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn a_list_that_changes_is_told_once_a_burst_to_clients_of_both_eras() {
    for (list, item) in [
        ("tools", r#"{"name":"t"}"#),
        ("resources", r#"{"uri":"x:y","name":"y"}"#),
        ("prompts", r#"{"name":"p"}"#),
    ] {
        for server in ERAS {
            let fake = Fake::new(server);
            let front = Front::of(&[("a", &fake)]).await;
            let method = format!("notifications/{list}/list_changed");
            let listing = match list {
                "tools" => "tools/list",
                "resources" => "resources/list",
                _ => "prompts/list",
            };
            fake.heard(&method, &json!({})).await;
            let mut legacy = front.client(Era::Legacy);
            let mut modern = front.client(Era::Modern);
            let filter = json!({ "toolsListChanged": true, "resourcesListChanged": true,
                "promptsListChanged": true });
            modern.send("subscriptions/listen", json!({ "notifications": filter }));
            modern.next().await;
            let fake = fake.listing(listing, item);
            for _ in 0..100 {
                fake.say(&method, &json!({}));
            }
            assert_eq!(legacy.next().await["method"], method);
            assert_eq!(modern.next().await["method"], method);
            let names = legacy.ask(listing, "{}").await;
            assert_eq!(names["result"][list].as_array().unwrap().len(), 1);
            // More lists of the same are no news.
            fake.sees(listing, 2).await;
            tokio::time::pause();
            tokio::time::sleep(std::time::Duration::from_millis(700)).await;
            tokio::time::resume();
            assert_eq!(legacy.rest(), [Value::Null; 0]);
            assert_eq!(modern.rest(), [Value::Null; 0]);
            assert!(fake.seen(listing).len() <= 4, "{}", fake.seen(listing).len());
        }
    }
}

#[tokio::test]
async fn what_else_a_server_says_is_passed_on_but_what_is_about_requests_of_its_own() {
    let (odd, params) = ("notifications/odd", json!({ "n": 1.5 }));
    let about = json!({ "requestId": 2, "progressToken": 2, "progress": 1 });
    let own = ["notifications/cancelled", "notifications/progress"];
    for server in ERAS {
        let (params, about) = (params.clone(), about.clone());
        let fake = Fake::new(server).tools(&["t"]).on("tools/call", move |_| {
            let say = |method| Act::Say(method, about.clone());
            let result = Act::Give(r#"{"resultType":"complete"}"#.to_owned());
            vec![say(own[0]), say(own[1]), Act::Say(odd, params.clone()), result]
        });
        let front = Front::of(&[("a", &fake)]).await;
        let mut client = front.client(Era::Legacy);
        client.ask("tools/call", json!({ "name": "a__t" })).await;
        let expected = json!({ "jsonrpc": "2.0", "method": odd, "params": { "n": 1.5 } });
        assert_eq!(client.rest(), [expected]);
    }
    let fake = Fake::legacy();
    let front = Front::of(&[("a", &fake)]).await;
    fake.heard(odd, &params).await;
    let mut client = front.client(Era::Legacy);
    own.iter().for_each(|method| fake.say(method, &about));
    fake.say(odd, &params);
    assert_eq!(client.next().await["method"], odd);
}

#[tokio::test]
async fn servers_that_the_first_list_waited_for_are_no_change_of_it() {
    let (one, other) = (Fake::legacy().tools(&["t"]), Fake::legacy().tools(&["u"]));
    let plan = plan(&[("a", &one), ("b", &other)]).await;
    let front = Front::begin(super::fixture::Look::default(), plan);
    let mut client = front.client(Era::Legacy);
    let list = client.ask("tools/list", json!({})).await;
    assert!(list["result"]["tools"].as_array().unwrap().iter().any(|it| it["name"] == "b__u"));
    client.ask("ping", json!({})).await;
    let changed: Vec<Value> =
        client.rest().into_iter().filter(|it| it["method"].is_string()).collect();
    assert_eq!(changed, [] as [Value; 0]);
}

#[tokio::test]
async fn a_subscription_goes_to_the_server_that_lists_the_resource_later() {
    let taking = || Fake::legacy().able("resources");
    let (first, owner) = (taking(), taking().listing("resources/list", r#"{"uri":"x:y"}"#));
    let early = plan(&[("b", &first)]).await;
    let front = Front::begin(super::fixture::Look::default(), early.clone());
    front.upstreams.settled(super::fake::SOON).await;
    let mut client = front.client(Era::Legacy);
    client.ask("resources/subscribe", json!({ "uri": "x:y" })).await;
    assert_eq!(first.seen("resources/subscribe").len(), 1);
    let mut both = plan(&[("a", &owner)]).await;
    both.servers.extend(early.servers);
    front.follow(both).await;
    owner.sees("resources/subscribe", 1).await;
    first.sees("resources/unsubscribe", 1).await;
    let mut told = async || {
        while client.next().await["method"] != UPDATED {}
    };
    // It is another one now.
    told().await;
    let changed = json!({ "uri": "x:y" });
    owner.heard(UPDATED, &changed).await;
    owner.say(UPDATED, &changed);
    told().await;
}
