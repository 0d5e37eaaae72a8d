//! Gaps: lists of which only a part can be read.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    fake::{Act, Fake, error, good, notification, result},
    settle,
};
use crate::{Gap, Offer, Upstreams};

/// Makes an item of a list by its key and its title.
type Make = fn(&str, &str) -> Value;

/// Each list: its request, the member that holds it, and how an item of it looks.
const LISTS: [(&str, &str, Make); 5] = [
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

/// A server whose list of prompts takes so long; when it is known, and how often it was asked for.
async fn check_slow(takes: u64, expected: (u64, usize)) {
    let fake = Fake::new(move |_, message| match message["method"].as_str() {
        Some("initialize") => {
            let said =
                json!({ "protocolVersion": "2025-11-25", "capabilities": { "prompts": {} } });
            vec![result(message, said)]
        }
        Some("prompts/list") => {
            let mut acts = vec![Act::Wait(Duration::from_secs(takes))];
            acts.extend(page(message, "p=1", None));
            acts
        }
        _ => good(message),
    });
    let upstreams = fake.kept();
    let began = Instant::now();
    let offer = until_offer(&upstreams, |it| !it.prompts.is_empty()).await;
    let asked = fake.count("prompts/list");
    assert_eq!(((began.elapsed().as_secs(), asked), &*offer.gaps), (expected, &[][..]), "{takes}");
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_takes_long_is_known_a_little_later() {
    check_slow(1, (1, 1)).await;
    check_slow(7, (14, 2)).await;
    check_slow(12, (24, 2)).await;
}

#[tokio::test(start_paused = true)]
async fn a_list_with_a_gap_is_asked_for_again_and_again_and_ever_more_rarely() {
    let times = Arc::new(Mutex::new(Vec::new()));
    let (began, asked) = (Instant::now(), Arc::clone(&times));
    let fake = Fake::on("tools/list", move |_, message| match message["params"]["cursor"] {
        Value::Null => {
            asked.lock().unwrap().push(began.elapsed().as_secs());
            page(message, "a=1", Some("2"))
        }
        _ => vec![error(message, -32603, "no")],
    });
    let upstreams = fake.kept();
    sleep(Duration::from_secs(1_200)).await;
    assert_eq!(*times.lock().unwrap(), [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1_111]);
    assert_eq!(fake.n_attempts(), 1);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_change_does_not_wait_for_a_list_that_is_missing() {
    let fake = Fake::new(|_, message| match message["method"].as_str() {
        Some("initialize") => vec![greeting(message)],
        Some("tools/list") => {
            page(message, &format!("t={}", message["id"].as_u64().unwrap()), None)
        }
        Some("skills/list") => Vec::new(),
        _ if is_list(message) => page(message, "a=1", None),
        _ => good(message),
    });
    let upstreams = fake.kept();
    let first = until_offer(&upstreams, |_| true).await;
    assert_eq!(first.gap("skills/list"), Some("it was silent for 5 s"));
    // The skills are being asked for again by now.
    sleep(Duration::from_secs(10)).await;
    assert_eq!(fake.count("skills/list"), 2);
    let began = Instant::now();
    fake.say(notification("notifications/tools/list_changed", json!({}))).await;
    until_offer(&upstreams, |it| offered(it)[0] != offered(&first)[0]).await;
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    upstreams.stop().await;
}
