//! `validate` and the published validator, PyPI's `skills-ref`, judge the same files alike.

use std::{collections::BTreeMap, path::Path, path::PathBuf, process::Command};

use super::support::{self, Machine};

#[path = "../../../metier-skills/src/validate/tests/cases.rs"]
mod cases;

use cases::{CASES, Verdict};

/// The version of `skills-ref` that the cases were written for.
const PACKAGE: &str = "skills-ref==0.1.1";

/// Judges every folder below the one it is given; what makes the validator stumble is not valid.
const JUDGE: &str = "
import json, pathlib, sys
from skills_ref import validate
def valid(folder):
    try:
        return not validate(folder)
    except Exception:
        return False
cases = pathlib.Path(sys.argv[1]).iterdir()
print(json.dumps({case.name: valid(next(case.iterdir())) for case in cases}))
";

/// Every case in a folder of its own, by number.
fn planted() -> Machine {
    let machine = Machine::new("");
    for (number, case) in CASES.iter().enumerate() {
        let folder = machine.path(&format!("cases/{number}/{}", case.folder));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(case.file), case.text).unwrap();
    }
    machine
}

fn number_of(machine: &Machine, path: &Path) -> usize {
    let below = path.strip_prefix(machine.path("cases")).unwrap();
    below.iter().next().unwrap().to_str().unwrap().parse().unwrap()
}

#[test]
fn validate_judges_every_case_as_the_table_says() {
    let machine = planted();
    let report = machine.json("validate --json ../cases");
    let mut judged = 0;
    for skill in report["skills"].as_array().unwrap() {
        let path = PathBuf::from(skill["path"].as_str().unwrap());
        let case = &CASES[number_of(&machine, &path)];
        let expected = matches!(case.verdict, Verdict::Valid | Verdict::WeAccept(_));
        assert_eq!(skill["valid"], expected, "{}: {skill:#}", case.name);
        judged += 1;
    }
    // A file whose name is nothing like `SKILL.md` is no skill to a walk through folders.
    let walked = CASES.iter().filter(|it| it.file.eq_ignore_ascii_case("SKILL.md")).count();
    assert_eq!(judged, walked);
}

#[test]
fn skills_ref_judges_every_case_as_the_table_says() {
    if !support::slow() {
        return;
    }
    let machine = planted();
    let output = Command::new(python_with_skills_ref())
        .args(["-c", JUDGE])
        .arg(machine.path("cases"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let judged: BTreeMap<String, bool> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(judged.len(), CASES.len());
    for (number, valid) in judged {
        let case = &CASES[number.parse::<usize>().unwrap()];
        let expected = matches!(case.verdict, Verdict::Valid | Verdict::WeRefuse(_));
        assert_eq!(valid, expected, "{}", case.name);
    }
}

/// A Python of its own below the target folder, with the package installed once.
fn python_with_skills_ref() -> PathBuf {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skills-ref");
    let python = venv.join("bin/python");
    let run = |command: &mut Command| assert!(command.status().unwrap().success(), "{command:?}");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv));
    }
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", PACKAGE]));
    python
}
