//! What the client says.

use serde_json::{Value, json};

use crate::deck::{Deck, FIRST_ID};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Call {
    Skill,
    List,
}

impl Call {
    pub(crate) const ALL: [Call; 2] = [Call::Skill, Call::List];

    pub(crate) fn method(self) -> &'static str {
        match self {
            Call::Skill => "tools/call",
            Call::List => "tools/list",
        }
    }

    /// Its word in the tables.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Call::Skill => "tools/call skill",
            Call::List => "tools/list",
        }
    }
}

/// Which lifecycle the client follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Era {
    /// A session that begins with `initialize`.
    Session,
    /// Requests that stand alone.
    Stateless,
}

impl Era {
    /// The revision that a client of this era asks for.
    pub(crate) fn revision(self) -> &'static str {
        match self {
            Era::Session => "2025-11-25",
            Era::Stateless => "2026-07-28",
        }
    }
}

/// One request for each name, each in the frame of its transport.
pub(crate) fn deck(
    call: Call,
    era: Era,
    names: &[String],
    frame: impl Fn(&str) -> Vec<u8>,
) -> Deck {
    let bodies: Vec<String> = match call {
        Call::List => vec![message(call.method(), &params(None, era))],
        Call::Skill => {
            names.iter().map(|it| message(call.method(), &params(Some(it), era))).collect()
        }
    };
    Deck::new(bodies.iter().map(|it| frame(it)))
}

/// The message that begins a session.
pub(crate) fn initialize() -> String {
    let params = json!({
        "protocolVersion": Era::Session.revision(),
        "capabilities": {},
        "clientInfo": {"name": "serve", "version": "1"},
    });
    message("initialize", &params)
}

/// The message that says the session has begun.
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn message(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": FIRST_ID, "method": method, "params": params}).to_string()
}

fn params(skill: Option<&String>, era: Era) -> Value {
    let mut params = match skill {
        Some(name) => json!({"name": "skill", "arguments": {"name": name}}),
        None => json!({}),
    };
    if era == Era::Stateless {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": era.revision(),
            "io.modelcontextprotocol/clientInfo": {"name": "serve", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    params
}
