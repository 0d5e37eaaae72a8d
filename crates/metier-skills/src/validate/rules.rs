//! What the specification demands of the fields.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::Finding;
use super::strict::{Entry, Node, Reading, Text, Value};

/// The fields that the specification knows.
const FIELDS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Fields that Claude Code reads beyond the specification.
const CLAUDE_FIELDS: [&str; 14] = [
    "when_to_use",
    "argument-hint",
    "arguments",
    "disable-model-invocation",
    "user-invocable",
    "disallowed-tools",
    "model",
    "effort",
    "context",
    "agent",
    "background",
    "hooks",
    "paths",
    "shell",
];

const DESCRIPTION_FIX: &str = "write `description:` with what the skill does and when to use it";

const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_COMPATIBILITY: usize = 500;

/// Finds what the fields lack or have too much of.
pub(super) fn judge(reading: &Reading, folder: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        reading.entries.iter().flat_map(|entry| field(entry, folder)).collect();
    // A head that could not be read to its end may hold the field where nobody looked.
    if reading.faults.is_empty() {
        let absent = |key: &str| !reading.entries.iter().any(|entry| entry.key == key);
        findings.extend(missing(folder).into_iter().filter(|(key, _)| absent(key)).map(|it| it.1));
    }
    findings
}

/// Whether a skill may have this name.
#[must_use]
pub fn is_valid_name(name: &str) -> bool {
    !name.is_empty() && plain_name(name) == name && flaws(name).is_empty()
}

/// The nearest name that a skill may have.
#[must_use]
pub fn suggested_name(text: &str) -> Option<String> {
    let lowered: String = text.nfkc().collect::<String>().to_lowercase();
    let words: Vec<&str> =
        lowered.split(|ch| ch == '-' || !is_name_char(ch)).filter(|it| !it.is_empty()).collect();
    let name: String = words.join("-").chars().take(LONGEST_NAME).collect();
    let name = name.trim_end_matches('-');
    (!name.is_empty()).then(|| name.to_owned())
}

/// The name as the specification compares it: trimmed, in compatibility form.
pub(super) fn plain_name(text: &str) -> String {
    text.trim_matches(is_space).nfkc().collect()
}

/// White space as the published validator trims it.
pub(super) fn is_space(ch: char) -> bool {
    ch.is_whitespace() || matches!(ch, '\x1c'..='\x1f')
}

