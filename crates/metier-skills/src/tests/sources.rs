//! Where skills come from.

use std::path::PathBuf;

use super::fixture::{Fixture, ids};
use crate::{Places, Source, Tier, project_dirs};

#[track_caller]
fn check_list(fixture: &str, expected: &str) {
    let fixture = Fixture::new(fixture);
    assert_eq!(ids(&fixture.catalog()).join(" "), expected, "{}", fixture.problems());
}

/// One skill in each folder, named by its place in the order of precedence.
#[test]
fn every_folder_of_the_table_is_looked_at_in_its_order() {
    let folders = [
        "custom",
        "project/.agents/skills",
        "project/.agent/skills",
        "project/skills",
        "home/.agents/skills",
        "home/.agent/skills",
        "home/.config/agents/skills",
        "project/.claude/skills",
        "project/.codex/skills",
        "project/.gemini/skills",
        "project/.opencode/skills",
        "project/.goose/skills",
        "project/.kode/skills",
        "project/.github/skills",
        "project/.cursor/skills",
        "project/.unheard-of/skills",
        "home/.claude/skills",
        "home/.codex/skills",
        "home/.gemini/skills",
        "home/.config/opencode/skills",
        "home/.config/goose/skills",
        "home/.copilot/skills",
        "home/.cursor/skills",
        "home/.config/crush/skills",
        "home/.unheard-of/skills",
        "etc/codex/skills",
        "etc/claude-code/.claude/skills",
    ];
    let fixture = Fixture::new("");
    for (number, folder) in folders.iter().enumerate() {
        let skill = format!("name: s{number:02} | description: d");
        fixture.write(&format!("{folder}/s/SKILL.md"), &skill);
    }
    let found: Vec<String> = fixture
        .scan()
        .skills
        .iter()
        .map(|skill| fixture.relative(skill.folder.parent().unwrap()))
        .collect();
    assert_eq!(found, folders);
}

#[test]
fn a_folder_belongs_to_its_agent() {
    let fixture = Fixture::new(
        "//- project/.github/skills/a/SKILL.md\nname: a | description: d\n\
         //- home/.copilot/skills/b/SKILL.md\nname: b | description: d\n\
         //- home/.unheard-of/skills/c/SKILL.md\nname: c | description: d\n\
         //- project/skills/d/SKILL.md\nname: d | description: d\n",
    );
    let scan = fixture.scan();
    let found = scan.skills.iter();
    let found = found.map(|it| format!("{} {} {}", it.name(), it.provider(), it.location()));
    let found: Vec<String> = found.collect();
    assert_eq!(
        found,
        ["d agents project", "a copilot project", "b copilot global", "c unheard-of global"]
    );
}

#[test]
fn hidden_folders_of_no_agent_are_not_agents() {
    check_list("//- home/.config/skills/a/SKILL.md\nname: a | description: d\n", "");
    check_list("//- project/.git/skills/a/SKILL.md\nname: a | description: d\n", "");
}

#[test]
fn inside_a_checkout_each_parent_up_to_its_root_is_looked_at_nearest_first() {
    let fixture = Fixture::new(
        "//- project/.agents/skills/a/SKILL.md\nname: a | description: root\n\
         //- project/web/.agents/skills/a/SKILL.md\nname: a | description: near\n\
         //- .agents/skills/b/SKILL.md\nname: b | description: above the checkout\n",
    );
    let list = fixture.places_in("project/web/app").sources().list;
    let skills = crate::scan(&list).skills;
    let found: Vec<&str> = skills.iter().map(|skill| skill.description()).collect();
    assert_eq!(found, ["near", "root"]);
}

#[test]
fn outside_a_checkout_only_the_working_directory_counts() {
    let fixture = Fixture::new("//- plain/sub/file\nx\n");
    let dir = fixture.path("plain/sub");
    // The temporary folder itself must not lie in a checkout for this to mean anything.
    assert!(!dir.ancestors().any(|it| it.join(".git").exists()));
    assert_eq!(project_dirs(&dir, None), [dir]);
}

