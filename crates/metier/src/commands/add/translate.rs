//! An entry of another client in our own words.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::clients::Place;
use crate::{args::Client, json::text};

/// What of an entry means something here.
const KEPT: [&str; 18] = [
    "type",
    "transport",
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "serverUrl",
    "httpUrl",
    "headers",
    "timeout",
    "connectTimeout",
    "disabled",
    "enabled",
    "tools",
    "includeTools",
    "excludeTools",
    "disabledTools",
];

/// What we cannot do, and what to say of it.
const BEYOND: [(&str, &str); 3] = [
    ("headersHelper", "it gets its headers from a program, which is not supported"),
    ("http_headers_helper", "it gets its headers from a program, which is not supported"),
    ("envFile", "it reads variables from a file, which is not supported: name them in `env`"),
];

/// What only the client itself can fill in.
const ASKED: [&str; 4] = ["${input:", "${command:", "${config:", "${file:"];

/// The same entry for our file, or why there is none.
pub(super) fn translated(
    client: Client,
    entry: &Map<String, Value>,
    place: &Place,
    home: &Path,
) -> Result<Map<String, Value>, String> {
    if let Some((_, reason)) = BEYOND.iter().find(|(key, _)| entry.contains_key(*key)) {
        return Err((*reason).to_owned());
    }
    let mut entry = match client {
        Client::Codex => from_codex(entry),
        Client::Claude => from_claude(entry),
        Client::Cursor | Client::Vscode => entry.clone(),
    };
    entry.retain(|key, value| KEPT.contains(&key.as_str()) && !value.is_null());
    for value in entry.values_mut() {
        if client != Client::Codex {
            fill(value, place, home);
        }
        if let Some(asked) = asked(value) {
            return Err(format!("`{asked}` is known to its client alone"));
        }
    }
    settle(&mut entry, place);
    Ok(entry)
}

/// Folders that were relative to the client's file or working directory become absolute.
fn settle(entry: &mut Map<String, Value>, place: &Place) {
    let cwd = match entry.get("cwd").and_then(Value::as_str) {
        Some(cwd) if cwd.starts_with(['~', '$']) => return,
        Some(cwd) => place.workspace.join(cwd),
        None if place.is_local && entry.contains_key("command") => place.workspace.clone(),
        None => return,
    };
    entry.insert("cwd".to_owned(), json!(text(&cwd)));
}

/// Replaces the variables of editors, in every string.
fn fill(value: &mut Value, place: &Place, home: &Path) {
    match value {
        Value::String(it) if it.contains("${") => {
            let name = place.workspace.file_name().unwrap_or_default().to_string_lossy();
            *it = it
                .replace("${workspaceFolder}", &text(&place.workspace))
                .replace("${workspaceFolderBasename}", &name)
                .replace("${userHome}", &text(home))
                .replace("${pathSeparator}", std::path::MAIN_SEPARATOR_STR)
                .replace("${/}", std::path::MAIN_SEPARATOR_STR);
        }
        Value::Array(members) => members.iter_mut().for_each(|it| fill(it, place, home)),
        Value::Object(members) => members.values_mut().for_each(|it| fill(it, place, home)),
        _ => {}
    }
}

/// The first thing that only the client can fill in.
fn asked(value: &Value) -> Option<&str> {
    match value {
        Value::String(it) => {
            let at = ASKED.iter().filter_map(|sign| it.find(sign)).min()?;
            let rest = &it[at..];
            Some(rest.find('}').map_or(rest, |end| &rest[..=end]))
        }
        Value::Array(members) => members.iter().find_map(asked),
        Value::Object(members) => members.values().find_map(asked),
        _ => None,
    }
}

/// Claude Code counts in milliseconds, and from a second on.
fn from_claude(entry: &Map<String, Value>) -> Map<String, Value> {
    let mut entry = entry.clone();
    if let Some(timeout) = entry.remove("timeout").as_ref().and_then(Value::as_f64)
        && timeout >= 1_000.0
    {
        entry.insert("timeout".to_owned(), json!(timeout / 1_000.0));
    }
    entry
}

/// Codex has words of its own. Its `env_vars` are left out: a program gets all our variables.
fn from_codex(entry: &Map<String, Value>) -> Map<String, Value> {
    let mut ours = Map::new();
    let same = [
        ("command", "command"),
        ("args", "args"),
        ("env", "env"),
        ("cwd", "cwd"),
        ("url", "url"),
        ("startup_timeout_sec", "connectTimeout"),
        ("tool_timeout_sec", "timeout"),
    ];
    for (theirs, our) in same {
        if let Some(value) = entry.get(theirs) {
            ours.insert(our.to_owned(), value.clone());
        }
    }
    let mut headers = entry.get("http_headers").and_then(Value::as_object).cloned();
    let variables = entry.get("env_http_headers").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten() {
        let value = format!("${{{}}}", variable.as_str().unwrap_or_default());
        headers.get_or_insert_default().insert(name.clone(), json!(value));
    }
    if let Some(variable) = entry.get("bearer_token_env_var").and_then(Value::as_str) {
        let value = format!("Bearer ${{{variable}}}");
        headers.get_or_insert_default().insert("Authorization".to_owned(), json!(value));
    }
    ours.extend(headers.map(|it| ("headers".to_owned(), Value::Object(it))));
    let lists = [("enabled_tools", "include"), ("disabled_tools", "exclude")];
    let tools: Map<String, Value> = lists
        .iter()
        .filter_map(|(theirs, our)| Some(((*our).to_owned(), entry.get(*theirs)?.clone())))
        .collect();
    if !tools.is_empty() {
        ours.insert("tools".to_owned(), Value::Object(tools));
    }
    if entry.get("enabled") == Some(&json!(false)) {
        ours.insert("disabled".to_owned(), json!(true));
    }
    ours
}
