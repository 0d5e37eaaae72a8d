//! Trust: which files of projects the user has vouched for, by path and content.

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use metier_skills::{Cause, read_text};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{ConfigProblem, reader::Complaint};
use crate::{environment::Environment, files};

/// Whether the servers of a project's files may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProjectTrust {
    /// As far as the record goes.
    Recorded,
    /// This time, whatever the record says.
    Given,
}

/// The files that the user has vouched for: real folder with name, and the hash of what it held.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TrustRecord(BTreeMap<String, String>);

/// The record as it lies on the disk.
#[derive(Serialize, Deserialize)]
struct RecordFile {
    files: Vec<RecordEntry>,
}

#[derive(Serialize, Deserialize)]
struct RecordEntry {
    path: String,
    sha256: String,
}

/// The record below the folder for state.
const RECORD: &str = "metier/trust.json";

impl TrustRecord {
    /// Reads the record; a broken one vouches for nothing.
    pub(crate) fn read(environment: &Environment) -> (TrustRecord, Option<ConfigProblem>) {
        let Some(path) = place(environment) else { return (TrustRecord::default(), None) };
        let reason = match read_text(&path) {
            Ok(text) => match TrustRecord::parse(&text) {
                Some(record) => return (record, None),
                None => "the record of trusted files is broken; `metier trust` writes a new one"
                    .to_owned(),
            },
            Err(Cause::Unreadable(ErrorKind::NotFound | ErrorKind::NotADirectory)) => {
                return (TrustRecord::default(), None);
            }
            Err(cause) => cause.to_string(),
        };
        let complaint = Complaint { line: None, server: None, reason };
        (TrustRecord::default(), Some(ConfigProblem { path, complaint }))
    }

    fn parse(text: &str) -> Option<TrustRecord> {
        let file: RecordFile = serde_json::from_str(text).ok()?;
        Some(TrustRecord(file.files.into_iter().map(|it| (it.path, it.sha256)).collect()))
    }

    /// Changes the record as it is now; the error comes with where it should lie.
    pub(crate) fn change(
        environment: &Environment,
        change: impl FnOnce(&mut TrustRecord),
    ) -> Result<TrustRecord, (PathBuf, io::Error)> {
        let _lock = place(environment).and_then(|path| files::lock(&path));
        let (mut record, _) = TrustRecord::read(environment);
        change(&mut record);
        record.write(environment).map(|()| record)
    }

    pub(super) fn write(&self, environment: &Environment) -> Result<(), (PathBuf, io::Error)> {
        let path = place(environment)
            .ok_or_else(|| (PathBuf::from(RECORD), io::Error::from(ErrorKind::NotFound)))?;
        let entries = self.0.iter();
        let entries =
            entries.map(|(path, hash)| RecordEntry { path: path.clone(), sha256: hash.clone() });
        let text = serde_json::to_string_pretty(&RecordFile { files: entries.collect() });
        let written = text
            .map_err(io::Error::from)
            .and_then(|text| files::replace(&path, &format!("{text}\n")));
        written.map_err(|error| (path, error))
    }

    /// Whether the user has vouched for this file with this very text.
    pub(crate) fn holds(&self, path: &Path, text: &str) -> bool {
        key(path).and_then(|key| self.0.get(&key)).is_some_and(|known| *known == hash(text))
    }

    /// Whether the user has vouched for this file with whatever text.
    pub(crate) fn knows(&self, path: &Path) -> bool {
        key(path).is_some_and(|key| self.0.contains_key(&key))
    }

    /// Vouches for a file with this text; not for one whose path is no text.
    pub(crate) fn add(&mut self, path: &Path, text: &str) {
        if let Some(key) = key(path) {
            self.0.insert(key, hash(text));
        }
    }

    /// Forgets a file; says whether it was known.
    pub(crate) fn forget(&mut self, path: &Path) -> bool {
        key(path).and_then(|key| self.0.remove(&key)).is_some()
    }
}

/// Where the record lies, if the home folder is known.
pub(super) fn place(environment: &Environment) -> Option<PathBuf> {
    environment.state().map(|state| state.join(RECORD))
}

/// The real folder, and the name in it. Where that name is a link it is not followed: what the file
/// says is relative to where it was found, so the same text means something else elsewhere.
fn key(path: &Path) -> Option<String> {
    files::in_real_folder(path)?.to_str().map(str::to_owned)
}

fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
