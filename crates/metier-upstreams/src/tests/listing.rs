//! Lists: pages, odd tools, names, changes and filters.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    call,
    fake::{Act, Fake, error, good, keep, notification, plan, result, spec},
    name, outcome, settle, shown, until,
};
use crate::{CallError, Gap, Plan, ToolFilter};

/// A tool `a` at page nought, `b` at page one, and so on; what leads to the next page is said.
fn page(message: &Value, cursor: impl Fn(usize) -> Option<Value>) -> Vec<Act> {
    let at = match &message["params"]["cursor"] {
        Value::String(cursor) => cursor.trim_start_matches('x').parse().unwrap_or(0),
        _ => 0,
    };
    let mut page = json!({ "tools": [{ "name": format!("t{at:03}") }] });
    if let Some(next) = cursor(at) {
        page["nextCursor"] = next;
    }
    vec![result(message, page)]
}

/// How many tools are found and how many pages were asked for.
async fn check(list: fn(&Value) -> Vec<Act>, n_tools: usize, n_pages: usize) {
    let fake = Fake::on("tools/list", move |_, message| list(message));
    let upstreams = fake.kept();
    let roster = settle(&upstreams).await;
    assert!(shown(&roster).starts_with("fake ready"), "{}", shown(&roster));
    assert_eq!((roster.tools().entries().len(), fake.count("tools/list")), (n_tools, n_pages));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn all_pages_of_a_list_are_followed() {
    check(|it| page(it, |at| (at < 2).then(|| json!(format!("{}", at + 1)))), 3, 3).await;
    check(|it| page(it, |_| Some(json!(""))), 1, 1).await;
    check(|it| page(it, |_| Some(json!(null))), 1, 1).await;
    check(|it| page(it, |_| Some(json!(7))), 1, 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_list_without_end_has_one_all_the_same() {
    check(|it| page(it, |at| Some(json!(format!("{}", at + 1)))), 100, 100).await;
    check(|it| page(it, |at| Some(json!(format!("{}", (at + 1) % 3)))), 3, 4).await;
    let large = |message: &Value| {
        let first = message["id"].as_u64().unwrap() * 2_000;
        let tools: Vec<Value> =
            (0..2_000).map(|at| json!({ "name": format!("t{}", first + at) })).collect();
        vec![result(message, json!({ "tools": tools, "nextCursor": format!("{first}") }))]
    };
    check(large, 10_000, 5).await;
}

#[tokio::test(start_paused = true)]
async fn a_page_may_be_empty_and_its_name_long_but_not_too_long() {
    let empty = |message: &Value| match message["params"]["cursor"].as_str() {
        None => vec![result(message, json!({ "tools": [], "nextCursor": "1" }))],
        Some("1") => vec![result(message, json!({ "tools": null, "nextCursor": "2" }))],
        _ => page(message, |_| None),
    };
    check(empty, 1, 3).await;
    let long = |message: &Value| {
        page(message, |at| (at == 0).then(|| json!(format!("{}1", "x".repeat(60 << 10)))))
    };
    check(long, 2, 2).await;
    let too_long = |message: &Value| {
        page(message, |at| (at == 0).then(|| json!(format!("{}1", "x".repeat(64 << 10)))))
    };
    check(too_long, 1, 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_missing_costs_only_itself() {
    let broken = |message: &Value| match message["params"]["cursor"].as_str() {
        Some("2") => vec![error(message, -32602, "no such page")],
        _ => page(message, |at| Some(json!(format!("{}", at + 1)))),
    };
    check(broken, 2, 3).await;
}

/// The wire names of some tools of one server, and that each call reaches the very tool.
async fn check_names(tools: &[&str], expected: &[&str]) {
    let listed: Vec<Value> = tools.iter().map(|it| json!({ "name": it })).collect();
    let fake = Fake::new(move |_, message| match message["method"].as_str() {
        Some("tools/list") => vec![result(message, json!({ "tools": listed }))],
        Some("tools/call") => vec![result(message, message["params"]["name"].clone())],
        _ => good(message),
    });
    let upstreams = fake.kept();
    let roster = settle(&upstreams).await;
    let names: Vec<&str> = roster.tools().entries().iter().map(|it| &*it.wire_name).collect();
    assert_eq!(names, expected);
    for entry in roster.tools().entries() {
        assert!((1..=64).contains(&entry.wire_name.len()));
        for name in [&*entry.id, &*entry.wire_name] {
            let called = upstreams.call(name, None, Arc::new(())).await.unwrap();
            assert_eq!(called.get(), json!(entry.tool.name).to_string());
        }
    }
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn every_name_of_a_tool_leads_back_to_it() {
    check_names(&["a"], &["fake__a"]).await;
    check_names(&["b", "a"], &["fake__a", "fake__b"]).await;
    check_names(&["a__b", "say hi"], &["fake__a__b", "fake__say_hi"]).await;
    check_names(&["a.b", "a_b"], &["fake__a_b_e2fdce1d", "fake__a_b_ef371838"]).await;
    check_names(&["a:b", "a/b"], &["fake__a_b_e2f634a8", "fake__a_b_ed7f7569"]).await;
    check_names(&["🦀"], &["fake___"]).await;
    // Twice is once, and nothing has no name.
    check_names(&["a", "", "a"], &["fake__a"]).await;
    check_names(&[&"x".repeat(58)], &[&format!("fake__{}", "x".repeat(58))]).await;
    check_names(&[&"x".repeat(59)], &[&format!("fake__{}_b1799392", "x".repeat(49))]).await;
    check_names(&[&"x".repeat(500)], &[&format!("fake__{}_2b4d57f6", "x".repeat(49))]).await;
}

#[tokio::test(start_paused = true)]
async fn tools_of_one_name_on_several_servers_are_several_tools() {
    let (upstreams, _) = keep([
        ("A", Fake::good()),
        ("a", Fake::good()),
        ("a__b", Fake::listing(json!([{ "name": "c" }]))),
    ]);
    let roster = settle(&upstreams).await;
    let names: Vec<&str> = roster.tools().entries().iter().map(|it| &*it.wire_name).collect();
    assert_eq!(names, ["A__echo", "a__echo", "a__b__c"]);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn every_tool_is_kept_as_it_was_sent_and_what_is_none_costs_only_itself() {
    let kept = [
        r#"{"name":"a"}"#.to_owned(),
        r#"{"name":"b","inputSchema":true,"outputSchema":{"type":"nonsense"}}"#.to_owned(),
        r##"{"name":"c","inputSchema":{"$ref":"#"},"title":"T","icons":[1],"_meta":{"z":1.0,"a":1e2}}"##.to_owned(),
        r#"{ "odd" : null, "name":"d" , "annotations":{"readOnlyHint":true},"execution":{}}"#.to_owned(),
        format!(r#"{{"name":"e","inputSchema":{{"description":"{}"}}}}"#, "x".repeat(1 << 20)),
    ];
    let odd = [r#""x""#, "1", "null", "[]", "{}", r#"{"name":1}"#, r#"{"name":""}"#];
    let all: Vec<&str> = kept.iter().map(String::as_str).chain(odd).collect();
    let list = format!(r#"{{"tools":[{}]}}"#, all.join(","));
    let fake = Fake::on("tools/list", move |_, message| {
        let answer =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{list}}}\n", message["id"]);
        vec![Act::Raw(answer.into_bytes())]
    });
    let upstreams = fake.kept();
    let roster = settle(&upstreams).await;
    let raw: Vec<&str> = roster.tools().entries().iter().map(|it| it.tool.raw.get()).collect();
    assert_eq!(raw, kept.each_ref().map(String::as_str));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn five_thousand_tools_are_as_good_as_one() {
    let tools: Vec<Value> = (0..5_000).map(|at| json!({ "name": format!("t{at}") })).collect();
    let upstreams = Fake::listing(json!(tools)).kept();
    let roster = settle(&upstreams).await;
    assert_eq!(roster.tools().entries().len(), 5_000);
    assert_eq!(&*roster.tools().get("fake__t4999").unwrap().id, "fake:t4999");
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_broken_list_of_anything_but_tools_is_an_empty_one() {
    let fake = Fake::new(|_, message| match message["method"].as_str() {
        Some("initialize") => vec![result(
            message,
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {}, "resources": {}, "prompts": {} },
            }),
        )],
        Some("resources/list") => vec![error(message, -32603, "no")],
        Some("resources/templates/list") => vec![error(message, -32601, "unknown method")],
        Some("prompts/list") => vec![result(message, json!({ "prompts": [{ "name": "p" }, {}] }))],
        _ => good(message),
    });
    let upstreams = fake.kept();
    let roster = settle(&upstreams).await;
    assert_eq!(shown(&roster), "fake ready fake:echo");
    let offer = roster.servers().next().unwrap().standing.offer.clone().unwrap();
    let prompts: Vec<&str> = offer.prompts.iter().map(|it| &*it.key).collect();
    assert_eq!((offer.resources.len(), offer.templates.len(), prompts), (0, 0, vec!["p"]));
    // One that a server does not know lacks nothing.
    let gap = Gap { method: "resources/list", reason: "no (-32603)".into() };
    assert_eq!(offer.gaps, [gap]);
    upstreams.stop().await;
}

/// Why a list of tools is not whole, whose second page is answered so.
async fn check_gap(second: fn(&Value) -> Vec<Act>, expected: Option<&str>) {
    let fake =
        Fake::on("tools/list", move |_, message| match message["params"]["cursor"].as_str() {
            None => page(message, |_| Some(json!("1"))),
            _ => second(message),
        });
    let upstreams = fake.kept();
    let roster = settle(&upstreams).await;
    let offer = roster.servers().next().unwrap().standing.offer.clone().unwrap();
    assert_eq!((&*offer.tools[0].name, offer.gap("tools/list")), ("t000", expected));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_was_not_read_whole_knows_why() {
    check_gap(|it| page(it, |_| None), None).await;
    check_gap(|it| page(it, |_| Some(json!(""))), None).await;
    check_gap(|it| vec![error(it, -32603, "no")], Some("a page is missing: no (-32603)")).await;
    let garbled = "a page is missing: the answer to `tools/list` has no list of tools";
    check_gap(|it| vec![result(it, json!({ "tools": "x" }))], Some(garbled)).await;
    let back = "a page leads back to one before it";
    check_gap(|it| page(it, |_| Some(json!("1"))), Some(back)).await;
    let odd = "the name of its next page is no text";
    check_gap(|it| page(it, |_| Some(json!(7))), Some(odd)).await;
}

#[tokio::test(start_paused = true)]
async fn of_a_list_that_takes_too_long_there_is_what_came_in_time() {
    let fake = Fake::new(|_, message| match message["method"].as_str() {
        Some("initialize") => {
            let capabilities = json!({ "tools": {}, "prompts": {} });
            let said = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities });
            vec![result(message, said)]
        }
        Some("prompts/list") if message["params"]["cursor"].is_null() => {
            let first = json!({ "prompts": [{ "name": "p" }], "nextCursor": "2" });
            vec![result(message, first)]
        }
        _ => good(message),
    });
    let upstreams = fake.kept();
    let roster = settle(&upstreams).await;
    let offer = roster.servers().next().unwrap().standing.offer.clone().unwrap();
    let gap = offer.gap("prompts/list");
    assert_eq!((offer.prompts.len(), gap), (1, Some("it takes longer than 5s")));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_was_not_read_whole_is_asked_for_again() {
    let n_asked = AtomicUsize::new(0);
    let fake =
        Fake::on("tools/list", move |_, message| match message["params"]["cursor"].as_str() {
            None => page(message, |_| Some(json!("1"))),
            _ if n_asked.fetch_add(1, Relaxed) == 0 => vec![error(message, -32603, "not yet")],
            _ => page(message, |_| None),
        });
    let upstreams = fake.kept();
    until(&upstreams, "fake ready fake:t000").await;
    until(&upstreams, "fake ready fake:t000,fake:t001").await;
    assert_eq!(
        upstreams.roster().servers().next().unwrap().standing.offer.as_ref().unwrap().gaps,
        []
    );
    upstreams.stop().await;
}

fn changed() -> Value {
    notification("notifications/tools/list_changed", json!({}))
}

#[tokio::test(start_paused = true)]
async fn a_change_whose_list_cannot_be_read_changes_nothing_until_it_can() {
    let fake = Fake::on("tools/list", |_, message| match message["id"].as_u64() {
        Some(3 | 4) => vec![error(message, -32603, "no")],
        id => vec![result(message, json!({ "tools": [{ "name": format!("t{}", id.unwrap()) }] }))],
    });
    let upstreams = fake.kept();
    until(&upstreams, "fake ready fake:t2").await;
    fake.say(changed()).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(
        (shown(&upstreams.roster()), fake.count("tools/list")),
        ("fake ready fake:t2".to_owned(), 2)
    );
    until(&upstreams, "fake ready fake:t5").await;
    sleep(Duration::from_secs(1_000)).await;
    assert_eq!(fake.count("tools/list"), 4);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_never_answered_is_asked_for_again() {
    let fake = Fake::on("tools/list", |_, message| match message["id"].as_u64() {
        Some(3) => Vec::new(),
        Some(id) => {
            vec![result(message, json!({ "tools": [{ "name": format!("t{}", id.min(4)) }] }))]
        }
        None => Vec::new(),
    });
    let upstreams = fake.kept();
    until(&upstreams, "fake ready fake:t2").await;
    let began = Instant::now();
    fake.say(changed()).await;
    until(&upstreams, "fake ready fake:t4").await;
    assert!(began.elapsed() < Duration::from_secs(32), "{:?}", began.elapsed());
    assert_eq!(fake.n_attempts(), 1);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn changes_without_end_list_a_few_times_a_second_and_no_more() {
    let fake = Fake::good();
    let upstreams = fake.kept();
    settle(&upstreams).await;
    for _ in 0..10_000 {
        fake.say(changed()).await;
        sleep(Duration::from_millis(1)).await;
    }
    sleep(Duration::from_secs(1)).await;
    let n_lists = fake.count("tools/list");
    assert!((10..=35).contains(&n_lists), "{n_lists}");
    upstreams.stop().await;
}

fn filtered(include: &[&str], exclude: &[&str]) -> ToolFilter {
    ToolFilter::new(include, exclude).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_filter_hides_tools_and_changes_without_a_new_connection() {
    let tools = json!([{ "name": "find" }, { "name": "write" }, { "name": "admin" }]);
    let (one, two) = (Fake::listing(tools.clone()), Fake::listing(tools));
    let (upstreams, _) = keep([("one", one.clone()), ("two", two.clone())]);
    settle(&upstreams).await;
    let plan = |own: ToolFilter, all: ToolFilter| {
        let mut servers = plan([spec("one"), spec("two")]).servers;
        servers[0].tools = own;
        Plan { servers, tools: all }
    };
    let none = ToolFilter::default;
    upstreams.follow(plan(filtered(&[], &["admin"]), none())).await;
    until(&upstreams, "one ready one:find,one:write\ntwo ready two:admin,two:find,two:write").await;
    upstreams.follow(plan(filtered(&["find"], &[]), filtered(&[], &["two:w*"]))).await;
    until(&upstreams, "one ready one:find\ntwo ready two:admin,two:find").await;
    let hidden = upstreams.call("one:write", None, Arc::new(())).await;
    assert!(matches!(hidden, Err(CallError::NoTool(it)) if it == "one:write"));
    assert_eq!(one.count("tools/call"), 0);
    upstreams.follow(plan(none(), none())).await;
    until(
        &upstreams,
        "one ready one:admin,one:find,one:write\ntwo ready two:admin,two:find,two:write",
    )
    .await;
    assert_eq!((one.n_attempts(), two.n_attempts()), (1, 1));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_filter_holds_for_tools_that_come_later() {
    let fake = Fake::on("tools/list", |_, message| {
        let name = if message["id"] == 2 { "one" } else { "two" };
        vec![result(message, json!({ "tools": [{ "name": name }] }))]
    });
    let upstreams = fake.kept();
    until(&upstreams, "fake ready fake:one").await;
    let filter = filtered(&["one"], &[]);
    upstreams.follow(Plan { tools: filter, ..plan([spec("fake")]) }).await;
    fake.say(changed()).await;
    until(&upstreams, "fake ready").await;
    assert_eq!(outcome(call(&upstreams, "{}").await), "there is no tool `fake:echo`");
    let roster = upstreams.roster();
    assert_eq!(
        roster.server(&name("fake")).unwrap().standing.offer.as_ref().unwrap().tools.len(),
        1
    );
    upstreams.stop().await;
}
