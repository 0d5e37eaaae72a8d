//! Why a program does not start.

use std::{io, path::PathBuf};

use rustix::io::Errno;

use super::{
    super::{Child, Guard, StartError, TaskTracker},
    Run, script,
};
use crate::spec::{Program, Secrets};

/// A folder that is there.
const HERE: &str = env!("CARGO_MANIFEST_DIR");
/// A file that cannot be run.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");

fn program(command: &str) -> Program {
    let args = vec!["--token=hush".to_owned()];
    let env = Secrets([("TOKEN".to_owned(), "hush".to_owned())].into());
    Program { command: command.to_owned(), args, env, cwd: None }
}

/// Tries to start a program that cannot be, which is for good.
#[track_caller]
fn check(program: &Program, expected: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _context = runtime.enter();
    let error = Child::start(program, &TaskTracker::new(), &Guard::default()).err().unwrap();
    assert_eq!(judged(&error), format!("for good: {expected}"));
}

/// What an error of the system means for `server`.
#[track_caller]
fn check_error(error: &io::Error, expected: &str) {
    assert_eq!(judged(&StartError::new(&program("server"), error)), expected);
}

fn judged(error: &StartError) -> String {
    format!("for {}: {error}", if error.is_permanent() { "good" } else { "now" })
}

#[test]
fn a_name_that_is_not_in_path_is_permanent() {
    check(
        &program("no-such-server"),
        "`no-such-server` is not in `PATH`: install it, or give its whole path as `command`",
    );
}

#[test]
fn a_name_is_looked_for_in_the_path_that_it_is_given() {
    let mut program = program("sh");
    program.env.0.insert("PATH".to_owned(), "/nowhere".to_owned());
    check(
        &program,
        "`sh` is not in the `PATH` that `env` sets: correct that, or give its whole path",
    );
}

#[test]
fn a_path_where_nothing_is_is_permanent() {
    check(&program("/no/such/server"), "`/no/such/server` does not exist: correct `command`");
    check(&program("./no-such-server"), "`./no-such-server` does not exist: correct `command`");
}

#[test]
fn a_file_that_is_not_executable_is_permanent() {
    check(
        &program(FILE),
        &format!(
            "`{FILE}` is not executable: run `chmod +x {FILE}`, or name its interpreter as `command`"
        ),
    );
}

#[test]
fn a_folder_that_is_missing_is_permanent() {
    check(
        &Program { cwd: Some(PathBuf::from("/no/such/folder")), ..program("sh") },
        "the folder `/no/such/folder` to start `sh` in does not exist: create it, or correct `cwd`",
    );
}

#[test]
fn a_folder_that_is_a_file_is_permanent() {
    check(
        &Program { cwd: Some(PathBuf::from(FILE)), ..program("sh") },
        &format!("`{FILE}` to start `sh` in is not a folder: correct `cwd`"),
    );
}

#[test]
fn an_argument_that_no_program_can_be_given_is_permanent() {
    check(
        &Program { args: vec!["hush\0".to_owned()], ..program("sh") },
        "`sh` cannot be started: invalid input parameter; correct `args` or `env`",
    );
}

#[test]
fn a_script_without_its_interpreter_is_permanent() {
    let missing = Program { command: "./Cargo.toml".to_owned(), ..program("") };
    let missing = Program { cwd: Some(PathBuf::from(HERE)), ..missing };
    let error = StartError::new(&missing, &io::ErrorKind::NotFound.into());
    assert_eq!(error, StartError::NoInterpreter("./Cargo.toml".to_owned()));
}

#[test]
fn what_is_no_program_is_permanent() {
    check_error(
        &Errno::NOEXEC.into(),
        "for good: `server` is not executable: run `chmod +x server`, \
         or name its interpreter as `command`",
    );
}

#[test]
fn a_system_that_is_short_of_something_is_tried_again() {
    let busy = |reason| format!("for now: `server` cannot be started: {reason}; it is tried again");
    check_error(&Errno::MFILE.into(), &busy("too many open files"));
    check_error(&Errno::NOMEM.into(), &busy("cannot allocate memory"));
    check_error(&Errno::AGAIN.into(), &busy("resource temporarily unavailable"));
}

#[tokio::test]
async fn variables_and_folder_arrive() {
    let mut program = script(r#"printf '%s\n' "$GREETING" "${PATH:+inherited}"; pwd -P"#);
    program.env.0.insert("GREETING".to_owned(), "hello there".to_owned());
    program.cwd = Some(PathBuf::from(HERE));
    let mut run = Run::start(&program, &Guard::default());
    let here = std::fs::canonicalize(HERE).unwrap().display().to_string();
    let lines = [run.line().await, run.line().await, run.line().await];
    assert_eq!(lines, ["hello there".to_owned(), "inherited".to_owned(), here]);
}

#[tokio::test]
async fn a_relative_command_begins_at_its_folder() {
    let mut program = script("pwd -P");
    program.command = "./sh".to_owned();
    program.cwd = Some(PathBuf::from("/bin"));
    let folder = std::fs::canonicalize("/bin").unwrap().display().to_string();
    assert_eq!(Run::start(&program, &Guard::default()).line().await, folder);
}
