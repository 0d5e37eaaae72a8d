//! Shapes of `installed_plugins.json`.

use std::sync::Arc;

use super::{build, check, check_manifest, places};
use crate::plugins::{Plugin, PluginProblem, PluginReport, Standing, plugins};

const ONE: &str = "pdf@acme 1.0: plugins/cache/acme/pdf/1.0/skills";
const BROKEN: &str = "! plugins/installed_plugins.json:";

#[test]
fn version_one_has_an_object_a_plugin() {
    check_manifest(
        r#"{"version": 1, "plugins": {"pdf@acme": {
            "version": "1.0", "installedAt": "2025-12-05T07:56:56.363Z", "isLocal": true,
            "installPath": "$/plugins/cache/acme/pdf/1.0/", "gitCommitSha": "0075"}}}"#,
        ONE,
    );
}

#[test]
fn version_two_has_an_array_a_plugin() {
    check_manifest(
        r#"{"version": 2, "plugins": {"pdf@acme": [
            {"scope": "user", "version": "1.0", "installPath": "$/plugins/cache/acme/pdf/1.0"}]}}"#,
        ONE,
    );
}

#[test]
fn the_number_of_the_version_is_not_needed() {
    check_manifest(
        r#"{"plugins": {"pdf@acme": [{"version": "1.0", "installPath": "cache/acme/pdf/1.0"}]}}"#,
        ONE,
    );
}

#[test]
fn the_shape_counts_more_than_the_number() {
    check_manifest(
        r#"{"version": 7, "plugins": {"pdf@acme":
            {"version": "1.0", "installPath": "cache/acme/pdf/1.0"}}}"#,
        ONE,
    );
}

#[test]
fn plugins_may_stand_without_a_wrapper() {
    check_manifest(
        r#"{"version": 2, "$schema": "x", "pdf@acme": [
            {"version": "1.0", "installPath": "cache/acme/pdf/1.0"}]}"#,
        ONE,
    );
}

#[test]
fn a_byte_order_mark_is_skipped() {
    check_manifest(
        "\u{feff}{\"pdf@acme\": {\"version\": \"1.0\", \"installPath\": \"cache/acme/pdf/1.0\"}}",
        ONE,
    );
}

#[test]
fn a_plugin_needs_no_marketplace() {
    check_manifest(
        r#"{"plugins": {"pdf": {"installPath": "cache/acme/pdf/1.0"}}}"#,
        "pdf: plugins/cache/acme/pdf/1.0/skills",
    );
}

#[test]
fn a_relative_path_starts_at_the_plugins_root() {
    check_manifest(
        r#"{"pdf@acme": {"version": "1.0", "installPath": "./cache/acme/pdf/1.0"}}"#,
        ONE,
    );
}

#[test]
fn a_tilde_stands_for_the_home_folder() {
    check(
        r#"
//- home/tools/skills/fill/SKILL.md
//- plugins/installed_plugins.json
{"pdf@acme": {"installPath": "~/tools"}}"#,
        "pdf@acme: home/tools/skills",
    );
}

#[test]
fn a_version_may_be_a_number_and_unknown_is_none() {
    check_manifest(
        r#"{"a@acme": {"version": 3, "installPath": "cache/acme/pdf/1.0"},
            "b@acme": {"version": "unknown", "installPath": "cache/acme/pdf/1.0"},
            "c@acme": {"version": {}, "installPath": "cache/acme/pdf/1.0"}}"#,
        "a@acme 3: plugins/cache/acme/pdf/1.0/skills
         b@acme: plugins/cache/acme/pdf/1.0/skills
         c@acme: plugins/cache/acme/pdf/1.0/skills",
    );
}

#[test]
fn a_missing_manifest_is_silence() {
    check("", "");
    check("//- plugins\nnot even a folder", "");
}

