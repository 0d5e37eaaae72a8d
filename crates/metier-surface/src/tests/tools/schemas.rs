//! What is promised of inputs and outputs, held against what is taken and given.

use serde_json::{Value, json, value::RawValue};

use super::fixture::{Machine, TREE, definitions};

use crate::Tool;

fn definition(machine: &Machine, tool: Tool) -> Value {
    definitions(&machine.offer())[tool as usize].clone()
}

/// What is wrong with a value by the few words of JSON Schema that are used here.
fn fault(schema: &Value, value: &Value) -> Option<String> {
    for keyword in schema.as_object().unwrap().keys() {
        let known = [
            "type",
            "properties",
            "required",
            "items",
            "description",
            "enum",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "default",
            "additionalProperties",
        ];
        assert!(known.contains(&&**keyword), "`{keyword}` is not checked");
    }
    let is_type = match schema["type"].as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        other => panic!("no type `{other}`"),
    };
    if !is_type {
        return Some(format!("{value} is not of type {}", schema["type"]));
    }
    if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
        return Some(format!("{value} is none of {}", schema["enum"]));
    }
    let size = value.as_str().map(|it| it.chars().count() as f64).or(value.as_f64());
    for (bound, is_low) in
        [("minimum", true), ("minLength", true), ("maximum", false), ("maxLength", false)]
    {
        if let (Some(bound), Some(size)) = (schema[bound].as_f64(), size)
            && ((is_low && size < bound) || (!is_low && size > bound))
        {
            return Some(format!("{value} is out of bounds"));
        }
    }
    fault_within(schema, value)
}

fn fault_within(schema: &Value, value: &Value) -> Option<String> {
    if let Some(items) = value.as_array() {
        return items.iter().find_map(|item| fault(&schema["items"], item));
    }
    let members = value.as_object()?;
    let required = schema["required"].as_array().into_iter().flatten();
    let missing = required.map(|it| it.as_str().unwrap()).find(|it| !members.contains_key(*it));
    if let Some(missing) = missing {
        return Some(format!("{missing} is missing"));
    }
    members.iter().find_map(|(name, member)| match schema["properties"].get(name) {
        Some(schema) => fault(schema, member),
        // Nothing is given that is not declared.
        None => Some(format!("{name} is not declared")),
    })
}

#[track_caller]
fn check_output(tool: Tool, arguments: &str) {
    let machine = Machine::new(TREE);
    let result = machine.call(tool, arguments);
    let schema = &definition(&machine, tool)["outputSchema"];
    assert_eq!(fault(schema, &result["structuredContent"]), None);
}

#[test]
fn what_is_declared_of_an_output_holds() {
    check_output(Tool::List, "{}");
    check_output(Tool::List, r#"{"includeBody":true}"#);
    check_output(Tool::List, r#"{"query":"nowhere"}"#);
    check_output(Tool::Search, r#"{"query":"e"}"#);
    check_output(Tool::Search, r#"{"query":"nowhere"}"#);
}

#[test]
fn tools_without_structured_content_declare_none() {
    let machine = Machine::new(TREE);
    for tool in [Tool::Skill, Tool::Read] {
        assert!(definition(&machine, tool).get("outputSchema").is_none());
        assert!(machine.call(tool, r#"{"name":"pdf"}"#).get("structuredContent").is_none());
    }
}

#[test]
fn every_argument_is_described() {
    let machine = Machine::new(TREE);
    for tool in Tool::ALL {
        let schema = &definition(&machine, tool)["inputSchema"];
        assert_eq!(schema["additionalProperties"], false);
        for property in schema["properties"].as_object().unwrap().values() {
            assert!(property["description"].as_str().unwrap().len() > 10);
        }
    }
}

/// White space alone is the one thing that a schema cannot tell from a word.
#[test]
fn what_the_schema_allows_is_taken_and_nothing_else() {
    let machine = Machine::new(TREE);
    let values = [
        json!("a"),
        json!(""),
        json!("x".repeat(1_001)),
        json!("x".repeat(5_000)),
        json!(1),
        json!(25),
        json!(26),
        json!(0),
        json!(2.5),
        json!(3.0),
        json!(true),
        json!(null),
        json!([]),
        json!({}),
    ];
    for tool in Tool::ALL {
        let schema = &definition(&machine, tool)["inputSchema"];
        let names = ["name", "query", "limit", "path", "includeBody", "other"];
        for (name, value) in names.iter().flat_map(|name| values.iter().map(move |it| (name, it))) {
            for required in [json!({}), json!({"name": "a"}), json!({"query": "a"})] {
                let mut arguments = required;
                arguments[*name] = value.clone();
                let raw = RawValue::from_string(arguments.to_string()).unwrap();
                let is_allowed = fault(schema, &arguments).is_none();
                assert_eq!(tool.order(Some(&raw)).is_ok(), is_allowed, "{tool:?} {arguments}");
            }
        }
    }
}
