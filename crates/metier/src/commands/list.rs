//! `metier list`: every skill, grouped by whose it is and where it lives.

use std::{collections::HashMap, process::ExitCode};

use metier_skills::{Bodies, Entry, Skill, State};
use serde::Serialize;

use crate::{
    args::{List, Which},
    environment::Environment,
    failure::{Failure, Outcome},
    json::{Each, ProblemJson, SkillJson, text},
    ui::{Ui, columns, cut, one_line, pad},
    view::View,
};

/// Longer names than this do not push the descriptions further to the right.
const WIDEST_NAME: usize = 40;

#[derive(Serialize)]
struct ListJson<S> {
    skills: S,
    problems: Vec<ProblemJson>,
}

/// One line of the list.
struct Row<'a> {
    /// The name that loads it, or that enables it if it is disabled.
    id: Option<&'a str>,
    skill: &'a Skill,
    /// Who has its plain name instead.
    winner: Option<&'a Entry>,
}

impl<'a> Row<'a> {
    fn label(&self) -> &'a str {
        self.id.unwrap_or(self.skill.name())
    }

    fn is_disabled(&self) -> bool {
        self.skill.state == State::Disabled
    }
}

pub(crate) fn run(args: &List, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let view = View::open(&args.selection, environment, Bodies::Dropped, ui)?;
    let rows = rows(&view, args.which);
    if args.format.json {
        print_json(args, &view, &rows, ui)?;
    } else {
        print(args, &view, &rows, ui)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(view: &View, which: Which) -> Vec<Row<'_>> {
    let enabled = view.catalog.entries().iter().filter(|it| which.all || it.id.is_some());
    let enabled = enabled.map(|entry| {
        let winner = view.catalog.winner(entry);
        Row { id: entry.id.as_deref(), skill: &entry.skill, winner }
    });
    let disabled = view.disabled.entries().iter();
    let disabled = disabled.map(|entry| Row {
        id: entry.id.as_deref(),
        skill: &entry.skill,
        winner: view.disabled.winner(entry),
    });
    match which {
        Which { disabled: true, .. } => disabled.collect(),
        Which { all: true, .. } => enabled.chain(disabled).collect(),
        _ => enabled.collect(),
    }
}

fn print_json(args: &List, view: &View, rows: &[Row<'_>], ui: &mut Ui<'_>) -> Result<(), Failure> {
    let skill = |row| skill_json(row, args);
    let skills = Each(|| rows.iter().map(skill));
    let problems = view.config_problems.iter().map(ProblemJson::from);
    let problems = problems.chain(view.sources.problems.iter().map(ProblemJson::from));
    let problems = problems.chain(view.scan.problems.iter().map(ProblemJson::from));
    ui.json(&ListJson { skills, problems: problems.collect() })
}

fn skill_json<'a>(row: &Row<'a>, args: &List) -> SkillJson<'a> {
    let mut json = SkillJson::new(row.id, row.skill);
    json.shadowed_by = row.winner.map(|it| it.id.as_deref().unwrap_or(it.skill.name()));
    if args.files { json.with_files(&row.skill.files().unwrap_or_default()) } else { json }
}

fn print(args: &List, view: &View, rows: &[Row<'_>], ui: &mut Ui<'_>) -> Result<(), Failure> {
    let names = rows.iter().map(|row| columns(&one_line(row.label())));
    let widest = ui.width.map_or(WIDEST_NAME, |columns| WIDEST_NAME.min(columns / 3));
    let width = names.max().unwrap_or(0).min(widest);
    for (number, (group, rows)) in groups(rows).into_iter().enumerate() {
        if number > 0 {
            ui.line("")?;
        }
        print_heading(&group, rows.len(), ui)?;
        for row in rows {
            print_row(row, args.which, width, ui)?;
            if args.files {
                print_files(row.skill, ui)?;
            }
        }
    }
    print_summary(args, view, rows.len(), ui)
}

/// The rows of each group, groups in the order of their first row.
fn groups<'a, 'b>(rows: &'b [Row<'a>]) -> Vec<(String, Vec<&'b Row<'a>>)> {
    let mut groups: Vec<(String, Vec<&Row<'_>>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for row in rows {
        let group = group_of(row.skill);
        let place = *places.entry(group).or_insert_with_key(|group| {
            groups.push((group.clone(), Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(row);
    }
    groups
}

/// Whose skill it is and where it lives, for the heading.
fn group_of(skill: &Skill) -> String {
    match skill.plugin() {
        Some(plugin) => format!("{plugin} · plugin"),
        None => format!("{} · {}", skill.provider(), skill.location()),
    }
}

fn print_heading(group: &str, n_skills: usize, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let (heading, dim) = (ui.style.heading, ui.style.dim);
    Ok(ui.line(format!("{heading}{}{heading:#} {dim}({n_skills}){dim:#}", one_line(group)))?)
}

fn print_row(row: &Row<'_>, which: Which, width: usize, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let dim = ui.style.dim;
    let name = if row.id.is_some() && !row.is_disabled() { ui.style.name } else { dim };
    let label = pad(&one_line(row.label()), width);
    let state = match (row.id, row.winner) {
        _ if row.is_disabled() => "[disabled]".to_owned(),
        (None, Some(winner)) => format!("[shadowed by {}]", text(&winner.skill.folder)),
        (Some(_), Some(winner)) if which.all => {
            format!("[`{}` is {}]", row.skill.name(), text(&winner.skill.folder))
        }
        _ => String::new(),
    };
    let state = one_line(&state);
    let used = columns(&label) + columns(&state) + 5;
    let room = ui.width.map_or(usize::MAX, |columns| columns.saturating_sub(used).max(20));
    let description = one_line(row.skill.description());
    let description = cut(&description, room);
    let state = if state.is_empty() { String::new() } else { format!("{dim}{state}{dim:#} ") };
    Ok(ui.line(format!("  {name}{label}{name:#}  {state}{description}"))?)
}

fn print_files(skill: &Skill, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let dim = ui.style.dim;
    let bundle = skill.files().unwrap_or_default();
    for file in bundle.files {
        let path = file.path.to_string_lossy();
        ui.line(format!("      {dim}{} ({} bytes){dim:#}", one_line(&path), file.size))?;
    }
    if bundle.is_cut {
        ui.line(format!("      {dim}… and more{dim:#}"))?;
    }
    Ok(())
}

fn print_summary(args: &List, view: &View, n_rows: usize, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let n_found = view.scan.skills.len();
    if n_rows == 0 && n_found > 0 {
        ui.note("no skills to list")?;
        ui.note(format!("hint: the flags hide all that was found ({n_found}); --all shows more"))?;
    } else if n_rows == 0 {
        ui.note("no skills found")?;
        ui.note(
            "hint: `metier doctor --all` says where they were looked for, `metier new` writes one",
        )?;
    } else {
        let n_shadowed = view.catalog.entries().iter().filter(|it| it.id.is_none()).count();
        let n_disabled = view.disabled.entries().len();
        let hidden = match args.which {
            Which { all: false, disabled: false } if n_shadowed + n_disabled > 0 => {
                format!("; {n_shadowed} shadowed, {n_disabled} disabled (--all shows them)")
            }
            _ => String::new(),
        };
        let skills = if n_rows == 1 { "skill" } else { "skills" };
        ui.note("")?;
        ui.dim_note(&format!("{n_rows} {skills}{hidden}"))?;
    }
    match view.n_problems() {
        0 => {}
        1 => ui.warn("1 problem: `metier doctor` explains it")?,
        n => ui.warn(&format!("{n} problems: `metier doctor` explains them"))?,
    }
    Ok(())
}
