//! `enabledPlugins` of a settings file: which plugins are on and which are off.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    id::PluginId,
    json::{Parsed, wrong_type},
    problem::{PluginProblem, short},
};

/// What one file says; a plugin that it does not name is left to the others.
pub(crate) type Switches = BTreeMap<PluginId, bool>;

/// Reads the switches of a settings file.
pub(crate) fn parse(text: &str) -> Parsed<Switches> {
    Parsed::object(text, |mut fields, problems| match fields.remove("enabledPlugins") {
        None | Some(Value::Null) => Switches::new(),
        Some(Value::Object(plugins)) => {
            plugins.iter().filter_map(|(key, value)| switch(key, value, problems)).collect()
        }
        Some(_) => {
            problems.push(wrong_type("enabledPlugins", "an object"));
            Switches::new()
        }
    })
}

/// A list or an object in place of `true` names versions, and switches on as well.
fn switch(key: &str, value: &Value, problems: &mut Vec<PluginProblem>) -> Option<(PluginId, bool)> {
    let on = match value {
        Value::Null => return None,
        Value::Bool(on) => *on,
        Value::Array(_) | Value::Object(_) => true,
        Value::Number(_) | Value::String(_) => {
            problems.push(wrong_type(key, "`true` or `false`").of("enabledPlugins"));
            return None;
        }
    };
    let id = PluginId::parse(key);
    if id.is_none() {
        problems.push(PluginProblem::BadName(short(key)));
    }
    Some((id?, on))
}
