//! `metier completions`: the shell asks `metier` itself, so that skill names complete too.

use std::{io, process::ExitCode};

use clap::Command;
use clap_complete::{
    ArgValueCandidates, CompletionCandidate, Shell,
    env::{EnvCompleter, Shells},
};
use metier_skills::{Bodies, Skill, State};

use crate::{
    args::{Completions, Selection},
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    ui::{Ui, one_line},
    view::View,
};

/// The commands whose arguments are names of skills, the argument, and which skills it means.
const NAMED: [(&str, &str, State); 3] = [
    ("show", "name", State::Enabled),
    ("enable", "names", State::Disabled),
    ("disable", "names", State::Enabled),
];

/// Offers the names of skills to a shell.
#[derive(Clone)]
pub(crate) struct Candidates {
    environment: Environment,
}

pub(crate) fn run(args: &Completions, ui: &mut Ui<'_>) -> Outcome {
    let shells = Shells::builtins();
    let name = match args.shell {
        Shell::PowerShell => "powershell".to_owned(),
        other => other.to_string(),
    };
    let unsupported = || Failure::new(Exit::Usage, format!("no completions for `{name}`"));
    let completer: &dyn EnvCompleter = shells.completer(&name).ok_or_else(unsupported)?;
    let mut script = Vec::new();
    completer.write_registration("COMPLETE", "metier", "metier", "metier", &mut script)?;
    ui.verbatim(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

impl Candidates {
    pub(crate) fn new(environment: Environment) -> Candidates {
        Candidates { environment }
    }

    /// Attaches the names to every argument that takes one.
    pub(crate) fn attach(&self, mut command: Command) -> Command {
        for (subcommand, argument, state) in NAMED {
            let candidates = self.clone();
            let list = move || candidates.list(state);
            command = command.mut_subcommand(subcommand, |it| {
                it.mut_arg(argument, |arg| arg.add(ArgValueCandidates::new(list)))
            });
        }
        command
    }

    /// The names, each with its description. A shell that asks gets no error messages.
    fn list(&self, state: State) -> Vec<CompletionCandidate> {
        let (mut out, mut err) = (io::sink(), io::sink());
        let mut ui = Ui::plain(&mut out, &mut err);
        let selection = Selection::default();
        let Ok(view) = View::open(&selection, &self.environment, Bodies::Dropped, &mut ui) else {
            return Vec::new();
        };
        let candidate = |(name, skill): (&str, &Skill)| {
            CompletionCandidate::new(name)
                .help(Some(one_line(skill.description()).into_owned().into()))
        };
        let catalog = match state {
            State::Enabled => &view.catalog,
            State::Disabled => &view.disabled,
        };
        catalog.listed().filter(|(name, _)| is_harmless(name)).map(candidate).collect()
    }
}

/// Whether a shell takes a name for nothing but text: it is put on the command line as it is.
fn is_harmless(name: &str) -> bool {
    !name.starts_with('-')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@' | '+'))
}
