//! What the specification allows and other agents refuse, cut or misread.

use serde::de::IgnoredAny;

use super::Finding;
use super::fence::Parts;
use super::rules::{is_space, plain_name};
use super::strict::{Entry, Reading, Style, Text, Value};

const MOST_LINES: usize = 500;
const MOST_TOKENS: usize = 5000;

/// How many bytes of prose make a token, roughly and in any language.
const BYTES_PER_TOKEN: usize = 4;

/// How long a word may be that is taken for a number or a date.
const LONGEST_WORD: usize = 64;

/// Words that Anthropic's own platforms refuse in a name.
const RESERVED: [&str; 2] = ["anthropic", "claude"];

/// Keys below `metadata` that the MCP skills extension keeps for itself.
const RESERVED_PREFIX: &str = "io.modelcontextprotocol/";

/// Finds what a careful author would change before publishing.
pub(super) fn judge(reading: &Reading, parts: &Parts<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = reading.entries.iter().flat_map(field).collect();
    if reading.faults.is_empty() {
        findings.extend(not_yaml_1_2(parts));
    }
    findings.extend(body(parts));
    findings
}

fn field(entry: &Entry) -> Vec<Finding> {
    let key = entry.key.as_str();
    let findings: Vec<Finding> = match (key, &entry.node.value) {
        ("name", Value::Text(text)) => {
            let shared = [not_a_text_elsewhere(text), comment(text)];
            shared.into_iter().chain(name(text)).flatten().collect()
        }
        ("description", Value::Text(text)) => {
            let own = [angle_brackets(text), several_lines(text, entry.line)];
            own.into_iter().chain([not_a_text_elsewhere(text), comment(text)]).flatten().collect()
        }
        ("license" | "compatibility", Value::Text(text)) => {
            [empty(text), not_a_text_elsewhere(text)].into_iter().flatten().collect()
        }
        ("allowed-tools", Value::Text(text)) => {
            [empty(text), commas(text)].into_iter().flatten().collect()
        }
        ("allowed-tools", Value::List(_)) => vec![Finding::warning(
            "`allowed-tools` is a list, and the specification wants one text",
            "write the tools on one line, parted by spaces",
        )],
        ("metadata", Value::Text(text)) => Vec::from_iter(empty(text)),
        ("metadata", Value::Map(entries)) => return entries.iter().flat_map(note).collect(),
        _ => Vec::new(),
    };
    findings.into_iter().map(|finding| finding.of(key).on(entry.line)).collect()
}

fn name(text: &Text) -> [Option<Finding>; 2] {
    let name = plain_name(&text.text);
    let foreign = name.chars().find(|ch| !ch.is_ascii()).map(|ch| {
        let ch = ch.escape_debug();
        let message = format!("the name contains `{ch}`, which Anthropic's validator refuses");
        Finding::warning(message, "choose a name of `a-z`, `0-9` and `-`")
    });
    let reserved = RESERVED.iter().find(|word| name.contains(*word)).map(|word| {
        let message = format!("the name contains `{word}`, which Anthropic's platforms reserve");
        Finding::warning(message, format!("leave `{word}` out of the name"))
    });
    [foreign, reserved]
}

fn note(entry: &Entry) -> Vec<Finding> {
    let Value::Text(text) = &entry.node.value else { return Vec::new() };
    let reserved = entry.key.starts_with(RESERVED_PREFIX).then(|| {
        let message = format!("keys below `{RESERVED_PREFIX}` belong to the MCP skills extension");
        Finding::warning(message, "use a prefix of your own")
    });
    let findings = [not_a_text_elsewhere(text), reserved].into_iter().flatten();
    findings.map(|it| it.of(format!("metadata.{}", entry.key)).on(entry.line)).collect()
}

fn angle_brackets(text: &Text) -> Option<Finding> {
    let bracket = text.text.chars().find(|ch| matches!(ch, '<' | '>'))?;
    let message =
        format!("the description contains `{bracket}`, which Anthropic's validator refuses");
    Some(Finding::warning(message, "say it without angle brackets"))
}

