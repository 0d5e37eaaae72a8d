//! Parts a SKILL.md at its `---` fences, strictly.

use super::Finding;

/// A file with a head and a body.
pub(super) struct Parts<'a> {
    pub(super) head: &'a str,
    pub(super) head_line: usize,
    pub(super) body: &'a str,
    pub(super) body_line: usize,
    /// Where in the head a `---` stands that is not the closing fence.
    pub(super) early_cut: Option<usize>,
}

/// Parts a text whose line ends are line feeds.
pub(super) fn part(text: &str) -> (Option<Parts<'_>>, Vec<Finding>) {
    let mut findings = Vec::new();
    let rest = begun(text, &mut findings);
    let line = 1 + text[..text.len() - rest.len()].matches('\n').count();
    let parts =
        opened(rest, line, &mut findings).and_then(|below| closed(below, line + 1, &mut findings));
    (parts, findings)
}

/// What is left behind a byte order mark and empty lines.
fn begun<'a>(text: &'a str, findings: &mut Vec<Finding>) -> &'a str {
    let mut before = |what, fix| {
        let message = format!("{what} before the opening `---`");
        findings.push(Finding::error(message, fix).on(1));
    };
    let marked = text.strip_prefix('\u{feff}');
    if marked.is_some() {
        before("a byte order mark stands", "save the file as UTF-8 without it");
    }
    let rest = marked.unwrap_or(text);
    let trimmed = rest.trim_start();
    if trimmed.len() == rest.len() || !trimmed.starts_with("---") {
        return rest;
    }
    before("white space stands", "begin the file with `---`");
    trimmed
}

/// What stands below the opening fence, which is on `line`.
fn opened<'a>(text: &'a str, line: usize, findings: &mut Vec<Finding>) -> Option<&'a str> {
    let (first, below) = text.split_once('\n').unwrap_or((text, ""));
    let finding = match first.strip_prefix("---") {
        Some("") => return Some(below),
        Some(more) if more.trim_matches(' ').is_empty() => {
            findings.push(padded("opening").on(line));
            return Some(below);
        }
        Some(_) => Finding::error(
            "something follows the opening `---` on its line",
            "let `---` stand alone on the first line",
        ),
        None => Finding::error(
            "the file does not begin with frontmatter",
            "begin it with a line `---`, then `name:` and `description:`, then a line `---`",
        ),
    };
    findings.push(finding.on(line));
    None
}

/// Parts what stands below the opening fence at the closing one.
fn closed<'a>(below: &'a str, line: usize, findings: &mut Vec<Finding>) -> Option<Parts<'a>> {
    let mut at = 0;
    for (fence_line, text) in (line..).zip(below.split_inclusive('\n')) {
        let Some(more) = text.strip_prefix("---") else {
            at += text.len();
            continue;
        };
        let (body, warning) = match more.trim_end_matches('\n') {
            "" => (at + text.len(), None),
            more if more.trim().is_empty() => (at + text.len(), Some(padded("closing"))),
            _ => (at + 3, Some(glued())),
        };
        findings.extend(warning.map(|finding| finding.on(fence_line)));
        return Some(Parts {
            head: &below[..at],
            head_line: line,
            body: &below[body..],
            body_line: fence_line + 1,
            early_cut: below[..at].find("---"),
        });
    }
    findings.push(unclosed(below).on(line - 1));
    None
}

fn unclosed(below: &str) -> Finding {
    match below.lines().any(|line| line.trim_end() == "...") {
        true => {
            Finding::error("the frontmatter is closed with `...`", "close it with a line `---`")
        }
        false => Finding::error(
            "the frontmatter is not closed",
            "put a line `---` between the fields and the instructions",
        ),
    }
}

fn padded(which: &str) -> Finding {
    Finding::warning(
        format!("white space follows the {which} `---`, and some agents then see no frontmatter"),
        "let `---` end its line",
    )
}

fn glued() -> Finding {
    Finding::warning(
        "text follows the closing `---` on its line, and some agents then see no end",
        "begin the instructions on a line of their own",
    )
}
