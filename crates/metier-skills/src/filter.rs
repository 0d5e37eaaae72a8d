//! Filters: which skills exist for a user.

use std::sync::Arc;

use thiserror::Error;

use crate::{
    key::fold,
    skill::Skill,
    source::{Location, Source},
};

/// The groups that a pattern may name.
const GROUPS: [&str; 4] = ["@project", "@global", "@custom", "@plugins"];

/// Which skills exist: all that an include names, without those that an exclude names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

/// What was wrong with a pattern.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PatternError {
    /// Nothing between two commas, or nothing at all.
    #[error("an empty pattern matches nothing")]
    Empty,
    /// A group that does not exist.
    #[error("`{0}` is not a group: use @project, @global, @custom, @plugins or @plugins:<plugin>")]
    UnknownGroup(String),
}

/// A name with `*` and `?`, matched without regard to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Filter {
    /// Reads comma-separated patterns.
    pub fn new<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Result<Filter, PatternError> {
        Ok(Filter { include: patterns(include)?, exclude: patterns(exclude)? })
    }

    /// The skill as it exists for the user: in the places that are shown. `None`: in no place.
    pub(crate) fn shown(&self, skill: &Arc<Skill>) -> Option<Arc<Skill>> {
        if self.include.is_empty() && self.exclude.is_empty() {
            return Some(skill.clone());
        }
        let mut places = skill.places().filter(|source| self.shows(skill, source));
        let source = places.next()?.clone();
        let also: Vec<Arc<Source>> = places.cloned().collect();
        if also.len() == skill.also.len() {
            return Some(skill.clone());
        }
        Some(Arc::new(Skill { source, also, ..Skill::clone(skill) }))
    }

    /// Whether a skill exists for the user that is in no place of this machine.
    #[must_use]
    pub fn shows_named(&self, provider: &str, name: &str) -> bool {
        let (name, provider) = (fold(name), fold(provider));
        let whole = format!("{provider}:{name}");
        self.admits(&[name.into_owned(), provider.into_owned(), whole])
    }

    fn shows(&self, skill: &Skill, source: &Source) -> bool {
        self.admits(&labels(skill.name(), source))
    }

    fn admits(&self, labels: &[String]) -> bool {
        let any = |patterns: &[Pattern]| patterns.iter().any(|it| it.matches_any(labels));
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }
}

impl Pattern {
    /// Reads one pattern.
    pub fn new(text: &str) -> Result<Pattern, PatternError> {
        let pattern = fold(text).into_owned();
        if pattern.is_empty() {
            return Err(PatternError::Empty);
        }
        let group = pattern.split(':').next().unwrap_or_default();
        if group.starts_with('@') && !GROUPS.iter().any(|known| glob(group, known)) {
            return Err(PatternError::UnknownGroup(text.trim().to_owned()));
        }
        Ok(Pattern(pattern))
    }

    /// Whether the pattern can match more than one name.
    #[must_use]
    pub fn is_glob(text: &str) -> bool {
        text.contains(['*', '?'])
    }

    /// Whether the skill is meant.
    #[must_use]
    pub fn matches(&self, skill: &Skill) -> bool {
        skill.places().any(|source| self.matches_any(&labels(skill.name(), source)))
    }

    fn matches_any(&self, labels: &[String]) -> bool {
        labels.iter().any(|label| glob(&self.0, label))
    }
}

fn patterns<S: AsRef<str>>(lists: &[S]) -> Result<Vec<Pattern>, PatternError> {
    lists.iter().flat_map(|list| list.as_ref().split(',')).map(Pattern::new).collect()
}

/// Everything that a pattern may match of a skill in one place, folded.
fn labels(name: &str, source: &Source) -> Vec<String> {
    let (name, provider) = (fold(name), fold(&source.provider));
    let group = match source.location() {
        Location::Custom => "@custom",
        Location::Project => "@project",
        Location::Global => "@global",
        Location::Plugin => "@plugins",
    };
    let mut labels = vec![
        name.clone().into_owned(),
        provider.clone().into_owned(),
        format!("{provider}:{name}"),
        group.to_owned(),
    ];
    if let Some(owner) = &source.plugin {
        let plugin = fold(&owner.plugin.name);
        labels.extend([
            format!("{plugin}:{name}"),
            format!("{provider}:{plugin}:{name}"),
            format!("@plugins:{plugin}"),
            plugin.into_owned(),
        ]);
    }
    labels
}

/// Matches `*` (any run) and `?` (any one character); every other character stands for itself.
fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut seen) = (0, 0);
    // Where to go on if the last `*` has to swallow one more character.
    let mut retry: Option<(usize, usize)> = None;
    while seen < text.len() {
        match pattern.get(at) {
            Some('*') => {
                retry = Some((at + 1, seen));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == text[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((after, swallowed)) = retry else { return false };
                retry = Some((after, swallowed + 1));
                (at, seen) = (after, swallowed + 1);
            }
        }
    }
    pattern[at..].iter().all(|&rest| rest == '*')
}
