//! What is kept of stderr.

use super::{KEPT, LONGEST_LINE, Stderr};

/// Takes in pieces and says what is kept.
fn kept(pieces: &[&str]) -> String {
    let stderr = Stderr::default();
    pieces.iter().for_each(|piece| stderr.take(piece.as_bytes()));
    stderr.text()
}

#[test]
fn lines_are_kept_as_they_were_written() {
    assert_eq!(kept(&["a\nb", "c\n\x1b[31md\r\n", "unfinished"]), "a\nbc\n\x1b[31md\r\nunfinished");
}

#[test]
fn a_line_that_is_too_long_is_cut_and_the_next_is_whole() {
    let long = "x".repeat(LONGEST_LINE);
    assert_eq!(kept(&[&long, "y", "y\nnext\n"]), format!("{long}\nnext\n"));
}

#[test]
fn the_oldest_lines_make_room_for_the_newest() {
    let lines: Vec<String> = (0..10_000).map(|n| format!("line {n:05}\n")).collect();
    let pieces: Vec<&str> = lines.iter().map(String::as_str).collect();
    let n_kept = KEPT / "line 00000\n".len();
    assert_eq!(kept(&pieces), lines[lines.len() - n_kept..].concat());
    assert_eq!(kept(&[&lines.concat()]), lines[lines.len() - n_kept..].concat());
}

#[test]
fn exactly_as_much_as_there_is_room_for_stays() {
    let line = format!("{}\n", "x".repeat(1023));
    assert_eq!(kept(&[&line.repeat(64)]).len(), KEPT);
    assert_eq!(kept(&[&line.repeat(64), "y"]).len(), KEPT - 1024 + 1);
}

#[test]
fn the_last_line_is_the_last_that_says_something() {
    let stderr = Stderr::default();
    assert_eq!(stderr.last_line(), None);
    stderr.take(b"first\n  second\r\n\n \n");
    assert_eq!(stderr.last_line(), Some("second".to_owned()));
}
