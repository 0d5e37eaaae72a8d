//! Paths that can be kept, and paths that cannot.

use metier_upstreams::{Files, ServedSkill, SkillFile};
use serde_json::value::RawValue;

use super::{House, layout};

/// A skill of these files, written as the ends of their URIs.
fn skill(name: &str, files: &str) -> ServedSkill {
    let uri = |it: &str| format!("skill://x/{name}/{it}").into();
    let file = |it: &str| SkillFile { uri: uri(it), digest: [0; 32], size: 1 };
    ServedSkill {
        uri: uri("SKILL.md"),
        name: name.into(),
        description: "d".into(),
        frontmatter: RawValue::NULL.to_owned(),
        files: Files::Listed(files.split(' ').map(file).collect()),
        raw: RawValue::NULL.to_owned(),
    }
}

fn told(skill: &ServedSkill, house: House) -> String {
    match layout(skill, house) {
        Ok(places) => places.iter().map(|it| &*it.path).collect::<Vec<_>>().join(" "),
        Err(refusal) => format!("! {refusal}"),
    }
}

#[track_caller]
fn check(files: &str, expected: &str) {
    assert_eq!(told(&skill("pdf", files), House::Unix), expected, "{files}");
}

/// A file that cannot be kept; nothing is said of those that can.
#[track_caller]
fn check_odd(file: &str, house: House, reason: &str) {
    let expected = match reason {
        "" => "SKILL.md".to_owned() + " " + file,
        reason => format!("! its file `skill://x/pdf/{file}` cannot be kept: {reason}"),
    };
    assert_eq!(told(&skill("pdf", &format!("SKILL.md {file}")), house), expected);
}

#[test]
fn the_skill_file_comes_first_and_parts_are_decoded() {
    check("a/b.md SKILL.md Q%26A.md", "SKILL.md a/b.md Q&A.md");
}

#[test]
fn a_name_is_no_longer_than_a_disk_can_keep() {
    let name = "é".repeat(127);
    check_odd(&format!("a/{name}x/{name}"), House::Unix, "");
    let long = "a name in it is too long for most disks";
    check_odd(&format!("a/{name}xy"), House::Unix, long);
}

#[test]
fn a_path_stays_in_the_skill_however_it_is_written() {
    for odd in ["..", ".", "a/../b", "%2e%2e/b", "a//b", ""] {
        check_odd(odd, House::Unix, "it leads out of the skill");
    }
    for odd in ["a%2fb", "%FF"] {
        check_odd(odd, House::Unix, "it is no path");
    }
    check_odd("a%5Cb", House::Unix, "a part of it would be taken for several");
    for odd in ["a%00b", "a%0Ab", "%1b"] {
        check_odd(odd, House::Unix, "it has control characters");
    }
}

#[test]
fn a_name_that_does_not_show_all_of_itself_is_refused() {
    let unseen = "it has characters that nobody sees";
    for odd in ["a%E2%80%AEb", "a%E2%80%8Bb", "%EF%BB%BFa", "a/b%C2%AD.md"] {
        check_odd(odd, House::Unix, unseen);
    }
    let refused = format!("! its name cannot be kept: {unseen}");
    assert_eq!(told(&skill("a\u{3164}b", "SKILL.md"), House::Unix), refused);
}

#[test]
fn nothing_is_put_where_other_programs_keep_their_own() {
    for odd in [".git/config", ".GIT/config", "a/node_modules/x.js", ".metier/pulled.json"] {
        check_odd(odd, House::Unix, "agents skip folders of that name");
    }
    check_odd(".SKILL.md", House::Unix, "it is how a skill is switched off");
}

#[test]
fn what_windows_cannot_keep_is_refused_there_alone() {
    let forbidden = "Windows forbids one of its characters";
    let cases = [
        ("con", "Windows keeps that name for a device"),
        ("a/NUL.txt", "Windows keeps that name for a device"),
        ("com1", "Windows keeps that name for a device"),
        ("com0", ""),
        ("console", ""),
        ("a:b", forbidden),
        ("why?", forbidden),
        ("a.", "Windows forgets how it ends"),
    ];
    for (file, reason) in cases {
        check_odd(file, House::Windows, reason);
        check_odd(file, House::Unix, "");
    }
}

#[test]
fn files_that_are_one_on_some_machines_are_refused() {
    let same = |one: &str, other: &str| {
        format!("! its files `{one}` and `{other}` are the same on some machines")
    };
    check("SKILL.md a/B.md A/b.md", &same("a/B.md", "A/b.md"));
    check("SKILL.md skill.md", &same("SKILL.md", "skill.md"));
    check("SKILL.md a%2Eb a.b", &same("a.b", "a.b"));
    check("SKILL.md a a/b", &same("a", "a/b"));
    check("SKILL.md a/b/c A", &same("A", "a/b/c"));
}

#[test]
fn a_skill_that_agents_would_not_find_is_refused() {
    let refused = |reason: &str| format!("! its name cannot be kept: {reason}");
    let skipped = refused("agents skip folders of that name");
    assert_eq!(told(&skill("target", "SKILL.md"), House::Unix), skipped);
    let device = refused("Windows keeps that name for a device");
    assert_eq!(told(&skill("nul", "SKILL.md"), House::Windows), device);
    assert_eq!(told(&skill("nul", "SKILL.md"), House::Unix), "SKILL.md");
}

#[test]
fn files_that_nobody_can_verify_are_refused() {
    let dynamic = ServedSkill { files: Files::Dynamic, ..skill("pdf", "") };
    assert!(told(&dynamic, House::Unix).starts_with("! its server makes its files anew"));
}
