//! Requests that are built once; only their ids change from call to call.

use serde_json::{Value, json};

/// The first id; all ids have as many digits, so they can be written in place.
const FIRST_ID: u32 = 10_000_000;

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

/// Requests of one kind, dealt in turn for ever.
pub(crate) struct Deck {
    cards: Vec<Card>,
    next: usize,
    id: u32,
}

struct Card {
    bytes: Vec<u8>,
    id_at: usize,
}

impl Deck {
    /// One request for each name, each in the frame of its transport.
    pub(crate) fn new(
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
        Deck {
            cards: bodies.iter().map(|it| Card::new(frame(it))).collect(),
            next: 0,
            id: FIRST_ID,
        }
    }

    /// The next request and its id.
    pub(crate) fn deal(&mut self) -> (u32, &[u8]) {
        let id = self.id;
        self.id += 1;
        self.next = (self.next + 1) % self.cards.len();
        (id, self.cards[self.next].with_id(id))
    }
}

impl Card {
    fn new(bytes: Vec<u8>) -> Card {
        let id_at = memchr::memmem::find(&bytes, FIRST_ID.to_string().as_bytes()).unwrap();
        Card { bytes, id_at }
    }

    fn with_id(&mut self, id: u32) -> &[u8] {
        let mut rest = id;
        for digit in self.bytes[self.id_at..self.id_at + 8].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        &self.bytes
    }
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
