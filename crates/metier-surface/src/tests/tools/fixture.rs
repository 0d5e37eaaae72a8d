//! A machine in a temporary folder, made from a tree in a string, and calls to the tools on it.
//!
//! `custom` is a folder the user named, `project` the working directory, `home` the user's home.

use std::{
    fs,
    path::{Path, PathBuf},
};

use metier_skills::{Catalog, Filter, Places, PluginPlaces, Standard, project_dirs, scan};
use serde_json::{Value, value::RawValue};
use tempfile::TempDir;

use metier_wire::Era;

use crate::{Offer, Presentation, Tool};

#[path = "../../../../metier-skills/src/tests/tree.rs"]
mod tree;

/// One skill in each kind of place.
pub(in crate::tests) const TREE: &str = "\
//- custom/pdf/SKILL.md
name: pdf | description: Reads PDF files
//- custom/pdf/docs/forms.md
Fill them.
//- custom/pdf/logo.png
?
//- project/.claude/skills/review/SKILL.md
name: code-review | description: Reviews code
//- home/.codex/skills/commit/SKILL.md
name: commit | description: Writes commits
//- home/.claude/plugins/installed_plugins.json
{\"version\":2,\"plugins\":{\"office@market\":[{\"scope\":\"user\",\"version\":\"1.2\",\"installPath\":\"$ROOT/office\"}]}}
//- office/skills/slides/SKILL.md
name: slides | description: Makes slides
";

pub(in crate::tests) struct Machine {
    root: PathBuf,
    _dir: TempDir,
}

impl Machine {
    pub(in crate::tests) fn new(text: &str) -> Machine {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("project/.git")).unwrap();
        tree::plant(&root, text);
        Machine { root, _dir: dir }
    }

    pub(in crate::tests) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(in crate::tests) fn write(&self, path: &str, content: &str) {
        tree::write(&self.root, path, content);
    }

    pub(in crate::tests) fn catalog(&self) -> Catalog {
        let home = self.path("home");
        let project = project_dirs(&self.path("project"), Some(&home));
        let plugins = PluginPlaces {
            home: home.clone(),
            root: home.join(".claude/plugins"),
            manifest: home.join(".claude/plugins/installed_plugins.json"),
            settings: Vec::new(),
            project: project.clone(),
        };
        let standard = Standard {
            project,
            config: home.join(".config"),
            claude: home.join(".claude"),
            codex: home.join(".codex"),
            system: self.path("etc"),
            home,
        };
        let places = Places {
            custom: vec![self.path("custom")],
            standard: Some(standard),
            plugins: Some(plugins),
        };
        Catalog::new(&scan(&places.sources().list).skills, &Filter::default())
    }

    pub(super) fn offer(&self) -> Offer {
        self.offer_as(&Presentation::default())
    }

    pub(super) fn offer_as(&self, presentation: &Presentation) -> Offer {
        Offer::new(self.catalog(), presentation, None)
    }

    /// The result of a call by a client of today, with the tree's folder as `$ROOT`.
    pub(super) fn call(&self, tool: Tool, arguments: &str) -> Value {
        self.redact(&result(&self.offer(), Era::Legacy, tool, arguments))
    }

    pub(super) fn redact(&self, json: &str) -> Value {
        serde_json::from_str(&json.replace(self.root.to_str().unwrap(), "$ROOT")).unwrap()
    }
}

/// The result of a call as it is sent.
pub(super) fn result(offer: &Offer, era: Era, tool: Tool, arguments: &str) -> String {
    let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
    let order = tool.order(Some(&arguments)).unwrap();
    let mut out = b"before ".to_vec();
    order.fill(offer, era, &mut out);
    String::from_utf8(out).unwrap().strip_prefix("before ").unwrap().to_owned()
}

/// The text of a result, after a `!` if it is an error.
pub(super) fn text(result: &Value) -> String {
    let text = result["content"][0]["text"].as_str().unwrap();
    if result["isError"] == true { format!("!{text}") } else { text.to_owned() }
}

#[cfg(unix)]
pub(super) fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The definitions of the tools that show skills.
pub(super) fn definitions(offer: &Offer) -> Vec<Value> {
    let list = [b"[", offer.definitions(), b"]"].concat();
    serde_json::from_slice(&list).unwrap()
}
