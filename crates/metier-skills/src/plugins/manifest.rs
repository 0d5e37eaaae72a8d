//! `plugin.json`: how a plugin describes itself. A marketplace's entry has the same fields.

use serde_json::Value;

use super::{
    id::is_name,
    json::{Fields, Parsed, text, version, wrong_type, yes_or_no},
    problem::{PluginProblem, short},
};

/// Where a plugin describes itself, below its folder.
pub(crate) const FILE: &str = ".claude-plugin/plugin.json";

/// Fields that declare parts of a plugin, in a manifest as in a marketplace's entry.
const COMPONENTS: [&str; 6] = ["agents", "commands", "hooks", "outputStyles", "skills", "themes"];

/// What a plugin says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) default_enabled: Option<bool>,
    /// Folders with skills, relative to the plugin's own and not yet checked.
    pub(crate) skills: Vec<String>,
    pub(crate) declares_components: bool,
}

/// Reads a `plugin.json`.
pub(crate) fn parse(text: &str) -> Parsed<Manifest> {
    Parsed::object(text, |fields, problems| manifest(&fields, problems))
}

/// Reads the fields that `plugin.json` and a marketplace's entry share.
pub(crate) fn manifest(fields: &Fields, problems: &mut Vec<PluginProblem>) -> Manifest {
    let name = text(fields, "name").and_then(|name| match name {
        Some(name) if !is_name(&name) => Err(PluginProblem::BadName(short(&name))),
        name => Ok(name),
    });
    Manifest {
        name: or_report(name, problems),
        version: version(fields),
        default_enabled: or_report(yes_or_no(fields, "defaultEnabled"), problems),
        skills: skills(fields.get("skills"), problems),
        declares_components: COMPONENTS.iter().any(|it| fields.get(*it).is_some_and(is_some)),
    }
}

fn or_report<T: Default>(read: Result<T, PluginProblem>, problems: &mut Vec<PluginProblem>) -> T {
    read.unwrap_or_else(|problem| {
        problems.push(problem);
        T::default()
    })
}

fn is_some(value: &Value) -> bool {
    !value.is_null()
}

fn skills(value: Option<&Value>, problems: &mut Vec<PluginProblem>) -> Vec<String> {
    let listed = match value {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(listed)) => listed.as_slice(),
        Some(single) => std::slice::from_ref(single),
    };
    let mut skills = Vec::new();
    for path in listed {
        match path.as_str() {
            Some(path) if !path.trim().is_empty() => skills.push(path.to_owned()),
            _ => problems.push(wrong_type("skills", "a path or a list of paths")),
        }
    }
    skills
}
