//! The manifest of a skill: what is published of it so that others can check what they read.
//!
//! `io.modelcontextprotocol/skills` publishes the frontmatter of a skill as it is and every file with
//! its size and SHA-256, and clients hold what they read to that. A skill that cannot be published so
//! is [`Unfit`]; it can still be loaded by its name.

use std::{ffi::OsStr, io, path::PathBuf, sync::Arc};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::{
    bundle::{FileError, LONGEST_FILE},
    digest::{Digest, Digests},
    disk::Stamp,
    frontmatter::{Unclear, verbatim},
    problem::Cause,
    skill::{SKILL_FILE, Skill},
};

/// How many files a skill may have.
const MOST_FILES: usize = 512;
/// How many bytes they may have together.
const MOST_BYTES: u64 = LONGEST_FILE;
/// How many characters a name may have.
const LONGEST_NAME: usize = 64;
/// How many characters a description may have.
const LONGEST_DESCRIPTION: usize = 1_024;
/// How many characters may be said of compatibility.
const LONGEST_COMPATIBILITY: usize = 500;

/// What is published of a skill.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The frontmatter as it is.
    pub frontmatter: Map<String, Value>,
    /// Every file, in the order of their paths.
    pub files: Vec<ManifestFile>,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestFile {
    /// Its path below the skill's folder, with `/` between its parts.
    pub path: String,
    /// How many bytes it has.
    pub size: u64,
    /// What those bytes are.
    pub digest: Digest,
}

/// The file of a skill, and what its head says.
struct Head {
    frontmatter: Map<String, Value>,
    stamp: Stamp,
    text: String,
}

/// Why a skill is not published.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unfit {
    /// Its file goes by another name.
    #[error("its file is not named `{SKILL_FILE}`")]
    FileName,
    /// Its file cannot be read.
    #[error("`{SKILL_FILE}`: {0}")]
    Unreadable(Cause),
    /// Others would read its frontmatter in another way.
    #[error("others may read its frontmatter differently: {0}")]
    Unclear(Unclear),
    /// Its name is none that may be published.
    #[error("the name must be 1 to {LONGEST_NAME} of `a` to `z`, `0` to `9` and single hyphens")]
    Name,
    /// A field is not what the specification says.
    #[error("`{field}` must be {wanted}")]
    Field {
        /// Which one.
        field: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// It has too many files.
    #[error("it has more than {MOST_FILES} files")]
    ManyFiles,
    /// Its files are too large.
    #[error("its files have more than {} MiB together", MOST_BYTES >> 20)]
    Large,
    /// Its folder cannot be listed.
    #[error("its files cannot be listed: {}", Cause::Unreadable(*.0))]
    Unlisted(io::ErrorKind),
    /// One of its files cannot be served.
    #[error("`{}`: {reason}", path.display())]
    File {
        /// Its path below the skill's folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: FileError,
    },
    /// The name of one of its files cannot be written.
    #[error("the name of `{}` is not Unicode", .0.display())]
    FileNotUnicode(PathBuf),
}

impl Unfit {
    /// The next thing to do.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Unfit::FileName => format!("rename it to `{SKILL_FILE}`"),
            Unfit::Unreadable(cause) => cause.hint(),
            Unfit::Unclear(_) => "`metier validate` says how to mend the file".into(),
            Unfit::Name => "`metier validate` suggests a name".into(),
            Unfit::Field { field, .. } => format!("mend `{field}` in its frontmatter"),
            Unfit::ManyFiles | Unfit::Large => "move what is not needed out of its folder".into(),
            Unfit::Unlisted(_) => "check its permissions".into(),
            Unfit::File { .. } => "make the file readable, or remove it".into(),
            Unfit::FileNotUnicode(_) => "rename the file".into(),
        }
    }
}

/// The manifests of some skills, or why they have none, in the same order.
#[must_use]
pub fn manifests(skills: &[Arc<Skill>], digests: &Digests) -> Vec<Result<Manifest, Unfit>> {
    skills.par_iter().map(|skill| skill.manifest(digests)).collect()
}

