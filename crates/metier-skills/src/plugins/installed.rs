//! `installed_plugins.json`: which copies of which plugins are installed, and for whom.
//!
//! Version 1 has one object a plugin, version 2 an array of them; the number is often missing and
//! the `plugins` around them too. So the shape decides, and the number is not looked at.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    id::PluginId,
    json::{Fields, Parsed, text, version, wrong_type},
    problem::{PluginProblem, short},
};

/// Every plugin with all its copies.
pub(crate) type Installed = BTreeMap<PluginId, Vec<Install>>;

/// One installed copy of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Install {
    pub(crate) scope: Scope,
    pub(crate) path: Option<String>,
    pub(crate) version: Option<String>,
}

/// For whom a copy is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// For the user in this one project.
    Local(String),
    /// For everybody in this one project.
    Project(String),
    /// For every user of the machine.
    Managed,
    /// For the user in every project.
    User,
}

/// Reads the file in any of its shapes.
pub(crate) fn parse(text: &str) -> Parsed<Installed> {
    Parsed::object(text, |mut fields, problems| {
        let plugins = match fields.remove("plugins") {
            Some(Value::Object(plugins)) => plugins,
            Some(_) => {
                problems.push(wrong_type("plugins", "an object"));
                return Installed::new();
            }
            None => bare(fields),
        };
        let mut installed = Installed::new();
        for (key, value) in plugins {
            match PluginId::parse(&key) {
                Some(id) => {
                    installed.insert(id, installs(&key, value, problems));
                }
                None => problems.push(PluginProblem::BadName(short(&key))),
            }
        }
        installed
    })
}

/// A file without the wrapper has plugins right at the top, perhaps beside a `version`.
fn bare(mut fields: Fields) -> Fields {
    fields.retain(|key, value| key.contains('@') || value.is_object() || value.is_array());
    fields
}

fn installs(key: &str, value: Value, problems: &mut Vec<PluginProblem>) -> Vec<Install> {
    let records = match value {
        Value::Array(records) => records,
        single => vec![single],
    };
    let mut installs = Vec::new();
    for record in records {
        match install(key, &record) {
            Ok(install) => installs.push(install),
            Err(problem) => problems.push(problem),
        }
    }
    installs
}

fn install(key: &str, record: &Value) -> Result<Install, PluginProblem> {
    let Value::Object(fields) = record else {
        return Err(wrong_type(key, "an object or an array of objects"));
    };
    let scope = scope(fields).map_err(|it| it.of(key))?;
    let path = text(fields, "installPath").map_err(|it| it.of(key))?;
    Ok(Install { scope, path, version: version(fields) })
}

/// Claude Code itself has written user's records with the path of some project, so a path counts
/// only where the scope does not deny it; without a path nobody can tell the project.
fn scope(fields: &Fields) -> Result<Scope, PluginProblem> {
    Ok(match fields.get("scope").and_then(Value::as_str) {
        Some("user") => Scope::User,
        Some("managed") => Scope::Managed,
        Some("local") => text(fields, "projectPath")?.map_or(Scope::User, Scope::Local),
        _ => text(fields, "projectPath")?.map_or(Scope::User, Scope::Project),
    })
}
