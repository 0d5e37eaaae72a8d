//! The last good text of each file, for whoever reads again while files are being written.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// What was read before. A new one remembers nothing.
#[derive(Debug, Default)]
pub(crate) struct Memory(BTreeMap<PathBuf, Kept>);

#[derive(Debug)]
struct Kept {
    text: String,
    /// Whether the file was not there when it was last looked for.
    missed: bool,
}

impl Memory {
    /// Keeps a text that was good.
    pub(super) fn keep(&mut self, path: &Path, text: &str) {
        self.0.insert(path.to_owned(), Kept { text: text.to_owned(), missed: false });
    }

    /// The last good text of a file that is broken now.
    pub(super) fn last(&self, path: &Path) -> Option<String> {
        self.0.get(path).map(|kept| kept.text.clone())
    }

    /// The last good text of a file that is not there or empty now.
    ///
    /// Who replaces a file may take it away for a moment, so it counts once more; a file that is
    /// missed twice is gone.
    pub(super) fn missed(&mut self, path: &Path) -> Option<String> {
        let kept = self.0.get_mut(path)?;
        if kept.missed {
            self.0.remove(path);
            return None;
        }
        kept.missed = true;
        Some(kept.text.clone())
    }

    /// Whether a file was good before.
    pub(super) fn knows(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }
}
