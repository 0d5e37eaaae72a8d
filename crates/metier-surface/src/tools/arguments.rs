//! The arguments of a call: one quick look, and a closer one where something is wrong.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::{Order, Tool};
use metier_wire::Error;

use crate::text::Line;

/// The most characters of a query.
const LONGEST_QUERY: usize = 1_000;
/// The most characters of a path.
const LONGEST_PATH: usize = 4_096;
/// The most results of a search, and how many there are if nobody says.
const MOST_RESULTS: u8 = 25;
const USUAL_RESULTS: u8 = 10;
/// The most characters of a wrong argument's name that are repeated.
const LONGEST_ECHO: usize = 64;

/// What a tool takes by one name.
pub(super) struct Argument {
    name: &'static str,
    about: &'static str,
    kind: Kind,
    is_required: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Text { shortest: usize, longest: usize },
    Flag,
    Count { most: u8, usual: u8 },
}

impl Argument {
    pub(super) const fn required(name: &'static str, about: &'static str) -> Argument {
        let kind = Kind::Text { shortest: 1, longest: usize::MAX };
        Argument { name, about, kind, is_required: true }
    }

    pub(super) const fn optional(name: &'static str, about: &'static str) -> Argument {
        let kind = Kind::Text { shortest: 0, longest: LONGEST_QUERY };
        Argument { name, about, kind, is_required: false }
    }

    pub(super) const fn words(name: &'static str, about: &'static str) -> Argument {
        let kind = Kind::Text { shortest: 1, longest: LONGEST_QUERY };
        Argument { name, about, kind, is_required: true }
    }

    pub(super) const fn path(name: &'static str, about: &'static str) -> Argument {
        let kind = Kind::Text { shortest: 1, longest: LONGEST_PATH };
        Argument { name, about, kind, is_required: false }
    }

    pub(super) const fn flag(name: &'static str, about: &'static str) -> Argument {
        Argument { name, about, kind: Kind::Flag, is_required: false }
    }

    pub(super) const fn count(name: &'static str, about: &'static str) -> Argument {
        let kind = Kind::Count { most: MOST_RESULTS, usual: USUAL_RESULTS };
        Argument { name, about, kind, is_required: false }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text { .. } => json!({"type": "string", "description": self.about}),
            Kind::Flag => json!({"type": "boolean", "description": self.about, "default": false}),
            Kind::Count { most, usual } => json!({
                "type": "integer", "description": self.about,
                "minimum": 1, "maximum": most, "default": usual,
            }),
        };
        if let Kind::Text { shortest, longest } = self.kind {
            if shortest > 0 {
                schema["minLength"] = shortest.into();
            }
            if longest < usize::MAX {
                schema["maxLength"] = longest.into();
            }
        }
        schema
    }

    /// What is wrong with a value, if anything is.
    fn fault(&self, value: &Value) -> Option<String> {
        let fault = match (self.kind, value) {
            (Kind::Text { .. }, Value::String(text)) => return self.text_fault(text),
            (Kind::Flag, Value::Bool(_)) => return None,
            (Kind::Count { most, .. }, Value::Number(number))
                if number.as_f64().is_some_and(|it| is_count(it, most)) =>
            {
                return None;
            }
            (Kind::Text { .. }, _) => "must be a string".to_owned(),
            (Kind::Flag, _) => "must be true or false".to_owned(),
            (Kind::Count { most, .. }, _) => format!("must be a whole number from 1 to {most}"),
        };
        Some(format!("`{}` {fault}", self.name))
    }

    /// What is wrong with the length of a text, if anything is.
    fn text_fault(&self, text: &str) -> Option<String> {
        let Kind::Text { shortest, longest } = self.kind else { return None };
        if shortest > 0 && text.trim().is_empty() {
            return Some(format!("`{}` must not be empty", self.name));
        }
        let is_long = text.len() > longest && text.chars().nth(longest).is_some();
        is_long.then(|| format!("`{}` must have at most {longest} characters", self.name))
    }
}

/// The JSON Schema of everything that a tool takes.
pub(super) fn schema(tool: Tool) -> Value {
    let arguments = tool.card().arguments;
    let properties: Map<String, Value> =
        arguments.iter().map(|it| (it.name.to_owned(), it.schema())).collect();
    let required: Vec<&str> =
        arguments.iter().filter(|it| it.is_required).map(|it| it.name).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema["additionalProperties"] = false.into();
    schema
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Load {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    #[serde(default, deserialize_with = "present")]
    query: Option<String>,
    #[serde(default)]
    include_body: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
    /// JSON has one kind of number: `10.0` is an integer too.
    #[serde(default, deserialize_with = "present")]
    limit: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    name: String,
    #[serde(default, deserialize_with = "present")]
    path: Option<String>,
}

/// Checks the arguments of a call, given as JSON.
pub(super) fn order(tool: Tool, json: &str) -> Result<Order, Error> {
    let order = match tool {
        Tool::Skill => read(json).map(|Load { name }| Order::Load { name }),
        Tool::List => {
            read(json).map(|List { query, include_body }| Order::List { query, include_body })
        }
        Tool::Search => read(json).and_then(|Search { query, limit }| {
            let limit = limit.unwrap_or(f64::from(USUAL_RESULTS));
            is_count(limit, MOST_RESULTS).then_some(Order::Search { query, limit: limit as usize })
        }),
        Tool::Read => read(json).map(|Read { name, path }| Order::Read { name, path }),
    };
    let is_sound = |order: &Order| {
        let mut texts = tool.card().arguments.iter().zip(order.texts());
        texts.all(|(argument, text)| text.is_none_or(|text| argument.text_fault(text).is_none()))
    };
    order.filter(is_sound).ok_or_else(|| Error::invalid_params(explain(tool, json)))
}

impl Order {
    /// The texts in it, in the order of the tool's arguments.
    fn texts(&self) -> [Option<&str>; 2] {
        match self {
            Order::Load { name } => [Some(name), None],
            Order::List { query, .. } => [query.as_deref(), None],
            Order::Search { query, .. } => [Some(query), None],
            Order::Read { name, path } => [Some(name), path.as_deref()],
        }
    }
}

/// Reads an object; an array of the same values would pass for one otherwise.
fn read<T: DeserializeOwned>(json: &str) -> Option<T> {
    json.trim_start().starts_with('{').then(|| serde_json::from_str(json).ok())?
}

/// A value that may be left out, but is not `null` where it is there.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    value: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

fn is_count(number: f64, most: u8) -> bool {
    number.fract() == 0.0 && (1.0..=f64::from(most)).contains(&number)
}

/// Says what is wrong with arguments that were refused.
fn explain(tool: Tool, json: &str) -> String {
    let values: Map<String, Value> = match serde_json::from_str(json) {
        Ok(Value::Object(values)) => values,
        Ok(_) => return "`arguments` must be an object".to_owned(),
        Err(error) => return format!("`arguments` cannot be read: {error}"),
    };
    let arguments = tool.card().arguments;
    if let Some(unknown) = values.keys().find(|key| arguments.iter().all(|it| it.name != **key)) {
        let known: Vec<String> = arguments.iter().map(|it| format!("`{}`", it.name)).collect();
        let unknown = Line(unknown, LONGEST_ECHO);
        return format!("there is no argument `{unknown}`, only {}", known.join(" and "));
    }
    let faults = arguments.iter().filter_map(|argument| match values.get(argument.name) {
        Some(value) => argument.fault(value),
        None => argument.is_required.then(|| format!("`{}` is required", argument.name)),
    });
    faults.into_iter().next().unwrap_or_else(|| "an argument is given twice".to_owned())
}
