//! `metier validate`: one line for each finding, with file, field and fix.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use metier_skills::{Finding, Level, Verdict, validate_all};
use serde::Serialize;

use crate::{
    args::Validate,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::text,
    progress,
    ui::{Ui, one_line},
};

#[derive(Serialize)]
struct ValidateJson {
    valid: bool,
    skills: Vec<VerdictJson>,
}

#[derive(Serialize)]
struct VerdictJson {
    path: String,
    valid: bool,
    errors: Vec<FindingJson>,
    warnings: Vec<FindingJson>,
}

#[derive(Serialize)]
struct FindingJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    message: String,
    fix: String,
}

pub(crate) fn run(args: &Validate, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let mut verdicts = Vec::new();
    for path in &args.paths {
        verdicts.extend(verdicts_of(path, environment, ui)?);
    }
    verdicts.sort_by(|a: &Verdict, b| a.path.cmp(&b.path));
    verdicts.dedup_by(|a, b| a.path == b.path);
    let bad =
        |verdict: &Verdict| !verdict.is_valid() || (args.strict && !verdict.findings.is_empty());
    let valid = !verdicts.iter().any(bad);
    if args.format.json {
        let skills = verdicts.iter().map(|it| VerdictJson { valid: !bad(it), ..verdict_json(it) });
        ui.json(&ValidateJson { valid, skills: skills.collect() })?;
    } else {
        for verdict in &verdicts {
            print(verdict, environment, ui)?;
        }
        print_summary(&verdicts, ui)?;
    }
    Ok(if valid { ExitCode::SUCCESS } else { Exit::Failed.into() })
}

fn verdicts_of(
    path: &Path,
    environment: &Environment,
    ui: &mut Ui<'_>,
) -> Result<Vec<Verdict>, Failure> {
    let path = environment.absolute(&environment.working_dir, path);
    if !path.exists() {
        let message = format!("`{}` does not exist", path.display());
        return Err(Failure::new(Exit::NotFound, message)
            .hinted("name a SKILL.md, a skill's folder, or a folder that holds skills"));
    }
    let verdicts = progress::shown(ui, |progress| validate_all(&path, progress));
    if verdicts.is_empty() {
        let message = format!("there is no SKILL.md in `{}`", path.display());
        return Err(Failure::new(Exit::NotFound, message).hinted("`metier new NAME` writes one"));
    }
    Ok(verdicts)
}

fn verdict_json(verdict: &Verdict) -> VerdictJson {
    let of = |level| {
        let findings = verdict.findings.iter().filter(|it| it.level == level);
        findings.map(finding_json).collect()
    };
    VerdictJson {
        path: text(&verdict.path),
        valid: verdict.is_valid(),
        errors: of(Level::Error),
        warnings: of(Level::Warning),
    }
}

fn finding_json(finding: &Finding) -> FindingJson {
    FindingJson {
        line: finding.line,
        field: finding.field.clone(),
        message: finding.message.clone(),
        fix: finding.fix.clone(),
    }
}

fn print(verdict: &Verdict, environment: &Environment, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let style = ui.style;
    let path = shown(&verdict.path, environment);
    for finding in &verdict.findings {
        let (word, look) = match finding.level {
            Level::Error => ("error", style.error),
            Level::Warning => ("warning", style.warning),
        };
        let line = finding.line.map_or(String::new(), |line| format!(":{line}"));
        let (message, fix) = (one_line(&finding.message), one_line(&finding.fix));
        let (name, dim) = (style.name, style.dim);
        ui.line(format!(
            "{name}{path}{line}{name:#}: {look}{word}{look:#}: {message} {dim}→ {fix}{dim:#}"
        ))?;
    }
    Ok(())
}

/// The path from where the user stands, if the file lies below.
fn shown(path: &Path, environment: &Environment) -> String {
    let relative = path.strip_prefix(&environment.working_dir).map(PathBuf::from);
    one_line(&text(relative.as_deref().unwrap_or(path))).into_owned()
}

fn print_summary(verdicts: &[Verdict], ui: &mut Ui<'_>) -> Result<(), Failure> {
    let n_valid = verdicts.iter().filter(|it| it.is_valid()).count();
    let n_warned = verdicts.iter().filter(|it| it.is_valid() && !it.findings.is_empty()).count();
    let warned = if n_warned == 0 { String::new() } else { format!(", {n_warned} with warnings") };
    Ok(ui.note(format!("{n_valid} of {} valid{warned}", verdicts.len()))?)
}
