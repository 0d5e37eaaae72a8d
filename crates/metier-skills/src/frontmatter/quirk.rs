//! What had to be guessed to read a head, told so that a person can mend it.

use std::fmt;

use thiserror::Error;

/// How many characters of a line are shown where a line is named.
pub(super) const SHOWN: usize = 40;

/// One guess: where, in what, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The line of the file, counted from one.
    pub line: usize,
    /// The field, or the beginning of the line where it belongs to none.
    pub field: String,
    /// What is odd there.
    pub what: Quirk,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Repair { line, field, what } = self;
        write!(f, "line {line}: `{field}` {what}")
    }
}

/// What people write that YAML does not mean; the text ends with the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Quirk {
    /// A `: ` that YAML takes for a second field.
    #[error("holds an unquoted `: `; put the value in quotes")]
    Colon,
    /// A first character that YAML keeps for itself.
    #[error("starts with `{0}`, which means something else in YAML; put the value in quotes")]
    Start(char),
    /// A quote that is missing, or one too many.
    #[error("has quotes that do not pair up; write a quote inside quotes as `\\\"`")]
    Quotes,
    /// A value that goes on in the first column.
    #[error("goes on at the start of a line; indent the lines that follow")]
    Unindented,
    /// Tabs where YAML wants spaces.
    #[error("is indented with tabs; use spaces")]
    Tabs,
    /// A colon with the value glued to it.
    #[error("has no space after the colon; add one")]
    Glued,
    /// The same key more than once.
    #[error("is given more than once and the last one counts; remove the others")]
    Duplicate,
    /// A key in another spelling than the required one.
    #[error("is read as `{0}`; write it in lower case")]
    KeyCase(&'static str),
    /// A description that is a list or a map.
    #[error("is {0}, read as the text it is written with; put the value in quotes")]
    NotText(&'static str),
    /// Words that YAML takes for an anchor, a tag or a comment.
    #[error("loses `{0}`, which YAML does not count as text; put the value in quotes")]
    Dropped(String),
    /// A character that no text should have.
    #[error("holds control or hidden characters, which are left out; remove them")]
    Control,
    /// A line that `git` left behind.
    #[error("is a merge conflict marker; resolve the conflict")]
    Conflict,
    /// A line above the first field.
    #[error("belongs to no field and is left out; remove it")]
    Stray,
    /// Anything else.
    #[error("is not YAML ({0}) and is read as plain text; put the value in quotes")]
    Broken(String),
}
