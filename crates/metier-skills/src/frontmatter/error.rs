//! Why a `SKILL.md` has no readable head, and what to do about it.

use thiserror::Error;

/// Why the head of a `SKILL.md` could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FrontmatterError {
    /// The file does not begin with a fence.
    #[error("there is no frontmatter: the file does not begin with a line `---`")]
    Absent,
    /// The first fence has no second.
    #[error("line {line}: the frontmatter opened here is never closed")]
    Unclosed {
        /// Where the first fence stands.
        line: usize,
    },
    /// The head is longer than anyone would write.
    #[error("the frontmatter is {length} bytes long, more than the {most} that are read")]
    TooLong {
        /// The bytes between the fences.
        length: usize,
        /// The most that is read.
        most: usize,
    },
    /// The head is YAML, but not a list of fields.
    #[error("line {line}: the frontmatter is {found}, not fields like `name: …`")]
    NotMapping {
        /// Where the head starts.
        line: usize,
        /// What stands there instead.
        found: &'static str,
    },
    /// The head is not YAML, and no line of it looks like a field.
    #[error("line {line}: the frontmatter is not YAML: {cause}")]
    Unreadable {
        /// Where the YAML reader gave up.
        line: usize,
        /// What the YAML reader said.
        cause: String,
    },
    /// A required field is not there.
    #[error("`{field}` is missing")]
    Missing {
        /// The field.
        field: &'static str,
    },
    /// A required field has no text.
    #[error("line {line}: `{field}` is empty")]
    Empty {
        /// The field.
        field: &'static str,
        /// Where it stands.
        line: usize,
    },
    /// A required field is something else than text.
    #[error("line {line}: `{field}` is {found}, not text")]
    NotText {
        /// The field.
        field: &'static str,
        /// Where it stands.
        line: usize,
        /// What stands there instead.
        found: &'static str,
    },
}

impl FrontmatterError {
    /// The next thing for a person to do.
    pub fn hint(&self) -> String {
        match self {
            Self::Absent => {
                "begin the file with a line `---`, a `name: …`, a `description: …` and a line `---`"
                    .to_owned()
            }
            Self::Unclosed { .. } => "put a line `---` after the last field".to_owned(),
            Self::TooLong { .. } => "move the text below the second `---`".to_owned(),
            Self::NotMapping { .. } | Self::Unreadable { .. } => {
                "write one field per line, as `name: text`".to_owned()
            }
            Self::Missing { field } => {
                format!("add a line `{field}: …` between the two lines `---`")
            }
            Self::Empty { field, .. } => format!("write some text after `{field}:`"),
            Self::NotText { field, .. } => format!("put the text after `{field}:` in quotes"),
        }
    }
}
