//! What an unquoted word of YAML means, by the core schema of YAML 1.2.

use std::borrow::Cow;

use serde_json::{Number, Value};

/// How unquoted text becomes a value.
pub(super) type Typing = fn(Cow<'_, str>) -> Value;

/// How the unquoted value of each top-level field becomes one, by its key.
pub(super) type Typings = fn(&str) -> Typing;

/// The fields every skill must have, and whose words are never numbers.
const REQUIRED: [&str; 2] = ["name", "description"];

/// Whether a skill cannot do without this field, however it is capitalized.
pub(super) fn is_required(key: &str) -> bool {
    REQUIRED.iter().any(|it| key.eq_ignore_ascii_case(it))
}

/// How to read the unquoted value of a top-level field: `name: 007` is a name.
pub(super) fn typing(key: &str) -> Typing {
    if is_required(key) { text } else { core }
}

/// How to read the unquoted value of a top-level field as any other program would.
pub(super) fn verbatim(_key: &str) -> Typing {
    core
}

/// Reads null, booleans and numbers; all else is text.
///
/// A number that JSON cannot hold (`.inf`, forty digits) stays the text it is.
pub(super) fn core(word: Cow<'_, str>) -> Value {
    match word.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        other => match number(other) {
            Some(number) => Value::Number(number),
            None => Value::String(word.into_owned()),
        },
    }
}

/// Whether a word is a number, were it not too large for JSON.
pub(super) fn is_beyond_json(word: &str) -> bool {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let is_special =
        matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(word, ".nan" | ".NaN" | ".NAN");
    let is_hex = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_hexdigit());
    let is_number = is_digits(unsigned)
        || is_float(unsigned)
        || word.strip_prefix("0x").is_some_and(is_hex)
        || word.strip_prefix("0o").is_some_and(is_digits);
    is_special || (is_number && number(word).is_none())
}

/// Reads null; all else is text as it is spelled.
pub(super) fn text(word: Cow<'_, str>) -> Value {
    match word.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        _ => Value::String(word.into_owned()),
    }
}

/// Reads everything as the text it is.
pub(super) fn spelling(word: Cow<'_, str>) -> Value {
    Value::String(word.into_owned())
}

fn number(word: &str) -> Option<Number> {
    if !word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    if let Some(digits) = word.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = word.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    if is_digits(unsigned) {
        let unsigned = word.parse::<u64>().map(Number::from);
        return unsigned.or_else(|_| word.parse::<i64>().map(Number::from)).ok();
    }
    if is_float(unsigned) { word.parse().ok().and_then(Number::from_f64) } else { None }
}

fn radix(digits: &str, radix: u32) -> Option<Number> {
    // The standard library would take a sign here, which YAML does not.
    let bare = digits.starts_with(|c: char| c.is_digit(radix));
    u64::from_str_radix(digits, radix).ok().filter(|_| bare).map(Number::from)
}

/// Digits with a point or an exponent, where the digits before or after the point may be missing.
fn is_float(word: &str) -> bool {
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
        }
        None => (word, "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = whole.bytes().chain(fraction.bytes()).peekable();
    digits.peek().is_some() && digits.all(|it| it.is_ascii_digit()) && is_digits(exponent)
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|it| it.is_ascii_digit())
}
