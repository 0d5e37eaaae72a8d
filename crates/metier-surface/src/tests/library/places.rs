//! Where skills are: each at a place of its own.

use proptest::prelude::*;

use super::Machine;
use crate::{library::Library, tests::tools::fixture::TREE};

/// The ids and places of all skills.
#[track_caller]
fn check(tree: &str, expected: &[(&str, &str)]) {
    let machine = Machine::new(tree);
    let library = Library::new(&machine.catalog());
    let found = library.holdings().iter().map(|it| (&*it.id, &*it.place));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn a_place_is_the_provider_the_plugin_and_the_name() {
    check(
        TREE,
        &[
            ("pdf", "custom/pdf"),
            ("code-review", "claude/code-review"),
            ("commit", "codex/commit"),
            ("office:slides", "claude/office@market/slides"),
        ],
    );
}

#[test]
fn copies_of_one_name_live_side_by_side() {
    check(
        "//- project/.claude/skills/git/SKILL.md\nname: git | description: d\n\
         //- home/.codex/skills/git/SKILL.md\nname: git | description: e\n\
         //- home/.claude/skills/git/SKILL.md\nname: git | description: shadowed\n",
        &[("claude:git", "claude/git"), ("codex:git", "codex/git")],
    );
}

#[test]
fn a_place_ends_in_the_name_whatever_the_folder_is_called() {
    check(
        "//- custom/folder/SKILL.md\nname: other | description: d\n\
         //- custom/odd/SKILL.md\nname: A/B c% | description: d\n",
        &[("other", "custom/other"), ("A/B c%", "custom/A%2FB%20c%25")],
    );
}

#[test]
fn a_skill_within_another_is_below_it_if_its_folder_is_called_as_it_is() {
    check(
        "//- custom/outer/SKILL.md\nname: outer | description: d\n\
         //- custom/outer/sub/inner/SKILL.md\nname: inner | description: d\n\
         //- custom/outer/x/SKILL.md\nname: y | description: d\n",
        &[("outer", "custom/outer"), ("inner", "custom/outer/sub/inner"), ("y", "custom/y")],
    );
}

#[cfg(unix)]
#[test]
fn a_copy_that_only_another_provider_leads_to_is_at_that_ones_place() {
    check(
        "//- project/.claude/skills/git/SKILL.md\nname: git | description: d\n\
         //- home/.claude/skills/git/SKILL.md\nname: git | description: e\n\
         //- home/.codex/skills/git -> home/.claude/skills/git\n",
        &[("git", "claude/git"), ("codex:git", "codex/git")],
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn no_two_skills_share_a_place_or_a_prompt(
        names in prop::collection::vec(("[ab]{1,2}", "[a-b:@_ ]{1,3}"), 1..12),
    ) {
        let skill = |(folder, name): &(String, String)| {
            let folders = ["custom", "project/.claude/skills", "home/.codex/skills"];
            folders.map(|it| format!("//- {it}/{folder}/SKILL.md\n---\nname: \"{name}x\"\ndescription: d\n---\n")).concat()
        };
        let machine = Machine::new(&names.iter().map(skill).collect::<String>());
        let library = Library::new(&machine.catalog());
        let holdings = library.holdings();
        let unique = |of: fn(&crate::library::Holding) -> &str| {
            holdings.iter().map(of).collect::<std::collections::HashSet<_>>().len()
        };
        prop_assert_eq!(unique(|it| &it.place), holdings.len());
        prop_assert_eq!(unique(|it| &it.prompt), holdings.len());
        for holding in holdings {
            let found = library.position(&holding.uri("SKILL.md"));
            prop_assert_eq!(found.map(|at| &*holdings[at].id), Some(&*holding.id));
        }
    }
}
