//! What `tools/list` says of each tool.

use metier_skills::{Catalog, Match};
use metier_wire::write;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Tool, arguments};
use crate::{describe::describe, offer::Presentation, served::ServedSkills};

/// One member of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Definition {
    name: &'static str,
    title: &'static str,
    description: String,
    input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    annotations: Annotations,
}

/// Hints for clients that ask before they call.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the protocol has it so")]
struct Annotations {
    read_only_hint: bool,
    destructive_hint: bool,
    idempotent_hint: bool,
    open_world_hint: bool,
}

/// The offered tools as JSON, separated by commas.
pub(crate) fn definitions(
    catalog: &Catalog,
    served: &ServedSkills,
    presentation: &Presentation,
) -> Vec<u8> {
    let tools = presentation.tools.iter().map(|&tool| Definition {
        name: tool.name(presentation.names),
        title: tool.card().title,
        description: description(tool, (catalog, served), presentation),
        input_schema: arguments::schema(tool),
        output_schema: output_schema(tool),
        annotations: Annotations {
            read_only_hint: true,
            destructive_hint: false,
            idempotent_hint: true,
            open_world_hint: false,
        },
    });
    let rendered = tools.map(|it| {
        let mut out = Vec::new();
        write::json(&mut out, &it);
        out
    });
    rendered.collect::<Vec<_>>().join(&b',')
}

fn description(
    tool: Tool,
    (catalog, served): (&Catalog, &ServedSkills),
    presentation: &Presentation,
) -> String {
    match tool {
        Tool::Skill => describe(catalog, served, presentation),
        Tool::List => "Lists every skill that can be loaded, with name, description, provider, \
                       location and paths, as they are on the disk now. Narrow the list with \
                       `query`; `includeBody` adds the full text of each skill."
            .to_owned(),
        Tool::Search => format!(
            "Finds skills by words in their names, descriptions and texts, the most relevant \
             first, each with an excerpt that shows why it was found. {} Load a result by its `id`.",
            match presentation.mode {
                Match::All => "A skill must have every word, be it as a part of a longer one.",
                Match::Any => "A skill must have at least one of the words; more are better.",
                Match::Fuzzy => "A skill must have at least one of the words; typos are forgiven.",
            }
        ),
        Tool::Read => "Reads one file of a skill, such as a script or a reference that its \
                       SKILL.md mentions; without `path` it lists the skill's files. Meant for \
                       when you cannot open the skill's base directory yourself. Text comes as \
                       text, anything else as base64."
            .to_owned(),
    }
}

/// What `structuredContent` holds, for the tools that have one.
///
/// Many clients show a model either `content` or `structuredContent`. Where the text is all there
/// is to say, as in `skill` and `skills_read`, it stands in `content` alone.
fn output_schema(tool: Tool) -> Option<Value> {
    match tool {
        Tool::Skill | Tool::Read => None,
        Tool::List => Some(json!({
            "type": "object",
            "properties": {
                "skills": {"type": "array", "items": skill_schema(&[
                    ("body", "string", "The text after the frontmatter, if it was asked for"),
                ], &[])},
                "bodiesOmitted": {
                    "type": "integer", "minimum": 1,
                    "description": "How many bodies were left out for their size",
                },
            },
            "required": ["skills"],
        })),
        Tool::Search => Some(json!({
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": "integer"},
                "total": {"type": "integer", "description": "How many skills match, shown or not"},
                "results": {"type": "array", "items": skill_schema(&[
                    ("score", "integer", "How many words of the query the skill has"),
                    ("excerpt", "string", "The text around the first match"),
                ], &["score", "excerpt"])},
            },
            "required": ["query", "limit", "total", "results"],
        })),
    }
}

fn skill_schema(more: &[(&str, &str, &str)], required: &[&str]) -> Value {
    let mut properties = json!({
        "id": {"type": "string", "description": "The name that loads the skill"},
        "installName": {"type": "string", "description": "The name of the skill's folder"},
        "meta": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "description": {"type": "string"}},
            "required": ["name", "description"],
        },
        "skillPath": {"type": "string", "description": "The skill's folder"},
        "skillFile": {"type": "string", "description": "The skill's file"},
        "provider": {"type": "string", "description": "Whose skill it is"},
        "location": {"type": "string", "enum": ["custom", "project", "global", "plugin", "server"]},
        "plugin": {"type": "string", "description": "The plugin that brought it"},
    });
    for (name, kind, about) in more {
        properties[*name] = json!({"type": kind, "description": about});
    }
    let always =
        ["id", "installName", "meta", "skillPath", "skillFile", "provider", "location"].iter();
    json!({
        "type": "object",
        "properties": properties,
        "required": always.chain(required).collect::<Vec<_>>(),
    })
}
