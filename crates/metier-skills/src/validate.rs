//! Judges one SKILL.md by the Agent Skills specification: text in, findings out.
//!
//! Errors agree with the published validator (`skills-ref`) on what is valid, except where it
//! accepts what the written specification forbids; the tests name each such case. Warnings tell
//! what other agents refuse or lose, and what a person should look at before trusting the skill.

mod fence;
mod habits;
mod hidden;
mod lure;
mod rules;
mod strict;

use std::borrow::Cow;

use self::{
    fence::Parts,
    strict::{Entry, Fault},
};
pub use rules::{is_valid_name, suggested_name};

/// How much a finding weighs: a skill is valid if none is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The specification forbids it.
    Error,
    /// The specification allows it, but some agent or some person would mind.
    Warning,
}

/// One thing found in a SKILL.md, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether it makes the skill invalid.
    pub level: Level,
    /// The line it is on, from 1.
    pub line: Option<usize>,
    /// The field it is about, as `name` or `metadata.version`.
    pub field: Option<String>,
    /// What is wrong.
    pub message: String,
    /// The next thing to do.
    pub fix: String,
}

/// Judges one SKILL.md by the Agent Skills specification.
///
/// `folder` and `file` are the bare names of the skill's folder and of the file.
#[must_use]
pub fn validate(folder: &str, file: &str, bytes: &[u8]) -> Vec<Finding> {
    let mut findings = Vec::from_iter(spelling(file));
    match str::from_utf8(bytes) {
        Ok(text) => findings.extend(judge(folder, &unix(text))),
        Err(error) => findings.push(not_utf8(&bytes[..error.valid_up_to()])),
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

impl Finding {
    fn new(level: Level, message: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding { level, line: None, field: None, message: message.into(), fix: fix.into() }
    }

    fn error(message: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding::new(Level::Error, message, fix)
    }

    pub(crate) fn warning(message: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding::new(Level::Warning, message, fix)
    }

    fn on(mut self, line: usize) -> Finding {
        self.line = Some(line);
        self
    }

    fn of(mut self, field: impl Into<String>) -> Finding {
        self.field = Some(field.into());
        self
    }
}

fn judge(folder: &str, text: &str) -> Vec<Finding> {
    let (parts, mut findings) = fence::part(text);
    let mut entries = Vec::new();
    if let Some(parts) = &parts {
        let reading = strict::read(parts.head, parts.head_line);
        findings.extend(rules::judge(&reading, folder));
        findings.extend(early_cut(parts, folder));
        findings.extend(habits::judge(&reading, parts));
        findings.extend(reading.faults.iter().map(|fault| refused(fault, &reading.entries)));
        entries = reading.entries;
    }
    let odd = hidden::judge(text).into_iter().chain(lure::judge(text));
    let body_line = parts.map_or(1, |parts| parts.body_line);
    findings.extend(odd.map(|finding| with_owner(finding, &entries, body_line)));
    findings
}

/// Says what readers see that end the frontmatter at its first `---`, wherever that stands.
fn early_cut(parts: &Parts<'_>, folder: &str) -> Option<Finding> {
    let cut = parts.early_cut?;
    let head = &parts.head[..cut];
    let reading = strict::read(head, parts.head_line);
    let broken = !reading.faults.is_empty()
        || rules::judge(&reading, folder).iter().any(|finding| finding.level == Level::Error);
    let level = if broken { Level::Error } else { Level::Warning };
    let message = "`---` inside the frontmatter ends it for `skills-ref` and goose";
    let finding = Finding::new(level, message, "write a dash (`–` or `—`) instead of `---`");
    Some(finding.on(parts.head_line + head.matches('\n').count()))
}

fn refused(fault: &Fault, entries: &[Entry]) -> Finding {
    let finding = Finding::error(fault.what.message(), fault.what.fix()).on(fault.line);
    with_owner(finding, entries, usize::MAX)
}

/// Names the field whose lines a finding is on, if it is on one before `body_line`.
fn with_owner(finding: Finding, entries: &[Entry], body_line: usize) -> Finding {
    let line = finding.line.filter(|line| *line < body_line).unwrap_or_default();
    match entries.iter().rev().find(|entry| entry.line <= line) {
        Some(entry) => finding.of(entry.key.clone()),
        None => finding,
    }
}

/// The published validator knows two spellings, other agents only the first.
fn spelling(file: &str) -> Option<Finding> {
    let level = match file {
        "SKILL.md" => return None,
        "skill.md" => Level::Warning,
        _ => Level::Error,
    };
    let message = format!("the file is called `{file}`, and agents look for `SKILL.md`");
    Some(Finding::new(level, message, "rename it to `SKILL.md`"))
}

fn not_utf8(good: &[u8]) -> Finding {
    let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
    let message = format!("byte {} is not UTF-8", good.len() + 1);
    Finding::error(message, "save the file as UTF-8").on(line)
}

/// Makes every line end a line feed, as readers of the format do.
fn unix(text: &str) -> Cow<'_, str> {
    match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n").into(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests;
