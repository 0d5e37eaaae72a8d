//! Where the head of a file begins and ends.

use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

use super::super::{Document, FrontmatterError, split};

#[track_caller]
fn check(text: &str, head: &str, body: &str) {
    let found = split(text).unwrap();
    assert_eq!((found.head, found.body), (head, body));
}

#[test]
fn the_head_stands_between_two_fences() {
    check("---\na: b\n---\nBody\n", "a: b\n", "Body\n");
    check("---\na: b\n---", "a: b\n", "");
    check("---\n---\nBody", "", "Body");
    check("---\r\na: b\r\n---\r\nBody\r\n", "a: b\r\n", "Body\r\n");
}

#[test]
fn blanks_around_the_fences_do_not_matter() {
    check("\u{feff}---\na: b\n---\nBody", "a: b\n", "Body");
    check("\n \t\n---  \na: b\n---\t \nBody", "a: b\n", "Body");
}

#[test]
fn the_second_fence_may_be_dots_or_glued_or_long() {
    check("---\na: b\n...\nBody", "a: b\n", "Body");
    check("---\na: b\n---# Title\n", "a: b\n", "# Title\n");
    check("---\na: b\n--- Title\n", "a: b\n", "Title\n");
    check("---\na: b\n-----\nBody", "a: b\n", "Body");
}

#[test]
fn a_fence_inside_a_value_or_the_body_is_text() {
    check(
        "---\na: b --- c\nd: |\n  ---\n  ...\n...more\n---\nx\n---\ny",
        "a: b --- c\nd: |\n  ---\n  ...\n...more\n",
        "x\n---\ny",
    );
}

#[test]
fn a_first_fence_written_twice_is_one() {
    check("---\n---\nname: pdf\n---\nBody", "name: pdf\n", "Body");
    check("---\n---\nBody\n---\n", "", "Body\n---\n");
}

#[test]
fn the_head_knows_its_line() {
    assert_eq!(split("---\na: b\n---\n").unwrap().head_line, 2);
    assert_eq!(split("\n\r\n---\na: b\n---\n").unwrap().head_line, 4);
    assert_eq!(split("---\n---\na: b\n---\n").unwrap().head_line, 3);
}

#[test]
fn a_file_without_a_head_says_why() {
    for text in ["", "\n\n", "# Title\n", "a\n---\nb: c\n---\n", "----\na: b\n---\n", " ---\n---\n"]
    {
        assert_eq!(split(text), Err(FrontmatterError::Absent), "{text:?}");
    }
    assert_eq!(split("---"), Err(FrontmatterError::Unclosed { line: 1 }));
    assert_eq!(split("\n---\na: b\n ---\n"), Err(FrontmatterError::Unclosed { line: 2 }));
}

#[test]
fn a_head_has_a_longest_length() {
    let text = |length: usize| format!("---\n{}\n---\n", "x".repeat(length - 1));
    assert!(split(&text(65_536)).is_ok());
    let error = FrontmatterError::TooLong { length: 65_537, most: 65_536 };
    assert_eq!(split(&text(65_537)), Err(error));
}

/// Any text, but with a fair share of what matters to a split.
const TEXT: &str = "(\u{feff}?[ \n\r]{0,3})?(---|\n|\r\n| |\\.\\.\\.|a: b|#|\t|\\PC{0,3}){0,12}";

proptest! {
    #![proptest_config(crate::tests::cases(256))]

    #[test]
    fn a_split_loses_no_byte(text in TEXT, tail in any::<String>()) {
        let text = text + &tail;
        if let Ok(Document { head, body, head_line }) = split(&text) {
            let start = head.as_ptr() as usize - text.as_ptr() as usize;
            let (above, rest) = text.split_at(start);
            let below = rest.strip_prefix(head).and_then(|it| it.strip_suffix(body)).unwrap();
            prop_assert_eq!(&format!("{above}{head}{below}{body}"), &text);
            prop_assert!(above.contains("---") && below.starts_with(['-', '.']));
            let fence = |c: char| c.is_whitespace() || matches!(c, '-' | '.' | '\u{feff}');
            prop_assert!(above.chars().all(fence) && below.chars().all(fence));
            prop_assert_eq!(above.lines().count() + 1, head_line);
        }
    }
}
