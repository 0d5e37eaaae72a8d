//! `tools_search`, `tools_describe` and `tools_call`: every tool of every server behind three.

use std::borrow::Cow;

use metier_upstreams::ToolEntry;
use metier_wire::{Error, Members, write};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

use super::shelf::Shelf;
use crate::{
    text::Line,
    tools::{Reply, ToolNames},
};

/// How many tools a search shows at most, and how many if nobody says.
const MOST_FOUND: u64 = 25;
const USUALLY_FOUND: u64 = 5;
/// How many tools are described at a time.
const MOST_DESCRIBED: usize = 20;
/// How much of a description a search shows.
const LONGEST_DESCRIPTION: usize = 300;

/// How many there are.
pub(super) const N_FINDERS: usize = Finder::ALL.len();

/// One of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finder {
    Search,
    Describe,
    Call,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'a> {
    id: &'a str,
    server: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    score: f64,
}

impl Finder {
    const ALL: [Finder; 3] = [Finder::Search, Finder::Describe, Finder::Call];

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Finder::Search => ("tools_search", "tools.search"),
            Finder::Describe => ("tools_describe", "tools.describe"),
            Finder::Call => ("tools_call", "tools.call"),
        }
    }

    /// The one that goes by this name.
    pub(super) fn named(name: &str) -> Option<Finder> {
        Finder::ALL.into_iter().find(|it| it.names().0 == name || it.names().1 == name)
    }

    fn definition(self, names: ToolNames) -> Value {
        let (wire, canonical) = self.names();
        let name = |finder: Finder| match names {
            ToolNames::Wire => finder.names().0,
            ToolNames::Canonical => finder.names().1,
        };
        let name_of = |finder| format!("`{}`", name(finder));
        let own = match names {
            ToolNames::Wire => wire,
            ToolNames::Canonical => canonical,
        };
        let (title, description, schema) = match self {
            Finder::Search => (
                "Search Tools",
                format!(
                    "Finds tools of all connected MCP servers by words in their names, descriptions \
                     and parameters, the most relevant first. Then look at what a tool takes with {}, \
                     and call it with {}.",
                    name_of(Finder::Describe),
                    name_of(Finder::Call)
                ),
                json!({"query": {"type": "string", "minLength": 1,
                        "description": "Words that say what the tool should do"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_FOUND,
                        "default": USUALLY_FOUND, "description": "How many tools to return at most"}}),
            ),
            Finder::Describe => (
                "Describe Tools",
                format!(
                    "Gives the whole definition of tools, with the schemas of their arguments, by the \
                     ids that {} gives.",
                    name_of(Finder::Search)
                ),
                json!({"tools": {"type": "array", "items": {"type": "string"}, "minItems": 1,
                        "maxItems": MOST_DESCRIBED, "description": "Ids of tools: `server:tool`"}}),
            ),
            Finder::Call => (
                "Call Tool",
                format!(
                    "Calls a tool of a connected MCP server. {} says which arguments it takes.",
                    name_of(Finder::Describe)
                ),
                json!({"tool": {"type": "string", "minLength": 1,
                        "description": "Id of the tool: `server:tool`"},
                    "arguments": {"type": "object", "description": "What the tool takes",
                        "additionalProperties": true}}),
            ),
        };
        let required = match self {
            Finder::Search => "query",
            Finder::Describe => "tools",
            Finder::Call => "tool",
        };
        let is_reading = self != Finder::Call;
        json!({
            "name": own, "title": title, "description": description,
            "inputSchema": {"type": "object", "properties": schema, "required": [required],
                "additionalProperties": false},
            "annotations": {"readOnlyHint": is_reading, "destructiveHint": !is_reading,
                "idempotentHint": is_reading, "openWorldHint": !is_reading},
        })
    }

    /// Checks that a call has only arguments that exist.
    fn arguments<'a>(self, raw: Option<&'a RawValue>) -> Result<Members<'a>, Error> {
        let Some(raw) = raw else { return Ok(Members::default()) };
        let members = Members::of(raw)
            .ok_or_else(|| Error::invalid_params("`arguments` must be an object"))?;
        let known: &[&str] = match self {
            Finder::Search => &["query", "limit"],
            Finder::Describe => &["tools"],
            Finder::Call => &["tool", "arguments"],
        };
        if let Some((key, _)) = members.0.iter().find(|(key, _)| !known.contains(&&**key)) {
            let known: Vec<String> = known.iter().map(|it| format!("`{it}`")).collect();
            let message =
                format!("there is no argument `{}`, only {}", Line(key, 64), known.join(" and "));
            return Err(Error::invalid_params(message));
        }
        Ok(members)
    }
}

/// The definitions of the three, separated by commas.
pub(super) fn definitions(names: ToolNames) -> Vec<u8> {
    let rendered = Finder::ALL.map(|it| it.definition(names).to_string());
    rendered.join(",").into_bytes()
}

