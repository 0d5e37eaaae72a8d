//! `metier show`: one skill, with what belongs to it.

use std::process::ExitCode;

use metier_skills::{Bodies, Entry};

use crate::{
    args::Show,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    json::SkillJson,
    ui::{Ui, one_line},
    view::View,
};

pub(crate) fn run(args: &Show, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let view = View::open(&args.selection, environment, Bodies::Dropped, ui)?;
    let entry = view.find(&args.name)?;
    if args.path {
        ui.path(&entry.skill.file())?;
        return Ok(ExitCode::SUCCESS);
    }
    let content = entry.skill.read().map_err(|cause| {
        let file = entry.skill.file();
        Failure::new(Exit::Failed, format!("`{}`: {cause}", file.display())).hinted(cause.hint())
    })?;
    if args.format.json {
        let json = SkillJson::new(entry.id.as_deref(), &entry.skill);
        let mut json = json.with_files(&entry.skill.files().unwrap_or_default());
        json.content = Some(content);
        ui.json(&json)?;
    } else {
        // A pipe gets the file and nothing else.
        if ui.width.is_some() {
            print_header(entry, ui)?;
        }
        ui.verbatim(&content)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_header(entry: &Entry, ui: &mut Ui<'_>) -> Result<(), Failure> {
    let skill = &entry.skill;
    let bundle = skill.files().unwrap_or_default();
    let others = bundle.files.iter().filter(|it| it.path.as_os_str() != skill.file_name);
    let others: Vec<_> = others.map(|it| it.path.to_string_lossy()).collect();
    let (dim, name) = (ui.style.dim, ui.style.name);
    let mut field = |label: &str, text: &str| {
        ui.line(format!("{dim}{label:<10}{dim:#} {name}{}{name:#}", one_line(text)))
    };
    field("id", entry.id.as_deref().unwrap_or(skill.name()))?;
    field("provider", &format!("{} ({})", skill.provider(), skill.location()))?;
    if let Some(plugin) = skill.plugin() {
        field("plugin", &plugin.to_string())?;
    }
    field("path", &skill.file().to_string_lossy())?;
    match others.as_slice() {
        [] => {}
        some if some.len() <= 8 => field("files", &some.join(", "))?,
        some => {
            let at_least = if bundle.is_cut { "at least " } else { "" };
            let more = format!("and {at_least}{} more", some.len() - 8);
            field("files", &format!("{} {more}", some[..8].join(", ")))?;
        }
    }
    Ok(ui.line("")?)
}
