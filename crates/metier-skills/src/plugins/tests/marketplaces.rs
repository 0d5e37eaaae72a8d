//! What marketplaces add: plugins that share a folder, plugins used in place, newer versions.

use super::{
    MARKETPLACE, check,
    folders::{check_plugin, entry},
};

/// Two plugins that share one folder, each with its own part of the skills.
const SHARED: &str = r#"{
    "name": "agent-skills", "owner": {"name": "Ann"}, "metadata": {"version": "1.0.0"},
    "plugins": [
        {"name": "documents", "source": "./", "strict": false,
         "skills": ["./skills/sheets", "./skills/slides"]},
        {"name": "examples", "source": "./", "strict": false, "skills": ["./skills/art"]}]}"#;
const SHARED_SKILLS: &str = "
//- m/skills/art/SKILL.md
//- m/skills/sheets/SKILL.md
//- m/skills/slides/SKILL.md
//- m/skills/unlisted/SKILL.md
";
const USUAL: &str = "//- plugins/marketplaces/agent-skills/.claude-plugin/marketplace.json";
const SHARED_FOLDERS: &str = "
documents@agent-skills 00756142ab04: m/skills/sheets
documents@agent-skills 00756142ab04: m/skills/slides
examples@agent-skills: m/skills/art
";
const SHARED_INSTALLED: &str = r#"
//- plugins/installed_plugins.json
{"version": 1, "plugins": {
    "examples@agent-skills": {"installPath": "$/m/"},
    "documents@agent-skills": {"installPath": "$/m/", "version": "00756142ab04"}}}
"#;

#[test]
fn plugins_that_share_a_folder_show_only_their_own_skills() {
    for place in [
        USUAL.to_owned(),
        "//- m/.claude-plugin/marketplace.json".to_owned(),
        known("$/lists") + "//- lists/.claude-plugin/marketplace.json",
        known("~/lists") + "//- home/lists/.claude-plugin/marketplace.json",
        known("$/lists/.claude-plugin/marketplace.json")
            + "//- lists/.claude-plugin/marketplace.json",
        known("$/lists/agent-skills.json") + "//- lists/agent-skills.json",
    ] {
        check(&format!("{SHARED_SKILLS}{SHARED_INSTALLED}{place}\n{SHARED}"), SHARED_FOLDERS);
    }
}

fn known(location: &str) -> String {
    format!(
        "//- plugins/known_marketplaces.json\n{{\"agent-skills\": {{\"source\": \
         {{\"source\": \"directory\"}}, \"installLocation\": \"{location}\"}}}}\n"
    )
}

#[test]
fn the_known_place_of_a_marketplace_comes_before_the_usual_one() {
    check(
        &format!(
            "{SHARED_SKILLS}{SHARED_INSTALLED}{}\
             //- lists/.claude-plugin/marketplace.json\n{SHARED}\n{USUAL}\n{{\"plugins\": []}}",
            known("$/lists")
        ),
        SHARED_FOLDERS,
    );
}

#[test]
fn a_broken_marketplace_is_one_problem() {
    check(
        &format!("{SHARED_SKILLS}{SHARED_INSTALLED}{USUAL}\n{{\"plugins\": {{}}}}"),
        "documents@agent-skills 00756142ab04: m/skills
         examples@agent-skills: m/skills
         ! plugins/marketplaces/agent-skills/.claude-plugin/marketplace.json: \
         `plugins` is not an array",
    );
    check(
        &format!(
            "{SHARED_SKILLS}{SHARED_INSTALLED}//- plugins/known_marketplaces.json\n\
             {{\"a\": 1, \"b\": {{\"installLocation\": 2}}}}"
        ),
        "documents@agent-skills 00756142ab04: m/skills
         examples@agent-skills: m/skills
         ! plugins/known_marketplaces.json: `a` is not an object
         ! plugins/known_marketplaces.json: `b.installLocation` is not a string",
    );
}

