//! Where the files of a skill belong: every path is one that can be kept, or nothing of it is.

use std::{collections::HashMap, ffi::OsStr};

use metier_skills::{DISABLED_FILE, is_hidden, is_walked};
use metier_upstreams::{Files, ServedSkill, SkillFile};

use super::refusal::Refusal;

/// What no Windows file may be called, whatever follows after a dot.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// How many bytes a file's name may have on the disks that most people have.
const LONGEST_NAME: usize = 255;

/// One file and its place below the folder of its skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// With `/` between its parts.
    pub(super) path: String,
    pub(super) file: SkillFile,
}

/// Whose rules for names of files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum House {
    Unix,
    Windows,
}

impl House {
    pub(super) const HERE: House = if cfg!(windows) { House::Windows } else { House::Unix };
}

/// The places of all files of a skill, `SKILL.md` first.
pub(super) fn layout(skill: &ServedSkill, house: House) -> Result<Vec<Place>, Refusal> {
    let Files::Listed(files) = &skill.files else { return Err(Refusal::Dynamic) };
    if let Some(reason) = odd(&skill.name, house) {
        return Err(Refusal::Name(reason));
    }
    let mut places = Vec::with_capacity(files.len());
    for file in files {
        // What nobody sees in it may be what is wrong with it.
        let refused = |reason| Refusal::Path { path: file.uri.escape_debug().to_string(), reason };
        let path = skill.path(&file.uri).ok_or_else(|| refused("it is no path"))?;
        let mut parts = path.split('/');
        if let Some(reason) = parts.find_map(|part| odd(part, house)) {
            return Err(refused(reason));
        }
        if path == DISABLED_FILE {
            return Err(refused("it is how a skill is switched off"));
        }
        places.push(Place { path, file: file.clone() });
    }
    check_collisions(&places)?;
    // The rest is not worth fetching if this one is not what it should be.
    places.sort_by_key(|it| *it.file.uri != *skill.uri);
    Ok(places)
}

/// What is wrong with one part of a path.
fn odd(part: &str, house: House) -> Option<&'static str> {
    let lowered = part.to_lowercase();
    let stem = lowered.split('.').next().unwrap_or_default().trim_end();
    let is_device = DEVICES.iter().any(|it| match stem.strip_prefix(it) {
        Some(rest) if matches!(*it, "com" | "lpt") => rest.len() == 1 && rest > "0" && rest <= "9",
        Some(rest) => rest.is_empty(),
        None => false,
    });
    let on_windows = house == House::Windows;
    Some(match part {
        "" | "." | ".." => "it leads out of the skill",
        _ if part.len() > LONGEST_NAME => "a name in it is too long for most disks",
        _ if part.contains(['/', '\\']) => "a part of it would be taken for several",
        _ if part.contains(char::is_control) => "it has control characters",
        _ if part.contains(is_hidden) => "it has characters that nobody sees",
        _ if !is_walked(OsStr::new(&lowered)) => "agents skip folders of that name",
        _ if on_windows && is_device => "Windows keeps that name for a device",
        _ if on_windows && part.contains(['<', '>', ':', '"', '|', '?', '*']) => {
            "Windows forbids one of its characters"
        }
        _ if on_windows && part.ends_with(['.', ' ']) => "Windows forgets how it ends",
        _ => return None,
    })
}

/// Two paths that differ in nothing but case are one on many machines, and no file is a folder too.
fn check_collisions(places: &[Place]) -> Result<(), Refusal> {
    let mut taken = HashMap::new();
    for Place { path, .. } in places {
        if let Some(other) = taken.insert(path.to_lowercase(), path) {
            return Err(Refusal::Collision { one: other.clone(), other: path.clone() });
        }
    }
    for Place { path, .. } in places {
        let lowered = path.to_lowercase();
        let folders = lowered.match_indices('/').map(|(at, _)| &lowered[..at]);
        if let Some(file) = folders.filter_map(|it| taken.get(it)).next() {
            return Err(Refusal::Collision { one: (*file).clone(), other: path.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
