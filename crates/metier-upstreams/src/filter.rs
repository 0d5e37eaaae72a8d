//! Filters: which tools exist for whoever looks.

use thiserror::Error;

/// Which tools exist: all that an include names, without those that an exclude names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    include: Vec<String>,
    exclude: Vec<String>,
}

/// A pattern that matches nothing.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("an empty pattern matches nothing")]
pub struct EmptyPattern;

impl ToolFilter {
    /// Takes patterns with `*` and `?`, matched without regard to case.
    pub fn new<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Result<ToolFilter, EmptyPattern> {
        Ok(ToolFilter { include: folded(include)?, exclude: folded(exclude)? })
    }

    /// Whether a tool exists, by its name or by its id (`server:tool`).
    pub(crate) fn shows(&self, name: &str, id: &str) -> bool {
        if self.include.is_empty() && self.exclude.is_empty() {
            return true;
        }
        let (name, id) = (name.to_lowercase(), id.to_lowercase());
        let any = |patterns: &[String]| patterns.iter().any(|it| glob(it, &name) || glob(it, &id));
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }
}

fn folded<S: AsRef<str>>(patterns: &[S]) -> Result<Vec<String>, EmptyPattern> {
    let folded = patterns.iter().map(|it| match it.as_ref().trim().to_lowercase() {
        empty if empty.is_empty() => Err(EmptyPattern),
        pattern => Ok(pattern),
    });
    folded.collect()
}

/// Matches `*` (any run) and `?` (any one character): each pattern character gives the set of
/// prefixes of the text that are matched so far.
fn glob(pattern: &str, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for wanted in pattern.chars() {
        if wanted == '*' {
            let first = reached.iter().position(|it| *it).unwrap_or(reached.len());
            reached[first..].fill(true);
        } else {
            for end in (1..reached.len()).rev() {
                reached[end] = reached[end - 1] && (wanted == '?' || wanted == text[end - 1]);
            }
            reached[0] = false;
        }
    }
    reached[text.len()]
}

#[cfg(test)]
mod tests {
    use super::ToolFilter;

    #[track_caller]
    fn check(include: &[&str], exclude: &[&str], expected: &str) {
        let filter = ToolFilter::new(include, exclude).unwrap();
        let tools = ["find_files", "find_admin", "write_file", "Write_Admin"];
        let shown = tools.iter().filter(|name| filter.shows(name, &format!("files:{name}")));
        assert_eq!(shown.copied().collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn without_patterns_every_tool_exists() {
        check(&[], &[], "find_files find_admin write_file Write_Admin");
    }

    #[test]
    fn exclude_comes_after_include() {
        check(&["find_*"], &["*_admin"], "find_files");
    }

    #[test]
    fn patterns_match_ids_as_well_as_names_without_regard_to_case() {
        check(&["FILES:write_*"], &[], "write_file Write_Admin");
        check(&["other:*"], &[], "");
        check(&["?ind_files", "*admin"], &["files:*_admin"], "find_files");
    }

    #[test]
    fn a_star_may_match_nothing_and_more_than_once() {
        check(&["*f*i*l*e*"], &[], "find_files find_admin write_file Write_Admin");
        check(&["find_files*"], &[], "find_files");
    }

    #[test]
    fn an_empty_pattern_is_refused() {
        assert!(ToolFilter::new(&[" "], &[]).is_err());
    }
}
