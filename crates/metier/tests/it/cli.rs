//! What people see: each command's output, messages and exit code.

use insta::assert_snapshot;

use super::support::Machine;

const TREE: &str = "\
//- project/.agents/skills/pdf/SKILL.md
---
name: pdf
description: Reads and fills PDF forms
license: MIT
---

# PDF

Fill a form with the tool.
//- project/.agents/skills/pdf/scripts/fill.py
print()
//- project/.claude/skills/pdf/SKILL.md
name: pdf | description: Another one
//- home/.claude/skills/pdf/SKILL.md
name: pdf | description: Shadowed by the project's
//- home/.codex/skills/git/SKILL.md
name: git | description: Commits: the good way
//- home/.codex/skills/off/.SKILL.md
name: off | description: Not now
//- home/.codex/skills/broken/SKILL.md
no head
";

#[test]
fn list_groups_by_provider_and_location() {
    assert_snapshot!(Machine::new(TREE).run("list"), @"
    agents · project (1)
      pdf         Reads and fills PDF forms

    claude · project (1)
      claude:pdf  Another one

    codex · global (1)
      git         Commits: the good way
    --- stderr

    3 skills; 1 shadowed, 1 disabled (--all shows them)
    warning: 1 problem: `metier doctor` explains it
    --- exit 0
    ");
}

#[test]
fn list_all_shows_shadowed_and_disabled_skills() {
    assert_snapshot!(Machine::new(TREE).run("list --all"), @"
    agents · project (1)
      pdf         Reads and fills PDF forms

    claude · project (1)
      claude:pdf  [`pdf` is $ROOT/project/.agents/skills/pdf] Another one

    claude · global (1)
      pdf         [shadowed by $ROOT/project/.agents/skills/pdf] Shadowed by the project's

    codex · global (2)
      git         Commits: the good way
      off         [disabled] Not now
    --- stderr

    5 skills
    warning: 1 problem: `metier doctor` explains it
    --- exit 0
    ");
}

#[test]
fn list_of_nothing_says_what_to_do() {
    assert_snapshot!(Machine::new("").run("list"), @"
    --- stderr
    no skills found
    hint: `metier doctor --all` says where they were looked for, `metier new` writes one
    --- exit 0
    ");
}

#[test]
fn list_can_name_files() {
    assert_snapshot!(Machine::new(TREE).run("list --include=agents --files"), @"
    agents · project (1)
      pdf  Reads and fills PDF forms
          SKILL.md (105 bytes)
          scripts/fill.py (8 bytes)
    --- stderr

    1 skill
    warning: 1 problem: `metier doctor` explains it
    --- exit 0
    ");
}

#[test]
fn show_gives_a_pipe_the_file_and_nothing_else() {
    assert_snapshot!(Machine::new(TREE).run("show PDF"), @"
    ---
    name: pdf
    description: Reads and fills PDF forms
    license: MIT
    ---

    # PDF

    Fill a form with the tool.
    --- exit 0
    ");
}

#[test]
fn show_says_what_an_unknown_name_could_mean() {
    assert_snapshot!(Machine::new(TREE).run("show pfd"), @"
    --- stderr
    error: no skill `pfd`
    hint: did you mean `pdf` or `claude:pdf`?
    --- exit 3
    ");
}

#[test]
fn show_says_that_a_skill_is_disabled() {
    assert_snapshot!(Machine::new(TREE).run("show off"), @"
    --- stderr
    error: skill `off` is disabled
    hint: `metier enable off` makes it loadable
    --- exit 3
    ");
}

#[test]
fn show_of_an_ambiguous_name_lists_every_id() {
    let machine = Machine::new(
        "//- project/.claude/skills/pdf/SKILL.md\nname: pdf | description: d\n\
         //- project/.codex/skills/pdf/SKILL.md\nname: pdf | description: d\n",
    );
    assert_snapshot!(machine.run("show pdf"), @"
    --- stderr
    error: `pdf` is ambiguous: it could be `claude:pdf` or `codex:pdf`
    hint: use one of these ids
    --- exit 3
    ");
}

#[test]
fn search_shows_where_the_words_stand() {
    assert_snapshot!(Machine::new(TREE).run("search form tool"), @"
    pdf agents · project
      Reads and fills PDF forms
      │ # PDF Fill a form with the tool.
    --- exit 0
    ");
}

#[test]
fn search_without_a_hit_says_what_to_try() {
    assert_snapshot!(Machine::new(TREE).run("search zebra"), @"
    --- stderr
    no skill matches
    hint: `--match any` asks for less, `--match fuzzy` forgives typing mistakes
    --- exit 0
    ");
}

#[test]
fn search_forgives_typing_mistakes_if_asked() {
    assert_snapshot!(Machine::new(TREE).run("search --match fuzzy comits"), @"
    git codex · global
      Commits: the good way
    --- exit 0
    ");
}

#[test]
fn doctor_says_what_is_there_and_what_is_wrong() {
    assert_snapshot!(Machine::new(TREE).run("doctor"), @"
    Sources
      · $ROOT/project/.agents/skills: agents · project, 1 skill
      · $ROOT/project/.claude/skills: claude · project, 1 skill
      · ~/.claude/skills: claude · global, 1 skill
      · ~/.codex/skills: codex · global, 2 skills
      · 40 more places: nothing there (--all names them)

    Names
      · $ROOT/project/.claude/skills/pdf/SKILL.md: `pdf` means $ROOT/project/.agents/skills/pdf/SKILL.md; this one is `claude:pdf`
      ! ~/.claude/skills/pdf/SKILL.md: no name loads it: `pdf` means $ROOT/project/.agents/skills/pdf/SKILL.md
        rename one of the two, or remove it

    Disabled
      · off: ~/.codex/skills/off/.SKILL.md
        `metier enable off` makes it loadable

    Problems
      ✗ ~/.codex/skills/broken/SKILL.md: there is no frontmatter: the file does not begin with a line `---`
        begin the file with a line `---`, a `name: …`, a `description: …` and a line `---`
      ! ~/.codex/skills/git/SKILL.md: repaired: line 3: `description` holds an unquoted `: `; put the value in quotes
        other agents may drop this skill, and `skills/list` leaves it out: mend the file

    1 error, 2 warnings
    --- exit 1
    ");
}

#[test]
fn doctor_is_content_with_a_clean_machine() {
    let machine = Machine::new("//- project/skills/a/SKILL.md\nname: a | description: d\n");
    assert_snapshot!(machine.run("doctor"), @"
    Sources
      · $ROOT/project/skills: agents · project, 1 skill
      · 43 more places: nothing there (--all names them)

    all is well
    --- exit 0
    ");
}

#[test]
fn doctor_knows_the_state_of_plugins() {
    let machine = Machine::new(
        "//- home/.claude/plugins/installed_plugins.json\n\
         {\"version\":2,\"plugins\":{\n\
         \"on@m\":[{\"scope\":\"user\",\"installPath\":\"$ROOT/on\",\"version\":\"1.0.0\"}],\n\
         \"off@m\":[{\"scope\":\"user\",\"installPath\":\"$ROOT/on\"}],\n\
         \"gone@m\":[{\"scope\":\"user\",\"installPath\":\"$ROOT/gone\"}],\n\
         \"bad@m\":[7]}}\n\
         //- home/.claude/settings.json\n{\"enabledPlugins\":{\"off@m\":false}}\n\
         //- on/skills/a/SKILL.md\nname: a | description: d\n",
    );
    assert_snapshot!(machine.run("doctor"), @"
    Sources
      · $ROOT/on/skills: claude · plugin, 1 skill
      · 44 more places: nothing there (--all names them)

    Plugins
      ! gone@m: stale: its folder is gone: $ROOT/gone
        `claude plugin uninstall` forgets it, `claude plugin install` brings it back
      · off@m: disabled by ~/.claude/settings.json
        `claude plugin enable` makes its skills loadable
      · on@m 1.0.0: enabled

    Problems
      ✗ ~/.claude/plugins/installed_plugins.json: `bad@m` is not an object or an array of objects
        make `bad@m` an object or an array of objects

    1 error, 1 warning
    --- exit 1
    ");
}

#[test]
fn validate_names_file_field_and_fix() {
    assert_snapshot!(Machine::new(TREE).run("validate . ../home/.codex"), @r#"
    $ROOT/home/.codex/skills/broken/SKILL.md:1: error: the file does not begin with frontmatter → begin it with a line `---`, then `name:` and `description:`, then a line `---`
    $ROOT/home/.codex/skills/git/SKILL.md:3: error: an unquoted value contains `: `, which begins a new key → put the whole value in quotes
    $ROOT/home/.codex/skills/off/.SKILL.md:2: warning: most YAML readers take `off` for a boolean → put it in quotes: `"off"`
    --- stderr
    3 of 5 valid, 1 with warnings
    --- exit 1
    "#);
}

#[test]
fn validate_of_nothing_is_not_found() {
    assert_snapshot!(Machine::new("").run("validate nowhere"), @"
    --- stderr
    error: `$ROOT/project/nowhere` does not exist
    hint: name a SKILL.md, a skill's folder, or a folder that holds skills
    --- exit 3
    ");
    assert_snapshot!(Machine::new("").run("validate"), @"
    --- stderr
    error: there is no SKILL.md in `$ROOT/project`
    hint: `metier new NAME` writes one
    --- exit 3
    ");
}

#[test]
fn an_empty_pattern_is_wrong_usage() {
    assert_snapshot!(Machine::new(TREE).run("list --include="), @"
    --- stderr
    error: an empty pattern matches nothing
    hint: write --include=NAME, or leave the flag out
    --- exit 2
    ");
}

#[test]
fn an_unknown_flag_is_wrong_usage() {
    assert_snapshot!(Machine::new(TREE).run("list --jsn"), @"
    --- stderr
    error: unexpected argument '--jsn' found

      tip: a similar argument exists: '--json'

    Usage: metier list --json

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
#[expect(clippy::too_many_lines, reason = "the help is that long")]
fn mcp_explains_each_of_its_flags() {
    assert_snapshot!(Machine::new("").run("mcp --help"), @"
    Show skills and servers to MCP clients

    Usage: metier mcp [OPTIONS]

    Options:
          --transport <HOW>
              How clients come

              Possible values:
              - stdio: One client, which starts this program
              - http:  Streamable HTTP at /mcp; legacy SSE clients are served too
              - sse:   Legacy SSE at /mcp
              
              [default: stdio]

          --host <HOST>
              The address to listen at (http and sse)
              
              [default: 127.0.0.1]

          --port <PORT>
              The port to listen at; 0 takes any that is free, and the log says which
              
              [default: 3000]

          --allow-host <NAME>
              A name by which clients call this machine, besides its addresses (repeatable)

          --token-file <FILE>
              The file with the token that HTTP clients must send (or METIER_TOKEN)

          --server-name <NAME>
              What the server calls itself
              
              [default: metier]

          --color <WHEN>
              When to use colours

              Possible values:
              - auto:   On a terminal, unless NO_COLOR is set
              - always
              - never

      -h, --help
              Print help (see a summary with '-h')

    What clients see:
          --tools <LIST>
              The tools to offer: skill, skills_list, skills_search, skills_read (comma-separated)

          --expose <WHICH>
              Which tools of other servers to list

              Possible values:
              - all:    Every tool
              - search: Three tools that find, describe and call the others
              - skills: Those that a loaded skill names in `allowed-tools`
              - auto:   `all` up to 40 tools, else `search`
              
              [default: auto]

          --no-servers
              Show skills only, and start no server

          --no-prompts
              Offer no prompts for skills

          --tool-names <HOW>
              The names of the tools: skills_list, or skills.list

              Possible values:
              - wire:      Letters, digits, `_` and `-`, as every model takes them
              - canonical: With dots
              
              [default: wire]

          --catalog-format <HOW>
              How the description of `skill` lists the skills

              Possible values:
              - xml:  `<available_skills>`, an element for each
              - list: A line for each
              
              [default: xml]

          --catalog-budget <N>
              How many characters that list may have; 0 for no bound
              
              [default: 60000]

          --match <HOW>
              Which words of a query a skill must have

              Possible values:
              - all:   Every word
              - any:   At least one word
              - fuzzy: At least one word, typing mistakes allowed
              
              [default: all]

    When to look again:
          --refresh-interval <MS>
              Look for changes every so many milliseconds, besides watching the folders
              
              [default: 30000]

          --no-refresh
              Look once, at start

    Logs, on stderr:
          --log-level <LEVEL>
              How much to say
              
              [default: info]
              [possible values: off, error, warn, info, debug, trace]

          --log-format <HOW>
              How to say it

              Possible values:
              - text
              - json: One JSON object a line
              
              [default: text]

    Which skills:
          --skill-dir <DIR>
              Look in this folder first (repeatable)

          --root <DIR>
              Look in this folder and nowhere else

          --no-default-dirs
              Look only in the folders named by --skill-dir and the configuration

          --no-plugins
              Leave out the skills of Claude Code plugins

          --include <PATTERNS>
              Show only what these patterns match: name, provider, plugin, provider:name, @project,
              @global, @custom, @plugins (comma-separated, `*` and `?`, repeatable)

          --exclude <PATTERNS>
              Leave out what these patterns match; wins over --include

          --config <FILE>
              Read this configuration file too (repeatable)

          --user-dir <DIR>
              Use this folder in place of your home

          --plugins-file <FILE>
              Use this file in place of ~/.claude/plugins/installed_plugins.json

          --plugins-root <DIR>
              Use this folder in place of ~/.claude/plugins

    Which servers:
          --trust-project
              Let the servers of this project's files start this time
    --- exit 0
    ");
}

#[test]
fn no_command_shows_the_help() {
    assert_snapshot!(Machine::new("").run(""), @"
    --- stderr
    Every agent skill and MCP server on this machine behind one command line

    Usage: metier [OPTIONS] <COMMAND>

    Commands:
      mcp          Show skills and servers to MCP clients [aliases: mcp-server, serve]
      list         List the skills that can be loaded [alias: ls]
      show         Show one skill: its SKILL.md and what belongs to it [alias: info]
      search       Find skills by words in their name, description or text
      validate     Check SKILL.md files against the Agent Skills specification
      new          Write a new skill that passes `validate`
      enable       Make disabled skills loadable again (`.SKILL.md` becomes `SKILL.md`)
      disable      Hide skills from every agent (`SKILL.md` becomes `.SKILL.md`)
      doctor       Say where skills were looked for, what is shadowed or broken, and how to mend it
      servers      Connect to the MCP servers, and show where each one stands
      tools        List the tools that the servers have
      call         Call a tool
      resources    List the resources that the servers have
      read         Print a resource
      pull         Fetch skills that servers have into a folder, verified file by file
      trust        Let the servers start that this project's files name
      add          Add an MCP server to your configuration
      remove       Remove an MCP server from your configuration [alias: rm]
      completions  Print a script that completes commands and skill names in your shell
      help         Print this message or the help of the given subcommand(s)

    Options:
          --color <WHEN>  When to use colours [possible values: auto, always, never]
      -h, --help          Print help (see more with '--help')
      -V, --version       Print version

    Exit codes: 0 done, 1 failed or problems found, 2 wrong usage, 3 not found or ambiguous,
    4 authentication needed, 5 the tool answered with an error, 130 interrupted.
    --- exit 2
    ");
}

#[test]
fn the_configuration_adds_folders_and_filters() {
    let machine = Machine::new(
        "//- team/skills/a/SKILL.md\nname: a | description: d\n\
         //- team/skills/b/SKILL.md\nname: b | description: d\n\
         //- project/.metier.json\n\
         // where the team keeps its skills\n\
         {\"skills\": {\"dirs\": [\"../${TEAM:-team}/skills\", \"${NONE}\", 7,], \"exclude\": [\"b\"]}}\n",
    );
    assert_snapshot!(machine.run("list"), @"
    custom · custom (1)
      a  d
    --- stderr

    1 skill
    warning: 2 problems: `metier doctor` explains them
    --- exit 0
    ");
    assert_snapshot!(machine.run("doctor"), @"
    Sources
      · $ROOT/team/skills: custom · custom, 2 skills
      · 44 more places: nothing there (--all names them)

    Problems
      ✗ $ROOT/project/.metier.json: line 2: a member of `skills.dirs` needs the variable `NONE`, which is not set
        edit the file
      ✗ $ROOT/project/.metier.json: line 2: a member of `skills.dirs` is not a string
        edit the file

    2 errors, 0 warnings
    --- exit 1
    ");
}

#[test]
fn a_configuration_file_that_was_named_must_be_there() {
    assert_snapshot!(Machine::new("").run("list --config nowhere.json"), @"
    --- stderr
    error: configuration file `$ROOT/project/nowhere.json`: cannot be read: there is no such file
    hint: check the path given with --config
    --- exit 3
    ");
}

#[test]
fn a_broken_configuration_file_costs_only_itself() {
    let machine = Machine::new(
        "//- project/skills/a/SKILL.md\nname: a | description: d\n\
         //- project/.metier.json\n{\"skills\": \n",
    );
    assert_snapshot!(machine.run("list"), @"
    agents · project (1)
      a  d
    --- stderr

    1 skill
    warning: 1 problem: `metier doctor` explains it
    --- exit 0
    ");
    assert_snapshot!(machine.run("doctor"), @"
    Sources
      · $ROOT/project/skills: agents · project, 1 skill
      · 43 more places: nothing there (--all names them)

    Problems
      ✗ $ROOT/project/.metier.json: line 2: Expected value after colon in object property
        edit the file

    1 error, 0 warnings
    --- exit 1
    ");
}

#[test]
fn colours_are_used_only_if_asked_for() {
    let machine = Machine::new("//- project/skills/a/SKILL.md\nname: a | description: d\n");
    assert!(!machine.run("list").contains('\u{1b}'));
    assert!(machine.run("list --color always").contains("\u{1b}[36ma\u{1b}[0m"));
    assert!(!machine.run("list --color never").contains('\u{1b}'));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let machine = Machine::new("");
    for number in 0..2_000 {
        let text = format!("name: skill-{number} | description: {}", "long ".repeat(50));
        super::support::tree::write(
            &machine.path(""),
            &format!("project/skills/{number}/SKILL.md"),
            &text,
        );
    }
    let mut child = machine
        .command("list")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_bad_pattern_in_a_configuration_file_costs_only_itself() {
    let machine = Machine::new(
        "//- project/skills/a/SKILL.md\nname: a | description: d\n\
         //- project/.metier.json\n{\"skills\": {\n\"exclude\": [\"@foo\", \"b\"],\n\"dir\": []}}\n",
    );
    assert_snapshot!(machine.run("doctor"), @"
    Sources
      · $ROOT/project/skills: agents · project, 1 skill
      · 43 more places: nothing there (--all names them)

    Problems
      ✗ $ROOT/project/.metier.json: line 3: `skills.dir` is not known
        edit the file
      ✗ $ROOT/project/.metier.json: line 2: `skills.exclude`: `@foo` is not a group: use @project, @global, @custom, @plugins or @plugins:<plugin>
        edit the file

    2 errors, 0 warnings
    --- exit 1
    ");
}

#[cfg(unix)]
#[test]
fn a_configuration_file_that_is_a_pipe_or_a_device_is_a_problem() {
    let machine = Machine::new("");
    std::os::unix::fs::symlink("/dev/zero", machine.path("project/.metier.json")).unwrap();
    let made =
        std::process::Command::new("mkfifo").arg(machine.path("project/.kode.json")).status();
    assert!(made.unwrap().success());
    assert_snapshot!(machine.run("doctor"), @"
    Sources
      · 44 more places: nothing there (--all names them)

    Problems
      ✗ $ROOT/project/.kode.json: not a regular file
        edit the file
      ✗ $ROOT/project/.metier.json: not a regular file
        edit the file

    2 errors, 0 warnings
    --- exit 1
    ");
}

#[test]
fn another_home_stands_in_everywhere() {
    let machine = Machine::new(
        "//- other/.config/agents/skills/a/SKILL.md\nname: a | description: d\n\
         //- other/.claude/skills/b/SKILL.md\nname: b | description: d\n\
         //- home/.claude/skills/c/SKILL.md\nname: c | description: d\n\
         //- real/skills/d/SKILL.md\nname: d | description: d\n",
    );
    let mut command = machine.command("list --json --user-dir ../other");
    for name in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
        command.env(name, machine.path("real"));
    }
    let list: serde_json::Value =
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let ids: Vec<&str> =
        list["skills"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b"]);
}

#[test]
fn in_the_home_folder_skills_are_global() {
    let machine = Machine::new("//- home/.claude/skills/a/SKILL.md\nname: a | description: d\n");
    let mut command = machine.command("list");
    let output = command.current_dir(machine.path("home")).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("claude · global (1)"));
}

#[test]
fn a_folder_that_a_flag_names_should_be_there() {
    assert_snapshot!(Machine::new("").run("list --root nowhere"), @"
    --- stderr
    warning: there is no folder `$ROOT/project/nowhere`
    no skills found
    hint: `metier doctor --all` says where they were looked for, `metier new` writes one
    --- exit 0
    ");
}

#[test]
fn doctor_names_every_place_if_asked() {
    let seen = Machine::new("").run("doctor --all");
    for place in ["$ROOT/project/.agents/skills", "~/.codex/skills", "~/.config/goose/skills"] {
        assert!(seen.contains(&format!("{place}: nothing there")), "{place}");
    }
}

#[test]
fn no_color_wins_over_a_wish_for_colour() {
    let machine = Machine::new("//- project/skills/a/SKILL.md\nname: a | description: d\n");
    let colored = |variable: &str| {
        let mut command = machine.command("list");
        let output = command.env("CLICOLOR_FORCE", "1").env(variable, "1").output().unwrap();
        String::from_utf8(output.stdout).unwrap().contains('\u{1b}')
    };
    assert!(colored("OTHER"));
    assert!(!colored("NO_COLOR"));
}

/// The ids that a command line lists.
fn listed(machine: &Machine, line: &str) -> Vec<String> {
    let list = machine.json(line);
    let skills = list["skills"].as_array().unwrap();
    skills.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn flags_choose_the_sources() {
    let machine = Machine::new(
        "//- project/skills/a/SKILL.md\nname: a | description: d\n\
         //- mine/b/SKILL.md\nname: b | description: d\n\
         //- team/c/SKILL.md\nname: c | description: d\n\
         //- project/.metier.json\n{\"skills\": {\"dirs\": [\"../team\"]}}\n\
         //- home/.claude/plugins/installed_plugins.json\n\
         {\"plugins\":{\"p@m\":[{\"scope\":\"user\",\"installPath\":\"$ROOT/p\"}]}}\n\
         //- p/skills/d/SKILL.md\nname: d | description: d\n",
    );
    let check = |flags: &str, expected: &[&str]| {
        assert_eq!(listed(&machine, &format!("list --json {flags}")), expected, "{flags}");
    };
    check("", &["c", "a", "p:d"]);
    check("--skill-dir ../mine", &["b", "c", "a", "p:d"]);
    check("--skill-dir ../mine --no-default-dirs", &["b", "c"]);
    check("--no-plugins", &["c", "a"]);
    check("--root ../mine", &["b"]);
}

#[test]
fn flags_choose_the_plugins() {
    let machine = Machine::new(
        "//- elsewhere/list.json\n\
         {\"plugins\":{\"p@m\":[{\"scope\":\"user\",\"installPath\":\"$ROOT/p\"}]}}\n\
         //- root/installed_plugins.json\n\
         {\"plugins\":{\"q@m\":[{\"scope\":\"user\",\"installPath\":\"cache/q\"}]}}\n\
         //- p/skills/d/SKILL.md\nname: d | description: d\n\
         //- root/cache/q/skills/e/SKILL.md\nname: e | description: d\n",
    );
    assert_eq!(listed(&machine, "list --json --plugins-file ../elsewhere/list.json"), ["p:d"]);
    assert_eq!(listed(&machine, "list --json --plugins-root ../root"), ["q:e"]);
    let mut command = machine.command("list");
    command.env("CLAUDE_CODE_PLUGIN_CACHE_DIR", machine.path("root"));
    assert!(String::from_utf8(command.output().unwrap().stdout).unwrap().contains("q:e"));
}
