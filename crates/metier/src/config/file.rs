//! What may be written in a configuration file, and what of it counts.

use std::collections::BTreeMap;

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Object, Value},
    common::Ranged,
    parse_to_ast,
};
use metier_skills::Pattern;

use super::expand::expand;

/// The part of a configuration file that concerns skills.
#[derive(Debug, Default)]
pub(super) struct SkillSettings {
    pub(super) dirs: Vec<String>,
    pub(super) include: Option<Vec<String>>,
    pub(super) exclude: Option<Vec<String>>,
}

/// The keys of `skills`.
const KEYS: [&str; 3] = ["dirs", "include", "exclude"];

/// Reads JSON with comments; what is wrong costs only itself and is told with its line.
pub(super) fn parse(
    text: &str,
    variables: &BTreeMap<String, String>,
) -> (SkillSettings, Vec<String>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut file = File { text, variables, problems: Vec::new() };
    let settings = match parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()) {
        Ok(parsed) => parsed.value.map(|value| file.settings(&value)),
        Err(error) => {
            let problem = format!("line {}: {}", error.line_display(), error.kind());
            return (SkillSettings::default(), vec![problem]);
        }
    };
    (settings.unwrap_or_default(), file.problems)
}

struct File<'a> {
    text: &'a str,
    variables: &'a BTreeMap<String, String>,
    problems: Vec<String>,
}

impl File<'_> {
    fn problem(&mut self, at: &impl Ranged, reason: &str) {
        let line = 1 + self.text[..at.range().start].matches('\n').count();
        self.problems.push(format!("line {line}: {reason}"));
    }

    fn settings(&mut self, value: &Value<'_>) -> SkillSettings {
        let Value::Object(file) = value else {
            self.problem(value, "the file does not hold an object");
            return SkillSettings::default();
        };
        let skills = match file.get("skills").map(|it| &it.value) {
            None | Some(Value::NullKeyword(_)) => return SkillSettings::default(),
            Some(Value::Object(skills)) => skills,
            Some(other) => {
                self.problem(other, "`skills` is not an object");
                return SkillSettings::default();
            }
        };
        for property in skills.properties.iter().filter(|it| !KEYS.contains(&it.name.as_str())) {
            let key = property.name.as_str();
            self.problem(property, &format!("`skills.{key}` is not known"));
        }
        SkillSettings {
            dirs: self.strings(skills, "dirs").unwrap_or_default(),
            include: self.patterns(skills, "include"),
            exclude: self.patterns(skills, "exclude"),
        }
    }

    /// The strings at `key` that are patterns.
    fn patterns(&mut self, object: &Object<'_>, key: &str) -> Option<Vec<String>> {
        let lists = self.strings(object, key)?;
        let value = &object.get(key)?.value;
        let mut patterns = Vec::new();
        for text in lists.iter().flat_map(|list| list.split(',')) {
            match Pattern::new(text) {
                Ok(_) => patterns.push(text.to_owned()),
                Err(error) => self.problem(value, &format!("`skills.{key}`: {error}")),
            }
        }
        Some(patterns)
    }

    /// The list of strings at `key`, without the members that are none.
    fn strings(&mut self, object: &Object<'_>, key: &str) -> Option<Vec<String>> {
        let value = &object.get(key)?.value;
        let Value::Array(members) = value else {
            self.problem(value, &format!("`skills.{key}` is not a list of strings"));
            return None;
        };
        Some(members.elements.iter().filter_map(|member| self.string(member, key)).collect())
    }

    fn string(&mut self, member: &Value<'_>, key: &str) -> Option<String> {
        let Value::StringLit(text) = member else {
            self.problem(member, &format!("`skills.{key}` holds something that is not a string"));
            return None;
        };
        let reason = match expand(&text.value, self.variables) {
            Ok(text) if text.trim().is_empty() => {
                format!("`skills.{key}` holds an empty string")
            }
            Ok(text) => return Some(text),
            Err(name) => format!("`skills.{key}` needs the variable `{name}`, which is not set"),
        };
        self.problem(member, &reason);
        None
    }
}
