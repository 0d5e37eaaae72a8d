//! What a tool's schema says of its arguments, in short.

use std::{collections::HashSet, ptr};

use metier_upstreams::Tool;
use serde_json::Value;

/// How many parts of a schema, and values in one, are looked at for one argument.
const MOST: usize = 256;
/// All types that there are.
const TYPES: [&str; 7] = ["null", "boolean", "number", "integer", "string", "array", "object"];

/// What the arguments of a tool must look like.
pub(crate) struct Schema(pub(crate) Value);

/// One argument that a tool knows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parameter<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_required: bool,
    /// The JSON types that it may have; none, if nothing is said.
    pub(crate) types: Vec<&'static str>,
}

impl Schema {
    /// The schema of a tool; one that has none takes anything.
    pub(crate) fn of(tool: &Tool) -> Schema {
        let schema = tool.input_schema().and_then(|raw| serde_json::from_str(raw.get()).ok());
        Schema(schema.unwrap_or(Value::Bool(true)))
    }

    /// The arguments that it names, required ones first.
    pub(crate) fn parameters(&self) -> Vec<Parameter<'_>> {
        let required: HashSet<&str> = strings(self.0.get("required")).collect();
        let properties = self.0.get("properties").and_then(Value::as_object);
        let mut parameters: Vec<Parameter<'_>> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| Parameter {
                name,
                is_required: required.contains(name.as_str()),
                types: self.types(schema),
            })
            .collect();
        parameters.sort_by_key(|it| !it.is_required);
        parameters
    }

    /// Whether arguments that it does not name may be meant for someone.
    pub(crate) fn expects_others(&self) -> bool {
        self.0.get("properties").is_none()
            || ["additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf"]
                .iter()
                .any(|key| self.0.get(key).is_some())
    }

    /// The JSON types that a part of the schema lets through. References may lead in circles, and
    /// from everywhere to everywhere: each part is looked at once.
    fn types(&self, schema: &Value) -> Vec<&'static str> {
        let (mut parts, mut seen) = (vec![schema], HashSet::from([ptr::from_ref(schema)]));
        let mut types = Vec::new();
        let mut at = 0;
        while let Some(part) = parts.get(at).copied() {
            at += 1;
            for found in said(part).take(MOST) {
                if !types.contains(&found) {
                    types.push(found);
                }
            }
            let new = self.below(part).filter(|it| seen.insert(ptr::from_ref(*it)));
            parts.extend(new.take(MOST.saturating_sub(parts.len())));
        }
        types
    }

    /// The parts that another one consists of or refers to.
    fn below<'a>(&'a self, part: &'a Value) -> impl Iterator<Item = &'a Value> {
        let alternatives = ["anyOf", "oneOf", "allOf"].into_iter();
        let alternatives = alternatives.filter_map(|key| part.get(key)?.as_array()).flatten();
        let referred = part.get("$ref").and_then(Value::as_str);
        alternatives.chain(referred.and_then(|it| self.0.pointer(it.strip_prefix('#')?)))
    }
}

/// The types that one part names itself.
fn said(part: &Value) -> impl Iterator<Item = &'static str> {
    let named = part.get("type").and_then(Value::as_str).into_iter();
    let named = named.chain(strings(part.get("type")));
    let values = part.get("enum").and_then(Value::as_array).into_iter().flatten();
    let named = named.filter_map(|name| TYPES.into_iter().find(|it| *it == name));
    named.chain(values.chain(part.get("const")).map(type_of))
}

/// Names only, what may be left out in brackets: `path, [depth]`.
pub(crate) fn outline(parameters: &[Parameter<'_>]) -> String {
    let names = parameters.iter().map(|it| match it.is_required {
        true => it.name.to_owned(),
        false => format!("[{}]", it.name),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// Names and types: `path (string), [depth (integer)]`.
pub(crate) fn usage(parameters: &[Parameter<'_>]) -> String {
    let usages = parameters.iter().map(|it| {
        let types = it.types.join(" or ");
        let usage =
            if types.is_empty() { it.name.into() } else { format!("{} ({types})", it.name) };
        if it.is_required { usage } else { format!("[{usage}]") }
    });
    usages.collect::<Vec<String>>().join(", ")
}

/// The JSON type of a value.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Schema, outline, usage};

    #[track_caller]
    fn check(schema: serde_json::Value, short: &str, long: &str) {
        let schema = Schema(schema);
        let parameters = schema.parameters();
        assert_eq!((outline(&parameters).as_str(), usage(&parameters).as_str()), (short, long));
    }

    #[test]
    fn required_arguments_come_first_and_optional_ones_in_brackets() {
        check(
            json!({"properties": {"depth": {"type": "integer"}, "path": {"type": "string"}}, "required": ["path"]}),
            "path, [depth]",
            "path (string), [depth (integer)]",
        );
    }

    #[test]
    fn types_are_found_behind_references_alternatives_and_values() {
        check(
            json!({
                "properties": {
                    "a": {"$ref": "#/$defs/A"},
                    "b": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "c": {"enum": ["x", 1]},
                    "d": {"type": ["array", "object"]},
                    "e": true,
                },
                "$defs": {"A": {"oneOf": [{"const": true}, {"$ref": "#/$defs/A"}]}},
            }),
            "[a], [b], [c], [d], [e]",
            "[a (boolean)], [b (string or null)], [c (string or integer)], [d (array or object)], [e]",
        );
    }

    #[test]
    fn only_types_that_exist_are_told() {
        check(
            json!({"properties": {"a": {"type": ["string", "\u{1b}[2J", "string"]}}}),
            "[a]",
            "[a (string)]",
        );
    }

    #[test]
    fn references_from_everywhere_to_everywhere_cost_no_time() {
        let all = |to: &str| vec![json!({"$ref": to}); 100];
        check(
            json!({
                "properties": {"a": {"$ref": "#/$defs/A"}},
                "$defs": {
                    "A": {"type": "string", "anyOf": all("#/$defs/A"), "allOf": all("#/$defs/B")},
                    "B": {"type": "null", "anyOf": all("#/$defs/A"), "oneOf": all("#/$defs/B")},
                },
            }),
            "[a]",
            "[a (string or null)]",
        );
    }

    #[test]
    fn a_schema_that_says_nothing_names_nothing() {
        check(json!(true), "", "");
        check(json!({"type": "object"}), "", "");
    }
}
