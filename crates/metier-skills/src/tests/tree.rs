//! A whole tree in one string:
//!
//! ```text
//! //- project/.claude/skills/pdf/SKILL.md
//! name: pdf | description: Reads PDFs
//! //- home/.codex/skills/pdf -> project/.claude/skills/pdf
//! ```
//!
//! `name: x | description: y` is short for a whole skill, `$ROOT` for the folder of the tree.

use std::{fs, path::Path};

/// Writes the tree below `root`.
pub(crate) fn plant(root: &Path, text: &str) {
    for (path, content) in text.split("//- ").skip(1).filter_map(|it| it.split_once('\n')) {
        match path.split_once(" -> ") {
            Some((link, target)) => link_to(root, link, target.trim()),
            None => write(root, path.trim(), content),
        }
    }
}

/// Writes one file of the tree.
pub(crate) fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = match content.trim_end().split_once(" | ") {
        Some((name, description)) if name.starts_with("name:") => {
            format!("---\n{name}\n{description}\n---\n\nBody.\n")
        }
        _ => content.replace("$ROOT", root.to_str().unwrap()),
    };
    fs::write(path, text).unwrap();
}

/// Makes one link of the tree; the target need not exist.
#[cfg(unix)]
pub(crate) fn link_to(root: &Path, link: &str, target: &str) {
    let link = root.join(link);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(root.join(target), link).unwrap();
}

/// Trees with links are planted by tests that run elsewhere.
#[cfg(not(unix))]
pub(crate) fn link_to(_root: &Path, link: &str, _target: &str) {
    unreachable!("`{link}` is a link");
}
