//! What all servers offer together: names of prompts, URIs of resources, and whom to ask for one.

use std::{collections::BTreeMap, sync::Arc};

use metier_wire::Revision;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{fake::spec, name, raw};
use crate::{
    Item, Offer, Phase, Roster, Route, ServedSkill, Server, Standing, Tool, ToolFilter,
    offer::{Key, Omission},
};

/// The roster of some servers, given as what each offers: a name, a URI or a whole object for each item.
pub(crate) fn offering(servers: &Value) -> Roster {
    let servers = servers.as_object().unwrap().iter().map(|(server, offer)| {
        let standing = Standing {
            phase: Phase::Connecting { attempt: 0 },
            since: Instant::now(),
            offer: (!offer.is_null()).then(|| Arc::new(offered(offer))),
            latency: None,
            last_error: None,
            stderr: None,
            link: None,
        };
        (
            name(server),
            Arc::new(Server { spec: Arc::new(spec(server)), standing, gate: Arc::default() }),
        )
    });
    Roster::new(servers.collect::<BTreeMap<_, _>>(), &ToolFilter::default())
}

fn offered(offer: &Value) -> Offer {
    let item = |key| move |raw: &_| Item::read(raw, key);
    Offer {
        revision: Revision::V2026_07_28,
        server: None,
        capabilities: raw(&offer["has"].to_string()),
        instructions: None,
        tools: items(&offer["tools"], "name", Tool::read),
        resources: items(&offer["resources"], "uri", item(Key::Uri)),
        templates: items(&offer["templates"], "uriTemplate", item(Key::UriTemplate)),
        prompts: items(&offer["prompts"], "name", item(Key::Name)),
        skills: items(&offer["skills"], "uri", ServedSkill::read),
        instances: Vec::new(),
        unfit_skills: Vec::new(),
        gaps: Vec::new(),
    }
}

fn items<T>(
    items: &Value,
    key: &str,
    read: impl Fn(&serde_json::value::RawValue) -> Result<T, Omission>,
) -> Vec<Arc<T>> {
    let whole = |item: &Value| match item {
        Value::String(name) => json!({ key: name }),
        whole => whole.clone(),
    };
    let items = items.as_array().into_iter().flatten();
    items.map(|it| Arc::new(read(&raw(&whole(it).to_string())).unwrap())).collect()
}

#[test]
fn prompts_are_named_as_tools_are_and_found_by_either_name() {
    let roster = offering(&json!({
        "git": { "prompts": ["commit", "sum up"], "tools": ["commit"] },
        "git.hub": { "prompts": ["commit"] },
        "none": null,
    }));
    let prompts = roster.prompts();
    let names: Vec<(&str, &str)> =
        prompts.entries().iter().map(|it| (&*it.id, &*it.wire_name)).collect();
    assert_eq!(
        names,
        [
            ("git:commit", "git__commit"),
            ("git:sum up", "git__sum_up"),
            ("git.hub:commit", "git_hub__commit"),
        ]
    );
    for entry in prompts.entries() {
        for name in [&entry.id, &entry.wire_name] {
            let found = prompts.get(name).unwrap();
            assert_eq!((&found.id, &found.server), (&entry.id, &entry.server));
        }
        assert!(entry.id.ends_with(&*entry.prompt.key));
    }
    assert!(prompts.get("commit").is_none());
}

/// Every resource and every template as it is shown, with its server.
#[track_caller]
fn check_shown(servers: &Value, expected: &str) {
    let roster = offering(servers);
    let resources = roster.resources();
    let shown = resources.entries().iter().map(|it| format!("{} {}", it.server, it.uri));
    let templates = resources.templates().iter().map(|it| format!("{} {}", it.server, it.uri));
    let shown: Vec<String> = shown.chain(templates).collect();
    assert_eq!(shown.join("; "), expected);
    for entry in resources.entries() {
        let route = Route { server: &entry.server, uri: (&*entry.item.key).into() };
        assert_eq!(resources.routes(&entry.uri), [route], "{}", entry.uri);
    }
    for entry in resources.templates() {
        let route = Route { server: &entry.server, uri: (&*entry.item.key).into() };
        assert_eq!(resources.template(&entry.uri), Some(route), "{}", entry.uri);
    }
}

#[test]
fn a_uri_that_one_server_has_is_shown_as_it_is() {
    check_shown(
        &json!({ "b": { "resources": ["x:1", "x:2"] }, "a": { "resources": ["y:1"] } }),
        "a y:1; b x:1; b x:2",
    );
}

#[test]
fn of_several_servers_with_one_uri_the_first_by_name_shows_it_as_it_is() {
    check_shown(
        &json!({
            "b": { "resources": ["x:1", "x:2"], "templates": ["x:{id}"] },
            "c_c": { "resources": ["x:1"] },
            "a": { "resources": ["x:1"], "templates": ["x:{id}"] },
            "gone": null,
        }),
        "a x:1; b b+x:1; b x:2; c_c c-c+x:1; a x:{id}; b b+x:{id}",
    );
}

#[test]
fn prefixes_are_unique_whatever_servers_and_uris_are_called() {
    check_shown(
        &json!({
            "a": { "resources": ["x:1"] },
            "ø.1": { "resources": ["x:1"] },
            "b-b": { "resources": ["x:1", "c+x:1"] },
            "b_b": { "resources": ["x:1"] },
            "c": { "resources": ["x:1"] },
        }),
        "a x:1; b-b b-b+x:1; b-b b-b+c+x:1; b_b b-b-2+x:1; c c+x:1; ø.1 -.1+x:1",
    );
}

