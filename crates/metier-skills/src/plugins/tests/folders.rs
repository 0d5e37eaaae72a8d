//! Which folders of a plugin hold its skills.

use super::{MARKETPLACE, check};

/// A plugin `pdf@acme` in the folder `p`, and more files.
#[track_caller]
pub(super) fn check_plugin(files: &str, expected: &str) {
    check(
        &format!(
            "//- plugins/installed_plugins.json\n{{\"pdf@acme\": {{\"installPath\": \"$/p\"}}}}\n\
             //- p/\n{files}"
        ),
        expected,
    );
}

fn manifest(json: &str) -> String {
    format!("//- p/.claude-plugin/plugin.json\n{json}\n")
}

pub(super) fn entry(fields: &str) -> String {
    format!(
        "//- plugins/marketplaces/acme/.claude-plugin/marketplace.json\n\
         {{\"name\": \"acme\", \"plugins\": [{{\"name\": \"pdf\", {fields}}}]}}\n"
    )
}

const TREE: &str = "
//- p/skills/fill/SKILL.md
//- p/more/sign/SKILL.md
//- p/one/SKILL.md
";
const FETCHED: &str = r#""source": {"source": "github", "repo": "acme/pdf"}"#;

#[test]
fn skills_lie_in_the_default_folder() {
    check_plugin("//- p/skills/fill/SKILL.md", "pdf@acme: p/skills");
}

#[test]
fn a_plugin_without_skills_counts_with_nothing_to_scan() {
    check_plugin("//- p/hooks/hooks.json\n{}", "");
}

