//! Served skills: what a server that has skills says of each (`io.modelcontextprotocol/skills`).

mod content;

use std::collections::HashSet;

use metier_wire::Text;
use serde::Deserialize;
use serde_json::value::RawValue;

pub use self::content::{FileOfSkill, SkillContent, SkillReadError, Verified};
use crate::{link::percent_decoded, offer::Omission, spec::ServerName};

/// The extension that servers with skills declare.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/skills";

/// What the URI of every skill ends in.
const SKILL_FILE: &str = "/SKILL.md";
/// How many files a skill may have.
const MOST_FILES: usize = 512;
/// How many bytes they may have together.
const MOST_BYTES: u64 = 16 << 20;
/// How many characters the name of a skill may have.
const LONGEST_NAME: usize = 64;

/// A skill that a server has. Nothing of it but this has been fetched.
#[derive(Clone, Debug)]
pub struct ServedSkill {
    /// The URI of its `SKILL.md`, which only means something to its server.
    pub uri: Box<str>,
    /// What it is called; several may be called the same.
    pub name: Box<str>,
    /// What it is for, in the server's words.
    pub description: Box<str>,
    /// The whole frontmatter, as JSON.
    pub frontmatter: Box<RawValue>,
    /// Its files.
    pub files: Files,
    /// The entry as the server sent it.
    pub raw: Box<RawValue>,
}

/// The files of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// All of them, `SKILL.md` among them.
    Listed(Vec<SkillFile>),
    /// They are made when they are asked for, and nobody can say what they will be.
    Dynamic,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFile {
    /// Its URI.
    pub uri: Box<str>,
    /// The SHA-256 of its bytes.
    pub digest: [u8; 32],
    /// How many bytes it has.
    pub size: u64,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    uri: Text<'a>,
    #[serde(borrow)]
    frontmatter: &'a RawValue,
    #[serde(borrow)]
    resources: &'a RawValue,
}

#[derive(Deserialize)]
struct Frontmatter<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    description: Text<'a>,
}

#[derive(Deserialize)]
struct Resource<'a> {
    #[serde(borrow)]
    uri: Text<'a>,
    #[serde(borrow)]
    digest: Text<'a>,
    size: u64,
}

impl SkillFile {
    /// Its digest as it is written: `sha256:` and 64 digits.
    #[must_use]
    pub fn digest_text(&self) -> String {
        let digits = self.digest.iter().map(|byte| format!("{byte:02x}"));
        format!("sha256:{}", digits.collect::<String>())
    }
}

impl ServedSkill {
    /// Reads an entry of `skills/list`; one that breaks a rule is not loaded at all.
    pub(crate) fn read(raw: &RawValue) -> Result<ServedSkill, Omission> {
        let entry: Entry<'_> = serde_json::from_str(raw.get())
            .map_err(|error| format!("it is no entry of a skill: {error}"))?;
        let of = |reason: String| format!("`{}`: {reason}", entry.uri.0);
        let about: Frontmatter<'_> = serde_json::from_str(entry.frontmatter.get())
            .map_err(|error| of(format!("its frontmatter cannot be read: {error}")))?;
        let (uri, name, description) = (&*entry.uri.0, &*about.name.0, &*about.description.0);
        check_name(uri, name).map_err(of)?;
        if description.trim().is_empty() {
            return Err(of("its description is empty".to_owned()));
        }
        Ok(ServedSkill {
            uri: uri.into(),
            name: name.into(),
            description: description.into(),
            frontmatter: entry.frontmatter.to_owned(),
            files: files(uri, entry.resources).map_err(of)?,
            raw: raw.to_owned(),
        })
    }

    /// The file of that URI, if its files are known and it is one of them.
    #[must_use]
    pub fn file(&self, uri: &str) -> Option<&SkillFile> {
        match &self.files {
            Files::Listed(files) => files.iter().find(|it| *it.uri == *uri),
            Files::Dynamic => None,
        }
    }

    /// How many files it is known to have.
    #[must_use]
    pub fn n_files(&self) -> usize {
        match &self.files {
            Files::Listed(files) => files.len(),
            Files::Dynamic => 0,
        }
    }

