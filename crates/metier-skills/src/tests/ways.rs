//! Several ways to one skill, and none that leads astray.

use std::sync::{Arc, atomic::Ordering};

use super::fixture::{Fixture, ids, meaning};
use crate::{
    Catalog, Filter, Outcome, Owner, Plugin, Progress, Scan, Source, Tier, rescan, scan,
    validate_all,
};

const TREE: &str = "\
//- custom/a/SKILL.md
name: a | description: d
//- custom/b/SKILL.md
name: b | description: d
";

fn source(fixture: &Fixture, provider: &str, path: &str) -> Source {
    Source::new(Tier::AgentProject, provider, fixture.path(path))
}

/// The folder `skills` of a plugin that lives at `path`.
fn plugin(fixture: &Fixture, name: &str, version: &str, path: &str) -> Source {
    let plugin = Plugin {
        name: name.to_owned(),
        marketplace: Some("m".to_owned()),
        version: Some(version.to_owned()),
    };
    let owner = Owner { plugin: Arc::new(plugin), install: fixture.path(path) };
    let folder = fixture.path(&format!("{path}/skills"));
    Source { plugin: Some(owner), ..Source::new(Tier::Plugin, "claude", folder) }
}

fn names(scan: &Scan) -> Vec<&str> {
    scan.skills.iter().map(|skill| skill.name()).collect()
}

fn catalog(scan: &Scan, include: &[&str]) -> Catalog {
    Catalog::new(&scan.skills, &Filter::new(include, &[]).unwrap())
}

#[test]
fn one_folder_may_be_two_sources() {
    let fixture = Fixture::new(TREE);
    fixture.settle();
    let sources = [source(&fixture, "custom", "custom"), source(&fixture, "claude", "custom")];
    let first = scan(&sources);
    assert_eq!(ids(&catalog(&first, &["claude"])), ["a", "b"]);
    assert_eq!(first.sources[1].1, Outcome::Covered);

    let progress = Progress::default();
    let again = rescan(&sources, &first, &progress);
    assert_eq!(progress.files.load(Ordering::Relaxed), 0);
    assert!(Arc::ptr_eq(&first.skills[0], &again.skills[0]));
}

#[test]
fn a_source_leads_to_the_skills_of_a_source_inside_it() {
    let fixture = Fixture::new(TREE);
    let scan =
        scan(&[source(&fixture, "custom", "custom/a"), source(&fixture, "claude", "custom")]);
    assert_eq!(scan.sources[1].1, Outcome::Walked { n_skills: 2 });
    assert_eq!(ids(&catalog(&scan, &["claude"])), ["a", "b"]);
}

#[test]
fn a_folder_that_was_too_deep_can_be_named_itself() {
    let deep = ["d"; 16].join("/");
    let fixture =
        Fixture::new(&format!("//- custom/{deep}/s/SKILL.md\nname: s | description: d\n"));
    let inner = format!("custom/{deep}");
    let scan = scan(&[source(&fixture, "a", "custom"), source(&fixture, "b", &inner)]);
    assert_eq!(names(&scan), ["s"]);
}

#[test]
fn two_versions_of_a_plugin_are_one_plugin() {
    let fixture = Fixture::new(
        "//- old/skills/own/SKILL.md\nname: own | description: d\n\
         //- new/skills/own/SKILL.md\nname: own | description: d\n",
    );
    let sources = [plugin(&fixture, "p", "1", "old"), plugin(&fixture, "p", "2", "new")];
    let scan = scan(&sources);
    let catalog = catalog(&scan, &[]);
    assert_eq!(ids(&catalog), ["p:own"]);
    let shadowed = &catalog.entries()[1];
    assert!(std::ptr::eq(catalog.winner(shadowed).unwrap(), &catalog.entries()[0]));
}

#[test]
fn a_name_that_repeats_its_plugin_in_another_case_says_it_once() {
    let fixture = Fixture::new("//- p/skills/own/SKILL.md\nname: Office:own | description: d\n");
    let scan = scan(&[plugin(&fixture, "office", "1", "p")]);
    assert_eq!(ids(&catalog(&scan, &[])), ["Office:own"]);
}

#[test]
fn a_file_over_the_bound_is_not_opened_again() {
    let fixture = Fixture::new(TREE);
    fixture.write("custom/big/SKILL.md", &"x".repeat(2 << 20));
    fixture.settle();
    let first = fixture.scan();
    let progress = Progress::default();
    let again = rescan(&fixture.sources(), &first, &progress);
    assert_eq!(progress.files.load(Ordering::Relaxed), 0);
    assert!(Arc::ptr_eq(&first.skills[0], &again.skills[0]));
}

#[test]
fn joiners_that_join_nothing_make_no_second_name() {
    let fixture = Fixture::new(
        "//- project/skills/a/SKILL.md\nname: pdf | description: d\n\
         //- project/skills/b/SKILL.md\nname: pdf\u{200d} | description: d\n",
    );
    assert_eq!(ids(&fixture.catalog()), ["pdf"]);
}

#[test]
fn a_filter_drops_places_and_a_skill_with_the_last_of_them() {
    let fixture = Fixture::new(TREE);
    let scan = scan(&[source(&fixture, "agents", "custom"), source(&fixture, "codex", "custom")]);
    let check = |include: &[&str], exclude: &[&str], asked: &str, expected: &str| {
        let catalog = Catalog::new(&scan.skills, &Filter::new(include, exclude).unwrap());
        let found = meaning(&catalog, asked, |skill| skill.provider().to_owned());
        assert_eq!(found, expected, "{asked} of {include:?} without {exclude:?}");
    };
    check(&[], &["codex"], "a", "found agents");
    check(&[], &["codex"], "codex:a", "missing a");
    check(&[], &["agents"], "a", "found codex");
    check(&["codex"], &[], "a", "found codex");
    check(&["codex"], &[], "agents:a", "missing a");
    check(&[], &["codex", "agents"], "a", "missing");
}