#[test]
fn folders_of_the_manifest_add_to_the_default() {
    for skills in
        [r#""./more""#, r#""./more/""#, r#"["./more"]"#, r#""more""#, r#"["more", "./more/."]"#]
    {
        check_plugin(
            &format!("{TREE}{}", manifest(&format!("{{\"skills\": {skills}}}"))),
            "pdf@acme: p/skills\npdf@acme: p/more",
        );
    }
}

#[test]
fn folders_come_in_the_order_listed_and_none_twice() {
    check_plugin(
        &format!("{TREE}{}", manifest(r#"{"skills": ["./one", "./skills/", "./more", "./one"]}"#)),
        "pdf@acme: p/skills\npdf@acme: p/one\npdf@acme: p/more",
    );
}

#[test]
fn a_dot_names_the_plugins_own_folder() {
    for dot in [".", "./"] {
        check_plugin(
            &format!("//- p/SKILL.md\n{}", manifest(&format!("{{\"skills\": \"{dot}\"}}"))),
            "pdf@acme: p",
        );
    }
}

#[test]
fn a_plugin_may_be_a_single_skill() {
    check_plugin("//- p/SKILL.md", "pdf@acme: p");
    check_plugin("//- p/.SKILL.md", "pdf@acme: p");
    check_plugin("//- p/skill.md", "pdf@acme: p");
}

#[test]
fn a_skill_at_the_root_does_not_count_beside_folders_of_skills() {
    check_plugin("//- p/SKILL.md\n//- p/skills/fill/SKILL.md", "pdf@acme: p/skills");
    check_plugin(
        &format!(
            "//- p/SKILL.md\n//- p/more/sign/SKILL.md\n{}",
            manifest(r#"{"skills": "./more"}"#)
        ),
        "pdf@acme: p/more",
    );
}

#[test]
fn skills_carry_the_name_that_the_plugin_gives_itself() {
    check_plugin(
        &format!("{TREE}{}", manifest(r#"{"name": "paper", "version": "3.1"}"#)),
        "paper@acme 3.1: p/skills",
    );
}

#[test]
fn a_name_that_cannot_be_one_is_a_problem() {
    check_plugin(
        &format!("{TREE}{}", manifest(r#"{"name": "a:b"}"#)),
        "pdf@acme: p/skills\n! p/.claude-plugin/plugin.json: `a:b` is not the name of a plugin",
    );
    check_plugin(
        &format!("{TREE}{}", manifest(r#"{"name": 3}"#)),
        "pdf@acme: p/skills\n! p/.claude-plugin/plugin.json: `name` is not a string",
    );
}

#[test]
fn a_broken_manifest_costs_only_itself() {
    check_plugin(
        &format!("{TREE}{}", manifest("{")),
        "pdf@acme: p/skills\n! p/.claude-plugin/plugin.json: is not JSON, see line 2, column 1",
    );
    check_plugin(
        &format!("{TREE}{}", manifest(r#"{"skills": ["./more", 3, ""]}"#)),
        "pdf@acme: p/skills
         pdf@acme: p/more
         ! p/.claude-plugin/plugin.json: `skills` is not a path or a list of paths
         ! p/.claude-plugin/plugin.json: `skills` is not a path or a list of paths",
    );
    check_plugin(
        &format!("{TREE}{}", manifest(r#"{"skills": {"a": "./more"}}"#)),
        "pdf@acme: p/skills
         ! p/.claude-plugin/plugin.json: `skills` is not a path or a list of paths",
    );
}

#[test]
fn a_listed_folder_that_is_missing_is_a_problem() {
    check_plugin(
        &format!("{TREE}{}", manifest(r#"{"skills": ["./none", "./one/SKILL.md", "./more"]}"#)),
        "pdf@acme: p/skills
         pdf@acme: p/more
         ! p/.claude-plugin/plugin.json: `./none` of plugin `pdf@acme` is not a readable folder
         ! p/.claude-plugin/plugin.json: \
         `./one/SKILL.md` of plugin `pdf@acme` is not a readable folder",
    );
}

#[test]
fn a_list_beyond_the_bound_is_cut_with_a_problem() {
    let skills = vec!["\"./more\""; 1_001].join(", ");
    check_plugin(
        &format!("{TREE}{}", manifest(&format!("{{\"skills\": [{skills}]}}"))),
        "pdf@acme: p/skills
         pdf@acme: p/more
         ! p/.claude-plugin/plugin.json: plugin `pdf@acme` lists more than 1000 folders of skills",
    );
}

#[test]
fn the_marketplaces_entry_serves_as_the_manifest() {
    for strict in ["true", "false"] {
        check_plugin(
            &format!(
                "{TREE}{}",
                entry(&format!(
                    r#"{FETCHED}, "strict": {strict}, "version": "9", "skills": ["./more"]"#
                ))
            ),
            "pdf@acme 9: p/skills\npdf@acme 9: p/more",
        );
    }
}

#[test]
fn the_marketplaces_entry_adds_to_the_manifest() {
    check_plugin(
        &format!(
            "{TREE}{}{}",
            manifest(r#"{"skills": "./one"}"#),
            entry(&format!(r#"{FETCHED}, "skills": ["./more", "./one"]"#))
        ),
        "pdf@acme: p/skills\npdf@acme: p/one\npdf@acme: p/more",
    );
}

#[test]
fn an_entry_that_is_the_whole_description_conflicts_with_another() {
    check_plugin(
        &format!(
            "{TREE}{}{}",
            manifest(r#"{"skills": "./one"}"#),
            entry(&format!(r#"{FETCHED}, "strict": false, "skills": ["./more"]"#))
        ),
        "pdf@acme conflicting
         ! p/.claude-plugin/plugin.json: \
         plugin `pdf@acme` declares components here, which its marketplace's `strict: false` forbids",
    );
}

#[test]
fn a_manifest_that_declares_nothing_conflicts_with_nothing() {
    check_plugin(
        &format!(
            "{TREE}{}{}",
            manifest(r#"{"name": "pdf", "version": "1.0"}"#),
            entry(&format!(r#"{FETCHED}, "strict": false, "skills": "./one""#))
        ),
        "pdf@acme 1.0: p/skills\npdf@acme 1.0: p/one",
    );
}

#[test]
fn at_the_marketplaces_root_the_entrys_list_replaces_the_default() {
    for source in ["./", ".", "./."] {
        check_plugin(
            &format!("{TREE}{}", entry(&format!(r#""source": "{source}", "skills": ["./more"]"#))),
            "pdf@acme: p/more",
        );
    }
    check_plugin(
        &format!("{TREE}{}", entry(r#""source": "./p", "skills": ["./more"]"#)),
        "pdf@acme: p/skills\npdf@acme: p/more",
    );
}

#[test]
fn at_the_marketplaces_root_an_entry_without_a_list_keeps_the_default() {
    check_plugin(
        &format!("{TREE}{}{}", manifest(r#"{"skills": "./one"}"#), entry(r#""source": "./""#)),
        "pdf@acme: p/skills\npdf@acme: p/one",
    );
}

#[test]
fn at_the_marketplaces_root_a_list_of_nothing_does_not_bring_back_the_default() {
    check_plugin(
        &format!("{TREE}{}", entry(r#""source": "./", "skills": ["./none"]"#)),
        &format!("{MARKETPLACE} `./none` of plugin `pdf@acme` is not a readable folder"),
    );
}