fn missing(folder: &str) -> [(&'static str, Finding); 2] {
    [("name", name_fix(folder)), ("description", DESCRIPTION_FIX.to_owned())]
        .map(|(key, fix)| (key, Finding::error(format!("`{key}` is missing"), fix).of(key).on(1)))
}

fn name_fix(folder: &str) -> String {
    format!("write `name: {}`", suggested_name(folder).as_deref().unwrap_or("my-skill"))
}

fn field(entry: &Entry, folder: &str) -> Vec<Finding> {
    let findings = match (entry.key.as_str(), &entry.node.value) {
        (key, _) if !FIELDS.contains(&key) => vec![unknown(key)],
        (_, Value::Broken) => Vec::new(),
        ("name", Value::Text(text)) if filled(text) => name(&text.text, folder),
        ("name", Value::Text(_)) => vec![empty("name", name_fix(folder))],
        ("description", Value::Text(text)) if filled(text) => {
            Vec::from_iter(too_long("description", &text.text, LONGEST_DESCRIPTION))
        }
        ("description", Value::Text(_)) => vec![empty("description", DESCRIPTION_FIX)],
        ("compatibility", Value::Text(text)) => {
            Vec::from_iter(too_long("compatibility", &text.text, LONGEST_COMPATIBILITY))
        }
        ("license" | "allowed-tools", Value::Text(_)) => Vec::new(),
        ("allowed-tools", Value::List(items)) => Vec::from_iter(tools(items)),
        ("metadata", Value::Map(entries)) => return entries.iter().filter_map(note).collect(),
        ("metadata", Value::Text(text)) if !filled(text) => Vec::new(),
        ("metadata", _) => vec![Finding::error(
            "`metadata` is not a map of texts",
            "write it as indented `key: value` lines",
        )],
        (key, _) => vec![not_a_text(key)],
    };
    findings.into_iter().map(|it| it.of(entry.key.clone()).on(entry.line)).collect()
}

fn filled(text: &Text) -> bool {
    !text.text.chars().all(is_space)
}

fn empty(key: &str, fix: impl Into<String>) -> Finding {
    Finding::error(format!("`{key}` is empty"), fix)
}

fn not_a_text(key: &str) -> Finding {
    Finding::error(format!("`{key}` is not a text"), format!("write `{key}:` and one text"))
}

fn too_long(key: &str, text: &str, longest: usize) -> Option<Finding> {
    let length = text.chars().count();
    let over = length.checked_sub(longest).filter(|over| *over > 0)?;
    let message = format!("`{key}` has {length} characters, and {longest} are allowed");
    Some(Finding::error(message, format!("shorten it by {over}")))
}

fn note(entry: &Entry) -> Option<Finding> {
    let key = format!("metadata.{}", entry.key);
    let Value::Text(_) = entry.node.value else {
        let message = format!("`{key}` is not a text, and `metadata` maps texts to texts");
        let finding = Finding::error(message, "write it as one text, in quotes if need be");
        return Some(finding.of(key).on(entry.line));
    };
    None
}

fn tools(items: &[Node]) -> Option<Finding> {
    let texts = items.iter().all(|item| matches!(item.value, Value::Text(_)));
    (!texts).then(|| not_a_text("allowed-tools"))
}

fn unknown(key: &str) -> Finding {
    let fix = match FIELDS.iter().find(|field| is_typo(key, field)) {
        Some(field) => format!("rename it to `{field}`"),
        None if CLAUDE_FIELDS.contains(&key) => {
            "keep it if only Claude Code is to read the skill, else remove it".to_owned()
        }
        None => "move it below `metadata:`, or remove it".to_owned(),
    };
    Finding::error(format!("`{key}` is not a field of the specification"), fix)
}

/// Whether a key is a field but for its case, an underscore or one letter in four.
fn is_typo(key: &str, field: &str) -> bool {
    let key = key.to_lowercase().replace('_', "-");
    strsim::osa_distance(field, &key) <= field.len() / 4
}

fn name(text: &str, folder: &str) -> Vec<Finding> {
    let name = plain_name(text);
    let same = folder.nfkc().eq(name.chars());
    let flaws = flaws(&name);
    let advised = suggested_name(&name);
    let mut findings = Vec::new();
    if !flaws.is_empty() {
        let fix = match &advised {
            Some(advised) => format!("set `name: {advised}`"),
            None => "use lowercase letters, digits and single hyphens".to_owned(),
        };
        let message = format!("the name {}: `skills/list` leaves it out", flaws.join(" and "));
        findings.push(Finding::error(message, fix));
    }
    // One remedy for both ills: a name that only lost its shape needs no second finding.
    if !same && (flaws.is_empty() || advised.as_deref() != Some(folder)) {
        let name = clipped(&name);
        let message = format!("the name is `{name}`, but the folder is called `{folder}`");
        findings.push(Finding::error(message, match_fix(advised.as_deref(), folder)));
    }
    findings
}

/// Everything that is wrong with the shape of a name.
fn flaws(name: &str) -> Vec<String> {
    let length = name.chars().count();
    let odd = name.chars().find(|ch| !is_name_char(*ch));
    let rules = [
        (length > LONGEST_NAME).then(|| format!("has {length} characters, and 64 are allowed")),
        (name != name.to_lowercase()).then(|| format!("`{}` is not lowercase", clipped(name))),
        (name.starts_with('-') || name.ends_with('-'))
            .then(|| "begins or ends with a hyphen".to_owned()),
        name.contains("--").then(|| "has two hyphens in a row".to_owned()),
        odd.map(|ch| format!("contains `{}`", ch.escape_debug())),
    ];
    rules.into_iter().flatten().collect()
}

/// The beginning of a name that is too long to be shown.
fn clipped(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]).into(),
        None => name.into(),
    }
}

fn match_fix(advised: Option<&str>, folder: &str) -> String {
    let rename = advised.map(|name| format!("rename the folder to `{name}`"));
    let set = flaws(folder).is_empty().then(|| format!("set `name: {folder}`"));
    match (rename, set) {
        (Some(rename), Some(set)) => format!("{rename} or {set}"),
        (Some(fix), None) | (None, Some(fix)) => fix,
        (None, None) => "give both one name of lowercase letters, digits and hyphens".to_owned(),
    }
}

/// Letters and digits of any script, and the hyphen, as the published validator sees them.
fn is_name_char(ch: char) -> bool {
    // Rust counts vowel signs and boxed letters as alphabetic; the validator does not.
    let boxed = matches!(ch, '\u{1f150}'..='\u{1f189}');
    ch == '-' || (ch.is_alphanumeric() && !is_combining_mark(ch) && !boxed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{flaws, plain_name, suggested_name};

    proptest! {
        #![proptest_config(crate::tests::cases(256))]

        #[test]
        fn the_advised_name_is_always_valid(text in "\\PC{0,80}") {
            if let Some(name) = suggested_name(&text) {
                prop_assert_eq!(flaws(&plain_name(&name)), Vec::<String>::new());
            }
        }
    }
}
