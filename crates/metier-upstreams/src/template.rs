//! URI templates as matchers: whether a URI may come from one.

/// How much work the templates for one URI may take; more are not looked at.
pub(crate) const MOST_STEPS: usize = 4 << 20;

/// A URI template (RFC 6570), read so that URIs can be held against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    /// What every URI begins with.
    head: Box<str>,
    /// The expressions, each with the text that follows it.
    tail: Box<[(Expression, Box<str>)]>,
}

/// What an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expression {
    /// `{name}`: some characters without `/`.
    Segment,
    /// `{+name}` or `{name*}`: any characters or none.
    Anything,
    /// `{/name}`, `{?name}`, …: nothing, or the character and whatever follows it.
    After(u8),
}

impl Template {
    pub(crate) fn new(text: &str) -> Template {
        let mut tail = Vec::new();
        let (head, mut rest) = split(text);
        while let Some((expression, after)) = rest {
            let (literal, next) = split(after);
            tail.push((Expression::read(expression), literal.into()));
            rest = next;
        }
        Template { head: head.into(), tail: tail.into() }
    }

    /// How many bytes it demands; the more, the more it says about a URI that fits.
    pub(crate) fn n_literal(&self) -> usize {
        self.head.len() + self.tail.iter().map(|(_, literal)| literal.len()).sum::<usize>()
    }

    /// Whether it could expand to this URI; not, if finding that out takes more than what is left of
    /// `steps`. Work is bounded by both lengths, whatever the expressions.
    pub(crate) fn fits(&self, uri: &str, steps: &mut usize) -> bool {
        let Some(uri) = uri.strip_prefix(&*self.head) else { return false };
        let cost = (uri.len() + 1).saturating_mul(self.tail.len() + self.n_literal() / 16);
        let Some(left) = steps.checked_sub(cost) else { return false };
        *steps = left;
        let uri = uri.as_bytes();
        // Which beginnings of the URI are matched by what was looked at of the template.
        let mut reached = vec![false; uri.len() + 1];
        reached[0] = true;
        for (expression, literal) in &self.tail {
            expression.spread(&mut reached, uri);
            step(&mut reached, uri, literal.as_bytes());
        }
        reached[uri.len()]
    }
}

/// What comes before the first expression, then that expression and what comes after it.
fn split(text: &str) -> (&str, Option<(&str, &str)>) {
    let found =
        text.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    found.map_or((text, None), |(before, expression)| (before, Some(expression)))
}

impl Expression {
    fn read(text: &str) -> Expression {
        match text.as_bytes().first() {
            Some(sign @ (b'/' | b'.' | b';' | b'?' | b'&' | b'#')) => Expression::After(*sign),
            Some(b'+') => Expression::Anything,
            _ if text.ends_with('*') => Expression::Anything,
            _ => Expression::Segment,
        }
    }

    /// Moves every match on by whatever the expression stands for.
    fn spread(self, reached: &mut [bool], uri: &[u8]) {
        let mut goes_on = false;
        for (at, reached) in reached.iter_mut().enumerate() {
            let was =
                std::mem::replace(reached, goes_on || (*reached && self != Expression::Segment));
            let Some(byte) = uri.get(at) else { return };
            goes_on = match self {
                Expression::Segment => (goes_on || was) && *byte != b'/',
                Expression::Anything => goes_on || was,
                Expression::After(sign) => goes_on || (was && *byte == sign),
            };
        }
    }
}

/// Moves every match on by a text.
fn step(reached: &mut [bool], uri: &[u8], literal: &[u8]) {
    for end in (0..reached.len()).rev() {
        let start = end.checked_sub(literal.len());
        reached[end] = start.is_some_and(|start| reached[start] && uri[start..end] == *literal);
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_STEPS, Template};

    fn fits(template: &str, uri: &str) -> bool {
        let mut steps = MOST_STEPS;
        Template::new(template).fits(uri, &mut steps)
    }

    #[track_caller]
    fn check(template: &str, fitting: &[&str], others: &[&str]) {
        for uri in fitting {
            assert!(fits(template, uri), "{template} does not fit {uri}");
        }
        for uri in others {
            assert!(!fits(template, uri), "{template} fits {uri}");
        }
    }

    #[test]
    fn a_name_stands_for_some_characters_without_slash() {
        check(
            "a://{x}/end",
            &["a://1/end", "a://long nåme/end"],
            &["a:///end", "a://1/2/end", "a://1"],
        );
        check("a://{x}{y}", &["a://12"], &["a://1", "a://1/2", "a://"]);
        check("a://{x}.{y:3}", &["a://b.c", "a://b.c.d"], &["a://b", "a://.c"]);
        check("{x}", &["a:b"], &["", "a://b"]);
    }

    #[test]
    fn a_plus_or_a_star_stands_for_anything() {
        check("file:///{+path}", &["file:///", "file:///a/b"], &["file://a"]);
        check("a://{x*}/end", &["a://b/c/end", "a:///end"], &["a://b/c"]);
        check("{+uri}", &["", "a://b/c?d#e"], &[]);
    }

    #[test]
    fn an_operator_stands_for_nothing_or_for_what_begins_with_its_sign() {
        check("q://x{?a,b}", &["q://x", "q://x?a=1&b=2"], &["q://y", "q://x/y"]);
        check("q://x{/a*}{?b}{#c}", &["q://x", "q://x/1/2", "q://x?b", "q://x/1?b#c"], &["q://xy"]);
        check("q://{a}{.ext}{;p}{&r}", &["q://n.txt", "q://n;p=1&r=2"], &["q://n/m", "q://"]);
    }

    #[test]
    fn without_expressions_only_the_same_text_fits() {
        check("a://b", &["a://b"], &["a://bc", "a://", "A://b"]);
        check("a://{b", &["a://{b"], &["a://x"]);
        check("", &[""], &["a"]);
    }

    #[test]
    fn a_template_that_would_take_too_long_does_not_fit() {
        let (many, long) = ("{+a}b".repeat(1_000), "b".repeat(8 << 10));
        assert!(!fits(&many, &long));
        let mut steps = MOST_STEPS;
        assert!(!Template::new("{x}").fits(&"/".repeat(1 << 10), &mut steps));
        assert_eq!(steps, MOST_STEPS - (1 << 10) - 1);
    }
}
