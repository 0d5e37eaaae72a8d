//! Paths that leave the folder they belong to.

use super::{MARKETPLACE, check};

/// A plugin in the folder `p`, whose manifest lists one folder of skills; a secret lies beside it.
#[track_caller]
fn check_path(path: &str, files: &str, expected: &str) {
    check(
        &format!(
            r#"
//- plugins/installed_plugins.json
{{"pdf@acme": {{"installPath": "$/p"}}}}
//- p/inner/fill/SKILL.md
//- secret/SKILL.md
//- p-sibling/SKILL.md
//- p/.claude-plugin/plugin.json
{{"skills": ["{path}"]}}
{files}"#
        ),
        expected,
    );
}

fn refused(path: &str) -> String {
    format!(
        "! p/.claude-plugin/plugin.json: \
         `{path}` of plugin `pdf@acme` leaves the folder it belongs to"
    )
}

#[test]
fn a_path_that_leaves_the_plugin_as_written_is_refused() {
    for path in
        ["../secret", "./../secret", "./inner/../../secret", "./inner/..", "..", "/etc", "/"]
    {
        check_path(path, "", &refused(path));
    }
}

#[test]
fn a_path_of_another_system_is_refused_too() {
    for (json, path) in
        [(r"..\\secret", r"..\secret"), (r"\\etc", r"\etc"), (r"C:\\secret", r"C:\secret")]
    {
        check_path(json, "", &refused(path));
    }
}

#[test]
fn a_path_that_stays_inside_is_followed() {
    check_path("./inner/./", "", "pdf@acme: p/inner");
}

#[cfg(unix)]
#[test]
fn a_link_that_leaves_the_plugin_is_refused() {
    check_path("./away", "//- p/away -> $/secret", &refused("./away"));
    check_path("./away", "//- p/away -> ../p-sibling", &refused("./away"));
    check_path("./up/secret", "//- p/up -> ..", &refused("./up/secret"));
}

#[cfg(unix)]
#[test]
fn a_link_that_stays_inside_is_followed() {
    check_path("./alias", "//- p/alias -> inner", "pdf@acme: p/alias");
}

#[cfg(unix)]
#[test]
fn two_ways_to_one_folder_are_one() {
    check_path("./inner", "//- p/skills -> inner", "pdf@acme: p/skills");
}

#[cfg(unix)]
#[test]
fn a_link_to_itself_is_a_problem() {
    check_path(
        "./inner",
        "//- p/skills -> skills",
        "pdf@acme: p/inner\n! p/skills: `skills` of plugin `pdf@acme` is not a readable folder",
    );
}

#[test]
fn a_path_that_no_system_has_is_a_problem() {
    check_path(
        "./\\u0000",
        "",
        "! p/.claude-plugin/plugin.json: `./\0` of plugin `pdf@acme` is not a readable folder",
    );
}

#[cfg(unix)]
#[test]
fn the_default_folder_may_not_be_a_link_that_leaves_the_plugin() {
    check(
        r#"
//- plugins/installed_plugins.json
{"pdf@acme": {"installPath": "$/p"}}
//- secret/SKILL.md
//- p/skills -> $/secret"#,
        "! p/skills: `skills` of plugin `pdf@acme` leaves the folder it belongs to",
    );
}

#[cfg(unix)]
#[test]
fn a_manifest_may_not_be_a_link_that_leaves_the_plugin() {
    check(
        r#"
//- plugins/installed_plugins.json
{"pdf@acme": {"installPath": "$/p"}}
//- secret.json
{"name": "stolen"}
//- p/skills/fill/SKILL.md
//- p/.claude-plugin/plugin.json -> $/secret.json"#,
        "pdf@acme: p/skills
         ! p/.claude-plugin/plugin.json: is a link that leaves the folder it belongs to",
    );
}

#[cfg(unix)]
#[test]
fn the_plugins_own_folder_may_be_a_link() {
    check(
        r#"
//- plugins/installed_plugins.json
{"pdf@acme": {"installPath": "$/p"}}
//- checkout/skills/fill/SKILL.md
//- p -> $/checkout"#,
        "pdf@acme: p/skills",
    );
}

#[test]
fn a_marketplaces_list_is_held_to_the_same_rules() {
    check(
        r#"
//- plugins/installed_plugins.json
{"pdf@acme": {"installPath": "$/p"}}
//- p/inner/fill/SKILL.md
//- plugins/marketplaces/acme/.claude-plugin/marketplace.json
{"plugins": [{"name": "pdf", "source": "./", "skills": ["../secret", "./inner"]}]}"#,
        &format!(
            "pdf@acme: p/inner
             {MARKETPLACE} `../secret` of plugin `pdf@acme` leaves the folder it belongs to"
        ),
    );
}

#[test]
fn a_plugin_may_not_lie_outside_its_marketplace() {
    for (source, root) in [("./../../x", "./"), ("x", "../..")] {
        let path = if root == "./" { source.to_owned() } else { format!("{root}/{source}") };
        check(
            &format!(
                r#"
//- user.json
{{"enabledPlugins": {{"pdf@acme": true}}}}
//- plugins/x/skills/fill/SKILL.md
//- plugins/marketplaces/acme/.claude-plugin/marketplace.json
{{"metadata": {{"pluginRoot": "{root}"}}, "plugins": [{{"name": "pdf", "source": "{source}"}}]}}"#
            ),
            &format!(
                "pdf@acme not installed
                 {MARKETPLACE} `{path}` of plugin `pdf@acme` leaves the folder it belongs to"
            ),
        );
    }
}
