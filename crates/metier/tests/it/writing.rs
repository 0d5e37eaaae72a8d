//! `new` writes a skill that passes `validate`, and `completions` a script.

use insta::assert_snapshot;

use super::support::Machine;

#[test]
fn a_new_skill_lies_in_the_project_and_is_valid() {
    let machine = Machine::new("");
    assert_snapshot!(machine.run("new release-notes"), @"
    $ROOT/project/.agents/skills/release-notes/SKILL.md
    --- stderr
    hint: write what it does and when to use it, then run `metier validate` on it
    --- exit 0
    ");
    assert_snapshot!(machine.run("show release-notes"), @r#"
    ---
    name: release-notes
    description: "Says in one sentence what this skill does. Use when a task needs exactly that."
    ---

    # release notes

    Write here what an agent must know to do this well: steps, rules, examples.
    Longer material belongs in files beside this one.
    --- exit 0
    "#);
    assert_snapshot!(machine.run("validate --strict"), @"
    --- stderr
    1 of 1 valid
    --- exit 0
    ");
}

#[test]
fn a_new_skill_goes_where_the_user_says() {
    let machine = Machine::new("");
    let told = ["new a --global", "new b --agent claude", "new c --dir ../elsewhere"];
    let told = told.map(|line| machine.run(line).lines().next().unwrap().to_owned());
    assert_eq!(
        told,
        [
            "$ROOT/home/.agents/skills/a/SKILL.md",
            "$ROOT/project/.claude/skills/b/SKILL.md",
            "$ROOT/elsewhere/c/SKILL.md",
        ]
    );
}

#[test]
fn any_description_is_kept_and_valid() {
    let machine = Machine::new("");
    let description = "Says: \"hi\" \\ #1 [x] {y} & *z";
    let output = machine.command("new a --description").arg(description).output().unwrap();
    assert!(output.status.success());
    assert_eq!(machine.json("show --json a")["description"], description);
    assert_eq!(machine.json("validate --json")["valid"], true);
}

#[test]
fn a_name_that_cannot_be_is_refused_with_a_better_one() {
    let machine = Machine::new("");
    assert_snapshot!(machine.run("new My_Skill!"), @"
    --- stderr
    error: `My_Skill!` is not a skill's name: use lowercase letters, digits and single hyphens
    hint: try `my-skill`
    --- exit 2
    ");
    assert_snapshot!(machine.run("new ../escape"), @"
    --- stderr
    error: `../escape` is not a skill's name: use lowercase letters, digits and single hyphens
    hint: try `escape`
    --- exit 2
    ");
}

#[test]
fn a_skill_that_is_there_is_never_overwritten() {
    let machine = Machine::new("//- project/.agents/skills/a/SKILL.md\nprecious\n");
    assert_snapshot!(machine.run("new a"), @"
    --- stderr
    error: `$ROOT/project/.agents/skills/a` exists already
    hint: choose another name, or edit what is there
    --- exit 1
    ");
    let kept = std::fs::read_to_string(machine.path("project/.agents/skills/a/SKILL.md"));
    assert_eq!(kept.unwrap(), "precious\n");
}

#[test]
fn every_shell_gets_a_script() {
    let machine = Machine::new("");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = machine.output(&format!("completions {shell}"));
        assert!(output.status.success() && !output.stdout.is_empty(), "{shell}");
    }
}

#[test]
fn the_shell_completes_names_of_skills() {
    let machine =
        Machine::new("//- project/skills/pdf-forms/SKILL.md\nname: pdf-forms | description: d\n");
    let mut command = machine.command("-- metier show pd");
    command.env("COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", "2").env("_CLAP_IFS", "\n");
    let offered = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert_eq!(offered.trim(), "pdf-forms");
}