#[test]
fn only_entries_of_installed_plugins_can_be_problems() {
    check_plugin(
        "//- p/skills/fill/SKILL.md
//- plugins/marketplaces/acme/.claude-plugin/marketplace.json
{\"plugins\": [3, {}, {\"name\": 4}, {\"name\": \"other\", \"skills\": 3, \"strict\": 5},
  {\"name\": \"pdf\", \"strict\": 5, \"defaultEnabled\": 1, \"source\": 7},
  {\"name\": \"pdf\", \"skills\": \"./x\"}]}",
        &format!(
            "pdf@acme: p/skills
             {MARKETPLACE} `pdf.defaultEnabled` is not `true` or `false`
             {MARKETPLACE} `pdf.strict` is not `true` or `false`"
        ),
    );
}

/// A marketplace with a plugin in a folder of its own, which no record says the path of.
#[track_caller]
fn check_in_place(source: &str, metadata: &str, expected: &str) {
    let marketplace = format!(
        "//- plugins/marketplaces/acme/.claude-plugin/marketplace.json
{{\"metadata\": {metadata}, \"plugins\": [{{\"name\": \"pdf\", \"source\": {source}}}]}}
//- plugins/marketplaces/acme/parts/pdf/skills/fill/SKILL.md
"
    );
    let recorded = "//- plugins/installed_plugins.json\n{\"pdf@acme\": [{\"scope\": \"user\"}]}";
    check(&format!("{marketplace}{recorded}"), expected);
    if !expected.contains('!') {
        let on = "//- project.json\n{\"enabledPlugins\": {\"pdf@acme\": true}}";
        check(&format!("{marketplace}{on}"), expected);
    }
}

#[test]
fn a_plugin_without_a_path_is_used_where_its_marketplace_has_it() {
    let found = "pdf@acme: plugins/marketplaces/acme/parts/pdf/skills";
    check_in_place(r#""./parts/pdf""#, "{}", found);
    check_in_place(r#""parts/pdf""#, "null", found);
    check_in_place(r#""pdf""#, r#"{"pluginRoot": "./parts"}"#, found);
    check_in_place(r#""pdf""#, r#"{"pluginRoot": "./parts/"}"#, found);
    check_in_place(r#""./parts/pdf""#, r#"{"pluginRoot": "./other"}"#, found);
}

#[test]
fn a_plugin_without_a_path_that_lies_elsewhere_is_not_installed() {
    check_in_place(
        r#"{"source": "github", "repo": "acme/pdf"}"#,
        "{}",
        "pdf@acme not installed
         ! plugins/installed_plugins.json: plugin `pdf@acme` has no `installPath`",
    );
}

#[test]
fn the_version_of_the_files_comes_before_the_recorded_one() {
    check(
        r#"
//- plugins/installed_plugins.json
{"pdf@acme": {"version": "1.0", "installPath": "$/m/pdf"}}
//- plugins/known_marketplaces.json
{"acme": {"installLocation": "$/m"}}
//- m/.claude-plugin/marketplace.json
{"plugins": [{"name": "pdf", "source": "./pdf", "version": "1.0"}]}
//- m/pdf/skills/fill/SKILL.md
//- m/pdf/.claude-plugin/plugin.json
{"name": "pdf", "version": "1.2"}"#,
        "pdf@acme 1.2: m/pdf/skills",
    );
}

#[test]
fn a_newer_version_on_offer_is_reported() {
    let installed = |version: &str| {
        format!(
            "//- p/\n//- plugins/installed_plugins.json\n\
             {{\"pdf@acme\": {{\"version\": \"{version}\", \"installPath\": \"$/p\"}}}}\n"
        )
    };
    let offered = entry(r#""source": "./parts/pdf", "version": "1.10""#);
    check(&format!("{}{offered}", installed("1.9.2")), "pdf@acme outdated, 1.10");
    check(&format!("{}{offered}", installed("1.10.0")), "");
    check(&format!("{}{offered}", installed("2.0")), "");
    check(&format!("{}{offered}", installed("00756142ab04")), "");
    let manifest = "//- plugins/marketplaces/acme/parts/pdf/.claude-plugin/plugin.json
{\"version\": \"1.12\"}";
    check(&format!("{}{offered}{manifest}", installed("1.11")), "pdf@acme outdated, 1.12");
}
