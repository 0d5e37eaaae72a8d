//! The record of what was pulled into a folder: from whom, by which URI, and what it was.

use std::{
    collections::BTreeMap,
    fmt::Display,
    path::{Path, PathBuf},
    time::SystemTime,
};

use metier_skills::Digest;
use metier_upstreams::{Endpoint, ServerSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::layout::Place;
use crate::{
    failure::{Exit, Failure},
    files,
    moment::utc,
};

/// The folder beside skills where metier keeps its own; nobody looks for skills in there.
pub(super) const OWN_FOLDER: &str = ".metier";

/// How many digits tell servers of one name apart.
const N_DIGITS: usize = 8;

/// All skills that were pulled into a folder, by name.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Record {
    #[serde(default)]
    pub(super) skills: BTreeMap<String, Origin>,
}

/// Where a skill came from, and what it was.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Origin {
    /// What the server is called here.
    pub(super) server: String,
    /// Its address or program, without what may be secret.
    pub(super) address: String,
    /// What tells it from others of its name, where the address does not say all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) endpoint: Option<String>,
    /// The server's own URI of the skill.
    pub(super) uri: String,
    /// When it came.
    pub(super) pulled: String,
    pub(super) files: Marks,
}

/// The files of a skill by their paths.
pub(super) type Marks = BTreeMap<String, Mark>;

/// What tells one content of a file from another.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Mark {
    pub(super) size: u64,
    pub(super) digest: String,
}

impl Origin {
    pub(super) fn new(server: &ServerSpec, uri: &str, files: Marks) -> Origin {
        Origin {
            server: server.name.to_string(),
            address: server.endpoint.to_string(),
            endpoint: Some(fingerprint(&server.endpoint)),
            uri: uri.to_owned(),
            pulled: utc(SystemTime::now()),
            files,
        }
    }

    /// Whether it is the same skill of the same server.
    pub(super) fn is_of(&self, other: &Origin) -> bool {
        self.is_of_server(other) && self.uri == other.uri
    }

    /// Whether it comes from the same server: one of the same name may be another by now.
    pub(super) fn is_of_server(&self, other: &Origin) -> bool {
        let is_there = self.endpoint.is_none() || self.endpoint == other.endpoint;
        self.server == other.server && self.address == other.address && is_there
    }
}

/// A few digits of a hash of where a server is, or how it starts: too few to guess anything secret.
///
/// What is often changed, as keys are, is not part of it: no user, no query, no headers, no variables.
fn fingerprint(endpoint: &Endpoint) -> String {
    let parts: Vec<&str> = match endpoint {
        Endpoint::Stdio(program) => {
            let args = program.args.iter().map(String::as_str);
            [program.command.as_str()].into_iter().chain(args).collect()
        }
        Endpoint::Http { site, .. } | Endpoint::LegacySse(site) => vec![site.url.path()],
    };
    let digest = Digest::of(parts.join("\0").as_bytes()).to_string();
    digest.trim_start_matches("sha256:").chars().take(N_DIGITS).collect()
}

/// What a server says of the files.
pub(super) fn marks(places: &[Place]) -> Marks {
    let mark = |Place { path, file }: &Place| {
        (path.clone(), Mark { size: file.size, digest: file.digest_text() })
    };
    places.iter().map(mark).collect()
}

impl Record {
    /// The record of a folder; an empty one, if nothing was pulled into it.
    pub(super) fn read(folder: &Path) -> Result<Record, Failure> {
        let Some(known) = document(folder)? else { return Ok(Record::default()) };
        serde_json::from_value(known).map_err(|error| garbled(&path(folder), error))
    }

    /// Notes where a skill came from. What others have noted stays, also if it is not known here;
    /// whoever notes something holds the lock of the folder.
    pub(super) fn note(folder: &Path, name: &str, origin: &Origin) -> Result<(), Failure> {
        let path = path(folder);
        let mut record = document(folder)?.unwrap_or_else(|| json!({}));
        let members = record.as_object_mut();
        let skills = members.map(|it| it.entry("skills").or_insert_with(|| json!({})));
        let Some(skills) = skills.and_then(Value::as_object_mut) else {
            return Err(garbled(&path, "it is no record"));
        };
        skills.insert(name.to_owned(), serde_json::to_value(origin)?);
        let text = serde_json::to_string_pretty(&record)? + "\n";
        files::replace(&path, &text).map_err(|error| {
            let message = format!("`{}` cannot be written: {}", path.display(), error.kind());
            Failure::new(Exit::Failed, message).hinted("choose another folder with --to")
        })
    }
}

/// The record as it lies on the disk.
fn document(folder: &Path) -> Result<Option<Value>, Failure> {
    let path = path(folder);
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|it| it.is_symlink());
    // Links are for files of the user's; a repository may bring this one.
    if is_link(&path) || path.parent().is_some_and(is_link) {
        return Err(garbled(&path, "it is a link"));
    }
    let text = files::read(&path).map_err(|cause| garbled(&path, cause))?;
    text.map(|it| serde_json::from_str(&it).map_err(|error| garbled(&path, error))).transpose()
}

fn garbled(path: &Path, reason: impl Display) -> Failure {
    let message = format!("`{}`: {reason}", path.display());
    Failure::new(Exit::Failed, message).hinted("remove it, then pull with --force")
}

fn path(folder: &Path) -> PathBuf {
    folder.join(OWN_FOLDER).join("pulled.json")
}
