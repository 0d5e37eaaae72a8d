//! What a file would start, as it is written: for whoever decides whether to trust it.

use jsonc_parser::ast::{Object, Value};

use super::{
    file::{SERVERS, tree, without_mark},
    reader::{get, members},
    servers::{URL, first},
};

/// One server of a file, before any variable is replaced.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    pub(crate) name: String,
    /// The command and its arguments.
    pub(crate) command: Vec<String>,
    pub(crate) url: Option<String>,
    pub(crate) cwd: Option<String>,
    /// The names of the variables and headers that it gets; the values may be secret.
    pub(crate) gets: Vec<String>,
}

/// The servers of a file; nothing of a file that is broken.
pub(crate) fn outlines(text: &str) -> Vec<Outline> {
    let Ok(Some(Value::Object(file))) = tree(without_mark(text)) else { return Vec::new() };
    let objects = SERVERS.iter().filter_map(|key| match get(&file, key) {
        Some(Value::Object(servers)) => Some(servers),
        _ => None,
    });
    let entries = objects.flat_map(members).filter_map(|(name, value)| match value {
        Value::Object(entry) => Some(outline(name, entry)),
        _ => None,
    });
    entries.collect()
}

/// Whether a file says which tools exist, of all servers.
pub(crate) fn filters_tools(text: &str) -> bool {
    let Ok(Some(Value::Object(file))) = tree(without_mark(text)) else { return false };
    matches!(get(&file, "tools"), Some(Value::Object(tools)) if !tools.properties.is_empty())
}

fn outline(name: &str, entry: &Object<'_>) -> Outline {
    let command = get(entry, "command").into_iter();
    let args = match get(entry, "args") {
        Some(Value::Array(args)) => args.elements.as_slice(),
        _ => &[],
    };
    let of = |key| match get(entry, key) {
        Some(Value::Object(map)) => members(map).map(|(name, value)| got(name, value)).collect(),
        _ => Vec::new(),
    };
    Outline {
        name: name.to_owned(),
        command: command.chain(args).map(written).collect(),
        url: first(entry, &URL).map(|(_, url)| written(url)),
        cwd: get(entry, "cwd").map(written),
        gets: [of("env"), of("headers")].concat(),
    }
}

/// The name of something that is given along, and which variables of the user go with it.
fn got(name: &str, value: &Value<'_>) -> String {
    let text = written(value);
    let variables = text.split("${").skip(1).filter_map(|it| Some(it.split_once('}')?.0));
    let variables: Vec<String> = variables.map(|it| format!("${{{it}}}")).collect();
    match variables.as_slice() {
        [] => name.to_owned(),
        some => format!("{name} from {}", some.join(" ")),
    }
}

fn written(value: &Value<'_>) -> String {
    match value {
        Value::StringLit(text) => text.value.clone().into_owned(),
        Value::NumberLit(number) => number.value.to_owned(),
        Value::BooleanLit(it) => it.value.to_string(),
        Value::Array(_) | Value::Object(_) | Value::NullKeyword(_) => "?".to_owned(),
    }
}
