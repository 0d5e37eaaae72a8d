//! `metier doctor`: where skills were looked for, what is shadowed or broken, and how to mend it.

use std::{path::Path, process::ExitCode};

use metier_skills::{Bodies, PluginReport, Severity, Standing, Tier};
use serde::Serialize;

use crate::{
    args::Doctor,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::text,
    ui::{Ui, one_line},
    view::View,
};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Error,
    Warning,
    Info,
}

/// One thing worth knowing.
#[derive(Debug, Serialize)]
struct Finding {
    level: Level,
    subject: String,
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    hint: String,
}

#[derive(Serialize)]
struct DoctorJson {
    ok: bool,
    findings: Vec<Finding>,
}

/// Findings under one heading.
type Section = (&'static str, Vec<Finding>);

pub(crate) fn run(args: &Doctor, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let view = View::open(&args.selection, environment, Bodies::Dropped, ui)?;
    let sections = [
        ("Sources", sources(&view)),
        ("Plugins", view.sources.plugins.iter().map(plugin).collect()),
        ("Names", names(&view)),
        ("Disabled", disabled(&view)),
        ("Problems", problems(&view)),
    ];
    let all = || sections.iter().flat_map(|(_, findings)| findings);
    let ok = all().all(|finding| finding.level != Level::Error);
    if args.format.json {
        let findings = sections.into_iter().flat_map(|(_, findings)| findings).collect();
        ui.json(&DoctorJson { ok, findings })?;
    } else {
        print(&sections, ui)?;
    }
    Ok(if ok { ExitCode::SUCCESS } else { Exit::Failed.into() })
}

fn finding(level: Level, subject: impl Into<String>, message: impl Into<String>) -> Finding {
    Finding { level, subject: subject.into(), message: message.into(), hint: String::new() }
}

impl Finding {
    fn hinted(self, hint: impl Into<String>) -> Finding {
        Finding { hint: hint.into(), ..self }
    }
}

fn sources(view: &View) -> Vec<Finding> {
    let mut findings: Vec<Finding> = view
        .scan
        .sources
        .iter()
        .map(|(source, n_skills)| {
            let owner = format!("{} · {}", source.provider, source.location());
            let message = format!("{owner}, {n_skills} {}", plural(*n_skills, "skill"));
            finding(Level::Info, text(&source.folder), message)
        })
        .collect();
    let is_present = |folder: &Path| folder.is_dir();
    for source in &view.sources.list {
        if source.tier == Tier::Custom && !is_present(&source.folder) {
            findings.push(
                finding(Level::Warning, text(&source.folder), "there is no such folder")
                    .hinted("check --skill-dir, --root and `skills.dirs` of the configuration"),
            );
        }
    }
    let n_absent = view.sources.list.len() - view.scan.sources.len();
    if n_absent > 0 {
        let subject = format!("{n_absent} other {}", plural(n_absent, "place"));
        findings.push(finding(Level::Info, subject, "looked at, nothing there"));
    }
    findings
}

fn plugin(report: &PluginReport) -> Finding {
    let subject = report.plugin.to_string();
    match &report.standing {
        Standing::Enabled => finding(Level::Info, subject, "enabled"),
        Standing::Disabled { by } => {
            let message = match by {
                Some(file) => format!("disabled by {}", file.display()),
                None => "disabled by default".to_owned(),
            };
            finding(Level::Info, subject, message)
                .hinted("`claude plugin enable` makes its skills loadable")
        }
        Standing::Gone => {
            let at = report.install.as_deref().map(text).unwrap_or_default();
            finding(Level::Warning, subject, format!("stale: its folder is gone: {at}")).hinted(
                "`claude plugin uninstall` forgets it, `claude plugin install` brings it back",
            )
        }
        Standing::OtherProject { project } => {
            finding(Level::Info, subject, format!("installed for {} only", project.display()))
        }
        Standing::NotInstalled => {
            finding(Level::Warning, subject, "switched on in the settings, but not installed")
                .hinted("`claude plugin install` brings it")
        }
        Standing::Conflicting => {
            finding(Level::Warning, subject, "contradicts its marketplace; Claude Code refuses it")
                .hinted("ask its author to mend it")
        }
        Standing::Outdated { newest } => {
            finding(Level::Info, subject, format!("stale: version {newest} is in its marketplace"))
                .hinted("`claude plugin update` brings it")
        }
    }
}

/// Names that several skills claim.
fn names(view: &View) -> Vec<Finding> {
    let mut findings = Vec::new();
    for entry in view.catalog.entries() {
        let Some(winner) = view.catalog.winner(entry) else { continue };
        let path = text(&winner.skill.file());
        let name = entry.skill.name();
        let (level, message, hint) = match &entry.id {
            Some(id) => {
                (Level::Info, format!("`{name}` means {path}; this one is `{id}`"), String::new())
            }
            None => (
                Level::Warning,
                format!("no name loads it: `{name}` means {path}"),
                "rename one of the two, or remove it".to_owned(),
            ),
        };
        findings.push(finding(level, text(&entry.skill.file()), message).hinted(hint));
    }
    findings
}

fn disabled(view: &View) -> Vec<Finding> {
    let disabled = view.catalog.disabled().iter();
    disabled
        .map(|skill| {
            finding(Level::Info, skill.name(), text(&skill.file()))
                .hinted(format!("`metier enable {}` makes it loadable", skill.name()))
        })
        .collect()
}

fn problems(view: &View) -> Vec<Finding> {
    let mut findings = Vec::new();
    for problem in &view.config_problems {
        findings.push(
            finding(Level::Error, text(&problem.path), &problem.reason).hinted("edit the file"),
        );
    }
    for problem in view.sources.problems.iter().chain(&view.scan.problems) {
        let level = match problem.cause.severity() {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
        };
        let message = problem.cause.to_string();
        findings.push(finding(level, text(&problem.path), message).hinted(problem.cause.hint()));
    }
    for entry in view.catalog.entries() {
        for repair in entry.skill.repairs() {
            findings.push(
                finding(Level::Warning, text(&entry.skill.file()), format!("repaired: {repair}"))
                    .hinted("other agents may drop this skill: mend the file"),
            );
        }
    }
    findings.sort_by_key(|finding| finding.level);
    findings
}

fn print(sections: &[Section], ui: &mut Ui<'_>) -> Result<(), Failure> {
    let style = ui.style;
    for (title, findings) in sections.iter().filter(|(_, findings)| !findings.is_empty()) {
        let heading = style.heading;
        ui.line(format!("{heading}{title}{heading:#}"))?;
        for finding in findings {
            print_finding(finding, ui)?;
        }
        ui.line("")?;
    }
    let count =
        |level| sections.iter().flat_map(|(_, all)| all).filter(|it| it.level == level).count();
    let (errors, warnings) = (count(Level::Error), count(Level::Warning));
    Ok(ui.line(match (errors, warnings) {
        (0, 0) => "all is well".to_owned(),
        _ => format!(
            "{errors} {}, {warnings} {}",
            plural(errors, "error"),
            plural(warnings, "warning")
        ),
    })?)
}

fn print_finding(finding: &Finding, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let style = ui.style;
    let (sign, look) = match finding.level {
        Level::Error => ("✗", style.error),
        Level::Warning => ("!", style.warning),
        Level::Info => ("·", style.good),
    };
    let (subject, message) = (one_line(&finding.subject), one_line(&finding.message));
    let name = style.name;
    ui.line(format!("  {look}{sign}{look:#} {name}{subject}{name:#}: {message}"))?;
    if !finding.hint.is_empty() {
        let dim = style.dim;
        ui.line(format!("    {dim}{}{dim:#}", one_line(&finding.hint)))?;
    }
    Ok(())
}

fn plural(n: usize, word: &str) -> String {
    if n == 1 { word.to_owned() } else { format!("{word}s") }
}
