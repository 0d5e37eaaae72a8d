//! The tools that a skill names: `allowed-tools` in the spellings of several clients.

use std::sync::Arc;

use metier_skills::Skill;
use metier_upstreams::{Roster, ToolEntry};
use serde_json::Value;

/// The names of tools in a skill's `allowed-tools`: a list, or a text with spaces or commas.
pub(super) fn wanted(skill: &Skill) -> Vec<String> {
    let field = skill.fields().iter().find(|(key, _)| key == "allowed-tools");
    match field.map(|(_, value)| value) {
        Some(Value::String(text)) => names(text),
        Some(Value::Array(items)) => {
            items.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// The names in a text; what stands in brackets belongs to the name before it.
fn names(text: &str) -> Vec<String> {
    let mut depth = 0_u32;
    let names = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    names.filter(|it| !it.is_empty()).map(ToOwned::to_owned).collect()
}

/// The ids of the tools that are meant.
///
/// A tool goes by its id, its wire name, or what a client makes of that: `mcp__server__tool`, or
/// `mcp__metier__server__tool` for the tool behind us; `*` stands for any text at the end, and a server
/// alone for all its tools.
pub(super) fn tools<'a>(
    roster: &'a Roster,
    wanted: &'a [String],
) -> impl Iterator<Item = Arc<str>> + 'a {
    let entries = roster.tools().entries().iter();
    entries.filter(|it| wanted.iter().any(|name| means(name, it))).map(|it| it.id.clone())
}

fn means(name: &str, entry: &ToolEntry) -> bool {
    // What stands in brackets limits the arguments, not the tool.
    let name = name.split('(').next().unwrap_or_default().trim();
    let bare = name.strip_prefix("mcp__").unwrap_or(name);
    let inner = bare.split_once("__").map_or(bare, |(_, inner)| inner);
    let names = [&*entry.id, &*entry.wire_name];
    let is_server = name.starts_with("mcp__") && bare == entry.server.as_str();
    is_server || [name, bare, inner].iter().any(|it| names.iter().any(|own| matches(it, own)))
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some("") | None => pattern == name,
        Some(start) => name.starts_with(start),
    }
}