#[test]
fn a_broken_manifest_is_a_problem() {
    check_manifest("{\n\"plugins\": {", &format!("{BROKEN} is not JSON, see line 2, column 12"));
    check_manifest("", &format!("{BROKEN} is not JSON, see line 1, column 1"));
    check_manifest("[]", &format!("{BROKEN} is not a JSON object"));
    check_manifest(r#"{"plugins": []}"#, &format!("{BROKEN} `plugins` is not an object"));
    check("//- plugins/installed_plugins.json/", &format!("{BROKEN} is not a file"));
}

#[test]
fn a_broken_entry_costs_only_itself() {
    let cases = [
        (r#""x@acme": null"#, "`x@acme` is not an object or an array of objects"),
        (r#""x@acme": 3"#, "`x@acme` is not an object or an array of objects"),
        (r#""x@acme": ["1.0"]"#, "`x@acme` is not an object or an array of objects"),
        (r#""x@acme": {"installPath": 3}"#, "`x@acme.installPath` is not a string"),
        (r#""x@acme": {"projectPath": []}"#, "`x@acme.projectPath` is not a string"),
        (r#""": {}"#, "`` is not the name of a plugin"),
        (r#""@acme": {}"#, "`@acme` is not the name of a plugin"),
        (r#""x@": {}"#, "`x@` is not the name of a plugin"),
        (r#""x:y@acme": {}"#, "`x:y@acme` is not the name of a plugin"),
        (r#""x@../..": {}"#, "`x@../..` is not the name of a plugin"),
    ];
    for (entry, problem) in cases {
        check_manifest(
            &format!(
                r#"{{"plugins": {{{entry}, "pdf@acme":
                    {{"version": "1.0", "installPath": "cache/acme/pdf/1.0"}}}}}}"#
            ),
            &format!("{ONE}\n{BROKEN} {problem}"),
        );
    }
}

#[test]
fn a_broken_record_costs_only_itself() {
    check_manifest(
        r#"{"plugins": {"pdf@acme": [
            7, {"version": "1.0", "installPath": "cache/acme/pdf/1.0"}]}}"#,
        &format!("{ONE}\n{BROKEN} `pdf@acme` is not an object or an array of objects"),
    );
}

#[test]
fn an_entry_without_a_path_is_a_problem() {
    let expected =
        format!("pdf@acme not installed\n{BROKEN} plugin `pdf@acme` has no `installPath`");
    check_manifest(r#"{"pdf@acme": [{"scope": "user", "version": "1.0"}]}"#, &expected);
    check_manifest(r#"{"pdf@acme": [{"installPath": ""}]}"#, &expected);
    check_manifest(r#"{"pdf@acme": [{"installPath": null}]}"#, &expected);
}

#[test]
fn a_plugin_without_records_is_uninstalled() {
    check_manifest(r#"{"pdf@acme": []}"#, "");
}

#[test]
fn a_missing_folder_is_reported_and_the_cache_is_not_searched() {
    check_manifest(
        r#"{"pdf@acme": [{"version": "1.5", "installPath": "cache/acme/pdf/1.5"}]}"#,
        "pdf@acme gone from plugins/cache/acme/pdf/1.5",
    );
}

#[test]
fn a_report_has_all_that_the_record_tells() {
    let folder = build(
        "//- plugins/installed_plugins.json
{\"pdf@acme\": [{\"version\": \"1.5\", \"installPath\": \"$/gone\"}]}",
    );
    let pdf = Plugin {
        name: "pdf".to_owned(),
        marketplace: Some("acme".to_owned()),
        version: Some("1.5".to_owned()),
    };
    let report = PluginReport {
        id: "pdf@acme".to_owned(),
        plugin: Arc::new(pdf),
        install: Some(folder.path().join("gone")),
        standing: Standing::Gone,
    };
    assert_eq!(plugins(&places(folder.path())).reports, [report]);
}

#[test]
fn plugins_are_ordered_by_name_then_marketplace() {
    check_manifest(
        r#"{"b@x": {"installPath": "cache/acme/pdf/1.0"},
            "a@z": {"installPath": "cache/acme/pdf/1.0"},
            "a@y": {"installPath": "cache/acme/pdf/2.0"},
            "a": {"installPath": "cache/acme/pdf/2.0"}}"#,
        "a: plugins/cache/acme/pdf/2.0/skills
         a@y: plugins/cache/acme/pdf/2.0/skills
         a@z: plugins/cache/acme/pdf/1.0/skills
         b@x: plugins/cache/acme/pdf/1.0/skills",
    );
}

#[test]
fn a_file_beyond_the_bound_is_not_read() {
    let folder = build("//- plugins/");
    let places = places(folder.path());
    std::fs::write(&places.manifest, " ".repeat((4 << 20) + 1)).unwrap();
    assert_eq!(plugins(&places).problems, [(places.manifest.clone(), PluginProblem::TooLarge)]);
    std::fs::write(&places.manifest, format!("{{{}}}", " ".repeat((4 << 20) - 2))).unwrap();
    assert_eq!(plugins(&places).problems, []);
}

#[test]
fn a_file_that_is_not_text_is_a_problem() {
    let folder = build("//- plugins/");
    let places = places(folder.path());
    std::fs::write(&places.manifest, b"{\"\xff\": 1}").unwrap();
    assert_eq!(plugins(&places).problems, [(places.manifest.clone(), PluginProblem::NotText)]);
}
