//! The disk beyond skills: files are read and replaced whole or not at all.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    process,
};

use metier_skills::{Cause, read_text_within};

/// How many bytes a file may have.
const LONGEST: u64 = 64 << 20;

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

/// The text of a regular file, if it is there; other programs keep a lot in theirs.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Cause> {
    match read_text_within(path, LONGEST) {
        Err(Cause::Unreadable(ErrorKind::NotFound | ErrorKind::NotADirectory)) => Ok(None),
        read => read.map(Some),
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

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use metier_skills::Cause;

    use super::{LONGEST, read};

    #[test]
    fn only_a_regular_file_that_is_not_endless_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        assert_eq!(read(&path), Ok(None));
        assert_eq!(read(&path.join("below")), Ok(None));
        fs::write(&path, "text").unwrap();
        assert_eq!(read(&path), Ok(Some("text".to_owned())));
        assert_eq!(read(&path.join("below")), Ok(None));
        File::create(&path).unwrap().set_len(LONGEST + 1).unwrap();
        assert_eq!(read(&path), Err(Cause::TooLong { longest: LONGEST }));
        assert_eq!(read(dir.path()), Err(Cause::NotAFile));
        #[cfg(unix)]
        {
            let pipe = dir.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert_eq!(read(&pipe), Err(Cause::NotAFile));
        }
    }
}
