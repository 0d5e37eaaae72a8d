//! `${VAR}`, `${env:VAR}` and `${VAR:-default}` in the strings of configuration files.

use std::collections::BTreeMap;

/// How deep defaults may lie in defaults.
const DEEPEST: usize = 16;

/// Replaces every variable; the error is the name of the first one that is not set.
pub(super) fn expand(text: &str, variables: &BTreeMap<String, String>) -> Result<String, String> {
    expand_at(0, text, variables)
}

fn expand_at(
    depth: usize,
    text: &str,
    variables: &BTreeMap<String, String>,
) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some(end) = closing(after).filter(|_| depth < DEEPEST) else { break };
        let (inside, tail) = (&after[..end], &after[end + 1..]);
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        expanded.push_str(before);
        // As in a shell, `:-` stands in for what is empty too.
        let value = variables.get(name).filter(|it| default.is_none() || !it.is_empty());
        match (value, default) {
            (Some(value), _) => expanded.push_str(value),
            (None, Some(default)) => expanded.push_str(&expand_at(depth + 1, default, variables)?),
            (None, None) => return Err(name.to_owned()),
        }
        rest = tail;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// Where the brace closes that stands open before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' if text[..at].ends_with('$') => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
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
        check("${env:HOME}/skills", Ok("/home/ann/skills"));
    }

    #[test]
    fn an_unset_or_empty_variable_gives_its_default() {
        check("a${NONE:-b}c${EMPTY:-d}", Ok("abcd"));
        check("${env:NONE:-b}", Ok("b"));
    }

    #[test]
    fn a_variable_that_is_empty_is_set() {
        check("a${EMPTY}b${env:EMPTY}", Ok("ab"));
        check("${NONE:-${EMPTY}}", Ok(""));
    }

    #[test]
    fn a_default_may_hold_variables() {
        check("${NONE:-${HOME}}/x", Ok("/home/ann/x"));
        check("${NONE:-a${ALSO:-b}c}d", Ok("abcd"));
        check("${NONE:-${ALSO}}", Err("ALSO"));
    }

    #[test]
    fn an_unset_variable_without_default_is_named() {
        check("${HOME}${NONE}", Err("NONE"));
        check("${env:NONE}", Err("NONE"));
    }

    #[test]
    fn other_dollars_stay_what_they_are() {
        check("pa$$word $HOME ${HOME", Ok("pa$$word $HOME ${HOME"));
    }

    #[test]
    fn a_value_is_not_expanded_again() {
        let variables = [("A".to_owned(), "${B}".to_owned())].into();
        assert_eq!(expand("${A}", &variables).as_deref(), Ok("${B}"));
    }
}
