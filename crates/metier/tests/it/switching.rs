//! `enable` and `disable`: files are renamed, and nothing is lost.

use insta::assert_snapshot;

use super::support::Machine;

const TREE: &str = "\
//- project/skills/pdf/SKILL.md
name: pdf | description: d
//- project/skills/pdf-forms/SKILL.md
name: pdf-forms | description: d
//- home/.codex/skills/git/SKILL.md
name: git | description: d
";

fn is_enabled(machine: &Machine, folder: &str) -> bool {
    let there = |name: &str| machine.path(&format!("{folder}/{name}")).is_file();
    assert_ne!(there("SKILL.md"), there(".SKILL.md"), "one of both must be there");
    there("SKILL.md")
}

#[test]
fn a_skill_is_disabled_and_enabled_by_name() {
    let machine = Machine::new(TREE);
    assert_snapshot!(machine.run("disable PDF"), @"
    disabled pdf $ROOT/project/skills/pdf/SKILL.md
    --- exit 0
    ");
    assert!(!is_enabled(&machine, "project/skills/pdf"));
    assert_snapshot!(machine.run("enable pdf"), @"
    enabled pdf $ROOT/project/skills/pdf/.SKILL.md
    --- exit 0
    ");
    assert!(is_enabled(&machine, "project/skills/pdf"));
}

#[test]
fn a_pattern_switches_all_that_match() {
    let machine = Machine::new(TREE);
    machine.run("disable pdf*");
    assert!(!is_enabled(&machine, "project/skills/pdf"));
    assert!(!is_enabled(&machine, "project/skills/pdf-forms"));
    assert!(is_enabled(&machine, "home/.codex/skills/git"));
    machine.run("enable *");
    assert!(is_enabled(&machine, "project/skills/pdf"));
}

#[test]
fn all_respects_filters() {
    let machine = Machine::new(TREE);
    machine.run("disable --all --include=codex");
    assert!(!is_enabled(&machine, "home/.codex/skills/git"));
    assert!(is_enabled(&machine, "project/skills/pdf"));
}

#[test]
fn a_dry_run_renames_nothing() {
    let machine = Machine::new(TREE);
    assert_snapshot!(machine.run("disable --dry-run git pdf"), @"
    would disable git $ROOT/home/.codex/skills/git/SKILL.md
    would disable pdf $ROOT/project/skills/pdf/SKILL.md
    --- exit 0
    ");
    assert!(is_enabled(&machine, "home/.codex/skills/git"));
}

#[test]
fn a_file_in_the_way_is_not_overwritten() {
    let machine = Machine::new(TREE);
    std::fs::write(machine.path("project/skills/pdf/.SKILL.md"), "precious").unwrap();
    assert_snapshot!(machine.run("disable pdf"), @"
    --- stderr
    error: `$ROOT/project/skills/pdf/.SKILL.md` is there already; remove one of the two
    --- exit 1
    ");
    let kept = std::fs::read_to_string(machine.path("project/skills/pdf/.SKILL.md"));
    assert_eq!(kept.unwrap(), "precious");
}

#[test]
fn what_is_not_there_is_not_found() {
    let machine = Machine::new(TREE);
    assert_snapshot!(machine.run("disable pd"), @"
    --- stderr
    error: no enabled skill `pd`
    hint: did you mean `pdf`?
    --- exit 3
    ");
    assert_snapshot!(machine.run("enable git"), @"
    --- stderr
    nothing to do: all of that is enabled already
    --- exit 0
    ");
    assert_snapshot!(machine.run("enable x*"), @"
    --- stderr
    error: no disabled skill `x*`
    hint: `metier list --disabled` shows them
    --- exit 3
    ");
    assert_snapshot!(machine.run("disable"), @"
    --- stderr
    error: the following required arguments were not provided:
      <NAME>...

    Usage: metier disable <NAME>...

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
fn json_says_what_was_renamed() {
    let machine = Machine::new(TREE);
    let folder = machine.path("home/.codex/skills/git");
    assert_eq!(
        machine.json("disable --json git"),
        serde_json::json!({"dryRun": false, "skills": [
            {"id": "git", "name": "git", "from": folder.join("SKILL.md"), "to": folder.join(".SKILL.md")},
        ]})
    );
}

#[test]
fn a_name_is_resolved_among_the_disabled_as_among_the_enabled() {
    let machine = Machine::new(
        "//- project/.claude/skills/a/.SKILL.md\nname: a | description: d\n\
         //- project/.codex/skills/a/.SKILL.md\nname: a | description: d\n\
         //- project/.codex/skills/b/.SKILL.md\nname: b | description: d\n",
    );
    assert_snapshot!(machine.run("enable a"), @"
    --- stderr
    error: `a` is ambiguous: it could be `claude:a` or `codex:a`
    hint: use one of these ids
    --- exit 3
    ");
    assert_snapshot!(machine.run("enable codex"), @"
    --- stderr
    error: no disabled skill `codex`
    hint: did you mean `codex:a`?
    --- exit 3
    ");
    assert_snapshot!(machine.run("enable Codex:A"), @"
    enabled codex:a $ROOT/project/.codex/skills/a/.SKILL.md
    --- exit 0
    ");
}

#[test]
fn who_inherits_a_name_is_told() {
    let machine = Machine::new(
        "//- project/skills/one/SKILL.md\nname: one | description: d\n\
         //- project/.claude/skills/one/SKILL.md\nname: one | description: d\n",
    );
    assert_snapshot!(machine.run("disable one"), @"
    disabled one $ROOT/project/skills/one/SKILL.md
    --- stderr
    `one` is now $ROOT/project/.claude/skills/one/SKILL.md
    --- exit 0
    ");
}
