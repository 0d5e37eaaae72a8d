//! What strict readers refuse, and the words for it.

/// Something in the frontmatter that the published validator's reader refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) line: usize,
    pub(crate) what: What,
}

/// The kinds of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Anchor(char),
    BlockHeader,
    Colon,
    ComplexKey,
    Deep,
    Dots,
    Duplicate(String),
    Empty,
    Escape(char),
    Flow,
    Indent,
    InlineList,
    List,
    Merge,
    NoKey,
    NotAKey,
    Opening(char),
    Quote,
    Tab,
    Tag,
    Uneven,
    Unprintable(char),
}

impl What {
    /// What is wrong.
    pub(crate) fn message(&self) -> String {
        let fixed = match self {
            What::Anchor(mark) => {
                return format!("a value cannot begin with `{mark}`, which marks YAML anchors");
            }
            What::Duplicate(key) => return format!("`{key}` is given twice"),
            What::Escape(mark) => {
                return format!("`\\{}` is not an escape in double quotes", mark.escape_default());
            }
            What::Opening(mark) => return format!("an unquoted value cannot begin with `{mark}`"),
            What::Unprintable(ch) => {
                return format!("the frontmatter holds the control character U+{:04X}", *ch as u32);
            }
            What::BlockHeader => {
                "only a sign, a digit and a comment may follow `|` or `>` on its line"
            }
            What::Colon => "an unquoted value contains `: `, which begins a new key",
            What::ComplexKey => "`? ` keys are not read by strict readers",
            What::Deep => "the frontmatter is nested too deeply",
            What::Dots => "text follows a line `...`, which ends the YAML document",
            What::Empty => "the frontmatter is empty",
            What::Flow => "flow style (`[…]` or `{…}`) is refused by strict readers",
            What::Indent => "the line is indented unlike the lines above it",
            What::InlineList => "a list cannot begin on the line of its key",
            What::List => "the frontmatter is a list, not `key: value` lines",
            What::Merge => "`<<` merge keys are not read by strict readers",
            What::NoKey => "a `:` stands without a key before it",
            What::NotAKey => "the line is not `key: value`",
            What::Quote => "a quoted value is not closed",
            What::Tab => "a tab stands where YAML wants spaces",
            What::Tag => "a value cannot begin with `!`, which marks YAML tags",
            What::Uneven => "two nested maps of one map are indented differently",
        };
        fixed.to_owned()
    }

    /// What to do about it.
    pub(crate) fn fix(&self) -> &'static str {
        match self {
            What::Anchor(_) | What::Colon | What::Opening(_) | What::Tag => {
                "put the whole value in quotes"
            }
            What::BlockHeader => "begin the text on the next line, indented",
            What::ComplexKey | What::Merge | What::NoKey | What::List => "write `key: value`",
            What::Deep => "flatten it: `metadata` is a map of texts",
            What::Dots => "close the frontmatter with a line `---`",
            What::Duplicate(_) => "keep one of the two",
            What::Empty => "write `name:` and `description:` between the `---` lines",
            What::Escape(_) => "write `\\\\` for a backslash, or use single quotes",
            What::Flow => {
                "write one `key: value` or `- item` a line, or quote a text that is meant literally"
            }
            What::Indent => "give the lines of one map the same indentation",
            What::InlineList => "put each `- item` on a line of its own below the key",
            What::NotAKey => "write `key: value`, or indent the line if it continues the one above",
            What::Quote => {
                "add the closing quote, and double a `'` or escape a `\"` inside the text"
            }
            What::Tab => "replace the tab with spaces",
            What::Uneven => "indent both by the same number of spaces",
            What::Unprintable(_) => "remove the character",
        }
    }
}
