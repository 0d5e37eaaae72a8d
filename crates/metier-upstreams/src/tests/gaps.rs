//! Gaps: lists of which only a part can be read.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use serde_json::{Value, json};

use super::{
    fake::{Act, Fake, error, good, notification, result},
    settle,
};
use crate::{Gap, Offer, Upstreams};

/// Each list: its request, the member that holds it, and one item of it.
const LISTS: [(&str, &str, fn(&str, &str) -> Value); 5] = [
    ("tools/list", "tools", |key, title| json!({ "name": key, "title": title })),
    ("resources/list", "resources", |key, title| json!({ "uri": key, "title": title })),
    (
        "resources/templates/list",
        "resourceTemplates",
        |key, title| json!({ "uriTemplate": key, "title": title }),
    ),
    ("prompts/list", "prompts", |key, title| json!({ "name": key, "title": title })),
    ("skills/list", "skills", |key, title| {
        json!({
            "uri": format!("skill://{key}/SKILL.md"),
            "frontmatter": { "name": key, "description": "Does" },
            "resources": "dynamic",
            "title": title,
        })
    }),
];

/// What a server says that has all lists, and tells when they change.
fn greeting(message: &Value) -> Act {
    let told = || json!({ "listChanged": true });
    let capabilities = json!({
        "tools": told(),
        "resources": told(),
        "prompts": told(),
        "extensions": { "io.modelcontextprotocol/skills": {} },
    });
    result(message, json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities }))
}

/// One page of any list, its items as `key=title`.
fn page(message: &Value, items: &str, next: Option<&str>) -> Vec<Act> {
    let method = message["method"].as_str().unwrap();
    let (_, member, item) = LISTS.iter().find(|it| it.0 == method).unwrap();
    let items = items.split(' ').map(|it| it.split_once('=').unwrap());
    let items: Vec<Value> = items.map(|(key, title)| item(key, title)).collect();
    vec![result(message, json!({ *member: items, "nextCursor": next }))]
}

fn is_list(message: &Value) -> bool {
    LISTS.iter().any(|it| message["method"] == it.0)
}

/// All that is offered, list by list.
fn offered(offer: &Offer) -> [String; 5] {
    let told = |raw: &str| {
        let item: Value = serde_json::from_str(raw).unwrap();
        let key = ["uri", "uriTemplate", "name"].iter().find_map(|it| item[it].as_str()).unwrap();
        let key = key.trim_start_matches("skill://").trim_end_matches("/SKILL.md");
        format!("{key}={}", item["title"].as_str().unwrap())
    };
    let all = |raw: Vec<&str>| raw.into_iter().map(told).collect::<Vec<_>>().join(" ");
    [
        all(offer.tools.iter().map(|it| it.raw.get()).collect()),
        all(offer.resources.iter().map(|it| it.raw.get()).collect()),
        all(offer.templates.iter().map(|it| it.raw.get()).collect()),
        all(offer.prompts.iter().map(|it| it.raw.get()).collect()),
        all(offer.skills.iter().map(|it| it.raw.get()).collect()),
    ]
}

/// Waits until what the only server offers is like that.
async fn until_offer(upstreams: &Upstreams, is_so: impl Fn(&Offer) -> bool) -> Arc<Offer> {
    let mut rosters = upstreams.rosters();
    let of = |it: &Arc<crate::Roster>| it.servers().next()?.standing.offer.clone();
    let found = rosters.wait_for(|it| of(it).is_some_and(|it| is_so(&it))).await.unwrap().clone();
    of(&found).unwrap()
}

fn gaps(reason: &str) -> Vec<Gap> {
    LISTS.map(|(method, ..)| Gap { method, reason: reason.into() }).to_vec()
}

/// A server whose lists have two pages, until they have changed and only the first can be had.
fn breaking(has_broken: impl Fn(usize) -> bool + Send + Sync + 'static) -> Arc<Fake> {
    Fake::new(move |start, message| {
        let is_first = message["params"]["cursor"].is_null();
        match (is_first, has_broken(start)) {
            _ if message["method"] == "initialize" => vec![greeting(message)],
            _ if !is_list(message) => good(message),
            (true, false) => page(message, "a=1 b=1", Some("2")),
            (false, false) => page(message, "c=1", None),
            (true, true) => page(message, "a=2 d=2", Some("2")),
            (false, true) => vec![error(message, -32603, "no")],
        }
    })
}

/// What it offers before and after `change`.
async fn check_kept(fake: &Arc<Fake>, change: impl AsyncFn()) {
    let upstreams = fake.kept();
    settle(&upstreams).await;
    let whole = until_offer(&upstreams, |_| true).await;
    assert_eq!((offered(&whole), &*whole.gaps), (["a=1 b=1 c=1"; 5].map(str::to_owned), &[][..]));
    change().await;
    let partial = until_offer(&upstreams, |it| it.gaps.len() == 5).await;
    assert_eq!(offered(&partial), ["a=2 b=1 c=1 d=2"; 5]);
    assert_eq!(partial.gaps, gaps("a page is missing: no (-32603)"));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_known_stays_if_its_list_is_read_in_part_only() {
    let has_changed = Arc::new(AtomicBool::new(false));
    let changed = Arc::clone(&has_changed);
    let fake = breaking(move |_| changed.load(Relaxed));
    let change = async || {
        has_changed.store(true, Relaxed);
        for list in ["tools", "resources", "prompts"] {
            let method = format!("notifications/{list}/list_changed");
            fake.say(notification(&method, json!({}))).await;
        }
    };
    check_kept(&fake, change).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_known_stays_if_a_server_that_is_back_lists_only_a_part() {
    let fake = breaking(|start| start > 0);
    check_kept(&fake, async || fake.act(Act::Leave).await).await;
}
