//! A folder of skills, and the least work that answers a message about it.

use std::{borrow::Cow, collections::HashMap, fs, io, path::Path};

use serde::Deserialize;
use serde_json::value::RawValue;

/// Every skill by its name, and the list as it is sent.
pub(super) struct Skills {
    by_name: HashMap<String, Skill>,
    pub(super) list: String,
}

/// What whoever serves a skill must remember of it.
struct Skill {
    folder: String,
    /// Kept like any server would, for its description.
    _frontmatter: String,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow)]
    arguments: Arguments<'a>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

impl Skills {
    /// Walks a folder and reads every `SKILL.md`, as whoever serves them must do once.
    pub(super) fn read(root: &Path, list: &Path) -> io::Result<Skills> {
        let mut by_name = HashMap::new();
        walk(root, &mut by_name)?;
        Ok(Skills { by_name, list: fs::read_to_string(list)? })
    }

    /// The text that a model gets for a name.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let Skill { folder, .. } = self.by_name.get(&name.to_lowercase())?;
        let file = fs::read_to_string(format!("{folder}/SKILL.md")).ok()?;
        Some(format!(
            "Loading: {name}\nBase directory: {folder}\nPath: {folder}/SKILL.md\n\
             Location: custom\nProvider: custom\n\n{file}"
        ))
    }

    /// Answers a message into a buffer; a notification leaves it empty.
    pub(super) fn answer(&self, message: &[u8], out: &mut Vec<u8>) {
        let Ok(message) = serde_json::from_slice::<Message>(message) else { return };
        let Some(id) = message.id else { return };
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id.get().as_bytes());
        match &*message.method {
            "initialize" => out.extend_from_slice(INITIALIZE),
            "tools/list" => {
                out.extend_from_slice(br#","result":"#);
                out.extend_from_slice(self.list.as_bytes());
            }
            "tools/call" => match message.params.and_then(|it| self.call(it)) {
                Some(text) => {
                    out.extend_from_slice(br#","result":{"content":[{"type":"text","text":"#);
                    let _ = serde_json::to_writer(&mut *out, &text);
                    out.extend_from_slice(b"}]}");
                }
                None => out.extend_from_slice(br#","error":{"code":-32602,"message":"?"}"#),
            },
            _ => out.extend_from_slice(br#","error":{"code":-32601,"message":"?"}"#),
        }
        out.push(b'}');
    }

    fn call(&self, params: &RawValue) -> Option<String> {
        let call: ToolCall = serde_json::from_str(params.get()).ok()?;
        self.text(&call.arguments.name)
    }
}

const INITIALIZE: &[u8] = br#","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"1"}}"#;

fn walk(folder: &Path, by_name: &mut HashMap<String, Skill>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), by_name)?;
        } else if entry.file_name() == "SKILL.md" {
            let text = fs::read_to_string(entry.path())?;
            let frontmatter = text.split("\n---").next().unwrap_or_default().to_owned();
            let name = folder.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            let folder = folder.to_string_lossy().into_owned();
            by_name.insert(name, Skill { folder, _frontmatter: frontmatter });
        }
    }
    Ok(())
}
