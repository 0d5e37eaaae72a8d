//! The program: hands arguments, environment and streams to [`metier::run`].

use std::{env, io, process::ExitCode};

use metier::{Environment, Ui};

fn main() -> ExitCode {
    let environment = Environment::read();
    if let Some(code) = metier::complete(env::args_os(), &environment) {
        return code;
    }
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let mut ui = Ui::for_terminal(&mut out, &mut err);
    metier::run(env::args_os(), &environment, &mut ui)
}
