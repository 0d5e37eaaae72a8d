//! What is found, and in which order.

use serde_json::{Value, json};

use crate::{
    Roster,
    search::words::{Word, query_words, words},
    tests::offers::offering,
};

/// The ids of what a query finds.
#[track_caller]
fn check(roster: &Roster, query: &str, expected: &[&str]) {
    let found = roster.tools().search(query, usize::MAX);
    let ids: Vec<&str> = found.iter().map(|it| &*it.entry.id).collect();
    assert_eq!(ids, expected, "{query}");
    assert!(found.iter().all(|it| it.score > 0.0), "{query}");
    assert!(found.is_sorted_by(|one, other| one.score >= other.score), "{query}");
}

fn described(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description })
}

#[test]
fn a_word_counts_most_in_a_name_then_in_a_title_then_in_a_parameter_then_in_a_description() {
    let with = |schema: Value| json!({ "properties": { "other": {}, "more": schema } });
    let tools = json!([
        { "name": "e", "inputSchema": with(json!({ "description": "about a parrot" })) },
        { "name": "d", "description": "about a parrot" },
        { "name": "c", "inputSchema": { "properties": { "parrot": true, "other": 1 } } },
        { "name": "b", "title": "Parrot" },
        { "name": "parrot" },
        { "name": "nothing", "title": 1, "description": [], "inputSchema": { "properties": [] } },
    ]);
    let roster = offering(&json!({ "s": { "tools": tools } }));
    check(&roster, "parrot", &["s:parrot", "s:b", "s:c", "s:d", "s:e"]);
    check(&roster, "Parrots!", &["s:parrot", "s:b", "s:c", "s:d", "s:e"]);
}

#[test]
fn more_words_and_rarer_ones_come_first() {
    let tools = json!([
        described("create_issue", "Opens an issue"),
        described("create_branch", "Makes a branch"),
        described("create_label", "Makes a label"),
        described("list_issues", "Lists issues"),
    ]);
    let roster = offering(&json!({ "hub": { "tools": tools } }));
    check(
        &roster,
        "create an issue",
        &["hub:create_issue", "hub:list_issues", "hub:create_branch", "hub:create_label"],
    );
    check(
        &roster,
        "please create the new label for my branch",
        &["hub:create_branch", "hub:create_label"],
    );
}

#[test]
fn a_tool_must_have_half_of_the_words_that_any_has() {
    let tools = json!([described("a", "red green"), described("b", "red"), described("c", "blue")]);
    let roster = offering(&json!({ "s": { "tools": tools } }));
    check(&roster, "red green blue", &["s:a"]);
    check(&roster, "red green", &["s:a", "s:b"]);
    check(&roster, "red blue white yellow", &["s:c", "s:b", "s:a"]);
    check(&roster, "white yellow", &[]);
}

#[test]
fn a_server_is_part_of_the_name() {
    let roster = offering(&json!({
        "GitHub": { "tools": ["search", "readFile"] },
        "files": { "tools": ["search", "read_file"] },
    }));
    check(&roster, "github search", &["GitHub:search", "GitHub:readFile", "files:search"]);
    check(&roster, "GitHub", &["GitHub:readFile", "GitHub:search"]);
    check(&roster, "read file", &["GitHub:readFile", "files:read_file", "files:search"]);
    check(&roster, "readFile", &["GitHub:readFile", "files:read_file"]);
}

#[test]
fn a_tool_that_is_named_comes_first() {
    let tools = json!([described("b-c", "none"), described("b", "a:b-c a:b-c a__b-c c c c")]);
    let roster = offering(&json!({ "a": { "tools": tools } }));
    check(&roster, "a:b-c", &["a:b-c", "a:b"]);
    check(&roster, " a__b-c ", &["a:b-c", "a:b"]);
    check(&roster, "a:b", &["a:b", "a:b-c"]);
}

#[test]
fn a_word_finds_those_that_begin_with_it_after_itself() {
    let roster = offering(&json!({ "s": { "tools": ["configuration", "config", "con", "x"] } }));
    check(&roster, "config", &["s:config", "s:configuration"]);
    check(&roster, "con", &["s:con", "s:config", "s:configuration"]);
    check(&roster, "co", &[]);
}

#[test]
fn what_fits_alike_comes_by_id_and_a_limit_keeps_the_best() {
    let tools = json!(["echo"]);
    let roster = offering(&json!({
        "b": { "tools": tools }, "a": { "tools": tools }, "a-a": { "tools": tools },
    }));
    check(&roster, "echo", &["a:echo", "b:echo", "a-a:echo"]);
    let best = roster.tools().search("echo", 1);
    assert_eq!(best.iter().map(|it| &*it.entry.id).collect::<Vec<_>>(), ["a:echo"]);
    assert!(roster.tools().search("echo", 0).is_empty());
}

#[test]
fn a_query_without_words_or_without_matches_finds_nothing() {
    let roster = offering(&json!({ "s": { "tools": [described("a", "the one of it")] } }));
    check(&roster, "", &[]);
    check(&roster, " ?! ", &[]);
    check(&roster, "elsewhere", &[]);
    check(&roster, "nothing of it", &[]);
    check(&offering(&json!({})), "anything", &[]);
    // Empty words count if there are no others.
    check(&roster, "of it", &["s:a"]);
}

#[test]
fn what_is_written_without_spaces_is_found_by_its_letters() {
    let tools = json!([described("geo", "查询天气和地图"), described("b", "Text")]);
    let roster = offering(&json!({ "s": { "tools": tools } }));
    check(&roster, "天气", &["s:geo"]);
}

#[test]
fn texts_without_end_cost_no_more_than_their_beginning() {
    let endless =
        json!([described(&"x".repeat(1 << 16), &"word ".repeat(1 << 18)), described("a", "word")]);
    let roster = offering(&json!({ "s": { "tools": endless } }));
    assert_eq!(roster.tools().search("word", 10).len(), 2);
    check(&roster, &"nowhere ".repeat(1 << 16), &[]);
}

#[test]
fn words_end_at_signs_and_consist_of_parts() {
    let check = |text: &str, expected: &str| {
        let words: Vec<String> = words(text)
            .flat_map(|it| [vec![it.whole], it.parts].concat())
            .map(Into::into)
            .collect();
        assert_eq!(words.join(" "), expected);
    };
    check("read_file-now.x:y/z", "read file now x y z");
    check("readFile HTTPServer", "readfile read file httpserver http server");
    check("sha256 v2 ÅngströmUnit", "sha256 sha 256 v2 v 2 ångströmunit ångström unit");
    check("地图 mapB图", "地 图 mapb map b 图");
    check("", "");
}

#[test]
fn plurals_are_their_singular() {
    let check = |plural: &str, expected: &str| {
        assert_eq!(query_words(plural), [Word { whole: expected.into(), parts: vec![] }]);
    };
    for (plural, singular) in [
        ("files", "file"),
        ("Queries", "query"),
        ("boxes", "box"),
        ("branches", "branch"),
        ("caches", "cache"),
        ("addresses", "address"),
        ("class", "class"),
        ("status", "status"),
        ("analysis", "analysis"),
        ("dns", "dns"),
    ] {
        check(plural, singular);
    }
}