#[test]
fn the_home_folder_is_no_project() {
    let fixture = Fixture::new("//- home/.git/HEAD\nx\n//- home/work/file\nx\n");
    let (home, work) = (fixture.path("home"), fixture.path("home/work"));
    assert_eq!(project_dirs(&work, Some(&home)), [work]);
    assert_eq!(project_dirs(&home, Some(&home)), [] as [PathBuf; 0]);
}

#[test]
#[cfg(unix)]
fn the_home_folder_is_no_project_behind_a_link_either() {
    let fixture = Fixture::new("//- disk/.git/HEAD\nx\n//- disk/work/file\nx\n");
    let (home, work) = (fixture.path("home"), fixture.path("disk/work"));
    std::os::unix::fs::symlink(fixture.path("disk"), &home).unwrap();
    assert_eq!(project_dirs(&work, Some(&home)), [work]);
    assert_eq!(project_dirs(&fixture.path("disk"), Some(&home)), [] as [PathBuf; 0]);
}

#[test]
fn a_missing_folder_is_skipped_in_silence() {
    let fixture = Fixture::new("");
    assert_eq!(fixture.problems(), "");
    assert!(fixture.scan().skills.is_empty());
}

#[test]
fn without_default_folders_only_custom_ones_count() {
    let fixture = Fixture::new(
        "//- custom/a/SKILL.md\nname: a | description: d\n\
         //- project/skills/b/SKILL.md\nname: b | description: d\n",
    );
    let places = Places { custom: vec![fixture.path("custom")], ..Places::default() };
    let skills = crate::scan(&places.sources().list).skills;
    assert_eq!(skills.iter().map(|it| it.name()).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn custom_folders_count_in_the_order_given() {
    let fixture = Fixture::new(
        "//- two/a/SKILL.md\nname: a | description: second\n\
         //- one/a/SKILL.md\nname: a | description: first\n",
    );
    let custom = vec![fixture.path("one"), fixture.path("two")];
    let list = Places { custom, ..Places::default() }.sources().list;
    let skills = crate::scan(&list).skills;
    assert_eq!(skills[0].description(), "first");
}

#[test]
fn a_skill_may_lie_at_any_depth_and_inside_another() {
    check_list(
        "//- custom/x/y/z/SKILL.md\nname: deep | description: d\n\
         //- custom/x/y/z/more/inner/SKILL.md\nname: inner | description: d\n",
        "deep inner",
    );
}

#[test]
fn a_source_that_holds_a_skill_file_is_one_skill() {
    check_list("//- custom/SKILL.md\nname: solo | description: d\n", "solo");
}

#[test]
fn folders_of_other_people_are_not_walked() {
    let skipped = [".git", "node_modules", "target", ".venv", "__pycache__", ".metier"];
    let files = skipped.map(|it| format!("//- custom/{it}/a/SKILL.md\nname: a | description: d\n"));
    check_list(&files.concat(), "");
}

#[test]
fn more_folders_than_the_bound_are_a_problem() {
    let fixture = Fixture::new("//- custom/0/SKILL.md\nname: a | description: d\n");
    for number in 1..600 {
        std::fs::create_dir(fixture.path(&format!("custom/{number}"))).unwrap();
    }
    assert_eq!(fixture.problems(), "custom: more than 500 folders; the rest was not looked at");
}

#[test]
fn every_path_that_decides_on_plugins_is_told() {
    let fixture = Fixture::new(
        "//- home/.claude/plugins/installed_plugins.json\n\
         {\"plugins\":{\"a@m\":[{\"installPath\":\"$ROOT/a\"}],\"b@m\":[{\"installPath\":\"$ROOT/b\"}]}}\n\
         //- a/README.md\n",
    );
    let asked = fixture.places().sources().asked;
    let mut asked: Vec<String> = asked.iter().map(|path| fixture.relative(path)).collect();
    asked.sort_unstable();
    asked.dedup();
    assert_eq!(
        asked.join("\n"),
        "a/.claude-plugin/marketplace.json\n\
         a/.claude-plugin/plugin.json\n\
         a/SKILL.md\n\
         a/skills\n\
         b\n\
         b/.claude-plugin/marketplace.json\n\
         home/.claude/plugins/installed_plugins.json\n\
         home/.claude/plugins/known_marketplaces.json\n\
         home/.claude/plugins/marketplaces/m/.claude-plugin/marketplace.json\n\
         home/.claude/settings.json"
    );
}

#[test]
fn a_plugin_is_a_source_named_after_it() {
    check_list(
        "//- home/.claude/plugins/installed_plugins.json\n\
         {\"version\":2,\"plugins\":{\"office@market\":[{\"scope\":\"user\",\"installPath\":\"$ROOT/office\",\"version\":\"1.0\"}]}}\n\
         //- office/skills/pdf/SKILL.md\nname: pdf | description: d\n\
         //- office/skills/office/SKILL.md\nname: office | description: d\n",
        "office office:pdf",
    );
}

#[cfg(unix)]
mod links {
    use super::{Fixture, Source, Tier, check_list, ids};
    use crate::{Bodies, Catalog, Filter, Outcome, Progress, scan_watched};

    #[test]
    fn a_linked_skill_is_found() {
        check_list(
            "//- elsewhere/pdf/SKILL.md\nname: pdf | description: d\n\
             //- custom/pdf -> elsewhere/pdf\n",
            "pdf",
        );
    }

    #[test]
    fn a_link_in_a_skill_that_leads_out_of_it_is_not_followed() {
        check_list(
            "//- big/tree/SKILL.md\nname: tree | description: d\n\
             //- else/git/SKILL.md\nname: git | description: d\n\
             //- else/git/more/out -> big\n\
             //- custom/pdf/SKILL.md\nname: pdf | description: d\n\
             //- custom/pdf/out -> big\n\
             //- custom/pdf/sub/more/out -> big\n\
             //- custom/pdf/sub/inner/SKILL.md\nname: inner | description: d\n\
             //- custom/git -> else/git\n",
            "git pdf inner",
        );
    }

    #[test]
    fn a_source_that_is_a_skill_itself_may_link_to_others() {
        check_list(
            "//- else/git/SKILL.md\nname: git | description: d\n\
             //- custom/SKILL.md\nname: top | description: d\n\
             //- custom/git -> else/git\n",
            "top git",
        );
    }

    #[test]
    fn a_linked_source_is_found() {
        check_list(
            "//- elsewhere/pdf/SKILL.md\nname: pdf | description: d\n//- custom -> elsewhere\n",
            "pdf",
        );
    }

    #[test]
    fn a_linked_skill_file_is_read() {
        check_list(
            "//- elsewhere/pdf.md\nname: pdf | description: d\n\
             //- custom/pdf/SKILL.md -> elsewhere/pdf.md\n",
            "pdf",
        );
    }

    #[test]
    fn the_same_real_folder_counts_once_for_the_higher_source() {
        let fixture = Fixture::new(
            "//- home/.agents/skills/pdf/SKILL.md\nname: pdf | description: d\n\
             //- home/.claude/skills/pdf -> home/.agents/skills/pdf\n\
             //- project/.agents/skills/pdf -> home/.agents/skills/pdf\n",
        );
        let scan = fixture.scan();
        assert_eq!(scan.skills.len(), 1);
        assert_eq!(fixture.relative(&scan.skills[0].folder), "project/.agents/skills/pdf");
        assert_eq!(fixture.meaning("claude:pdf"), "found project/.agents/skills/pdf");
    }

    #[test]
    fn a_linked_source_leads_to_the_skills_of_the_other() {
        let fixture = Fixture::new(
            "//- home/.agents/skills/pdf/SKILL.md\nname: pdf | description: d\n\
             //- home/.claude/skills -> home/.agents/skills\n",
        );
        assert_eq!(fixture.meaning("claude:pdf"), "found home/.agents/skills/pdf");
        let filter = Filter::new(&["claude"], &[]).unwrap();
        assert_eq!(ids(&Catalog::new(&fixture.scan().skills, &filter)), ["pdf"]);
        let outcomes = fixture.scan().sources;
        let of_claude =
            outcomes.iter().find(|(source, _)| source.folder.ends_with(".claude/skills"));
        assert!(of_claude.is_some());
        let covered = outcomes.iter().filter(|(_, outcome)| *outcome == Outcome::Covered);
        assert_eq!(covered.count(), 1);
    }

    #[test]
    fn many_links_to_one_folder_are_one_folder() {
        let fixture = Fixture::new(
            "//- big/a/SKILL.md\nname: a | description: d\n\
             //- real/z/SKILL.md\nname: z | description: d\n\
             //- custom/zz -> real/z\n",
        );
        for number in 0..50 {
            fixture.link(&format!("custom/l{number}"), "big");
        }
        let progress = Progress::default();
        let scan = scan_watched(&fixture.sources(), Bodies::Dropped, &progress);
        assert_eq!(scan.skills.len(), 2);
        assert_eq!(progress.folders.into_inner(), 4);
    }

    #[test]
    fn links_that_go_round_in_circles_end() {
        check_list(
            "//- custom/a/SKILL.md\nname: a | description: d\n\
             //- custom/a/again -> custom\n\
             //- custom/self -> custom/self\n\
             //- elsewhere/back -> custom\n\
             //- elsewhere/b/SKILL.md\nname: b | description: d\n\
             //- custom/there -> elsewhere\n",
            "a b",
        );
    }

    #[test]
    fn what_cannot_be_read_is_a_problem_and_the_scan_goes_on() {
        let fixture = Fixture::new(
            "//- custom/self -> custom/self\n//- custom/z/SKILL.md\nname: z | description: d\n",
        );
        assert_eq!(ids(&fixture.catalog()), ["z"]);
        let problem = fixture.problems();
        assert!(problem.starts_with("custom/self: cannot be read: "), "{problem}");
    }

    #[test]
    fn a_link_that_leads_nowhere_is_a_problem() {
        let fixture = Fixture::new("//- custom/gone -> nowhere\n");
        assert_eq!(fixture.problems(), "custom/gone: a link that leads nowhere");
    }

    #[test]
    fn links_of_a_plugin_may_not_leave_it() {
        let fixture = Fixture::new(
            "//- home/.claude/plugins/installed_plugins.json\n\
             {\"plugins\":{\"p@m\":[{\"scope\":\"user\",\"installPath\":\"$ROOT/p\"}]}}\n\
             //- outside/a/SKILL.md\nname: a | description: d\n\
             //- p/kept/b/SKILL.md\nname: b | description: d\n\
             //- p/skills/a -> outside/a\n\
             //- p/skills/b -> p/kept/b\n\
             //- p/skills/c/SKILL.md -> outside/a/SKILL.md\n",
        );
        let names: Vec<String> =
            fixture.scan().skills.iter().map(|skill| skill.name().to_owned()).collect();
        assert_eq!(names, ["b"]);
        assert_eq!(
            fixture.problems(),
            "p/skills/a: leads out of the plugin's folder; not followed\n\
             p/skills/c/SKILL.md: leads out of the plugin's folder; not followed"
        );
    }

    #[test]
    fn a_folder_too_deep_is_a_problem() {
        let fixture = Fixture::new("");
        let deep = "d/".repeat(20);
        fixture.write(&format!("custom/{deep}SKILL.md"), "name: a | description: d");
        let sources = [Source::new(Tier::Custom, "custom", fixture.path("custom"))];
        let scan = crate::scan(&sources);
        assert!(scan.skills.is_empty());
        let reasons: Vec<String> = scan.problems.iter().map(|it| it.cause.to_string()).collect();
        assert_eq!(reasons, ["more than 16 folders deep; nothing below was looked at"]);
    }
}