#[test]
fn what_looks_like_a_skill_of_this_machine_is_shown_with_its_server() {
    check_shown(
        &json!({ "b": { "resources": ["skill://~/a/SKILL.md", "skill://x/SKILL.md"],
            "templates": ["skill://~/{+path}"] } }),
        "b b+skill://~/a/SKILL.md; b skill://x/SKILL.md; b b+skill://~/{+path}",
    );
    let servers = json!({ "all": { "templates": ["{+anything}"], "has": { "resources": {} } } });
    check_routes(&servers, "skill://~/a/SKILL.md", "");
}

/// Whom to ask for a URI.
#[track_caller]
fn check_routes(servers: &Value, uri: &str, expected: &str) {
    let roster = offering(servers);
    let routes = roster.resources().routes(uri);
    let routes: Vec<String> = routes.iter().map(|it| format!("{} {}", it.server, it.uri)).collect();
    assert_eq!(routes.join("; "), expected);
}

#[test]
fn whoever_lists_a_uri_is_asked_for_it_and_nobody_else() {
    let servers = json!({
        "all": { "templates": ["{+anything}"] },
        "b": { "resources": ["x:1"] },
        "c": { "resources": ["x:1"] },
    });
    check_routes(&servers, "x:1", "b x:1");
    check_routes(&servers, "c+x:1", "c x:1");
}

#[test]
fn a_prefix_leads_to_its_server_whether_or_not_that_lists_the_uri() {
    let servers = json!({ "all": { "templates": ["{+anything}"] }, "b.2": {}, "c_c": null });
    check_routes(&servers, "b.2+x://1+2", "b.2 x://1+2");
    check_routes(&servers, "c-c+x://1", "c_c x://1");
    check_routes(&servers, "c_c+x://1", "all c_c+x://1");
}

#[test]
fn servers_with_a_fitting_template_are_asked_the_most_telling_first() {
    let servers = json!({
        "a": { "templates": ["{+anything}", "y://{id}"], "has": { "resources": {} } },
        "b": { "templates": ["x://{id}", "x://{+path}"] },
        "c": { "templates": ["x://docs/{id}"], "resources": ["x://docs/1"] },
        "d": { "resources": ["x://other"] },
    });
    check_routes(&servers, "x://docs/2", "c x://docs/2; b x://docs/2; a x://docs/2");
    check_routes(&servers, "x://docs/1", "c x://docs/1");
    check_routes(&servers, "z:", "a z:");
}

#[test]
fn without_a_template_those_with_the_same_scheme_are_asked() {
    let servers = json!({
        "a": { "resources": ["x://1", "x://2"], "templates": ["x://{id}/end"] },
        "b": { "templates": ["X:{id}"] },
        "c": { "resources": ["y://1"], "has": { "resources": {} } },
    });
    check_routes(&servers, "x:", "a x:; b x:");
    check_routes(&servers, "Y://2", "c Y://2");
}

#[test]
fn the_one_server_with_resources_is_asked_for_anything() {
    let one = json!({
        "a": { "has": { "tools": {} } },
        "b": { "has": { "resources": {} } },
        "c": { "has": { "resources": true } },
        "d": null,
    });
    check_routes(&one, "odd", "b odd");
    let two = json!({ "a": { "has": { "resources": {} } }, "b": { "has": { "resources": {} } } });
    check_routes(&two, "x://1", "");
    check_routes(&json!({}), "x://1", "");
}

#[test]
fn eight_servers_are_asked_at_most() {
    let servers: BTreeMap<String, Value> =
        (10..30).map(|at| (format!("s{at}"), json!({ "templates": ["x:{a}", "{+b}"] }))).collect();
    let all: Vec<String> = (10..18).map(|at| format!("s{at} x:1")).collect();
    check_routes(&json!(servers), "x:1", &all.join("; "));
}

#[test]
fn templates_without_end_take_no_time() {
    let hard: Vec<String> = (0..10_000).map(|at| format!("{}{at}", "{+a}a".repeat(50))).collect();
    let servers = json!({ "hard": { "templates": hard }, "z": { "templates": ["x:{id}"] } });
    check_routes(&servers, &format!("a{}", "a".repeat(10_000)), "");
}

#[test]
fn a_template_that_is_shown_leads_to_its_server() {
    let roster = offering(&json!({ "a": { "templates": ["x:{id}"] }, "b": {} }));
    let check = |shown: &str, expected: Option<(&str, &str)>| {
        let route = roster.resources().template(shown);
        assert_eq!(route.as_ref().map(|it| (it.server.as_str(), &*it.uri)), expected);
    };
    check("x:{id}", Some(("a", "x:{id}")));
    check("b+x:{id}", Some(("b", "x:{id}")));
    check("x:1", None);
}

#[test]
fn a_capability_is_there_if_it_is_an_object() {
    let offer = offered(&json!({ "has": { "logging": {}, "prompts": null, "tools": [], "a": 1 } }));
    let has = ["logging", "prompts", "tools", "a", "b"].map(|it| offer.has(it));
    assert_eq!(has, [true, false, false, false, false]);
    assert!(!offered(&json!({})).has("logging"));
}
