//! `skills_read`: the files of a skill, for clients that cannot see the disk.

use std::{
    error::Error,
    fmt::{self, Write},
    path::Path,
};

use metier_skills::{Bundle, Entry, FileError, Skill};

use super::{
    available::{echo, find},
    load::id,
    mime::mime_type,
    reply::{Blob, Reply},
};
use crate::{offer::Offer, text::Visible};

pub(super) fn fill(name: &str, path: Option<&str>, offer: &Offer, reply: Reply<'_>) {
    match (find(offer, name), path) {
        (Err(refusal), _) => reply.refusal(refusal),
        (Ok(entry), None) => list(entry, reply),
        (Ok(entry), Some(path)) => read(entry, path, reply),
    }
}

fn read(entry: &Entry, path: &str, reply: Reply<'_>) {
    let bytes = match entry.skill.read_file(path) {
        Ok(bytes) => bytes,
        Err(error) => return reply.refusal(unread(entry, path, &error)),
    };
    match str::from_utf8(&bytes) {
        Ok(text) => reply.text(text),
        Err(_) => reply.blob(Blob {
            uri: file_uri(&entry.skill.folder.join(path)),
            mime_type: mime_type(path),
            bytes: &bytes,
        }),
    }
}

fn unread(entry: &Entry, path: &str, error: &FileError) -> String {
    let (id, asked) = (id(entry), echo(path));
    let text = format!("File '{asked}' of skill '{}': {error}.", Visible(id));
    match error {
        FileError::Outside => text + " Give a path below the skill's base directory.",
        FileError::Missing { similar } if similar.is_empty() => {
            text + " Leave `path` out to list all files."
        }
        FileError::Missing { similar } => {
            let similar = similar.iter().map(|it| format!("'{}'", Visible(&it.to_string_lossy())));
            text + &format!(" Did you mean {}?", similar.collect::<Vec<_>>().join(" or "))
        }
        FileError::Bad(cause) => {
            let error = cause as &dyn Error;
            tracing::warn!(skill = id, path = %asked, error, "a file of a skill cannot be read");
            text
        }
    }
}

fn list(entry: &Entry, reply: Reply<'_>) {
    let id = id(entry);
    match entry.skill.files() {
        Ok(bundle) => reply.text(Files { id, skill: &entry.skill, bundle: &bundle }),
        Err(error) => {
            let cause = &error as &dyn Error;
            tracing::warn!(skill = id, error = cause, "the files of a skill cannot be listed");
            reply.refusal(format!(
                "The files of skill '{}' cannot be listed: {error}.",
                Visible(id)
            ));
        }
    }
}

/// The files of a skill, one a line.
struct Files<'a> {
    id: &'a str,
    skill: &'a Skill,
    bundle: &'a Bundle,
}

impl fmt::Display for Files<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Files { id, skill, bundle } = self;
        let folder = skill.folder.to_string_lossy();
        write!(f, "Files of skill '{}' in {}", Visible(id), Visible(&folder))?;
        for file in &bundle.files {
            let path = file.path.to_string_lossy();
            write!(f, "\n- {} ({} bytes, {})", Visible(&path), file.size, mime_type(&path))?;
        }
        if bundle.is_cut {
            write!(f, "\n… and more: the folder holds too many to list")?;
        }
        Ok(())
    }
}

/// A path as a URI.
fn file_uri(path: &Path) -> String {
    let path = path.to_string_lossy();
    let mut uri = "file://".to_owned();
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                uri.push(char::from(byte));
            }
            // A `String` takes everything.
            other => drop(write!(uri, "%{other:02X}")),
        }
    }
    uri
}
