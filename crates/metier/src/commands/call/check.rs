//! Whether arguments are what a tool's schema wants, and in words what is wrong.

use std::time::Duration;

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use metier_upstreams::ToolEntry;
use serde_json::{Value, value::RawValue};
use tokio::{task::spawn_blocking, time::timeout};

use crate::{
    failure::{Exit, Failure},
    schema::{Parameter, Schema},
    similar::similar,
    ui::{Ui, counted, cut},
    view::quoted,
};

/// How much of a value is shown.
const LONGEST_VALUE: usize = 60;
/// How many mistakes are told.
const MOST: usize = 10;

/// How long arguments are checked: a schema can make that take for ever, and a check is a favour.
const LONGEST_CHECK: Duration = Duration::from_secs(2);

/// Refuses arguments that the tool cannot want.
pub(super) async fn check(
    entry: &ToolEntry,
    schema: &Schema,
    arguments: &RawValue,
    ui: &mut Ui<'_>,
) -> Result<(), Failure> {
    let Ok(arguments) = serde_json::from_str::<Value>(arguments.get()) else { return Ok(()) };
    let (wanted, given) = (Schema(schema.0.clone()), arguments.clone());
    let mistakes = in_time(LONGEST_CHECK, move || mistakes(&wanted, &given)).await;
    if mistakes.is_empty() {
        for warning in strangers(schema, &arguments) {
            ui.warn(&format!("`{}` {warning}", entry.id))?;
        }
        return Ok(());
    }
    let failure = match mistakes.as_slice() {
        [only] => Failure::new(Exit::Usage, format!("`{}`: {only}", entry.id)),
        several => {
            let message = format!("`{}`: {} mistakes in the arguments", entry.id, several.len());
            let told = several.iter().take(MOST).cloned().collect();
            Failure::new(Exit::Usage, message).detailed(told)
        }
    };
    Err(super::taking(failure, entry, schema))
}

/// What is found out within that time, or nothing. Nobody waits for a thread that thinks on.
async fn in_time(
    within: Duration,
    check: impl FnOnce() -> Vec<String> + Send + 'static,
) -> Vec<String> {
    let Ok(found) = timeout(within, spawn_blocking(check)).await else {
        tracing::debug!("the arguments are sent unchecked: that takes too long");
        return Vec::new();
    };
    found.unwrap_or_default()
}

/// What is wrong with arguments, a sentence each. A schema that makes no sense finds nothing.
fn mistakes(schema: &Schema, arguments: &Value) -> Vec<String> {
    let validator = match jsonschema::validator_for(&schema.0) {
        Ok(validator) => validator,
        Err(error) => {
            tracing::debug!(%error, "the schema cannot be used");
            return Vec::new();
        }
    };
    let parameters = schema.parameters();
    let errors = validator.iter_errors(arguments);
    errors.flat_map(|error| sentences(&error, &parameters)).collect()
}

/// Arguments that the schema neither names nor forbids: most likely a slip.
fn strangers(schema: &Schema, arguments: &Value) -> Vec<String> {
    if schema.expects_others() {
        return Vec::new();
    }
    let parameters = schema.parameters();
    let given = arguments.as_object().into_iter().flatten().map(|(name, _)| name);
    let strange = given.filter(|name| parameters.iter().all(|it| it.name != *name));
    strange.map(|name| format!("names no argument `{name}`{}", meant(name, &parameters))).collect()
}

fn sentences(error: &ValidationError<'_>, parameters: &[Parameter<'_>]) -> Vec<String> {
    let path = path(error.instance_path().as_str());
    let below =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![format!("argument `{}` is missing", below(name))]
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let unknown = unexpected.iter().map(|name| {
                let hint = if path.is_empty() { meant(name, parameters) } else { String::new() };
                format!("there is no argument `{}`{hint}", below(name))
            });
            unknown.collect()
        }
        kind => {
            let what =
                if path.is_empty() { "the arguments".into() } else { format!("argument `{path}`") };
            let value = error.instance().to_string();
            let value = cut(&value, LONGEST_VALUE);
            match wanted(kind) {
                Some(wanted) => vec![format!("{what} must {wanted}, not `{value}`")],
                None => vec![format!("{what}: {error}")],
            }
        }
    }
}

/// What a value must be or have, where that can be said simply.
fn wanted(kind: &Kind) -> Option<String> {
    Some(match kind {
        Kind::Type { kind: TypeKind::Single(kind) } => format!("be {}", article(kind.as_str())),
        Kind::Type { kind: TypeKind::Multiple(kinds) } => {
            let mut kinds: Vec<String> = kinds.iter().map(|it| article(it.as_str())).collect();
            kinds.sort_by_key(|it| it == "null");
            format!("be {}", kinds.join(" or "))
        }
        Kind::Enum { options } => {
            let options: Vec<String> = options.as_array()?.iter().map(shown).collect();
            format!("be {}", quoted(options.iter().map(String::as_str), "or"))
        }
        Kind::Constant { expected_value } => format!("be `{}`", shown(expected_value)),
        Kind::Minimum { limit } => format!("be at least {limit}"),
        Kind::Maximum { limit } => format!("be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("be a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("have at least {}", some(*limit, "character")),
        Kind::MaxLength { limit } => format!("have at most {}", some(*limit, "character")),
        Kind::MinItems { limit } => format!("have at least {}", some(*limit, "item")),
        Kind::MaxItems { limit } => format!("have at most {}", some(*limit, "item")),
        Kind::MinProperties { limit } => format!("have at least {}", some(*limit, "member")),
        Kind::MaxProperties { limit } => format!("have at most {}", some(*limit, "member")),
        Kind::Pattern { pattern } => format!("match `{pattern}`"),
        Kind::Format { format } => format!("be {}", article(format)),
        Kind::UniqueItems => "have different items".to_owned(),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => alternatives(context)?,
        _ => return None,
    })
}

/// What each of several alternatives wants, if all of them can say it.
fn alternatives(context: &[Vec<ValidationError<'static>>]) -> Option<String> {
    let wishes = context.iter().map(|errors| match errors.as_slice() {
        [only] => wanted(only.kind()),
        _ => None,
    });
    let mut wishes: Vec<String> = wishes.collect::<Option<_>>()?;
    wishes.dedup();
    Some(wishes.join(" or "))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text, LONGEST_VALUE).into_owned(),
        other => cut(&other.to_string(), LONGEST_VALUE).into_owned(),
    }
}

