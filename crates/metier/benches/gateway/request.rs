//! What the client says.

use serde_json::{Value, json};

use crate::deck::FIRST_ID;

/// The revisions that the client asks for: the second only of those that refuse the first.
pub(crate) const REVISIONS: [&str; 2] = ["2025-11-25", "2025-06-18"];

/// What every call sends, and must get back.
pub(crate) const TEXT: &str = "a text of some sixty characters, as one would send to a tool";

/// The message that begins a session.
pub(crate) fn initialize() -> String {
    initialize_as(REVISIONS[0])
}

/// The same, for a session of another revision.
pub(crate) fn initialize_as(revision: &str) -> String {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": {"name": "gateway", "version": "1"},
    });
    message("initialize", &params)
}

/// The message that says the session has begun.
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Asks which tools there are.
pub(crate) fn list() -> String {
    message("tools/list", &json!({}))
}

/// Calls a tool by the name that the gateway gave it.
pub(crate) fn call(tool: &str) -> String {
    message("tools/call", &json!({"name": tool, "arguments": {"text": TEXT}}))
}

fn message(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": FIRST_ID, "method": method, "params": params}).to_string()
}
