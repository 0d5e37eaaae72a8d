//! What a tool's schema says of its arguments, in short.

use metier_upstreams::Tool;
use serde_json::Value;

/// How far references and alternatives are followed.
const DEEPEST: usize = 8;

/// What the arguments of a tool must look like.
pub(crate) struct Schema(pub(crate) Value);

/// One argument that a tool knows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parameter<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_required: bool,
    /// The JSON types that it may have; none, if nothing is said.
    pub(crate) types: Vec<&'a str>,
}

impl Schema {
    /// The schema of a tool; one that has none takes anything.
    pub(crate) fn of(tool: &Tool) -> Schema {
        let schema = tool.input_schema().and_then(|raw| serde_json::from_str(raw.get()).ok());
        Schema(schema.unwrap_or(Value::Bool(true)))
    }

    /// The arguments that it names, required ones first.
    pub(crate) fn parameters(&self) -> Vec<Parameter<'_>> {
        let required: Vec<&str> = strings(self.0.get("required"));
        let properties = self.0.get("properties").and_then(Value::as_object);
        let mut parameters: Vec<Parameter<'_>> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| Parameter {
                name,
                is_required: required.contains(&name.as_str()),
                types: self.types(schema, 0),
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

    /// The JSON types that a part of the schema lets through.
    fn types<'a>(&'a self, schema: &'a Value, depth: usize) -> Vec<&'a str> {
        if depth > DEEPEST {
            return Vec::new();
        }
        let mut types: Vec<&'a str> = strings(schema.get("type"));
        types.extend(schema.get("type").and_then(Value::as_str));
        let values = schema.get("enum").and_then(Value::as_array);
        types.extend(
            values
                .into_iter()
                .flatten()
                .chain(schema.get("const"))
                .map(|it| -> &'a str { type_of(it) }),
        );
        let alternatives = ["anyOf", "oneOf", "allOf"].into_iter();
        let parts = alternatives.filter_map(|key| schema.get(key)?.as_array()).flatten();
        let referred = schema.get("$ref").and_then(Value::as_str);
        let referred = referred.and_then(|it| self.0.pointer(it.strip_prefix('#')?));
        for part in parts.chain(referred) {
            types.extend(self.types(part, depth + 1));
        }
        let mut seen = Vec::new();
        types.retain(|it| {
            !seen.contains(it) && {
                seen.push(*it);
                true
            }
        });
        types
    }
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

fn strings(value: Option<&Value>) -> Vec<&str> {
    let values = value.and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).collect()
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
    fn a_schema_that_says_nothing_names_nothing() {
        check(json!(true), "", "");
        check(json!({"type": "object"}), "", "");
    }
}