fn some(number: u64, noun: &str) -> String {
    counted(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

fn article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    match noun {
        "null" => "null".to_owned(),
        noun => format!("{article} {noun}"),
    }
}

fn meant(name: &str, parameters: &[Parameter<'_>]) -> String {
    let known: Vec<String> = parameters.iter().map(|it| it.name.to_owned()).collect();
    match similar(name, &known).as_slice() {
        [] => String::new(),
        some => format!("; did you mean {}?", quoted(some.iter().copied(), "or")),
    }
}

/// A JSON pointer as people write it: `/a/0/b` is `a[0].b`.
fn path(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        match part.parse::<usize>() {
            Ok(number) if !path.is_empty() => path.push_str(&format!("[{number}]")),
            _ if path.is_empty() => path.push_str(&part),
            _ => path.push_str(&format!(".{part}")),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use serde_json::{Value, json};

    use super::{in_time, mistakes, strangers};
    use crate::schema::Schema;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1},
                "depth": {"type": "integer", "minimum": 1},
                "mode": {"enum": ["fast", "slow"]},
                "at": {"type": "object", "properties": {"line": {"type": ["integer", "null"]}}, "required": ["line"]},
                "list": {"type": "array", "items": {"type": "string"}},
                "either": {"anyOf": [{"type": "string"}, {"type": "array"}]},
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    #[track_caller]
    fn check(arguments: &Value, expected: &[&str]) {
        assert_eq!(mistakes(&Schema(schema()), arguments), expected);
    }

    #[test]
    fn good_arguments_have_no_mistakes() {
        check(
            &json!({"path": "a", "depth": 1, "mode": "fast", "at": {"line": null}, "either": []}),
            &[],
        );
    }

    #[test]
    fn each_mistake_says_which_argument_and_what_is_expected() {
        check(&json!({}), &["argument `path` is missing"]);
        check(&json!({"path": 1}), &["argument `path` must be a string, not `1`"]);
        check(
            &json!({"path": ""}),
            &["argument `path` must have at least 1 character, not `\"\"`"],
        );
        check(&json!({"path": "a", "depth": 0}), &["argument `depth` must be at least 1, not `0`"]);
        check(
            &json!({"path": "a", "depth": "x"}),
            &["argument `depth` must be an integer, not `\"x\"`"],
        );
        check(
            &json!({"path": "a", "mode": "no"}),
            &["argument `mode` must be `fast` or `slow`, not `\"no\"`"],
        );
        check(
            &json!({"path": "a", "either": 1}),
            &["argument `either` must be a string or be an array, not `1`"],
        );
    }

    #[test]
    fn mistakes_inside_an_argument_name_the_place() {
        check(&json!({"path": "a", "at": {}}), &["argument `at.line` is missing"]);
        check(
            &json!({"path": "a", "at": {"line": "x"}}),
            &["argument `at.line` must be an integer or null, not `\"x\"`"],
        );
        check(
            &json!({"path": "a", "list": ["b", 2]}),
            &["argument `list[1]` must be a string, not `2`"],
        );
    }

    #[test]
    fn an_unknown_argument_is_told_with_the_one_that_was_meant() {
        check(
            &json!({"path": "a", "dept": 1, "zzz": 1}),
            &["there is no argument `dept`; did you mean `depth`?", "there is no argument `zzz`"],
        );
    }

    #[test]
    fn arguments_that_a_schema_neither_names_nor_forbids_are_strangers() {
        let schema = Schema(json!({"properties": {"depth": {}}}));
        let found = strangers(&schema, &json!({"depth": 1, "dept": 1}));
        assert_eq!(found, ["names no argument `dept`; did you mean `depth`?"]);
        assert_eq!(
            strangers(&Schema(json!({"type": "object"})), &json!({"a": 1})),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_schema_that_makes_no_sense_is_no_obstacle() {
        for schema in [
            json!({"type": 5}),
            json!({"$ref": "https://example.com/schema.json"}),
            json!({"$schema": "x:y"}),
        ] {
            assert_eq!(mistakes(&Schema(schema), &json!({})), Vec::<String>::new());
        }
    }

    #[tokio::test]
    async fn a_check_that_takes_too_long_is_left_out() {
        let (end, ended) = mpsc::channel::<()>();
        let endless = move || ended.recv().map_or(vec!["too late".to_owned()], |()| Vec::new());
        assert_eq!(in_time(Duration::ZERO, endless).await, Vec::<String>::new());
        drop(end);
        let quick = || vec!["a mistake".to_owned()];
        assert_eq!(in_time(Duration::from_secs(60), quick).await, ["a mistake"]);
    }

    #[test]
    fn a_schema_that_refers_to_itself_is_no_obstacle() {
        let all = vec![json!({"$ref": "#/$defs/A"}); 300];
        let schema = json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": all}}});
        assert_eq!(mistakes(&Schema(schema), &json!({})), Vec::<String>::new());
    }
}
