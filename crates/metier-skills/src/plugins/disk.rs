//! The disk as plugins see it: bounded reads, and paths that cannot leave their folder.
//!
//! No other file about plugins opens anything.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use super::{json::Parsed, problem::PluginProblem};
use crate::{disk, problem::Cause, walk::is_skill_file};

/// Bytes that a file about plugins may have.
const LARGEST_FILE: u64 = 4 << 20;

/// Reads files one after the other and keeps what is wrong with them.
#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) problems: Vec<(PathBuf, PluginProblem)>,
    /// Every path on which an answer depended, also where nothing was.
    pub(crate) asked: Vec<PathBuf>,
}

impl Reader {
    /// Reads a file that may be missing.
    pub(crate) fn read<T>(&mut self, file: &Path, parse: fn(&str) -> Parsed<T>) -> Option<T> {
        self.asked.push(file.to_owned());
        match text(file) {
            Ok(text) => {
                let parsed = parse(&text?);
                self.note(file, parsed.problems);
                Some(parsed.value)
            }
            Err(problem) => {
                self.note(file, [problem]);
                None
            }
        }
    }

    /// Reads a file of a folder whose author is a stranger: no link may lead out of it.
    pub(crate) fn read_inside<T>(
        &mut self,
        folder: &Place,
        relative: &str,
        parse: fn(&str) -> Parsed<T>,
    ) -> Option<T> {
        let problem = match folder.follow(relative) {
            Inside::Found(file) => return self.read(&file.path, parse),
            Inside::Missing => {
                self.asked.push(folder.path.join(relative));
                return None;
            }
            Inside::Outside => PluginProblem::LeadsAway,
            Inside::Unreadable(kind) => PluginProblem::Unreadable(kind),
        };
        self.note(&folder.path.join(relative), [problem]);
        None
    }

    /// Keeps what is wrong with a file.
    pub(crate) fn note(&mut self, file: &Path, found: impl IntoIterator<Item = PluginProblem>) {
        self.problems.extend(found.into_iter().map(|it| (file.to_owned(), it)));
    }
}

/// Something on the disk: its path as people know it, and the same with all links followed.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) real: PathBuf,
}

/// Where a path inside a folder leads.
pub(crate) enum Inside {
    /// To something that really lies in the folder.
    Found(Place),
    /// To nothing.
    Missing,
    /// Out of the folder, as written or by a link.
    Outside,
    /// Where nobody may look.
    Unreadable(ErrorKind),
}

impl Place {
    /// The folder at `path`, if one is there.
    pub(crate) fn folder(path: &Path) -> Option<Place> {
        let real = fs::canonicalize(path).ok().filter(|it| it.is_dir())?;
        Some(Place { path: path.components().collect(), real })
    }

    /// Follows a relative path, and every link on the way.
    pub(crate) fn follow(&self, relative: &str) -> Inside {
        if leaves(relative) {
            return Inside::Outside;
        }
        let path: PathBuf = self.path.join(relative).components().collect();
        match fs::canonicalize(&path) {
            Ok(real) if real.starts_with(&self.real) => Inside::Found(Place { path, real }),
            Ok(_) => Inside::Outside,
            Err(error) if is_missing(&error) => Inside::Missing,
            Err(error) => Inside::Unreadable(error.kind()),
        }
    }

    /// Whether this folder is itself a skill.
    pub(crate) fn holds_skill(&self) -> bool {
        let mut entries = fs::read_dir(&self.real).into_iter().flatten().flatten();
        entries.any(|it| is_skill_file(&it.file_name()))
    }
}

/// Reads a text without its byte order mark; no such file is no text.
fn text(path: &Path) -> Result<Option<String>, PluginProblem> {
    let bytes = match disk::read_bounded(path, LARGEST_FILE) {
        Ok((_, bytes)) => bytes,
        Err(Cause::Unreadable(ErrorKind::NotFound | ErrorKind::NotADirectory)) => return Ok(None),
        Err(Cause::Unreadable(kind)) => return Err(PluginProblem::Unreadable(kind)),
        Err(Cause::TooLong { .. }) => return Err(PluginProblem::TooLarge),
        Err(_) => return Err(PluginProblem::NotAFile),
    };
    let text = String::from_utf8(bytes).map_err(|_| PluginProblem::NotText)?;
    Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Whether a path leaves its folder as it is written, on any system.
fn leaves(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    drive || path.starts_with(['/', '\\']) || path.split(['/', '\\']).any(|part| part == "..")
}

/// The path with all links followed, or as it is where there is nothing.
pub(crate) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.components().collect())
}
