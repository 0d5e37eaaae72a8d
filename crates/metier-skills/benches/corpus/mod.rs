//! A tree of made-up skills, the same for the same number, and the least one can do with it.

use std::{fs, fs::File, path::Path, time::SystemTime};

use tempfile::TempDir;

const WORDS: [&str; 24] = [
    "table",
    "column",
    "request",
    "response",
    "schema",
    "default",
    "option",
    "folder",
    "script",
    "example",
    "command",
    "deploy",
    "review",
    "commit",
    "branch",
    "release",
    "summary",
    "report",
    "query",
    "index",
    "cache",
    "memory",
    "naïve",
    "用户的全局技能",
];

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn sentence(&mut self) -> String {
        let words: Vec<&str> =
            (0..6 + self.below(12)).map(|_| WORDS[self.below(WORDS.len())]).collect();
        format!("{}.", words.join(" "))
    }
}

/// Writes `n_skills` skills of 2 to 12 KB with scripts and references beside some of them, all old
/// enough for their stamps to be trusted.
pub(crate) fn make(n_skills: usize) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let mut dice = Dice(20_261_115);
    for number in 0..n_skills {
        let name = format!("{}-{}-{number:05}", WORDS[dice.below(22)], WORDS[dice.below(22)]);
        let folder = root.path().join(&name);
        write(&folder.join("SKILL.md"), &skill(&name, &mut dice));
        for extra in ["references/ref.md", "scripts/tool.py"] {
            if dice.below(2) == 0 {
                write(&folder.join(extra), &dice.sentence());
            }
        }
    }
    age(root.path());
    root
}

/// Lists every folder and reads every `SKILL.md`, and does nothing with them.
pub(crate) fn bare_walk_and_read(folder: &Path) -> usize {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            bytes += bare_walk_and_read(&entry.path());
        } else if entry.file_name() == "SKILL.md" {
            bytes += fs::read(entry.path()).unwrap().len();
        }
    }
    bytes
}

fn skill(name: &str, dice: &mut Dice) -> String {
    let (description, when) = (dice.sentence(), dice.sentence());
    let description = match dice.below(4) {
        0 => format!("\"{description} Use when: {when}\""),
        1 => format!(">-\n  {description}\n  Use when {when}"),
        _ => format!("{description} Use when {when}"),
    };
    let extra = match dice.below(4) {
        0 => "license: MIT\n",
        1 => "allowed-tools:\n  - Read\n  - Bash\n",
        2 => "metadata:\n  version: \"1.2.0\"\n  author: team-3\n",
        _ => "",
    };
    let mut text =
        format!("---\nname: {name}\ndescription: {description}\n{extra}---\n\n# {name}\n");
    let length = 2_048 + dice.below(10_240);
    while text.len() < length {
        text.push('\n');
        text.push_str(&dice.sentence());
        text.push('\n');
    }
    text
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn age(path: &Path) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap().flatten() {
            age(&entry.path());
        }
    }
    File::open(path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
}