/// Answers `tools_search`.
pub(super) fn search(
    shelf: &Shelf,
    arguments: Option<&RawValue>,
    reply: Reply<'_>,
) -> Result<(), Error> {
    let members = Finder::Search.arguments(arguments)?;
    let query = required(&members, "query")?;
    let limit = match members.get("limit").map(RawValue::get) {
        None => USUALLY_FOUND,
        Some(limit) => {
            limit.parse().ok().filter(|it| (1..=MOST_FOUND).contains(it)).ok_or_else(|| {
                let message = format!("`limit` must be a whole number from 1 to {MOST_FOUND}");
                Error::invalid_params(message)
            })?
        }
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let found = shelf.roster.tools().search(&query, limit);
    let found: Vec<Found<'_>> = found
        .iter()
        .map(|it| Found {
            id: &it.entry.id,
            server: it.entry.server.as_str(),
            description: summary(it.entry),
            score: (it.score * 100.0).round() / 100.0,
        })
        .collect();
    let n_tools = shelf.roster.tools().entries().len();
    let mut text = match found.len() {
        0 => format!("None of {n_tools} tools matches `{}`: try other words.", Line(&query, 100)),
        n_found => format!("{n_found} of {n_tools} tools, the most relevant first:"),
    };
    for it in &found {
        text.push_str(&format!("\n- {}: {}", it.id, it.description));
    }
    reply.structured(text, json!({ "query": query, "limit": limit, "results": found }));
    Ok(())
}

/// Answers `tools_describe`.
pub(super) fn describe(
    shelf: &Shelf,
    arguments: Option<&RawValue>,
    reply: Reply<'_>,
) -> Result<(), Error> {
    let members = Finder::Describe.arguments(arguments)?;
    let asked = members.get("tools").ok_or_else(|| Error::invalid_params("`tools` is required"))?;
    let asked: Vec<Cow<'_, str>> = serde_json::from_str(asked.get())
        .map_err(|_| Error::invalid_params("`tools` must be a list of strings"))?;
    if asked.is_empty() || asked.len() > MOST_DESCRIBED {
        let message = format!("`tools` must name 1 to {MOST_DESCRIBED} tools");
        return Err(Error::invalid_params(message));
    }
    let registry = shelf.roster.tools();
    let (known, unknown): (Vec<_>, Vec<_>) =
        asked.iter().map(|id| (id, registry.find(id))).partition(|(_, entry)| entry.is_some());
    let mut text = String::new();
    for entry in known.iter().filter_map(|(_, entry)| *entry) {
        text.push_str(&format!("{}\n{}\n\n", entry.id, entry.tool.raw.get()));
    }
    for (id, _) in &unknown {
        let full: Vec<&str> = registry.ambiguous(id).map(|it| &*it.id).collect();
        if !full.is_empty() {
            let (id, full) = (Line(id, 100), full.join("`, `"));
            text.push_str(&format!("Tool `{id}` is ambiguous: ask for one of `{full}`.\n"));
            continue;
        }
        text.push_str(&format!("There is no tool `{}`: search for it.\n", Line(id, 100)));
    }
    if known.is_empty() {
        reply.refusal(text.trim_end());
    } else {
        reply.text(text.trim_end());
    }
    Ok(())
}

/// What a call of `tools_call` asks for: the tool, and parameters as for a direct call.
pub(super) fn call<'a>(params: &Members<'a>) -> Result<(Cow<'a, str>, Box<RawValue>), Error> {
    let members = Finder::Call.arguments(params.get("arguments"))?;
    let id = required(&members, "tool")?;
    let mut direct = params.clone();
    direct.0.retain(|(key, _)| key != "arguments" && key != "name");
    if let Some(arguments) = members.get("arguments") {
        if !arguments.get().starts_with('{') {
            return Err(Error::invalid_params("`arguments` of the tool must be an object"));
        }
        direct.0.push((Cow::Borrowed("arguments"), arguments));
    }
    let mut out = Vec::new();
    write::json(&mut out, &direct);
    let direct = String::from_utf8(out).ok().and_then(|it| RawValue::from_string(it).ok());
    Ok((id, direct.unwrap_or_default()))
}

/// Why nothing is called.
pub(super) fn unknown(id: &str) -> Error {
    let message = format!("there is no tool `{}`: `tools_search` finds them", Line(id, 100));
    Error::invalid_params(message)
}

fn required<'a>(members: &Members<'a>, key: &str) -> Result<Cow<'a, str>, Error> {
    if members.get(key).is_none() {
        return Err(Error::invalid_params(format!("`{key}` is required")));
    }
    let text = members
        .text(key)
        .ok_or_else(|| Error::invalid_params(format!("`{key}` must be a string")))?;
    if text.trim().is_empty() {
        return Err(Error::invalid_params(format!("`{key}` must not be empty")));
    }
    Ok(text)
}

/// The first paragraph of what a tool does.
fn summary(entry: &ToolEntry) -> String {
    let description = entry.tool.description().unwrap_or_default();
    let first = description.trim().split("\n\n").next().unwrap_or_default();
    Line(first, LONGEST_DESCRIPTION).to_string()
}
