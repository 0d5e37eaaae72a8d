//! Small files and whether they are valid, for our rules and for the published validator alike.
//!
//! Each can be written to disk as `folder/file` and shown to the program of PyPI's `skills-ref`, which
//! is called `agentskills validate FOLDER` and ends with 0 for valid and 1 for anything else.

/// One file and its verdict.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) folder: &'static str,
    pub(crate) file: &'static str,
    pub(crate) text: &'static str,
    pub(crate) verdict: Verdict,
}

/// Who accepts a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Both accept it.
    Valid,
    /// Both refuse it.
    Invalid,
    /// `skills-ref` accepts it and we refuse it, and why we do.
    WeRefuse(&'static str),
    /// `skills-ref` stumbles over it and we accept it, and why we do.
    WeAccept(&'static str),
}

/// A name of the greatest length.
macro_rules! long {
    () => {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    };
}

const SPEC: &str = "the written specification forbids it";
const ODD: &str = "no other reader of skills takes it for frontmatter";
const YAML: &str = "a form of YAML that nobody writes and many readers refuse";

pub(crate) const CASES: &[Case] = &[
    // The fences.
    valid("smallest", "---\nname: pdf\ndescription: Reads PDFs\n---\n"),
    valid("no line end after the fence", "---\nname: pdf\ndescription: d\n---"),
    valid("windows line ends", "---\r\nname: pdf\r\ndescription: d\r\n---\r\nbody\r\n"),
    valid("old mac line ends", "---\rname: pdf\rdescription: d\r---\rbody\r"),
    valid("spaces behind the fences", "---  \nname: pdf\ndescription: d\n---  \nbody\n"),
    valid("a heading glued to the fence", "---\nname: pdf\ndescription: d\n---# PDF\n"),
    valid("a rule in the body", "---\nname: pdf\ndescription: d\n---\n\n---\n\nbody\n"),
    valid("dots before the fence", "---\nname: pdf\ndescription: d\n...\n---\n"),
    valid("dashes at the end of a value", "---\nname: pdf\ndescription: a --- b\n---\n"),
    invalid("empty file", ""),
    invalid("no frontmatter", "# PDF\n\nReads PDFs.\n"),
    invalid("byte order mark", "\u{feff}---\nname: pdf\ndescription: d\n---\n"),
    invalid("empty first line", "\n---\nname: pdf\ndescription: d\n---\n"),
    invalid("not closed", "---\nname: pdf\ndescription: d\n\nbody\n"),
    invalid("closed with dots", "---\nname: pdf\ndescription: d\n...\nbody\n"),
    invalid("empty frontmatter", "---\n---\nbody\n"),
    invalid("dashes inside quotes", "---\nname: pdf\ndescription: \"a --- b\"\n---\n"),
    invalid("dashes before a needed field", "---\ndescription: a --- b\nname: pdf\n---\n"),
    invalid("a tab behind the first fence", "---\t\nname: pdf\ndescription: d\n---\n"),
    refused(
        "a field behind inner dashes",
        "---\nname: pdf\ndescription: a --- b\nx: y\n---\n",
        SPEC,
    ),
    refused("a field on the fence's line", "---name: pdf\ndescription: d\n---\n", ODD),
    refused("an indented fence", "---\nname: pdf\ndescription: d\n  ---\nbody\n", ODD),
    // The file.
    Case { file: "skill.md", ..valid("small letters", "---\nname: pdf\ndescription: d\n---\n") },
    Case { file: "Skill.md", ..invalid("mixed case", "---\nname: pdf\ndescription: d\n---\n") },
    // The name.
    Case { folder: "a", ..valid("one letter", "---\nname: a\ndescription: d\n---\n") },
    Case { folder: "8004", ..valid("digits only", "---\nname: 8004\ndescription: d\n---\n") },
    Case { folder: "a-1-b", ..valid("hyphens", "---\nname: a-1-b\ndescription: d\n---\n") },
    Case {
        folder: "навык", ..valid("cyrillic", "---\nname: навык\ndescription: d\n---\n")
    },
    Case { folder: "技能", ..valid("ideographs", "---\nname: 技能\ndescription: d\n---\n") },
    Case {
        folder: "cafe\u{301}",
        ..valid("two forms of é", "---\nname: café\ndescription: d\n---\n")
    },
    valid("spaces around the name", "---\nname: \"  pdf  \"\ndescription: d\n---\n"),
    Case {
        folder: LONG,
        ..valid("64 letters", concat!("---\nname: ", long!(), "\ndescription: d\n---\n"))
    },
    Case {
        folder: LONGER,
        ..invalid("65 letters", concat!("---\nname: ", long!(), "a\ndescription: d\n---\n"))
    },
    invalid("another folder", "---\nname: docx\ndescription: d\n---\n"),
    Case { folder: "PDF", ..invalid("capitals", "---\nname: PDF\ndescription: d\n---\n") },
    Case { folder: "-pdf", ..invalid("hyphen first", "---\nname: -pdf\ndescription: d\n---\n") },
    Case { folder: "pdf-", ..invalid("hyphen last", "---\nname: pdf-\ndescription: d\n---\n") },
    Case { folder: "p--f", ..invalid("two hyphens", "---\nname: p--f\ndescription: d\n---\n") },
    Case { folder: "p_f", ..invalid("underscore", "---\nname: p_f\ndescription: d\n---\n") },
    Case { folder: "p f", ..invalid("space", "---\nname: p f\ndescription: d\n---\n") },
    Case {
        folder: "हिन्दी", ..invalid("vowel signs", "---\nname: हिन्दी\ndescription: d\n---\n")
    },
    invalid("no name", "---\ndescription: d\n---\n"),
    invalid("empty name", "---\nname:\ndescription: d\n---\n"),
    invalid("a list for a name", "---\nname:\n  - pdf\ndescription: d\n---\n"),
    // The description.
    valid("folded", "---\nname: pdf\ndescription: >-\n  Reads\n  PDFs\n---\n"),
    valid("over several lines", "---\nname: pdf\ndescription: Reads\n  PDFs\n---\n"),
    valid("quotes down to the margin", "---\nname: pdf\ndescription: \"Reads\nPDFs\"\n---\n"),
    valid("brackets inside", "---\nname: pdf\ndescription: reads <x> [y] {z} & more\n---\n"),
    invalid("no description", "---\nname: pdf\n---\n"),
    invalid("empty description", "---\nname: pdf\ndescription: \"  \"\n---\n"),
    invalid("a map for a description", "---\nname: pdf\ndescription:\n  a: b\n---\n"),
    // The other fields.
    valid(
        "all fields",
        "---\nname: pdf\ndescription: d\nlicense: MIT\ncompatibility: git\nmetadata:\n  a: b\nallowed-tools: Read Bash(git:*)\n---\n",
    ),
    valid(
        "a list of tools",
        "---\nname: pdf\ndescription: d\nallowed-tools:\n- Read\n- Write\n---\n",
    ),
    valid(
        "numbers below metadata",
        "---\nname: pdf\ndescription: d\nmetadata:\n  version: 1.0\n---\n",
    ),
    valid(
        "empty optional fields",
        "---\nname: pdf\ndescription: d\nlicense:\ncompatibility:\nmetadata:\n---\n",
    ),
    invalid("unknown field", "---\nname: pdf\ndescription: d\nversion: 1.0.0\n---\n"),
    invalid("wrong case of a field", "---\nName: pdf\ndescription: d\n---\n"),
    invalid(
        "a list for compatibility",
        "---\nname: pdf\ndescription: d\ncompatibility:\n  - git\n---\n",
    ),
    refused(
        "a map below metadata",
        "---\nname: pdf\ndescription: d\nmetadata:\n  a:\n    b: c\n---\n",
        SPEC,
    ),
    refused("a text for metadata", "---\nname: pdf\ndescription: d\nmetadata: x\n---\n", SPEC),
    refused(
        "a list for a license",
        "---\nname: pdf\ndescription: d\nlicense:\n  - MIT\n---\n",
        SPEC,
    ),
    refused(
        "a map of tools",
        "---\nname: pdf\ndescription: d\nallowed-tools:\n  a: b\n---\n",
        SPEC,
    ),
    // YAML.
    valid("comments", "---\n# c\nname: pdf # c\n\n# c\ndescription: d\n---\n"),
    valid("quoted keys", "---\n\"name\": pdf\n'description': d\n---\n"),
    valid("all indented", "---\n  name: pdf\n  description: d\n---\n"),
    invalid("colon in a plain value", "---\nname: pdf\ndescription: Use when: always\n---\n"),
    invalid("flow list", "---\nname: pdf\ndescription: d\nallowed-tools: [Read]\n---\n"),
    invalid("flow map", "---\nname: pdf\ndescription: d\nmetadata: {\"a\": \"b\"}\n---\n"),
    invalid("anchor", "---\nname: &n pdf\ndescription: d\n---\n"),
    invalid("alias", "---\nname: pdf\ndescription: *d\n---\n"),
    invalid("tag", "---\nname: !!str pdf\ndescription: d\n---\n"),
    invalid("at sign first", "---\nname: pdf\ndescription: @d\n---\n"),
    invalid("key given twice", "---\nname: pdf\nname: pdf\ndescription: d\n---\n"),
    invalid("tab for spaces", "---\nname:\tpdf\ndescription: d\n---\n"),
    invalid("tab at the end", "---\nname: pdf\t\ndescription: d\n---\n"),
    invalid("open quote", "---\nname: pdf\ndescription: \"d\n---\n"),
    invalid("quotes inside quotes", "---\nname: pdf\ndescription: 'it's'\n---\n"),
    invalid("unknown escape", "---\nname: pdf\ndescription: \"a\\qb\"\n---\n"),
    invalid("loose text", "---\nname: pdf\ndescription: d\nloose text\n---\n"),
    invalid("a list on top", "---\n- name: pdf\n- description: d\n---\n"),
    invalid(
        "uneven maps",
        "---\nname: pdf\ndescription: d\nmetadata:\n  a:\n    b: c\n  d:\n      e: f\n---\n",
    ),
    invalid("control character", "---\nname: pdf\ndescription: a\u{7}b\n---\n"),
    refused("marked keys", "---\n? name\n: pdf\ndescription: d\n---\n", YAML),
    refused("merge key", "---\nname: pdf\ndescription: d\nmetadata:\n  <<:\n    a: b\n---\n", YAML),
    accepted(
        "comment above and a gap below a text",
        "---\nname: pdf\ndescription: # c\n  a\n\nlicense: MIT\n---\n",
        "sound YAML, on which `skills-ref` ends with a stack trace",
    ),
];

const LONG: &str = long!();
const LONGER: &str = concat!(long!(), "a");

const fn valid(name: &'static str, text: &'static str) -> Case {
    Case { name, folder: "pdf", file: "SKILL.md", text, verdict: Verdict::Valid }
}

const fn invalid(name: &'static str, text: &'static str) -> Case {
    Case { verdict: Verdict::Invalid, ..valid(name, text) }
}

const fn refused(name: &'static str, text: &'static str, why: &'static str) -> Case {
    Case { verdict: Verdict::WeRefuse(why), ..valid(name, text) }
}

const fn accepted(name: &'static str, text: &'static str, why: &'static str) -> Case {
    Case { verdict: Verdict::WeAccept(why), ..valid(name, text) }
}
