//! A skill as programs read it.

use std::borrow::Cow;

use metier_skills::Skill;
use serde::Serialize;

use crate::served::Served;

/// One skill in `structuredContent`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary<'a> {
    id: &'a str,
    install_name: Cow<'a, str>,
    meta: Meta<'a>,
    skill_path: Cow<'a, str>,
    skill_file: String,
    provider: &'a str,
    location: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<String>,
}

#[derive(Serialize)]
struct Meta<'a> {
    name: &'a str,
    description: &'a str,
}

impl<'a> Summary<'a> {
    pub(super) fn new(id: &'a str, skill: &'a Skill) -> Summary<'a> {
        Summary {
            id,
            install_name: install_name(skill),
            meta: Meta { name: skill.name(), description: skill.description() },
            skill_path: skill.folder.to_string_lossy(),
            skill_file: skill.file().to_string_lossy().into_owned(),
            provider: skill.provider(),
            location: skill.location().to_string(),
            plugin: skill.plugin().map(|plugin| plugin.name.as_str()),
            body: None,
        }
    }
}

impl<'a> Summary<'a> {
    /// A skill of a server; its paths are URIs.
    pub(super) fn served(served: &'a Served) -> Summary<'a> {
        let skill = &served.skill;
        Summary {
            id: &served.id,
            install_name: Cow::Borrowed(&*skill.name),
            meta: Meta { name: &skill.name, description: &skill.description },
            skill_path: Cow::Borrowed(&served.root),
            skill_file: format!("{}/SKILL.md", served.root),
            provider: served.server.as_str(),
            location: "server".to_owned(),
            plugin: None,
            body: None,
        }
    }
}

/// The name of the skill's folder.
pub(super) fn install_name(skill: &Skill) -> Cow<'_, str> {
    skill.folder.file_name().unwrap_or_default().to_string_lossy()
}
