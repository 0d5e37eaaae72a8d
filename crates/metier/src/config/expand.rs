//! `${VAR}` and `${VAR:-default}` in the strings of configuration files.

use std::collections::BTreeMap;

/// Replaces every variable; the error is the name of the first one that is not set.
pub(super) fn expand(text: &str, variables: &BTreeMap<String, String>) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, tail)) = after.split_once('}') else { break };
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let value = variables.get(name).map(String::as_str).filter(|value| !value.is_empty());
        expanded.push_str(before);
        expanded.push_str(value.or(default).ok_or(name)?);
        rest = tail;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let variables = [("HOME", "/home/ann"), ("EMPTY", "")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into();
        assert_eq!(expand(text, &variables), expected.map(Into::into).map_err(Into::into));
    }

    #[test]
    fn a_set_variable_gives_its_value() {
        check("${HOME}/skills", Ok("/home/ann/skills"));
    }

    #[test]
    fn an_unset_or_empty_variable_gives_its_default() {
        check("a${NONE:-b}c${EMPTY:-d}", Ok("abcd"));
    }

    #[test]
    fn an_unset_variable_without_default_is_named() {
        check("${HOME}${NONE}", Err("NONE"));
    }

    #[test]
    fn other_dollars_stay_what_they_are() {
        check("pa$$word $HOME ${HOME", Ok("pa$$word $HOME ${HOME"));
    }
}
