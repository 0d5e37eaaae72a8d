//! Which plugins are on.

use super::check;

const ON: &str = "pdf@acme 1.0: plugins/cache/acme/pdf/1.0/skills";

/// An installed plugin, and more files.
#[track_caller]
fn check_installed(files: &str, expected: &str) {
    check(
        &format!(
            r#"
//- plugins/cache/acme/pdf/1.0/skills/fill/SKILL.md
//- plugins/installed_plugins.json
{{"pdf@acme": {{"version": "1.0", "installPath": "cache/acme/pdf/1.0"}}}}
{files}"#
        ),
        expected,
    );
}

#[test]
fn a_plugin_that_no_settings_name_is_on() {
    check_installed("", ON);
    check_installed("//- user.json\n{}", ON);
    check_installed("//- user.json\n{\"enabledPlugins\": {}}", ON);
    check_installed("//- user.json\n{\"enabledPlugins\": {\"other@acme\": false}}", ON);
}

#[test]
fn a_plugin_can_be_switched_off() {
    check_installed(
        "//- user.json\n{\"enabledPlugins\": {\"pdf@acme\": false}}",
        "pdf@acme disabled by user.json",
    );
}

#[test]
fn later_settings_override_earlier_ones() {
    let user = "//- user.json\n{\"enabledPlugins\": {\"pdf@acme\": false}}";
    let project = "//- project.json\n{\"enabledPlugins\": {\"pdf@acme\": true}}";
    let local = "//- local.json\n{\"enabledPlugins\": {\"pdf@acme\": false}}";
    let managed = "//- managed.json\n{\"enabledPlugins\": {\"pdf@acme\": true}}";
    check_installed(&format!("{user}\n{project}"), ON);
    check_installed(&format!("{user}\n{project}\n{local}"), "pdf@acme disabled by local.json");
    check_installed(&format!("{user}\n{project}\n{local}\n{managed}"), ON);
}

#[test]
fn settings_that_do_not_name_a_plugin_leave_it_as_it_is() {
    check_installed(
        "//- user.json\n{\"enabledPlugins\": {\"pdf@acme\": false}}\n\
         //- managed.json\n{\"enabledPlugins\": {\"other@acme\": false, \"pdf@acme\": null}}",
        "pdf@acme disabled by user.json",
    );
}

#[test]
fn the_name_alone_does_not_switch_a_plugin_of_a_marketplace() {
    check_installed("//- user.json\n{\"enabledPlugins\": {\"pdf\": false}}", ON);
}

#[test]
fn a_list_of_versions_switches_on() {
    check_installed(
        "//- user.json\n{\"enabledPlugins\": {\"pdf@acme\": false}}\n\
         //- project.json\n{\"enabledPlugins\": {\"pdf@acme\": [\"^1.0\"]}}",
        ON,
    );
}

#[test]
fn broken_settings_cost_only_themselves() {
    let off = "//- user.json\n{\"enabledPlugins\": {\"pdf@acme\": false}}\n//- local.json\n";
    let cases = [
        ("{", "is not JSON, see line 1, column 1"),
        ("3", "is not a JSON object"),
        (r#"{"enabledPlugins": true}"#, "`enabledPlugins` is not an object"),
        (
            r#"{"enabledPlugins": {"pdf@acme": "yes"}}"#,
            "`enabledPlugins.pdf@acme` is not `true` or `false`",
        ),
        (r#"{"enabledPlugins": {"a b": true}}"#, "`a b` is not the name of a plugin"),
    ];
    for (json, problem) in cases {
        check_installed(
            &format!("{off}{json}"),
            &format!("pdf@acme disabled by user.json\n! local.json: {problem}"),
        );
    }
}

const OFF_BY_DEFAULT: &str = "//- plugins/cache/acme/pdf/1.0/.claude-plugin/plugin.json
{\"name\": \"pdf\", \"defaultEnabled\": false}";

#[test]
fn a_plugin_may_be_off_by_default() {
    check_installed(OFF_BY_DEFAULT, "pdf@acme disabled by default");
}

#[test]
fn settings_override_the_default() {
    check_installed(
        &format!("{OFF_BY_DEFAULT}\n//- user.json\n{{\"enabledPlugins\": {{\"pdf@acme\": true}}}}"),
        ON,
    );
}

#[test]
fn the_marketplaces_default_comes_before_the_plugins() {
    let entry = |default: &str| {
        format!(
            "//- plugins/marketplaces/acme/.claude-plugin/marketplace.json\n{{\"plugins\": [{{\
             \"name\": \"pdf\", \"source\": {{\"source\": \"github\"}},\
             \"defaultEnabled\": {default}}}]}}"
        )
    };
    check_installed(&entry("false"), "pdf@acme disabled by default");
    check_installed(&format!("{OFF_BY_DEFAULT}\n{}", entry("true")), ON);
}

#[test]
fn a_default_of_the_wrong_type_is_a_problem_and_no_default() {
    check_installed(
        "//- plugins/cache/acme/pdf/1.0/.claude-plugin/plugin.json\n{\"defaultEnabled\": \"no\"}",
        &format!(
            "{ON}\n! plugins/cache/acme/pdf/1.0/.claude-plugin/plugin.json: \
             `defaultEnabled` is not `true` or `false`"
        ),
    );
}

#[test]
fn a_plugin_that_is_on_but_not_installed_is_reported() {
    check(
        "//- user.json\n{\"enabledPlugins\": {\"pdf@acme\": true, \"off@acme\": false}}",
        "pdf@acme not installed",
    );
}

#[test]
fn plugins_of_other_origins_are_not_missed() {
    check(
        "//- user.json\n{\"enabledPlugins\": {\"a@synced\": true, \"b@skills-dir\": true,
         \"c@inline\": true, \"d@builtin\": true, \"e\": true}}",
        "",
    );
}

#[test]
fn a_plugin_that_is_off_is_not_looked_into() {
    check_installed(
        "//- plugins/cache/acme/pdf/1.0/.claude-plugin/plugin.json\n{broken\n\
         //- user.json\n{\"enabledPlugins\": {\"pdf@acme\": false}}",
        "pdf@acme disabled by user.json",
    );
}
