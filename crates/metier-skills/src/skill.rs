//! A skill: one `SKILL.md`, where it was found and whose it is.

use std::{ffi::OsString, iter, path::PathBuf, sync::Arc};

use crate::{
    frontmatter::{Frontmatter, Repair},
    plugins::Plugin,
    source::{Location, Source},
};

/// The name of a skill's file.
pub const SKILL_FILE: &str = "SKILL.md";
/// The name of a disabled skill's file.
pub const DISABLED_FILE: &str = ".SKILL.md";

/// Whether a skill may be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its file is `SKILL.md`.
    Enabled,
    /// Its file is `.SKILL.md`.
    Disabled,
}

/// One skill as found on the disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    /// The source it was found in.
    pub source: Arc<Source>,
    /// Lower sources that lead to the same folder.
    pub also: Vec<Arc<Source>>,
    /// Its folder, by the path that led to it.
    pub folder: PathBuf,
    /// The name of its file inside the folder.
    pub file_name: OsString,
    /// Whether it may be loaded.
    pub state: State,
    pub(crate) text: Arc<Text>,
}

/// What was read of a skill's file.
#[derive(Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) frontmatter: Frontmatter,
    /// How many bytes the file has.
    pub(crate) size: u64,
    /// Tells two versions of the whole file apart, within one run of the program.
    pub(crate) digest: u64,
    /// The whole file, where the scan was asked to keep it.
    pub(crate) whole: Option<Box<str>>,
}

impl Skill {
    /// The name its author gave it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.text.frontmatter.name
    }

    /// What it is for, in its author's words.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.text.frontmatter.description
    }

    /// All other fields of its frontmatter, in the order of the file.
    #[must_use]
    pub fn fields(&self) -> &[(String, serde_json::Value)] {
        &self.text.frontmatter.fields
    }

    /// What had to be guessed to read its frontmatter.
    #[must_use]
    pub fn repairs(&self) -> &[Repair] {
        &self.text.frontmatter.repairs
    }

    /// How many bytes its file had when it was read.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.text.size
    }

    /// The whole file, if the scan kept it.
    pub(crate) fn kept_text(&self) -> Option<&str> {
        self.text.whole.as_deref()
    }

    /// The path of its file.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.join(&self.file_name)
    }

    /// Whose skill it is.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.source.provider
    }

    /// Every source that leads to it, the one that counts first.
    pub fn places(&self) -> impl Iterator<Item = &Arc<Source>> {
        iter::once(&self.source).chain(&self.also)
    }

    /// Where it lives.
    #[must_use]
    pub fn location(&self) -> Location {
        self.source.location()
    }

    /// The plugin that brought it.
    #[must_use]
    pub fn plugin(&self) -> Option<&Plugin> {
        self.source.plugin.as_ref().map(|owner| &*owner.plugin)
    }
}
