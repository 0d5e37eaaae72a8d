//! Texts of others, made fit for a line: nothing steers, hides or runs on.

use std::{borrow::Cow, fmt};

use metier_skills::is_hidden;

/// A text on one line, cut after so many characters.
pub(crate) struct Line<'a>(pub(crate) &'a str, pub(crate) usize);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = one_line(self.0);
        match text.char_indices().nth(self.1) {
            Some((end, _)) => write!(f, "{}…", text[..end].trim_end()),
            None => f.write_str(&text),
        }
    }
}

/// A path or a name as it is, but for characters that steer or hide: they become `�`.
pub(crate) struct Visible<'a>(pub(crate) &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = self.0.split(is_hidden);
        f.write_str(parts.next().unwrap_or_default())?;
        parts.try_for_each(|part| write!(f, "\u{fffd}{part}"))
    }
}

/// The text with single spaces for all white space, and without hidden characters.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            space if space.is_whitespace() => {
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            hidden if is_hidden(hidden) => {}
            other => line.push(other),
        }
    }
    line.truncate(line.trim_end().len());
    Cow::Owned(line)
}

/// The text with everything escaped that XML would take for markup.
pub(crate) fn escaped(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>']) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// Whether a text is already one line: most are, and need no copy.
fn is_plain(text: &str) -> bool {
    let mut last = b' ';
    let all = text.bytes().all(|byte| {
        let good = matches!(byte, b'!'..=b'~') || (byte == b' ' && last != b' ');
        last = byte;
        good
    });
    all && (last != b' ' || text.is_empty())
}
