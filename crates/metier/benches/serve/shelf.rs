//! The skills that every contender serves, and what the client must know of them.

use std::{fs, io, path::PathBuf};

use serde::Deserialize;
use tempfile::TempDir;

use crate::{corpus, reply};

/// A tree of skills on the disk.
pub(crate) struct Shelf {
    root: TempDir,
    /// Their names, in no order that a cache could foresee.
    pub(crate) names: Vec<String>,
}

impl Shelf {
    /// Writes so many skills.
    pub(crate) fn make(n_skills: usize) -> io::Result<Shelf> {
        let root = corpus::make(n_skills);
        // Whoever starts first finds the files in memory, as all others do.
        corpus::bare_walk_and_read(root.path());
        let entries = fs::read_dir(root.path())?.flatten();
        let mut names: Vec<String> =
            entries.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        // A stride without a common divisor visits each once.
        let names = (0..n_skills).map(|at| names[at * 7_919 % n_skills].clone()).collect();
        Ok(Shelf { root, names })
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.root.path().to_owned()
    }

    /// Where the list lies that the floors answer with.
    ///
    /// It is what metier answered, so that the same bytes travel from all of them.
    pub(crate) fn list(&self) -> PathBuf {
        self.root.path().with_extension("list.json")
    }

    /// Keeps the result of a list for the floors.
    pub(crate) fn keep_list(&self, reply: &[u8]) -> io::Result<()> {
        fs::write(self.list(), reply::result(reply)?.get())
    }

    /// Makes sure that a reply holds the file of a skill, byte for byte.
    pub(crate) fn verify(&self, name: &str, reply: &[u8]) -> io::Result<()> {
        let answer: Answer = serde_json::from_str(reply::result(reply)?.get())?;
        let file = fs::read_to_string(self.root.path().join(name).join("SKILL.md"))?;
        let is_whole = answer.content.first().is_some_and(|it| it.text.ends_with(&file));
        if is_whole { Ok(()) } else { Err(reply::odd(reply)) }
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.list());
    }
}

#[derive(Deserialize)]
struct Answer {
    content: Vec<Text>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}
