//! Edits: configuration files while they are being changed.
//!
//! A handful of files is looked at every second: that costs a few system calls, and sees what
//! watching misses, such as a link that is turned elsewhere, a folder that appears, a network disk.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use tokio::time::sleep;

use super::{Memory, ProjectTrust, Settings, standard_files, trust};
use crate::{environment::Environment, failure::Failure};

/// How often files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long they must stay as they are until an edit counts as done.
const QUIET: Duration = Duration::from_millis(300);

/// Configuration files that are read again whenever one of them has changed.
pub(crate) struct Edits {
    environment: Environment,
    named: Vec<PathBuf>,
    trust: ProjectTrust,
    memory: Memory,
    files: Vec<PathBuf>,
    looks: Looks,
    /// Whether the last edit was looked at only once.
    is_fresh: bool,
}

/// How some files look from outside.
#[derive(Debug, PartialEq, Eq)]
struct Looks(Vec<Option<Look>>);

/// Enough of a file to notice that it was written or that another took its place.
#[derive(Debug, PartialEq, Eq)]
struct Look {
    modified: Option<SystemTime>,
    length: u64,
    identity: u64,
}

impl Edits {
    /// What the files say now, and what will tell when they say something else.
    pub(crate) fn begin(
        environment: Environment,
        named: &[PathBuf],
        trust: ProjectTrust,
    ) -> Result<(Settings, Edits), Failure> {
        let mut memory = Memory::default();
        let files = files(&environment, named);
        // An edit after this look is noticed, whether or not it was read already.
        let looks = Looks::of(&files);
        let settings = Settings::read_again(&environment, named, trust, &mut memory)?;
        let named = named.to_vec();
        let edits = Edits { environment, named, trust, memory, files, looks, is_fresh: false };
        Ok((settings, edits))
    }

    /// What the files say after the next edit. Each is looked at twice: a file that is replaced may
    /// be away for a moment, and only one that stays away is gone.
    pub(crate) async fn next(mut self) -> (Settings, Edits) {
        loop {
            if self.is_fresh {
                sleep(LOOK_EVERY).await;
            } else {
                edited(&self.files, &mut self.looks).await;
            }
            self.is_fresh = !self.is_fresh;
            let (named, memory) = (&self.named, &mut self.memory);
            if let Ok(settings) = Settings::read_again(&self.environment, named, self.trust, memory)
            {
                return (settings, self);
            }
        }
    }
}

/// Every file that counts, there or not; also the record of what is trusted.
fn files(environment: &Environment, named: &[PathBuf]) -> Vec<PathBuf> {
    let standard = standard_files(environment).into_iter().map(|it| it.path);
    let named = named.iter().map(|path| environment.absolute(&environment.working_dir, path));
    standard.chain(named).chain(trust::place(environment)).collect()
}

impl Looks {
    fn of(files: &[PathBuf]) -> Looks {
        Looks(files.iter().map(|file| Look::at(file)).collect())
    }
}

impl Look {
    fn at(file: &Path) -> Option<Look> {
        let metadata = fs::metadata(file).ok()?;
        #[cfg(unix)]
        let identity = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let identity = 0;
        let modified = metadata.modified().ok();
        Some(Look { modified, length: metadata.len(), identity })
    }
}

/// Waits until files look otherwise than they did, and stay so for a moment.
async fn edited(files: &[PathBuf], looks: &mut Looks) {
    loop {
        sleep(LOOK_EVERY).await;
        let mut now = Looks::of(files);
        if now == *looks {
            continue;
        }
        loop {
            sleep(QUIET).await;
            let later = Looks::of(files);
            if later == now {
                *looks = now;
                return;
            }
            now = later;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Edits, Looks, edited, files};
    use crate::{
        config::{ProjectTrust, TrustRecord},
        environment::Environment,
    };

    fn environment(root: &std::path::Path) -> Environment {
        for folder in ["home", "project/.git"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Environment {
            working_dir: root.join("project"),
            home: Some(root.join("home")),
            ..Environment::default()
        }
    }

    #[test]
    fn every_file_that_counts_is_looked_at() {
        let dir = tempfile::tempdir().unwrap();
        let found = files(&environment(dir.path()), &["own.json".into()]);
        let expected = [
            "home/.kode.json",
            "home/.config/metier/config.json",
            "project/.kode.json",
            "project/.metier.json",
            "project/own.json",
            "home/.local/state/metier/trust.json",
        ];
        assert_eq!(found, expected.map(|it| dir.path().join(it)));
    }

    #[tokio::test(start_paused = true)]
    async fn trust_counts_as_soon_as_it_is_given() {
        let dir = tempfile::tempdir().unwrap();
        let environment = environment(dir.path());
        let (file, text) = (
            dir.path().join("project/.metier.json"),
            r#"{"tools": {}, "servers": {"a": {"command": "x"}}}"#,
        );
        fs::write(&file, text).unwrap();
        let begun = Edits::begin(environment.clone(), &[], ProjectTrust::Recorded);
        let Ok((settings, edits)) = begun else { panic!("it cannot be read") };
        assert_eq!(settings.untrusted, std::slice::from_ref(&file));
        let mut record = TrustRecord::default();
        record.add(&file, text);
        record.write(&environment).unwrap();
        let (settings, _) = edits.next().await;
        assert_eq!(settings.untrusted, [] as [std::path::PathBuf; 0]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_that_is_written_swapped_or_removed_is_noticed_once() {
        let dir = tempfile::tempdir().unwrap();
        let files = [dir.path().join("a.json"), dir.path().join("b.json")];
        let mut looks = Looks::of(&files);
        fs::write(&files[0], "{}").unwrap();
        edited(&files, &mut looks).await;
        // Another file of the same length and, perhaps, the same time.
        fs::write(&files[1], "[]").unwrap();
        fs::rename(&files[1], &files[0]).unwrap();
        edited(&files, &mut looks).await;
        fs::remove_file(&files[0]).unwrap();
        edited(&files, &mut looks).await;
        assert_eq!(looks, Looks::of(&files));
    }
}
