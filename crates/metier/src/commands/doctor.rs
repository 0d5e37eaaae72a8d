//! `metier doctor`: where skills were looked for, what is shadowed or broken, and how to mend it.

use std::{process::ExitCode, sync::Arc};

use metier_skills::{Bodies, Outcome as Found, PluginReport, Severity, Source, Standing, Tier};
use metier_upstreams::{Admission, Endpoint};
use serde::Serialize;

use crate::{
    args::Doctor,
    config::Settings,
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
    hint: String,
    /// Whether it says no more than that nothing is there.
    #[serde(skip)]
    is_empty_place: bool,
}

#[derive(Serialize)]
struct DoctorJson {
    ok: bool,
    findings: Vec<Finding>,
}

/// How many repairs of one file are told; who mends these will see the rest.
const MOST_REPAIRS: usize = 3;

/// What is said of a place without skills.
const NOTHING: &str = "nothing there";

/// Findings under one heading.
type Section = (&'static str, Vec<Finding>);

pub(crate) fn run(args: &Doctor, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let view = View::open(&args.selection, environment, Bodies::Dropped, ui)?;
    let environment = environment.at_home(args.selection.user_dir.as_deref());
    let settings = Settings::read(&environment, &args.selection.config, args.servers.trust())?;
    let mut sections = [
        ("Sources", sources(&view)),
        ("Plugins", view.sources.plugins.iter().map(plugin).collect()),
        ("Names", names(&view)),
        ("Disabled", disabled(&view)),
        ("Published", unpublished(&view)),
        ("Files", deceptive(&view)),
        ("Servers", servers(&settings, &environment)),
        ("Problems", problems(&settings, &view)),
    ];
    let all = || sections.iter().flat_map(|(_, findings)| findings);
    let ok = all().all(|finding| finding.level != Level::Error);
    if args.format.json {
        let findings = sections.into_iter().flat_map(|(_, findings)| findings).collect();
        ui.json(&DoctorJson { ok, findings })?;
    } else {
        if !args.all {
            fold_empty_places(&mut sections[0].1);
        }
        print(&sections, &Abbreviated::new(&environment), ui)?;
    }
    Ok(if ok { ExitCode::SUCCESS } else { Exit::Failed.into() })
}

/// Tells how many places are empty instead of naming them.
fn fold_empty_places(sources: &mut Vec<Finding>) {
    let n_all = sources.len();
    sources.retain(|finding| !finding.is_empty_place);
    let n_empty = n_all - sources.len();
    if n_empty > 0 {
        let subject = format!("{n_empty} more {}", plural(n_empty, "place"));
        sources.push(finding(Level::Info, subject, format!("{NOTHING} (--all names them)")));
    }
}

fn finding(level: Level, subject: impl Into<String>, message: impl Into<String>) -> Finding {
    let (subject, message) = (subject.into(), message.into());
    Finding { level, subject, message, hint: String::new(), is_empty_place: false }
}

impl Finding {
    fn hinted(self, hint: impl Into<String>) -> Finding {
        Finding { hint: hint.into(), ..self }
    }
}

fn sources(view: &View) -> Vec<Finding> {
    let mut findings: Vec<Finding> = view.scan.sources.iter().map(source).collect();
    // What is there first.
    findings.sort_by_key(|finding| finding.is_empty_place);
    findings
}

fn source((source, outcome): &(Arc<Source>, Found)) -> Finding {
    let subject = text(&source.folder);
    let owner = format!("{} · {}", source.provider, source.location());
    match outcome {
        Found::Walked { n_skills } => {
            let message = format!("{owner}, {n_skills} {}", plural(*n_skills, "skill"));
            finding(Level::Info, subject, message)
        }
        Found::Covered => {
            finding(Level::Info, subject, format!("{owner}, the same folder as one above"))
        }
        Found::Absent if source.tier == Tier::Custom => {
            finding(Level::Warning, subject, "there is no such folder")
                .hinted("check --skill-dir, --root and `skills.dirs` of the configuration")
        }
        Found::Absent => Finding { is_empty_place: true, ..finding(Level::Info, subject, NOTHING) },
    }
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
            finding(Level::Warning, subject, "switched on, but no copy of it is known")
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

/// Skills that can be loaded, but that clients do not find by `skills/list`.
fn unpublished(view: &View) -> Vec<Finding> {
    // Whatever had to be repaired is told among the problems.
    let loadable = view.catalog.listed().filter(|(_, skill)| skill.repairs().is_empty());
    let unfit = loadable.filter_map(|(_, skill)| Some((skill, skill.is_fit().err()?)));
    unfit
        .map(|(skill, unfit)| {
            let message = format!("not in `skills/list`: {unfit}");
            finding(Level::Warning, text(&skill.file()), message).hinted(unfit.hint())
        })
        .collect()
}

/// Files of skills that are not called as they seem to be.
fn deceptive(view: &View) -> Vec<Finding> {
    let skills = view.catalog.listed();
    let files = skills.flat_map(|(_, skill)| {
        skill.deceptive_files().into_iter().map(|file| {
            let message = format!("the name of `{file}` has hidden characters");
            finding(Level::Warning, text(&skill.file()), message).hinted("rename the file")
        })
    });
    files.collect()
}

fn disabled(view: &View) -> Vec<Finding> {
    let disabled = view.disabled.entries().iter();
    disabled
        .map(|entry| {
            let name = entry.id.as_deref().unwrap_or(entry.skill.name());
            finding(Level::Info, name, text(&entry.skill.file()))
                .hinted(format!("`metier enable {name}` makes it loadable"))
        })
        .collect()
}

/// Servers that will not start: nobody vouched for their file, or their program is not there.
fn servers(settings: &Settings, environment: &Environment) -> Vec<Finding> {
    let untrusted = settings.untrusted.iter().map(|path| {
        let folder = path.parent().map(text).unwrap_or_default();
        finding(
            Level::Warning,
            text(path),
            "nobody has trusted it: its servers do not start, its `tools` do not count",
        )
        .hinted(format!("`metier trust` in {folder} shows them and asks"))
    });
    let granted = settings.servers.iter().filter(|it| it.spec.admission == Admission::Granted);
    let unfound = granted.filter_map(|server| match &server.spec.endpoint {
        Endpoint::Stdio(program)
            if !environment.finds(&program.command, program.cwd.as_deref()) =>
        {
            let message = format!("there is no program `{}`", program.command);
            let hint = format!("install it, or edit {}", server.source.display());
            Some(finding(Level::Warning, server.spec.name.as_str(), message).hinted(hint))
        }
        _ => None,
    });
    untrusted.chain(unfound).collect()
}

fn problems(settings: &Settings, view: &View) -> Vec<Finding> {
    let mut findings = Vec::new();
    for problem in &settings.problems {
        // A server that may not start anyway spoils nothing.
        let waits =
            problem.complaint.server.is_some() && settings.untrusted.contains(&problem.path);
        let (level, hint) = match waits {
            true => (Level::Warning, "`metier trust` shows the file and asks"),
            false => (Level::Error, "edit the file"),
        };
        findings.push(finding(level, text(&problem.path), problem.to_string()).hinted(hint));
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
        for repair in entry.skill.repairs().iter().take(MOST_REPAIRS) {
            findings.push(
                finding(Level::Warning, text(&entry.skill.file()), format!("repaired: {repair}"))
                    .hinted("other agents may drop this skill, and `skills/list` leaves it out: mend the file"),
            );
        }
    }
    findings.sort_by_key(|finding| finding.level);
    findings
}

/// Text for people, in which the home folder is `~`.
struct Abbreviated(Option<String>);

impl Abbreviated {
    fn new(environment: &Environment) -> Abbreviated {
        let home = environment.home.as_ref();
        Abbreviated(home.map(|home| format!("{}/", text(home))))
    }

    fn line(&self, text: &str) -> String {
        let line = one_line(text);
        self.0.as_deref().map_or_else(|| line.to_string(), |home| line.replace(home, "~/"))
    }
}

fn print(sections: &[Section], short: &Abbreviated, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let style = ui.style;
    for (title, findings) in sections.iter().filter(|(_, findings)| !findings.is_empty()) {
        let heading = style.heading;
        ui.line(format!("{heading}{title}{heading:#}"))?;
        for finding in findings {
            print_finding(finding, short, ui)?;
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

fn print_finding(finding: &Finding, short: &Abbreviated, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let style = ui.style;
    let (sign, look) = match finding.level {
        Level::Error => ("✗", style.error),
        Level::Warning => ("!", style.warning),
        Level::Info => ("·", style.good),
    };
    let (subject, message) = (short.line(&finding.subject), short.line(&finding.message));
    let name = style.name;
    ui.line(format!("  {look}{sign}{look:#} {name}{subject}{name:#}: {message}"))?;
    if !finding.hint.is_empty() {
        let dim = style.dim;
        ui.line(format!("    {dim}{}{dim:#}", short.line(&finding.hint)))?;
    }
    Ok(())
}

fn plural(n: usize, word: &str) -> String {
    if n == 1 { word.to_owned() } else { format!("{word}s") }
}
