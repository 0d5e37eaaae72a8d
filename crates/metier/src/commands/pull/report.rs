//! What is told of each skill: a line for people, or one document for programs.

use metier_skills::{Finding, Level, SKILL_FILE, validate};
use metier_upstreams::ServedSkill;
use serde::Serialize;
use serde_json::Value;

use super::{fetch::Wanted, layout::Place, refusal::Refusal, step::Step};
use crate::{
    failure::{Exit, Failure},
    ui::{Ui, counted, one_line},
};

/// How many findings are told of one skill.
const MOST_FINDINGS: usize = 5;

/// All that was done.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PullJson {
    pub(super) dry_run: bool,
    pub(super) to: String,
    pub(super) skills: Vec<Pulled>,
    /// Why skills that a server lists were not even considered.
    pub(super) problems: Vec<String>,
}

/// What came of one skill.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pulled {
    name: String,
    server: String,
    uri: String,
    path: String,
    outcome: &'static str,
    files: usize,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_tools: Option<Value>,
    /// Other skills within it, by their paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nested: Vec<String>,
    /// Files of other skills of that name, which may be shadowed now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) namesakes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

impl Pulled {
    pub(super) fn new(wanted: &Wanted, path: String) -> Pulled {
        Pulled {
            name: wanted.skill.name.to_string(),
            server: wanted.server.to_string(),
            uri: wanted.skill.uri.to_string(),
            path,
            outcome: "refused",
            files: wanted.skill.n_files(),
            size: 0,
            allowed_tools: None,
            nested: Vec::new(),
            namesakes: Vec::new(),
            warnings: Vec::new(),
            error: None,
            hint: None,
        }
    }

    /// Adds what a person should know before an agent uses the skill.
    pub(super) fn describe(&mut self, skill: &ServedSkill, places: &[Place]) {
        self.size = places.iter().map(|it| it.file.size).sum();
        let listed: Value = serde_json::from_str(skill.frontmatter.get()).unwrap_or_default();
        self.allowed_tools = listed.get("allowed-tools").filter(|it| !it.is_null()).cloned();
        let nested = places.iter().filter(|it| it.path.ends_with(&format!("/{SKILL_FILE}")));
        self.nested = nested.map(|it| it.path.clone()).collect();
    }

    /// Adds what is odd about the text itself.
    pub(super) fn judge(&mut self, own: &[u8]) {
        let told = |Finding { line, level, message, .. }: &Finding| {
            let line = line.map_or(String::new(), |line| format!(":{line}"));
            let weight = if *level == Level::Error { "against the specification: " } else { "" };
            format!("{SKILL_FILE}{line}: {weight}{message}")
        };
        self.warnings = validate(&self.name, SKILL_FILE, own).iter().map(told).collect();
    }

    /// Adds that what was in its place before is still on the disk.
    pub(super) fn leave(&mut self, old: &str) {
        self.warnings.insert(0, format!("what it replaced cannot be removed: `{old}`"));
    }

    pub(super) fn conclude(&mut self, outcome: Result<Step, Refusal>) {
        match outcome {
            Ok(step) => self.outcome = step.word(),
            Err(refusal) => {
                self.error = Some(refusal.to_string());
                self.hint = Some(refusal.hint());
            }
        }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.error.is_some()
    }

    /// Tells a person, at once.
    pub(super) fn print(&self, dry_run: DryRun, ui: &mut Ui<'_>) -> Result<(), Failure> {
        if let (Some(error), Some(hint)) = (&self.error, self.hint) {
            let message = format!("skill `{}` is not pulled: {error}", self.name);
            ui.failure(&Failure::new(Exit::Failed, message).hinted(hint));
            return Ok(());
        }
        let word = match (dry_run, self.outcome) {
            (DryRun::No, word) | (DryRun::Yes, word @ "unchanged") => word,
            (DryRun::Yes, "updated") => "would update",
            (DryRun::Yes, _) => "would pull",
        };
        let (name, dim) = (ui.style.name, ui.style.dim);
        let size = format!("{}, {} bytes", counted(self.files, "file"), self.size);
        let path = one_line(&self.path);
        ui.line(format!(
            "{word} {name}{}{name:#} {dim}{path} ({size}){dim:#}",
            one_line(&self.name)
        ))?;
        if self.outcome != Step::Keep.word() {
            self.print_cautions(ui)?;
        }
        Ok(())
    }

    fn print_cautions(&self, ui: &mut Ui<'_>) -> Result<(), Failure> {
        let Pulled { name, .. } = self;
        if let Some(tools) = &self.allowed_tools {
            ui.warn(&format!("`{name}` asks that these tools be allowed: {}", in_words(tools)))?;
        }
        for path in &self.nested {
            ui.warn(&format!("`{name}` holds another skill, which agents may load: `{path}`"))?;
        }
        for path in &self.namesakes {
            ui.warn(&format!("`{name}` is also what `{path}` is called"))?;
        }
        if !self.namesakes.is_empty() {
            ui.note("hint: `metier list --all` shows which one the name means")?;
        }
        for warning in self.warnings.iter().take(MOST_FINDINGS) {
            ui.warn(&format!("`{name}`: {warning}"))?;
        }
        let n_more = self.warnings.len().saturating_sub(MOST_FINDINGS);
        if n_more > 0 {
            let path = &self.path;
            ui.note(format!("and {n_more} more: `metier validate {}`", one_line(path)))?;
        }
        Ok(())
    }
}

/// Whether anything is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DryRun {
    No,
    Yes,
}

impl Step {
    fn word(self) -> &'static str {
        match self {
            Step::Add => "pulled",
            Step::Replace => "updated",
            Step::Keep => "unchanged",
        }
    }
}

/// The tools that a skill asks for; authors write a text or a list.
fn in_words(tools: &Value) -> String {
    match tools {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
