//! Whether a URI may come from a URI template.

/// Whether a template could expand to this URI.
///
/// `{name}` stands for some characters without `/`; any other expression, such as `{+path}` or
/// `{?query}`, for any characters or none.
pub(super) fn fits(template: &str, uri: &str) -> bool {
    let uri: Vec<char> = uri.chars().collect();
    // Which prefixes of the URI are matched by what was read of the template.
    let mut reached = vec![false; uri.len() + 1];
    reached[0] = true;
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once('{') {
        let Some((expression, after)) = after.split_once('}') else { break };
        literal.chars().for_each(|c| step(&mut reached, &uri, c));
        let is_plain = expression.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        spread(&mut reached, &uri, is_plain.then_some('/'));
        rest = after;
    }
    rest.chars().for_each(|c| step(&mut reached, &uri, c));
    reached[uri.len()]
}

/// Moves every match on by one character.
fn step(reached: &mut [bool], uri: &[char], wanted: char) {
    for end in (1..reached.len()).rev() {
        reached[end] = reached[end - 1] && uri[end - 1] == wanted;
    }
    reached[0] = false;
}

/// Moves every match on by any number of characters; by at least one if there is one to stop at.
fn spread(reached: &mut [bool], uri: &[char], stop: Option<char>) {
    let mut from_before = reached[0];
    reached[0] &= stop.is_none();
    for end in 1..reached.len() {
        let was = reached[end];
        let goes_on = from_before && Some(uri[end - 1]) != stop;
        reached[end] = goes_on || (was && stop.is_none());
        from_before = goes_on || was;
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[track_caller]
    fn check(template: &str, fitting: &[&str], others: &[&str]) {
        for uri in fitting {
            assert!(fits(template, uri), "{uri}");
        }
        for uri in others {
            assert!(!fits(template, uri), "{uri}");
        }
    }

    #[test]
    fn a_name_stands_for_some_characters_without_slash() {
        check("a://{x}/end", &["a://1/end", "a://long name/end"], &["a:///end", "a://1/2/end"]);
        check("a://{x}{y}", &["a://12"], &["a://1", "a://1/2"]);
    }

    #[test]
    fn other_expressions_stand_for_anything() {
        check("file:///{+path}", &["file:///", "file:///a/b"], &["file://a"]);
        check("q://x{?a,b}", &["q://x", "q://x?a=1&b=2"], &["q://y"]);
    }

    #[test]
    fn without_expressions_only_the_same_text_fits() {
        check("a://b", &["a://b"], &["a://bc", "a://"]);
        check("a://{b", &["a://{b"], &["a://x"]);
    }
}
