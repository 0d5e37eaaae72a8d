//! What may be written in a configuration file, and what of it counts.

use std::collections::BTreeMap;

use jsonc_parser::ParseOptions;
use serde_json::{Map, Value};

use super::expand::expand;

/// The part of a configuration file that concerns skills.
#[derive(Debug, Default)]
pub(super) struct SkillSettings {
    pub(super) dirs: Vec<String>,
    pub(super) include: Option<Vec<String>>,
    pub(super) exclude: Option<Vec<String>>,
}

/// Reads JSON with comments; what is wrong costs only itself.
pub(super) fn parse(
    text: &str,
    variables: &BTreeMap<String, String>,
) -> (SkillSettings, Vec<String>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = match jsonc_parser::parse_to_serde_value::<Value>(text, &ParseOptions::default()) {
        Ok(value) => value,
        Err(error) => {
            let line = error.line_display();
            return (SkillSettings::default(), vec![format!("line {line}: {}", error.kind())]);
        }
    };
    let mut lists = Lists { variables, problems: Vec::new() };
    let settings = match value.get("skills") {
        None | Some(Value::Null) => SkillSettings::default(),
        Some(Value::Object(skills)) => SkillSettings {
            dirs: lists.strings(skills, "dirs").unwrap_or_default(),
            include: lists.strings(skills, "include"),
            exclude: lists.strings(skills, "exclude"),
        },
        Some(_) => {
            lists.problems.push("`skills` is not an object".to_owned());
            SkillSettings::default()
        }
    };
    (settings, lists.problems)
}

struct Lists<'a> {
    variables: &'a BTreeMap<String, String>,
    problems: Vec<String>,
}

impl Lists<'_> {
    /// The list of strings at `key`, without the members that are none.
    fn strings(&mut self, object: &Map<String, Value>, key: &str) -> Option<Vec<String>> {
        let Value::Array(members) = object.get(key)? else {
            self.problems.push(format!("`skills.{key}` is not a list of strings"));
            return None;
        };
        Some(members.iter().filter_map(|member| self.string(member, key)).collect())
    }

    fn string(&mut self, member: &Value, key: &str) -> Option<String> {
        let problem = match member.as_str().map(|text| expand(text, self.variables)) {
            Some(Ok(text)) if text.trim().is_empty() => {
                format!("`skills.{key}` holds an empty string")
            }
            Some(Ok(text)) => return Some(text),
            Some(Err(name)) => {
                format!("`skills.{key}` needs the variable `{name}`, which is not set")
            }
            None => format!("`skills.{key}` holds {member}, which is not a string"),
        };
        self.problems.push(problem);
        None
    }
}
