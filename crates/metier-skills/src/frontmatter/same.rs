//! Whether the head of a `SKILL.md` says what was published of it.

use serde_json::{Map, Value};

use super::{FrontmatterError, head};

/// The first field of a `SKILL.md` that is not as it was published; none if all of them are.
///
/// `1` and `1.0` are the same, and so are texts around which spaces differ.
pub fn differing_field(
    text: &str,
    published: &Map<String, Value>,
) -> Result<Option<String>, FrontmatterError> {
    let head = head(text)?;
    let is_told =
        |(key, value): &(&String, &Value)| published.get(*key).is_some_and(|it| is_same(value, it));
    let differing = head.iter().find(|it| !is_told(it)).map(|(key, _)| key);
    let missing = published.keys().find(|it| !head.contains_key(*it));
    Ok(differing.or(missing).cloned())
}

fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::String(one), Value::String(other)) => one.trim() == other.trim(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|it| is_same(value, it))
            };
            one.len() == other.len() && one.iter().all(has)
        }
        _ => one == other,
    }
}
