//! Where other clients keep their servers, and how they write them down.

use std::path::{Path, PathBuf};

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use metier_skills::Standard;
use serde_json::{Map, Value};

use crate::{
    args::Client,
    config::{Scope, file::without_mark},
    environment::Environment,
    files,
};

/// An entry as a client has it.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) entry: Map<String, Value>,
    pub(super) place: Place,
}

/// A file of a client, and where in it servers are.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// Who wrote it.
    pub(super) scope: Scope,
    /// The folder that the client has open when it reads this.
    pub(super) workspace: PathBuf,
    /// Whether it counts in that folder alone.
    pub(super) is_local: bool,
    keys: Vec<String>,
}

/// The places of a client, those that win first.
pub(super) fn places(client: Client, standard: &Standard, environment: &Environment) -> Vec<Place> {
    let project = |file: &str, key: &str| {
        let dirs = standard.project.iter();
        let places = dirs.map(|dir| Place {
            path: dir.join(file),
            scope: Scope::Project,
            workspace: dir.clone(),
            is_local: true,
            keys: vec![key.to_owned()],
        });
        places.collect::<Vec<_>>()
    };
    let user = |path: PathBuf, keys: &[&str]| Place {
        path,
        scope: Scope::User,
        workspace: environment.working_dir.clone(),
        is_local: false,
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
    };
    let home = &standard.home;
    match client {
        Client::Claude => {
            let state = home.join(".claude.json");
            let local = environment.working_dir.ancestors().map(|dir| Place {
                workspace: dir.to_owned(),
                is_local: true,
                ..user(state.clone(), &["projects", &dir.to_string_lossy(), "mcpServers"])
            });
            let all = local.chain(project(".mcp.json", "mcpServers"));
            all.chain([user(state.clone(), &["mcpServers"])]).collect()
        }
        Client::Codex => {
            let own = user(standard.codex.join("config.toml"), &["mcp_servers"]);
            project(".codex/config.toml", "mcp_servers").into_iter().chain([own]).collect()
        }
        Client::Cursor => {
            let own = user(home.join(".cursor/mcp.json"), &["mcpServers"]);
            project(".cursor/mcp.json", "mcpServers").into_iter().chain([own]).collect()
        }
        Client::Vscode => {
            let mac = home.join("Library/Application Support");
            let own = [standard.config.clone(), mac]
                .map(|folder| user(folder.join("Code/User/mcp.json"), &["servers"]));
            project(".vscode/mcp.json", "servers").into_iter().chain(own).collect()
        }
    }
}

/// The servers at one place; none if nothing is there.
pub(super) fn servers(place: &Place) -> Result<Vec<Found>, String> {
    let Some(text) = files::read(&place.path).map_err(|cause| cause.to_string())? else {
        return Ok(Vec::new());
    };
    let mut value = parse(&place.path, &text)?;
    for key in &place.keys {
        value = value.get_mut(key).map(Value::take).unwrap_or_default();
    }
    let Value::Object(servers) = value else { return Ok(Vec::new()) };
    let found = servers.into_iter().filter_map(|(name, entry)| match entry {
        Value::Object(entry) => Some(Found { name, entry, place: place.clone() }),
        _ => None,
    });
    Ok(found.collect())
}

fn parse(path: &Path, text: &str) -> Result<Value, String> {
    if path.extension().is_some_and(|it| it == "toml") {
        let file = text.parse::<toml_edit::DocumentMut>().map_err(|error| {
            let before = error.span().map_or("", |span| &text[..span.start]);
            format!("line {}: not TOML", 1 + before.matches('\n').count())
        })?;
        return Ok(from_toml(file.as_item()));
    }
    let text = without_mark(text);
    parse_to_serde_value(text, &ParseOptions::default())
        .map_err(|error| format!("line {}: {}", error.line_display(), error.kind()))
}

fn from_toml(item: &toml_edit::Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return table.iter().map(|(key, it)| (key.to_owned(), from_toml(it))).collect();
    }
    item.as_value().map_or(Value::Null, from_toml_value)
}

fn from_toml_value(value: &toml_edit::Value) -> Value {
    use toml_edit::Value as Toml;
    match value {
        Toml::String(it) => it.value().as_str().into(),
        Toml::Integer(it) => (*it.value()).into(),
        Toml::Float(it) => (*it.value()).into(),
        Toml::Boolean(it) => (*it.value()).into(),
        Toml::Datetime(it) => it.value().to_string().into(),
        Toml::Array(it) => it.iter().map(from_toml_value).collect(),
        Toml::InlineTable(it) => {
            it.iter().map(|(key, it)| (key.to_owned(), from_toml_value(it))).collect()
        }
    }
}
