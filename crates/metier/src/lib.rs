//! The program behind `metier`: reads arguments and configuration, wires the parts, prints, exits.

mod args;
mod commands;
mod config;
mod environment;
mod failure;
mod files;
mod hub;
mod json;
mod logs;
mod moment;
mod progress;
mod refresh;
mod schema;
mod shutdown;
mod similar;
mod ui;
mod view;

use std::{ffi::OsString, io::ErrorKind, process::ExitCode};

use clap::{CommandFactory, Parser};

use crate::{
    args::{Args, Command},
    failure::{Exit, Failure},
};
pub use crate::{environment::Environment, ui::Ui};

/// Answers the shell, if it asks for completions instead of a command.
pub fn complete(
    args: impl IntoIterator<Item = OsString>,
    environment: &Environment,
) -> Option<ExitCode> {
    let candidates = commands::completions::Candidates::new(environment.clone());
    let factory = || candidates.attach(Args::command());
    let working_dir = Some(environment.working_dir.as_path());
    match clap_complete::CompleteEnv::with_factory(factory).try_complete(args, working_dir) {
        Ok(false) => None,
        Ok(true) => Some(ExitCode::SUCCESS),
        Err(_) => Some(Exit::Failed.into()),
    }
}

/// Runs one command line.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    environment: &Environment,
    ui: &mut Ui<'_>,
) -> ExitCode {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => return ui.usage(&error),
    };
    ui.set_color(args.color);
    let result = match &args.command {
        Command::Mcp(args) => commands::mcp::run(args, environment, ui),
        Command::List(args) => commands::list::run(args, environment, ui),
        Command::Show(args) => commands::show::run(args, environment, ui),
        Command::Search(args) => commands::search::run(args, environment, ui),
        Command::Validate(args) => commands::validate::run(args, environment, ui),
        Command::Doctor(args) => commands::doctor::run(args, environment, ui),
        Command::New(args) => commands::new::run(args, environment, ui),
        Command::Enable(args) => commands::switch::enable(args, environment, ui),
        Command::Disable(args) => commands::switch::disable(args, environment, ui),
        Command::Servers(args) => commands::servers::run(args, environment, ui),
        Command::Tools(args) => commands::tools::run(args, environment, ui),
        Command::Call(args) => commands::call::run(args, environment, ui),
        Command::Resources(args) => commands::resources::run(args, environment, ui),
        Command::Read(args) => commands::read::run(args, environment, ui),
        Command::Pull(args) => commands::pull::run(args, environment, ui),
        Command::Trust(args) => commands::trust::run(args, environment, ui),
        Command::Add(args) => commands::add::run(args, environment, ui),
        Command::Remove(args) => commands::remove::run(args, environment, ui),
        Command::Completions(args) => commands::completions::run(args, ui),
    };
    let result = result.and_then(|code| Ok(ui.flush().map(|()| code)?));
    match result {
        Ok(code) => code,
        // The reader has seen enough: `metier list | head`.
        Err(failure) if failure.io_kind() == Some(ErrorKind::BrokenPipe) => ExitCode::SUCCESS,
        Err(failure) if failure.io_kind().is_some() => {
            let message = format!("the answer cannot be written: {}", failure.error);
            ui.failure(&Failure::new(Exit::Failed, message).hinted("check where it goes to"))
        }
        Err(failure) => ui.failure(&failure),
    }
}