fn several_lines(text: &Text, line: usize) -> Option<Finding> {
    (text.style == Style::Block || text.last_line > line).then(|| {
        Finding::warning(
            "the description spans several lines, and agents that read line by line cut it",
            "write it on the line of its key",
        )
    })
}

fn comment(text: &Text) -> Option<Finding> {
    text.comment.then(|| {
        Finding::warning(
            "a ` #` begins a comment, so what follows is lost",
            "put the value in quotes, or remove the comment",
        )
    })
}

fn empty(text: &Text) -> Option<Finding> {
    let blank = text.text.chars().all(is_space);
    blank.then(|| Finding::warning("the field is empty", "fill it or remove it"))
}

fn commas(text: &Text) -> Option<Finding> {
    let mut depth = 0;
    let comma = text.text.chars().any(|ch| {
        depth += i32::from(ch == '(') - i32::from(ch == ')');
        ch == ',' && depth <= 0
    });
    comma.then(|| {
        Finding::warning(
            "commas part the tools, and the specification parts them by spaces",
            "leave out the commas",
        )
    })
}

fn not_a_text_elsewhere(text: &Text) -> Option<Finding> {
    let word = &text.text;
    let plain = text.style == Style::Plain && word.len() <= LONGEST_WORD;
    let kind = plain.then(|| kind(word)).flatten()?;
    let message = format!("most YAML readers take `{word}` for {kind}");
    Some(Finding::warning(message, format!("put it in quotes: `\"{word}\"`")))
}

/// What an unquoted word is to YAML 1.1 or 1.2, if not a text.
fn kind(word: &str) -> Option<&'static str> {
    let lower = word.to_ascii_lowercase();
    let digits = |text: &str| !text.is_empty() && text.chars().all(|ch| ch.is_ascii_hexdigit());
    let number = lower
        .trim_start_matches(['+', '-'])
        .starts_with(|ch: char| ch == '.' || ch.is_ascii_digit());
    match lower.as_str() {
        "true" | "false" | "yes" | "no" | "on" | "off" => Some("a boolean"),
        "null" | "~" => Some("nothing"),
        _ if number && lower.replace('_', "").parse::<f64>().is_ok() => Some("a number"),
        _ if lower.strip_prefix("0x").is_some_and(digits) => Some("a number"),
        _ if is_date(&lower) => Some("a date"),
        _ => None,
    }
}

fn is_date(word: &str) -> bool {
    let shape: String =
        word.chars().map(|ch| if ch.is_ascii_digit() { '0' } else { ch }).take(10).collect();
    shape == "0000-00-00" && word[10..].starts_with(['t', ' ']) | (word.len() == 10)
}

/// What the strict dialect reads and YAML 1.2 does not.
fn not_yaml_1_2(parts: &Parts<'_>) -> Option<Finding> {
    let error = serde_saphyr::from_str::<IgnoredAny>(parts.head).err()?;
    let below = error.location().map_or(1, |place| place.line());
    let line = parts.head_line + usize::try_from(below).unwrap_or(1).saturating_sub(1);
    let finding = Finding::warning(
        "YAML 1.2 readers refuse this, though the published validator reads it",
        "put the value in quotes and on one line",
    );
    Some(finding.on(line))
}

fn body(parts: &Parts<'_>) -> Vec<Finding> {
    let lines = parts.body.trim_end().lines().count();
    let tokens = parts.body.len() / BYTES_PER_TOKEN;
    let split = "move details into files beside SKILL.md and refer to them";
    let long = [(lines, "lines", MOST_LINES), (tokens, "tokens, roughly", MOST_TOKENS)]
        .into_iter()
        .find(|(count, _, most)| count > most)
        .map(|(count, unit, most)| {
            let message =
                format!("the instructions have {count} {unit}; {most} are recommended at most");
            Finding::warning(message, split)
        });
    let empty = parts.body.trim().is_empty().then(|| {
        Finding::warning("the skill has no instructions", "write them below the closing `---`")
    });
    long.into_iter().chain(empty).map(|finding| finding.on(parts.body_line)).collect()
}
