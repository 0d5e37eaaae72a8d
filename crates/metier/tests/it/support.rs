//! A machine of its own for each test, and the built binary on it.

use std::{
    env,
    fmt::Write,
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use tempfile::TempDir;

#[path = "../../../metier-skills/src/tests/tree.rs"]
pub(crate) mod tree;

/// Whether tests that download, or talk to programs not our own, run too.
pub(crate) fn slow() -> bool {
    env::var_os("SLOW_TESTS").is_some()
}

/// A home, a project that is a git checkout, and nothing else.
pub(crate) struct Machine {
    root: PathBuf,
    _dir: TempDir,
}

impl Machine {
    pub(crate) fn new(text: &str) -> Machine {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("project/.git")).unwrap();
        fs::create_dir_all(root.join("home")).unwrap();
        tree::plant(&root, text);
        Machine { root, _dir: dir }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The binary in the project, with nothing of this process's environment.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metier"));
        command
            .args(line.split(' ').filter(|word| !word.is_empty()).map(|word| self.expand(word)))
            .current_dir(self.path("project"))
            .env_clear()
            .env("HOME", self.path("home"));
        command
    }

    pub(crate) fn output(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Everything a person sees of one command: both streams and the exit code.
    pub(crate) fn run(&self, line: &str) -> String {
        let output = self.output(line);
        let mut seen = self.redact(&output.stdout);
        let errors = self.redact(&output.stderr);
        if !errors.is_empty() {
            let _ = write!(seen, "--- stderr\n{errors}");
        }
        let _ = write!(seen, "--- exit {}", output.status.code().unwrap_or(-1));
        seen
    }

    /// The document that a command prints.
    pub(crate) fn json(&self, line: &str) -> serde_json::Value {
        serde_json::from_slice(&self.output(line).stdout).unwrap()
    }

    fn expand(&self, word: &str) -> String {
        word.replace("$ROOT", self.root.to_str().unwrap())
    }

    fn redact(&self, bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).replace(self.root.to_str().unwrap(), "$ROOT")
    }
}
