//! What names mean: the rules of resolution, one sentence each.

use super::fixture::{Fixture, ids};
use crate::{Catalog, Filter, State};

/// `place:name` words become a tree; `meaning` is what the asked name resolves to.
#[track_caller]
fn check(skills: &str, asked: &str, meaning: &str) {
    assert_eq!(fixture(skills).meaning(asked), meaning);
}

#[track_caller]
fn check_list(skills: &str, expected: &str) {
    assert_eq!(ids(&fixture(skills).catalog()).join(" "), expected);
}

/// Places by short words: `custom`, `./agents` and `~/agents` for the universal folders,
/// `./claude` and `~/claude` for an agent's, `office@market` for a plugin's.
fn fixture(skills: &str) -> Fixture {
    let fixture = Fixture::new("");
    let mut plugins = Vec::new();
    for word in skills.split(", ") {
        let (place, name) = word.split_once(' ').unwrap();
        let folder = match place.split_once('/') {
            Some((".", agent)) => format!("project/.{agent}/skills"),
            Some(("~", agent)) => format!("home/.{agent}/skills"),
            _ if place.contains('@') => {
                plugins.push(format!(
                    r#""{place}":[{{"scope":"user","installPath":"{}"}}]"#,
                    fixture.path(place).display()
                ));
                format!("{place}/skills")
            }
            _ => place.to_owned(),
        };
        let file = format!("{folder}/{}/SKILL.md", name.replace([':', '/'], "_"));
        fixture.write(&file, &format!("name: {name} | description: d"));
    }
    fixture.write(
        "home/.claude/plugins/installed_plugins.json",
        &format!("{{\"version\":2,\"plugins\":{{{}}}}}", plugins.join(",")),
    );
    fixture
}

#[test]
fn names_are_matched_without_regard_to_case() {
    check("./claude pdf", "PDF", "found project/.claude/skills/pdf");
    check("./claude Größe", "GRÖSSE", "found project/.claude/skills/Größe");
    check("./claude ΟΔΟΣ", "οδος", "found project/.claude/skills/ΟΔΟΣ");
    check("./claude pdf", "Claude:Pdf", "found project/.claude/skills/pdf");
    check("./claude pdf", "  pdf ", "found project/.claude/skills/pdf");
}

#[test]
fn composed_and_decomposed_letters_are_the_same() {
    check("./claude caf\u{e9}", "cafe\u{301}", "found project/.claude/skills/caf\u{e9}");
}

#[test]
fn a_custom_skill_wins_over_all_others() {
    check("~/claude pdf, ./agents pdf, custom pdf", "pdf", "found custom/pdf");
}

#[test]
fn a_universal_skill_wins_over_agents_and_a_project_over_the_user() {
    let all = "~/claude pdf, ./codex pdf, ~/agents pdf, ./agents pdf";
    check(all, "pdf", "found project/.agents/skills/pdf");
    check("./codex pdf, ~/agents pdf", "pdf", "found home/.agents/skills/pdf");
}

#[test]
fn of_one_agent_the_project_copy_wins() {
    check("~/claude pdf, ./claude pdf", "pdf", "found project/.claude/skills/pdf");
    check("~/claude pdf, ./claude pdf", "claude:pdf", "found project/.claude/skills/pdf");
}

#[test]
fn a_name_of_several_agents_is_ambiguous() {
    check("./claude pdf, ./codex pdf", "pdf", "ambiguous claude:pdf codex:pdf");
    check("./claude pdf, ~/codex pdf, ~/claude pdf", "pdf", "ambiguous claude:pdf codex:pdf");
}

#[test]
fn a_local_skill_beats_a_plugin() {
    check("office@m pdf, ~/codex pdf", "pdf", "found home/.codex/skills/pdf");
}

#[test]
fn a_name_of_one_plugin_is_found_and_of_several_ambiguous() {
    check("office@m pdf", "pdf", "found office@m/skills/pdf");
    check("office@m pdf, other@m pdf", "pdf", "ambiguous office:pdf other:pdf");
}

#[test]
fn a_plugin_skill_has_four_names() {
    for asked in ["pdf", "office:pdf", "claude:office:pdf", "office@m:pdf", "claude:pdf"] {
        check("office@m pdf", asked, "found office@m/skills/pdf");
    }
}

#[test]
fn a_prefix_names_one_provider_or_plugin() {
    let skills = "./claude pdf, ./codex pdf, office@m pdf";
    check(skills, "codex:pdf", "found project/.codex/skills/pdf");
    check(skills, "office:pdf", "found office@m/skills/pdf");
    check(skills, "claude:pdf", "found project/.claude/skills/pdf");
    check(skills, "gemini:pdf", "missing codex:pdf claude:pdf office:pdf");
}

#[test]
fn plugins_of_one_name_are_told_apart_by_their_marketplaces() {
    let skills = "office@a pdf, office@b pdf";
    check(skills, "office:pdf", "ambiguous office@a:pdf office@b:pdf");
    check_list(skills, "office@a:pdf office@b:pdf");
}

#[test]
fn a_local_skill_is_listed_by_its_plain_name_where_that_means_it() {
    check_list("custom a, ./claude b, ~/claude b, ./claude c, ./codex c", "a b claude:c codex:c");
    check_list("custom a, ./claude a", "a claude:a");
}

#[test]
fn a_plugin_skill_is_always_listed_with_its_plugin() {
    check_list("office@m pdf", "office:pdf");
}

#[test]
fn a_plugin_skill_that_repeats_the_plugin_says_it_once() {
    check_list("office@m office", "office");
    check_list("office@m office:pdf", "office:pdf");
    check_list("office@m office, custom office", "office office:office");
}

#[test]
fn a_shadowed_copy_is_known_with_its_winner() {
    let fixture = fixture("./claude pdf, ~/claude pdf");
    let catalog = fixture.catalog();
    let entry = &catalog.entries()[1];
    assert_eq!(entry.id, None);
    let winner = catalog.winner(entry).unwrap();
    assert_eq!(fixture.relative(&winner.skill.folder), "project/.claude/skills/pdf");
}

#[test]
fn names_with_colons_can_be_asked_for() {
    check("./claude a:b", "a:b", "found project/.claude/skills/a_b");
    check("./claude a:b, ./a b", "a:b", "found project/.a/skills/b");
    check_list("./claude a:b, ./a b", "claude:a:b b");
}

#[test]
fn names_are_never_turned_into_paths() {
    let long = "x".repeat(10_000);
    let asked = ["../../etc/passwd", ".ssh/id_rsa", "a\0b", "", ":", "::", "/", &long];
    for asked in asked {
        check("./claude pdf", asked, "missing");
    }
}

#[test]
fn a_disabled_skill_is_no_skill() {
    let fixture = Fixture::new(
        "//- project/.claude/skills/pdf/.SKILL.md\nname: pdf | description: off\n\
         //- home/.claude/skills/pdf/SKILL.md\nname: pdf | description: on\n",
    );
    assert_eq!(fixture.meaning("pdf"), "found home/.claude/skills/pdf");
    let disabled = Catalog::of(State::Disabled, &fixture.scan().skills, &Filter::default());
    assert_eq!(disabled.entries()[0].skill.description(), "off");
}

/// Tried at every colon it would take minutes.
#[test]
fn a_megabyte_of_colons_is_not_found_at_once() {
    check("custom a", &":".repeat(1 << 20), "missing");
}