    /// The path of a file below the skill, without percent-encoding; none if a part of it is not text
    /// or would be taken for several.
    #[must_use]
    pub fn path(&self, uri: &str) -> Option<String> {
        let path = uri.strip_prefix(self.root())?.strip_prefix('/')?;
        let part = |it: &str| String::from_utf8(percent_decoded(it)).ok();
        let parts = path.split('/').map(|it| part(it).filter(|it| !it.contains('/')));
        Some(parts.collect::<Option<Vec<String>>>()?.join("/"))
    }

    /// Where clients of a gateway find it: `skill://server/path`, without the name of its file.
    #[must_use]
    pub fn root_at(&self, server: &ServerName) -> String {
        let path = self.root();
        let path = path.split_once("://").map_or(path, |(_, path)| path);
        format!("skill://{server}/{path}")
    }

    /// What the URIs of all its files begin with, without a slash at the end.
    #[must_use]
    pub fn root(&self) -> &str {
        root(&self.uri)
    }
}

/// Holds a name to the rules of the Agent Skills specification, and the URI to the name.
fn check_name(uri: &str, name: &str) -> Result<(), Omission> {
    let is_plain = |c: char| c == '-' || (c.is_alphanumeric() && !c.is_uppercase());
    let is_name = !name.is_empty()
        && name.chars().count() <= LONGEST_NAME
        && name.chars().all(is_plain)
        && !(name.starts_with('-') || name.ends_with('-') || name.contains("--"));
    if !is_name {
        // What nobody sees in it may be what is wrong with it.
        let name = name.escape_debug();
        return Err(format!("`{name}` is not a name that a skill may have"));
    }
    let folder = uri.strip_suffix(SKILL_FILE).and_then(|root| root.rsplit_once('/'));
    match folder {
        Some((_, folder)) if decoded(folder) == name => Ok(()),
        _ => Err(format!("its URI does not end in `/{name}{SKILL_FILE}`")),
    }
}

/// Reads the files of a skill; all must be fine for any to be.
fn files(skill: &str, raw: &RawValue) -> Result<Files, Omission> {
    if serde_json::from_str::<Text<'_>>(raw.get()).is_ok_and(|it| it.0 == "dynamic") {
        return Ok(Files::Dynamic);
    }
    let listed: Vec<Resource<'_>> = serde_json::from_str(raw.get())
        .map_err(|error| format!("its list of files cannot be read: {error}"))?;
    if listed.len() > MOST_FILES {
        return Err(format!("it has {} files, and {MOST_FILES} are allowed", listed.len()));
    }
    let mut seen = HashSet::new();
    let mut files = Vec::with_capacity(listed.len());
    for Resource { uri, digest, size } in &listed {
        let uri = &*uri.0;
        if !is_below(root(skill), uri) {
            return Err(format!("`{uri}` is not below it"));
        }
        if !seen.insert(uri) {
            return Err(format!("`{uri}` is listed twice"));
        }
        let Some(digest) = sha256(&digest.0) else {
            return Err(format!("the digest of `{uri}` is none"));
        };
        files.push(SkillFile { uri: uri.into(), digest, size: *size });
    }
    if !seen.contains(skill) {
        return Err("its `SKILL.md` is not among its files".to_owned());
    }
    let bytes = listed.iter().fold(0_u64, |sum, it| sum.saturating_add(it.size));
    if bytes > MOST_BYTES {
        return Err(format!("it has {bytes} bytes, and {MOST_BYTES} are allowed"));
    }
    Ok(Files::Listed(files))
}

fn root(skill: &str) -> &str {
    skill.strip_suffix(SKILL_FILE).unwrap_or(skill)
}

/// Whether a URI is that of something in a folder, and stays there however it is written.
fn is_below(root: &str, uri: &str) -> bool {
    let path = uri.strip_prefix(root).and_then(|it| it.strip_prefix('/'));
    path.is_some_and(|path| path.split('/').all(|it| !matches!(&*decoded(it), "" | "." | "..")))
}

/// Reads `sha256:` and 64 lowercase hexadecimal digits.
fn sha256(text: &str) -> Option<[u8; 32]> {
    let digits = text.strip_prefix("sha256:").filter(|it| it.len() == 64)?.as_bytes();
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut digest = [0; 32];
    for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(digest)
}

/// A part of a path without percent-encoding.
fn decoded(part: &str) -> String {
    String::from_utf8_lossy(&percent_decoded(part)).into_owned()
}

#[cfg(test)]
mod tests;