#[cfg(unix)]
mod links {
    use super::{
        Fixture, Progress, TREE, catalog, ids, meaning, names, plugin, rescan, scan, source,
        validate_all,
    };
    use std::sync::Arc;

    #[test]
    fn one_plugin_cannot_hide_the_skill_of_another() {
        let fixture = Fixture::new(
            "//- a/skills/own/SKILL.md\nname: own | description: d\n\
             //- b/skills/y/SKILL.md\nname: y | description: d\n\
             //- a/skills/x -> b/skills/y\n",
        );
        let scan = scan(&[plugin(&fixture, "a", "1", "a"), plugin(&fixture, "b", "1", "b")]);
        assert_eq!(names(&scan), ["own", "y"]);
    }

    #[test]
    fn a_link_out_of_a_plugin_is_refused_also_where_others_know_its_target() {
        let fixture = Fixture::new(
            "//- private/sec/SKILL.md\nname: sec | description: d\n\
             //- home/.codex/skills/sec -> private/sec\n\
             //- p/skills/sec -> private/sec\n",
        );
        let codex = source(&fixture, "codex", "home/.codex/skills");
        let scan = scan(&[codex, plugin(&fixture, "p", "1", "p")]);
        let catalog = catalog(&scan, &[]);
        assert_eq!(meaning(&catalog, "p:sec", |_| String::new()), "missing sec");
        assert_eq!(scan.problems.len(), 1);
    }

    #[test]
    fn a_plugin_does_not_lead_out_on_the_links_that_another_source_followed() {
        let fixture = Fixture::new(
            "//- private/sec/SKILL.md\nname: sec | description: d\n\
             //- p/skills/own/SKILL.md\nname: own | description: d\n\
             //- p/skills/sec -> private/sec\n",
        );
        let unfenced = source(&fixture, "custom", "p/skills");
        let scan = scan(&[unfenced, plugin(&fixture, "p", "1", "p")]);
        let catalog = catalog(&scan, &[]);
        let show = |skill: &crate::Skill| skill.name().to_owned();
        assert_eq!(meaning(&catalog, "p:own", show), "found own");
        assert_eq!(meaning(&catalog, "p:sec", show), "missing sec");
        assert_eq!(meaning(&catalog, "sec", show), "found sec");
    }

    #[test]
    fn a_linked_source_leads_on_through_the_links_of_the_other() {
        let fixture = Fixture::new(
            "//- shared/z/SKILL.md\nname: z | description: d\n\
             //- project/.agents/skills/z -> shared/z\n\
             //- project/.claude/skills -> project/.agents/skills\n",
        );
        assert_eq!(fixture.meaning("claude:z"), "found project/.agents/skills/z");
    }

    #[test]
    fn a_plugin_skill_that_is_linked_keeps_its_plugins_name() {
        let fixture = Fixture::new(
            "//- p/skills/own/SKILL.md\nname: own | description: d\n\
             //- home/.claude/skills/own -> p/skills/own\n",
        );
        let local = source(&fixture, "claude", "home/.claude/skills");
        let scan = scan(&[local, plugin(&fixture, "p", "1", "p")]);
        let found = meaning(&catalog(&scan, &[]), "p:own", |skill| fixture.relative(&skill.folder));
        assert_eq!(found, "found home/.claude/skills/own");
    }

    #[test]
    fn a_skill_is_found_by_every_place_that_links_to_it() {
        let fixture = Fixture::new(
            "//- project/.claude/skills/a/SKILL.md\nname: a | description: d\n\
             //- home/.claude/skills/a -> project/.claude/skills/a\n",
        );
        assert_eq!(ids(&catalog(&fixture.scan(), &["@global"])), ["a"]);
        assert_eq!(ids(&catalog(&fixture.scan(), &["@project"])), ["a"]);
    }

    #[test]
    fn two_links_into_one_tree_are_one_problem_and_one_verdict() {
        let tree = "//- x/y/bad/SKILL.md\nbroken\n//- custom/a -> x\n//- custom/b -> x/y\n";
        let fixture = Fixture::new(tree);
        assert_eq!(validate_all(&fixture.path("custom"), &Progress::default()).len(), 1);
        assert_eq!(fixture.scan().problems.len(), 1);
    }

    #[test]
    fn a_link_that_leads_nowhere_changes_nothing_twice() {
        let fixture = Fixture::new(&format!("{TREE}//- custom/gone -> nowhere\n"));
        fixture.settle();
        let first = fixture.scan();
        let again = rescan(&fixture.sources(), &first, &Progress::default());
        assert!(Arc::ptr_eq(&first.skills[0], &again.skills[0]));
    }

    #[test]
    fn a_fence_holds_where_there_was_none_before() {
        let fixture = Fixture::new(
            "//- p/skills/own/SKILL.md\nname: own | description: d\n\
             //- out/y/SKILL.md\nname: y | description: d\n\
             //- p/skills/x -> out/y\n\
             //- p/skills/z/SKILL.md -> out/y/SKILL.md\n",
        );
        fixture.settle();
        let first = scan(&[source(&fixture, "claude", "p/skills")]);
        let fenced = [plugin(&fixture, "p", "1", "p")];
        assert_eq!(names(&rescan(&fenced, &first, &Progress::default())), ["own"]);
    }
}
