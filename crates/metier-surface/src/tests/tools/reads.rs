//! `skills_read`: the files of a skill.

use serde_json::{Value, json};

use super::fixture::{Machine, TREE, text};
use crate::Tool;

fn read(machine: &Machine, path: &str) -> Value {
    machine.call(Tool::Read, &json!({"name": "pdf", "path": path}).to_string())
}

#[track_caller]
fn check(path: &str, expected: &str) {
    assert_eq!(text(&read(&Machine::new(TREE), path)), expected, "{path}");
}

#[test]
fn a_text_file_is_read_as_it_is() {
    check("docs/forms.md", "Fill them.\n");
    check("./docs/forms.md", "Fill them.\n");
    check("SKILL.md", "---\nname: pdf\ndescription: Reads PDF files\n---\n\nBody.\n");
}

#[test]
fn a_text_is_told_once() {
    let result = read(&Machine::new(TREE), "docs/forms.md");
    assert_eq!(result, json!({"content": [{"type": "text", "text": "Fill them.\n"}]}));
}

#[test]
fn other_files_come_as_base64_with_their_type() {
    let machine = Machine::new(TREE);
    std::fs::write(machine.path("custom/pdf/a b%.PNG"), b"\x89PNG\xff").unwrap();
    let resource = json!({
        "uri": "file://$ROOT/custom/pdf/a%20b%25.PNG", "mimeType": "image/png", "blob": "iVBOR/8=",
    });
    let expected = json!({"content": [{"type": "resource", "resource": resource}]});
    assert_eq!(read(&machine, "a b%.PNG"), expected);
}

#[test]
fn without_a_path_all_files_are_listed() {
    let result = Machine::new(TREE).call(Tool::Read, r#"{"name":"PDF"}"#);
    assert_eq!(
        text(&result),
        "Files of skill 'pdf' in $ROOT/custom/pdf\n- SKILL.md (54 bytes, text/markdown)\n\
         - docs/forms.md (11 bytes, text/markdown)\n- logo.png (2 bytes, image/png)"
    );
}

#[test]
fn a_path_that_leads_out_is_refused() {
    for path in ["../review/SKILL.md", "/etc/passwd", "docs/../../x"] {
        check(
            path,
            &format!(
                "!File '{path}' of skill 'pdf': leads out of the skill's folder. \
                 Give a path below the skill's base directory."
            ),
        );
    }
}

#[test]
fn a_missing_file_gets_similar_paths() {
    check(
        "forms.md",
        "!File 'forms.md' of skill 'pdf': there is no such file. Did you mean 'docs/forms.md'?",
    );
    check(
        "a\0\u{1b}b",
        "!File 'ab' of skill 'pdf': there is no such file. Leave `path` out to list all files.",
    );
}

#[test]
fn a_skill_that_is_not_there_is_told_as_by_loading() {
    let machine = Machine::new(TREE);
    let read = machine.call(Tool::Read, r#"{"name":"pfd","path":"x"}"#);
    assert_eq!(read, machine.call(Tool::Skill, r#"{"name":"pfd"}"#));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_never_waited_for() {
    let machine = Machine::new(TREE);
    super::fixture::make_pipe(&machine.path("custom/pdf/pipe"));
    let answer = text(&read(&machine, "pipe"));
    assert_eq!(answer, "!File 'pipe' of skill 'pdf': not a regular file.");
}
