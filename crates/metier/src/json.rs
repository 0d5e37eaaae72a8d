//! The documents that `--json` prints. Their keys are a promise.

use std::path::Path;

use metier_skills::{Bundle, BundleFile, Cause, Problem, Severity, Skill, Source, State};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::config::ConfigProblem;

/// One skill.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkillJson<'a> {
    /// The name that loads it; absent where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    name: &'a str,
    description: &'a str,
    provider: &'a str,
    location: String,
    path: String,
    base_directory: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    marketplace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin_version: Option<&'a str>,
    /// Other places that lead to the same skill.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also_in: Vec<PlaceJson<'a>>,
    disabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shadowed_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<FileJson>>,
    /// Present where there are more files than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    files_cut: Option<bool>,
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "as_map")]
    frontmatter: &'a [(String, Value)],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<String>,
}

/// A list whose members are made one by one while it is written.
pub(crate) struct Each<F>(pub(crate) F);

impl<F, I> Serialize for Each<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// A place that leads to a skill.
#[derive(Debug, PartialEq, Serialize)]
struct PlaceJson<'a> {
    provider: &'a str,
    location: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<&'a str>,
}

impl<'a> From<&'a Source> for PlaceJson<'a> {
    fn from(source: &'a Source) -> PlaceJson<'a> {
        PlaceJson {
            provider: &source.provider,
            location: source.location().to_string(),
            plugin: source.plugin.as_ref().map(|owner| owner.plugin.name.as_str()),
        }
    }
}

/// The places beside a skill's own, each once.
fn places(skill: &Skill) -> Vec<PlaceJson<'_>> {
    let mut places: Vec<PlaceJson<'_>> = Vec::new();
    for source in skill.places() {
        let place = PlaceJson::from(&**source);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.split_off(1)
}

/// One file of a skill.
#[derive(Debug, Serialize)]
pub(crate) struct FileJson {
    path: String,
    size: u64,
}

/// Something wrong with one file or folder.
#[derive(Debug, Serialize)]
pub(crate) struct ProblemJson {
    path: String,
    level: &'static str,
    reason: String,
    hint: String,
}

impl<'a> SkillJson<'a> {
    pub(crate) fn new(id: Option<&'a str>, skill: &'a Skill) -> SkillJson<'a> {
        let plugin = skill.plugin();
        SkillJson {
            id,
            name: skill.name(),
            description: skill.description(),
            provider: skill.provider(),
            location: skill.location().to_string(),
            path: text(&skill.file()),
            base_directory: text(&skill.folder),
            plugin: plugin.map(|it| it.name.as_str()),
            marketplace: plugin.and_then(|it| it.marketplace.as_deref()),
            plugin_version: plugin.and_then(|it| it.version.as_deref()),
            disabled: skill.state == State::Disabled,
            shadowed_by: None,
            also_in: places(skill),
            files: None,
            files_cut: None,
            frontmatter: skill.fields(),
            content: None,
        }
    }
}

impl SkillJson<'_> {
    /// The same with the skill's files.
    pub(crate) fn with_files(mut self, bundle: &Bundle) -> Self {
        self.files = Some(bundle.files.iter().map(FileJson::from).collect());
        self.files_cut = bundle.is_cut.then_some(true);
        self
    }
}

impl From<&BundleFile> for FileJson {
    fn from(file: &BundleFile) -> FileJson {
        FileJson { path: text(&file.path), size: file.size }
    }
}

impl From<&Problem> for ProblemJson {
    fn from(problem: &Problem) -> ProblemJson {
        ProblemJson {
            path: text(&problem.path),
            level: level(&problem.cause),
            reason: problem.cause.to_string(),
            hint: problem.cause.hint(),
        }
    }
}

impl From<&ConfigProblem> for ProblemJson {
    fn from(problem: &ConfigProblem) -> ProblemJson {
        ProblemJson {
            path: text(&problem.path),
            level: "error",
            reason: problem.to_string(),
            hint: "edit the file".to_owned(),
        }
    }
}

/// A path as JSON can hold it.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn as_map<S: Serializer>(fields: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(key, value)| (key, value)))
}

fn level(cause: &Cause) -> &'static str {
    match cause.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
