//! Arguments of a call, as people write them.

use std::io;

use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use crate::{
    failure::{Exit, Failure},
    schema::Schema,
    ui::cut,
};

/// What was written on the command line.
#[derive(Debug)]
pub(super) enum Given {
    /// One JSON object, which travels as it is.
    Object(Box<RawValue>),
    Pairs(Vec<Pair>),
}

/// One argument.
#[derive(Debug)]
pub(super) struct Pair {
    key: String,
    value: Written,
}

#[derive(Debug)]
enum Written {
    /// `key=value`: the schema says what is meant.
    Text(String),
    /// `key:=JSON`.
    Json(Value),
}

impl Given {
    /// Reads the words of the command line; `stdin` is asked for only if one of them says so.
    pub(super) fn read(
        words: &[String],
        stdin: impl FnOnce() -> io::Result<String>,
    ) -> Result<Given, Failure> {
        match words {
            [only] if only == "-" => {
                let text = stdin().map_err(|error| {
                    wrong(format!("stdin cannot be read: {error}"), "write the arguments instead")
                })?;
                Ok(Given::Object(object(&text, "stdin")?))
            }
            [only] if only.trim_start().starts_with('{') => {
                Ok(Given::Object(object(only, "the argument")?))
            }
            words => {
                let mut pairs: Vec<Pair> = Vec::new();
                for word in words {
                    let pair = pair(word)?;
                    if pairs.iter().any(|it| it.key == pair.key) {
                        return Err(wrong(
                            format!("argument `{}` is given twice", pair.key),
                            "give several values as JSON: `key:=[1, 2]`",
                        ));
                    }
                    pairs.push(pair);
                }
                Ok(Given::Pairs(pairs))
            }
        }
    }

    /// The arguments as they are sent, texts taken for what the schema wants.
    pub(super) fn typed(&self, schema: &Schema) -> Box<RawValue> {
        let pairs = match self {
            Given::Object(object) => return object.clone(),
            Given::Pairs(pairs) => pairs,
        };
        let parameters = schema.parameters();
        let mut arguments = Map::new();
        for Pair { key, value } in pairs {
            let types = parameters.iter().find(|it| it.name == key).map(|it| &*it.types);
            let value = match value {
                Written::Json(value) => value.clone(),
                Written::Text(text) => meant(text, types.unwrap_or_default()),
            };
            arguments.insert(key.clone(), value);
        }
        to_raw_value(&arguments).unwrap_or_default()
    }
}

/// What a text means where these types are wanted.
fn meant(text: &str, types: &[&str]) -> Value {
    let as_text = || Value::String(text.to_owned());
    if types.contains(&"string") {
        return as_text();
    }
    serde_json::from_str(text).unwrap_or_else(|_| as_text())
}

fn pair(word: &str) -> Result<Pair, Failure> {
    let Some((key, value)) = word.split_once('=').filter(|(key, _)| !matches!(*key, "" | ":"))
    else {
        return Err(wrong(
            format!("`{}` is no argument", cut(word, 64)),
            "write `key=value`, `key:=JSON`, one JSON object, or `-` for stdin",
        ));
    };
    let Some(key) = key.strip_suffix(':') else {
        return Ok(Pair { key: key.to_owned(), value: Written::Text(value.to_owned()) });
    };
    let value = serde_json::from_str(value).map_err(|error| {
        wrong(
            format!("argument `{key}` is not JSON: {error}"),
            format!("write `{key}=…` for plain text"),
        )
    })?;
    Ok(Pair { key: key.to_owned(), value: Written::Json(value) })
}

fn object(text: &str, origin: &str) -> Result<Box<RawValue>, Failure> {
    let hint = "write an object: `{\"key\": \"value\"}`";
    let object: Box<RawValue> = serde_json::from_str(text)
        .map_err(|error| wrong(format!("{origin} is not JSON: {error}"), hint))?;
    if !object.get().starts_with('{') {
        return Err(wrong(format!("{origin} is JSON, but no object"), hint));
    }
    Ok(object)
}

fn wrong(message: String, hint: impl Into<String>) -> Failure {
    Failure::new(Exit::Usage, message).hinted(hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Given;
    use crate::schema::Schema;

    /// The arguments as they are sent, or what is wrong with the words.
    fn sent(words: &[&str]) -> String {
        let schema = Schema(json!({"properties": {
            "text": {"type": "string"},
            "n": {"type": "integer"},
            "on": {"type": "boolean"},
            "list": {"type": "array"},
            "either": {"type": ["string", "integer"]},
        }}));
        let words: Vec<String> = words.iter().map(|it| (*it).to_owned()).collect();
        let given = Given::read(&words, || Ok(r#" {"from": "stdin"} "#.to_owned()));
        match given.map(|given| given.typed(&schema)) {
            Ok(arguments) => arguments.get().to_owned(),
            Err(failure) => failure.error.to_string(),
        }
    }

    #[track_caller]
    fn check(words: &[&str], expected: &str) {
        assert_eq!(sent(words), expected);
    }

    #[test]
    fn the_schema_says_what_a_text_means() {
        check(&["text=1", "n=1"], r#"{"text":"1","n":1}"#);
        check(&["on=true", "list=[1, 2]"], r#"{"on":true,"list":[1,2]}"#);
        check(&["either=1"], r#"{"either":"1"}"#);
        check(&["n=many"], r#"{"n":"many"}"#);
    }

    #[test]
    fn where_the_schema_is_silent_json_counts_as_json() {
        check(&["a=1", "b=x", "c={\"d\": null}"], r#"{"a":1,"b":"x","c":{"d":null}}"#);
    }

    #[test]
    fn a_colon_before_the_equals_sign_means_json() {
        check(&["text:=1"], r#"{"text":1}"#);
        check(&["text=a:=b"], r#"{"text":"a:=b"}"#);
        check(&["text:=x"], "argument `text` is not JSON: expected value at line 1 column 1");
    }

    #[test]
    fn an_object_travels_as_it_is() {
        check(
            &[r#"{"big": 123456789012345678901234567890}"#],
            r#"{"big": 123456789012345678901234567890}"#,
        );
        check(&["-"], r#"{"from": "stdin"}"#);
        check(&[], "{}");
    }

    #[test]
    fn what_is_no_argument_is_refused() {
        check(&["text"], "`text` is no argument");
        check(&["=x"], "`=x` is no argument");
        check(&["[1]"], "`[1]` is no argument");
        check(&["{oops"], "the argument is not JSON: key must be a string at line 1 column 2");
        check(&["n=1", "n=2"], "argument `n` is given twice");
        check(&["n=1", "-"], "`-` is no argument");
    }
}
