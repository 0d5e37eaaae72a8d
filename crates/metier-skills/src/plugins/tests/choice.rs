//! Which copy of a plugin counts.

use super::{check, check_manifest};

/// The records of one plugin, as they stand in the file.
#[track_caller]
fn check_records(records: &str, expected: &str) {
    let json = format!(r#"{{"version": 2, "plugins": {{"pdf@acme": [{records}]}}}}"#);
    check(
        &format!(
            "//- work/deep/\n//- elsewhere/\n//- plugins/cache/acme/pdf/1.0/skills/fill/SKILL.md\n\
             //- plugins/cache/acme/pdf/2.0/skills/fill/SKILL.md\n\
             //- plugins/installed_plugins.json\n{json}"
        ),
        expected,
    );
}

fn record(scope: &str, version: &str) -> String {
    format!(r#"{{{scope} "version": "{version}", "installPath": "cache/acme/pdf/{version}"}}"#)
}

const USER: &str = r#""scope": "user","#;
const MANAGED: &str = r#""scope": "managed","#;
const HERE: &str = r#""scope": "project", "projectPath": "$/work","#;
const HERE_LOCAL: &str = r#""scope": "local", "projectPath": "$/work","#;
const NEARER: &str = r#""scope": "project", "projectPath": "$/work/deep/","#;
const ELSEWHERE: &str = r#""scope": "project", "projectPath": "$/elsewhere","#;
const UNSCOPED: &str = r#""projectPath": "$/elsewhere","#;

const FIRST: &str = "pdf@acme 1.0: plugins/cache/acme/pdf/1.0/skills";
const SECOND: &str = "pdf@acme 2.0: plugins/cache/acme/pdf/2.0/skills";

#[track_caller]
fn check_pair(first: &str, second: &str, expected: &str) {
    check_records(&format!("{}, {}", record(first, "1.0"), record(second, "2.0")), expected);
}

#[test]
fn the_projects_own_copy_comes_before_the_users() {
    check_pair(USER, HERE, SECOND);
    check_pair(HERE, USER, FIRST);
}

#[test]
fn the_projects_own_copy_comes_before_the_managed_one() {
    check_pair(MANAGED, HERE, SECOND);
}

#[test]
fn a_managed_copy_comes_before_the_users() {
    check_pair(USER, MANAGED, SECOND);
}

#[test]
fn a_local_copy_comes_before_one_for_the_whole_project() {
    check_pair(HERE, HERE_LOCAL, SECOND);
}

#[test]
fn a_nearer_project_comes_before_an_outer_one() {
    check_pair(HERE_LOCAL, NEARER, SECOND);
}

#[test]
fn a_copy_of_another_project_does_not_count_even_if_it_is_first() {
    check_pair(ELSEWHERE, USER, SECOND);
    check_pair(UNSCOPED, USER, SECOND);
}

#[test]
fn a_plugin_of_other_projects_only_is_reported() {
    check_records(&record(ELSEWHERE, "1.0"), "pdf@acme of elsewhere");
    check_records(&record(UNSCOPED, "1.0"), "pdf@acme of elsewhere");
}

#[test]
fn of_equals_the_first_counts() {
    check_pair(USER, USER, FIRST);
}

#[test]
fn a_users_copy_counts_everywhere_whatever_project_it_names() {
    check_records(&record(r#""scope": "user", "projectPath": "$/elsewhere","#, "1.0"), FIRST);
}

#[test]
fn a_projects_copy_that_names_no_project_counts_everywhere() {
    check_records(&record(r#""scope": "project","#, "1.0"), FIRST);
}

#[test]
fn an_unknown_scope_goes_by_its_project() {
    check_pair(r#""scope": "team", "projectPath": "$/work","#, USER, FIRST);
}

#[test]
fn the_copy_that_counts_is_not_replaced_when_it_is_gone() {
    check_records(
        &format!("{}, {}", record(USER, "1.0"), record(HERE, "3.0")),
        "pdf@acme gone from plugins/cache/acme/pdf/3.0",
    );
}

#[cfg(unix)]
#[test]
fn projects_are_compared_by_their_real_paths() {
    check(
        r#"
//- work/deep/
//- shortcut -> $/work
//- plugins/cache/acme/pdf/1.0/skills/fill/SKILL.md
//- plugins/installed_plugins.json
{"pdf@acme": [{"scope": "project", "projectPath": "$/shortcut", "version": "1.0",
               "installPath": "cache/acme/pdf/1.0"}]}"#,
        FIRST,
    );
}

#[test]
fn a_project_may_be_named_from_the_home_folder() {
    check_manifest(
        r#"{"pdf@acme": [{"scope": "project", "projectPath": "~/thing", "installPath": "x"}]}"#,
        "pdf@acme of home/thing",
    );
}
