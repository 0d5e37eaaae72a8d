//! The disk beyond skills: files are replaced whole or not at all.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    process,
};

/// Keeps others of our kind from changing a file, and what else lies in its folder, while this is held.
///
/// Where a folder cannot be locked, nobody waits for it.
pub(crate) fn lock(path: &Path) -> Option<Lock> {
    let folder = target(path).ancestors().skip(1).find_map(|it| File::open(it).ok())?;
    folder.lock().ok().map(|()| Lock(folder))
}

/// What keeps others from changing a file.
pub(crate) struct Lock(#[expect(dead_code, reason = "it is held, not used")] File);

/// Replaces the content of a file in one step.
///
/// A link stays a link and its target is replaced. What is there keeps its permissions; what is
/// new can be read by its owner alone, since it may hold secrets.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    replace_bytes(path, text.as_bytes())
}

/// The same for what is no text.
pub(crate) fn replace_bytes(path: &Path, content: &[u8]) -> io::Result<()> {
    let path = target(path);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(ErrorKind::InvalidInput.into());
    };
    let permissions = match fs::metadata(&path) {
        // A device or a pipe is there to be written to, not to be replaced.
        Ok(there) if !there.is_file() => {
            return OpenOptions::new().write(true).open(&path)?.write_all(content);
        }
        Ok(there) => Some(there.permissions()),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    fs::create_dir_all(folder)?;
    let draft = folder.join(format!(".{}.{}", name.to_string_lossy(), process::id()));
    let written = write_new(&draft, content, permissions).and_then(|()| fs::rename(&draft, &path));
    written.inspect_err(|error| {
        if error.kind() != ErrorKind::AlreadyExists {
            let _ = fs::remove_file(&draft);
        }
    })
}

fn write_new(path: &Path, content: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    let mut file = private(path)?;
    file.write_all(content)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

#[cfg(unix)]
fn private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// The text of a file, if it is there; however long, since other programs keep a lot in theirs.
pub(crate) fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Where a path leads, also if nothing is there yet.
fn target(path: &Path) -> PathBuf {
    let pointed = || Some(path.parent()?.join(fs::read_link(path).ok()?));
    fs::canonicalize(path).ok().or_else(pointed).unwrap_or_else(|| path.to_owned())
}

/// The same file by the real path of its folder; it need not be there.
pub(crate) fn in_real_folder(path: &Path) -> Option<PathBuf> {
    Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?))
}

/// Whether a path leads to a file that may be run.
#[cfg(unix)]
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

/// Whether a path leads to a file that may be run.
#[cfg(not(unix))]
pub(crate) fn is_program(path: &Path) -> bool {
    let is_file = |path: &Path| fs::metadata(path).is_ok_and(|it| it.is_file());
    is_file(path) || ["exe", "cmd", "bat"].iter().any(|it| is_file(&path.with_extension(it)))
}
