//! Verdicts: every skill file below a path, judged by the specification.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use hashbrown::HashMap;

use crate::{
    bundle::deceptive_files,
    disk,
    problem::{Cause, Severity},
    scan::{Progress, walk_all},
    skill::{DISABLED_FILE, SKILL_FILE},
    source::{Source, Tier},
    validate::{Finding, Level, validate},
};

/// What is to be said of one file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The file, or the folder that could not be looked at.
    pub path: PathBuf,
    /// Everything found, in the order of the file.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// Whether the specification allows the file.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.findings.iter().all(|finding| finding.level != Level::Error)
    }
}

/// Judges the file at `path`, or every skill file below it, in the order of their paths.
#[must_use]
pub fn validate_all(path: &Path, progress: &Progress) -> Vec<Verdict> {
    if disk::is_file(path) {
        let findings = disk::read(path).map(|(_, bytes)| judge(path, &bytes));
        let findings = findings.unwrap_or_else(|cause| vec![trouble(&cause)]);
        return vec![Verdict { path: path.to_owned(), findings }];
    }
    let source = Source::new(Tier::Custom, "custom", path.to_owned());
    let read = |path: &Path, bytes: Vec<u8>| Ok(judge(path, &bytes));
    let trees = walk_all(&[source], &HashMap::new(), &read, progress);
    let mut problems = Vec::new();
    let mut verdicts = Vec::new();
    for tree in &trees {
        verdicts.extend(tree.collect(path, &mut problems).into_iter().map(|found| Verdict {
            path: found.folder.join(&found.file.name),
            findings: match &found.file.content {
                Ok(findings) => findings.clone(),
                Err(cause) => vec![trouble(cause)],
            },
        }));
    }
    verdicts.extend(
        problems
            .into_iter()
            .map(|problem| Verdict { findings: vec![trouble(&problem.cause)], path: problem.path }),
    );
    verdicts.sort_by(|a, b| a.path.cmp(&b.path));
    verdicts
}

fn judge(path: &Path, bytes: &[u8]) -> Vec<Finding> {
    // A path such as `.` has no name of its own.
    let real = path.parent().and_then(disk::real);
    let name =
        |path: &Path| path.file_name().unwrap_or(OsStr::new("")).to_string_lossy().into_owned();
    let folder = path.parent().map(name).filter(|folder| !folder.is_empty());
    let folder = folder.or_else(|| real.as_deref().map(name)).unwrap_or_default();
    // A disabled skill is judged as it will be once it is enabled.
    let file = match name(path) {
        file if file == DISABLED_FILE => SKILL_FILE.to_owned(),
        file => file,
    };
    let mut findings = validate(&folder, &file, bytes);
    let own = path.file_name().unwrap_or_default();
    let beside = real.map(|it| deceptive_files(&it, own)).unwrap_or_default();
    findings.extend(beside.into_iter().map(|file| {
        Finding::warning(format!("the name of `{file}` has hidden characters"), "rename the file")
    }));
    findings
}

fn trouble(cause: &Cause) -> Finding {
    let level = match cause.severity() {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
    };
    Finding { level, line: None, field: None, message: cause.to_string(), fix: cause.hint() }
}