impl Skill {
    /// What is published of the skill as it is on the disk now.
    ///
    /// Frontmatter and digest of its own file are of the same bytes. A file that looks as it did when
    /// it was last read is not read again.
    pub fn manifest(&self, digests: &Digests) -> Result<Manifest, Unfit> {
        let Head { frontmatter, stamp: own, text } = self.published_head()?;
        let mut files = Vec::new();
        for (path, name, stamp) in self.published_files()? {
            let (size, digest) = match () {
                () if name == SKILL_FILE => (text.len() as u64, digests.of(own, text.as_bytes())),
                () => self.digest(&name, stamp, digests).map_err(|reason| {
                    let path = path.clone();
                    Unfit::File { path, reason }
                })?,
            };
            files.push(ManifestFile { path: name, size, digest });
        }
        within_bounds(files.iter().map(|it| it.size))?;
        Ok(Manifest { frontmatter, files })
    }

    /// Whether the skill can be published, as far as that is known without reading all its files.
    pub fn is_fit(&self) -> Result<(), Unfit> {
        self.published_head()?;
        self.published_files().map(|_| ())
    }

    /// The frontmatter as it is published, and the file it is from.
    fn published_head(&self) -> Result<Head, Unfit> {
        if self.file_name != SKILL_FILE {
            return Err(Unfit::FileName);
        }
        let (stamp, text) = self.read_own().map_err(Unfit::Unreadable)?;
        let frontmatter = verbatim(&text).map_err(Unfit::Unclear)?;
        check_fields(&frontmatter)?;
        Ok(Head { frontmatter, stamp, text })
    }

    /// Every file with its published name and a stamp.
    fn published_files(&self) -> Result<Vec<(PathBuf, String, Stamp)>, Unfit> {
        let (files, is_cut) =
            self.stamped_files().map_err(|error| Unfit::Unlisted(error.kind()))?;
        if is_cut {
            return Err(Unfit::ManyFiles);
        }
        within_bounds(files.iter().map(|(_, stamp)| stamp.size()))?;
        let named = |(path, stamp): (PathBuf, Stamp)| {
            let parts: Option<Vec<&str>> = path.iter().map(OsStr::to_str).collect();
            match parts.map(|parts| parts.join("/")) {
                Some(name) => Ok((path, name, stamp)),
                None => Err(Unfit::FileNotUnicode(path)),
            }
        };
        files.into_iter().map(named).collect()
    }

    fn digest(
        &self,
        path: &str,
        stamp: Stamp,
        digests: &Digests,
    ) -> Result<(u64, Digest), FileError> {
        if let Some(known) = digests.known(stamp) {
            return Ok((stamp.size(), known));
        }
        let (stamp, bytes) = self.read_stamped(path)?;
        Ok((bytes.len() as u64, digests.of(stamp, &bytes)))
    }
}

fn within_bounds(sizes: impl ExactSizeIterator<Item = u64>) -> Result<(), Unfit> {
    if sizes.len() > MOST_FILES {
        return Err(Unfit::ManyFiles);
    }
    let bytes = sizes.fold(0_u64, u64::saturating_add);
    if bytes > MOST_BYTES { Err(Unfit::Large) } else { Ok(()) }
}

/// Holds fields to the Agent Skills specification, as clients do before they take a skill.
fn check_fields(frontmatter: &Map<String, Value>) -> Result<(), Unfit> {
    let is_text = |value: &Value, longest: usize| {
        let text = value.as_str().filter(|it| !it.trim().is_empty());
        text.is_some_and(|it| it.chars().count() <= longest)
    };
    let field = |field, wanted| Err(Unfit::Field { field, wanted });
    match frontmatter.get("name") {
        Some(Value::String(name)) if is_publishable_name(name) => {}
        _ => return Err(Unfit::Name),
    }
    if !frontmatter.get("description").is_some_and(|it| is_text(it, LONGEST_DESCRIPTION)) {
        return field("description", "a text of 1 to 1024 characters");
    }
    if !frontmatter.get("compatibility").is_none_or(|it| is_text(it, LONGEST_COMPATIBILITY)) {
        return field("compatibility", "a text of 1 to 500 characters");
    }
    let is_map_of_texts =
        |it: &Value| it.as_object().is_some_and(|it| it.values().all(Value::is_string));
    if !frontmatter.get("metadata").is_none_or(is_map_of_texts) {
        return field("metadata", "a map of texts");
    }
    Ok(())
}

/// Whether clients take the name: letters of other scripts, which the specification's own validator
/// allows, are refused by all that were asked.
fn is_publishable_name(name: &str) -> bool {
    let is_word = |it: &str| {
        !it.is_empty() && it.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    name.len() <= LONGEST_NAME && name.split('-').all(is_word)
}
