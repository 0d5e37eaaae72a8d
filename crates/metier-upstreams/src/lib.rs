//! Other MCP servers: connected if they can be, kept alive, known by what they offer.
//!
//! ```text
//!  Plan { ServerSpec… } ──▶ Upstreams ──▶ one keeper a server: connect ─ list ─ probe ─ lost ─ wait ─ …
//!                               ▲                 │ Report
//!        call, read, request ───┘                 ▼
//!        forward                     hub: the one writer ──▶ watch<Arc<Roster>>
//! ```
//!
//! An agent says which servers there are, and has their tools:
//!
//! ```
//! use std::{sync::Arc, time::Duration};
//!
//! use metier_upstreams::{
//!     Endpoint, Identity, Plan, Program, Secrets, ServerName, ServerSpec, Upstreams,
//! };
//! use serde_json::value::RawValue;
//!
//! # // A server in a line of shell: it answers `initialize`, `tools/list` and one call.
//! # const SERVER: &str = r#"
//! # say() { read -r _ && echo "{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":$2}"; }
//! # say 1 '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}'
//! # read -r _ # notifications/initialized
//! # say 2 '{"tools":[{"name":"weather"}]}'
//! # say 3 '{"content":[{"type":"text","text":"rain"}]}'
//! # read -r _ # the end"#;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let program = Program {
//!     command: "sh".to_owned(),
//!     args: vec!["-c".to_owned(), SERVER.to_owned()],
//!     env: Secrets::default(),
//!     cwd: None,
//! };
//! let spec = ServerSpec::new(ServerName::new("sky")?, Endpoint::Stdio(program));
//! let plan = Plan { servers: vec![spec], ..Plan::default() };
//!
//! // Everything connects at once; nothing here waits for a server that is slow.
//! let upstreams = Upstreams::start(Identity::new("my-agent", "1.0"), plan);
//! let roster = upstreams.settled(Duration::from_secs(5)).await;
//! for entry in roster.tools().entries() {
//!     println!("{} is {} to models", entry.id, entry.wire_name);
//! }
//!
//! let arguments: Box<RawValue> = serde_json::from_str(r#"{"city":"Bergen"}"#)?;
//! let result = upstreams.call("sky:weather", Some(&arguments), Arc::new(())).await?;
//! assert_eq!(result.get(), r#"{"content":[{"type":"text","text":"rain"}]}"#);
//!
//! upstreams.stop().await; // no process is left behind
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! A server that dies, hangs or is not there costs only its own tools: its [`Phase`] says why, and
//! it is tried again for ever. What a [`Caller`] is asked by a server during a call it may answer;
//! what a server says outside of any is for an [`Audience`], if there is one.
//!
//! A gateway passes calls on as its clients sent them ([`Upstreams::forward`]), each with what that
//! client can do for a server. So many callers are at a server at a time ([`CallError::Busy`] says
//! that too many wait), and a server whose tools come from the gateway itself is not used
//! ([`Identity::instance`], [`Cause::Loop`]).
//!
//! A [`Roster`] finds tools by words ([`ToolRegistry::search`]), says whom to ask for a URI
//! ([`ResourceRegistry::routes`]), and knows prompts and skills; a file of a skill is held to the digest
//! that its server listed ([`Upstreams::read_skill`]).

mod audience;
mod call;
mod caller;
mod care;
mod child;
mod connect;
mod doing;
mod filter;
mod gate;
mod greet;
mod hub;
mod identity;
mod link;
mod list;
mod listen;
mod mirror;
mod offer;
mod open;
mod phase;
mod probe;
pub mod pump;
mod registry;
mod resources;
mod roster;
mod rounds;
mod search;
mod served;
mod spec;
mod supervise;
mod survey;
mod template;
mod upstreams;
pub mod uri;
mod web;
mod wire_name;

#[cfg(test)]
mod tests;

pub use crate::{
    audience::Audience,
    call::{CallError, Request, ToolCall},
    caller::{Answering, Caller, Claim},
    child::Stderr,
    filter::{EmptyPattern, ToolFilter},
    hub::Plan,
    identity::Identity,
    link::Member,
    offer::{Gap, Item, Offer, Tool},
    phase::{Cause, Phase},
    registry::{Found, PromptEntry, PromptRegistry, ToolEntry, ToolRegistry},
    resources::{ResourceEntry, ResourceRegistry, Route, TemplateEntry},
    roster::{Roster, Server, Standing},
    served::{FileOfSkill, Files, ServedSkill, SkillContent, SkillFile, SkillReadError, Verified},
    spec::{
        Admission, CALL_TIMEOUT, CONNECT_TIMEOUT, Endpoint, Fallback, NameError, Program, Secrets,
        ServerName, ServerSpec, Site,
    },
    upstreams::Upstreams,
};
