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
    error: `My_Skill!` is not a skill's name: use 1 to 64 lowercase letters, digits and single hyphens
    hint: try `my-skill`
    --- exit 2
    ");
    assert_snapshot!(machine.run("new ../escape"), @"
    --- stderr
    error: `../escape` is not a skill's name: use 1 to 64 lowercase letters, digits and single hyphens
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

#[test]
fn a_name_that_a_shell_would_run_is_not_completed() {
    let machine = Machine::new("");
    let names = ["inj$(touch pwned)", "inj`x`", "inj;x", "inj x", "inj-fine"];
    for (number, name) in names.iter().enumerate() {
        let path = format!("project/skills/{number}/SKILL.md");
        let text = format!("---\nname: \"{name}\"\ndescription: d\n---\n");
        super::support::tree::write(&machine.path(""), &path, &text);
    }
    let mut command = machine.command("-- metier show inj");
    command.env("COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", "2").env("_CLAP_IFS", "\n");
    let offered = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert_eq!(offered.trim(), "inj-fine");
}

#[test]
fn a_new_skill_goes_where_the_agent_itself_looks() {
    let machine = Machine::new("");
    let told = [
        "new a --agent copilot",
        "new b --agent opencode --global",
        "new c --agent codex --global",
        "new d --agent unheard-of",
    ];
    let told = told.map(|line| {
        let mut command = machine.command(line);
        let output = command.env("CODEX_HOME", machine.path("codex")).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    });
    let expected = [
        "project/.github/skills/a/SKILL.md",
        "home/.config/opencode/skills/b/SKILL.md",
        "codex/skills/c/SKILL.md",
        "project/.unheard-of/skills/d/SKILL.md",
    ];
    assert_eq!(told, expected.map(|path| machine.path(path).to_str().unwrap().to_owned()));
}

#[test]
fn what_could_never_be_listed_or_valid_is_not_written() {
    let machine = Machine::new("");
    assert_snapshot!(machine.run("new target"), @"
    --- stderr
    error: `target` is a folder that agents skip
    hint: try `target-skill`
    --- exit 2
    ");
    assert_snapshot!(machine.run("new a --agent git"), @"
    --- stderr
    error: `git` is not an agent's name
    hint: write it as in `.claude/skills`: claude, codex, gemini, …
    --- exit 2
    ");
    assert_snapshot!(machine.run(&format!("new a --description {}", "x".repeat(1_025))), @"
    --- stderr
    error: `description` has 1025 characters, and 1024 are allowed
    hint: shorten it by 1
    --- exit 2
    ");
    assert_eq!(std::fs::read_dir(machine.path("project")).unwrap().count(), 1, "only .git");
}

#[test]
fn a_failed_new_leaves_nothing_behind() {
    let machine = Machine::new("//- project/file\nx\n");
    assert_snapshot!(machine.run("new a --dir file/below"), @"
    --- stderr
    error: `$ROOT/project/file/below/a` cannot be written: not a directory
    hint: say where to write with --dir
    --- exit 1
    ");
    assert_eq!(std::fs::read_dir(machine.path("project")).unwrap().count(), 2, ".git and file");
}
