//! An MCP server of the test's own, over streamable HTTP in a thread of the test.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response, Sse, sse::Event},
    routing::{any, post},
};
use serde_json::{Value, json};

use super::support::Machine;

/// What nobody may ever see.
pub(crate) const CANARY: &str = "canary-7f3a";

/// A server that runs, and what it was called with.
pub(crate) struct Neighbour {
    address: SocketAddr,
    calls: Receiver<Value>,
}

#[derive(Clone)]
struct Behaviour {
    calls: Sender<Value>,
    door: Door,
}

/// Who is let in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Door {
    Open,
    /// Whoever knows the canary.
    Guarded,
}

impl Neighbour {
    /// One that lets everybody in.
    pub(crate) fn open() -> Neighbour {
        Neighbour::start(Door::Open)
    }

    /// One that lets in only who knows the canary.
    pub(crate) fn guarded() -> Neighbour {
        Neighbour::start(Door::Guarded)
    }

    fn start(door: Door) -> Neighbour {
        let (calls, called) = channel();
        let (told, address) = channel();
        let behaviour = Behaviour { calls, door };
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                told.send(listener.local_addr().unwrap()).unwrap();
                let app = Router::new()
                    .route("/mcp", post(answer))
                    .route("/down", any(StatusCode::SERVICE_UNAVAILABLE))
                    .with_state(behaviour);
                axum::serve(listener, app).await.unwrap();
            });
        });
        Neighbour { address: address.recv().unwrap(), calls: called }
    }

    /// Its address, with a query that is nobody's business.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp?key={CANARY}", self.address)
    }

    /// An entry `down` for an address where nothing works.
    pub(crate) fn down(&self) -> String {
        format!(r#""down": {{"type": "http", "url": "http://{}/down"}}"#, self.address)
    }

    pub(crate) fn port(&self) -> String {
        self.address.port().to_string()
    }

    /// The parameters of the next call that arrives.
    pub(crate) fn called(&self) -> Value {
        self.calls.recv().unwrap()
    }

    /// A machine whose configuration names this server `near`, and others beside it.
    pub(crate) fn machine(&self, others: &str) -> Machine {
        let near =
            json!({"url": self.url(), "headers": {"Authorization": format!("Bearer {CANARY}")}});
        let others = if others.is_empty() { String::new() } else { format!(", {others}") };
        Machine::new(&format!(
            "//- home/.config/metier/config.json\n{{\"mcpServers\": {{\"near\": {near}{others}}}}}\n"
        ))
    }
}

async fn answer(State(behaviour): State<Behaviour>, headers: HeaderMap, body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap();
    let known = headers.get("authorization").is_some_and(|it| *it == *format!("Bearer {CANARY}"));
    if behaviour.door == Door::Guarded && !known {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let id = message["id"].clone();
    if id.is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    let params = &message["params"];
    let outcome = match message["method"].as_str().unwrap() {
        "initialize" => Ok(json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}, "resources": {}},
            "serverInfo": {"name": "neighbour", "version": "1.2.3"},
        })),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": tools()})),
        "resources/list" => Ok(json!({"resources": [
            {"uri": "note://one", "name": "one", "mimeType": "text/plain", "description": "The first"},
            {"uri": "note://bytes", "name": "bytes", "size": 3},
        ]})),
        "resources/templates/list" => {
            Ok(json!({"resourceTemplates": [{"uriTemplate": "day://{date}", "name": "a day"}]}))
        }
        "resources/read" => read(params["uri"].as_str().unwrap()),
        "tools/call" => {
            behaviour.calls.send(params.clone()).unwrap();
            match params["name"].as_str().unwrap() {
                "sleep" => std::future::pending().await,
                "work" => return with_progress(&id, &params["_meta"]["progressToken"]),
                name => call(name, &params["arguments"]),
            }
        }
        method => Err(json!({"code": -32601, "message": format!("no method {method}")})),
    };
    let reply = match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
    };
    ([(CONTENT_TYPE, "application/json")], reply.to_string()).into_response()
}

fn tools() -> Value {
    json!([
        {
            "name": "echo",
            "title": "Echo",
            "description": "Says it again\nand again",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "times": {"type": "integer", "minimum": 1},
                    "text": {"type": "string"},
                },
                "required": ["text"],
                "additionalProperties": false,
            },
        },
        {"name": "fail", "description": "Never works", "inputSchema": {"type": "object"}},
        {"name": "refuse", "inputSchema": {"type": "object"}},
        {"name": "shapes", "description": "Counts corners", "inputSchema": {"type": "object"}},
        {"name": "sleep", "inputSchema": {"type": "object"}},
        {"name": "work", "inputSchema": {"type": "object"}},
    ])
}

fn call(name: &str, arguments: &Value) -> Result<Value, Value> {
    match name {
        "echo" => {
            let times = usize::try_from(arguments["times"].as_u64().unwrap_or(1)).unwrap();
            let text = arguments["text"].as_str().unwrap().repeat(times);
            Ok(json!({"content": [{"type": "text", "text": text}]}))
        }
        "fail" => {
            let content = [json!({"type": "text", "text": "it is broken"})];
            Ok(json!({"content": content, "isError": true}))
        }
        "shapes" => Ok(json!({"content": [], "structuredContent": {"corners": 4}, "odd": 1.50})),
        _ => Err(json!({"code": -32050, "message": "not today", "data": {"retry": "tomorrow"}})),
    }
}

fn read(uri: &str) -> Result<Value, Value> {
    match uri {
        "note://one" => Ok(json!({"contents": [{"uri": uri, "text": "first note"}]})),
        "note://bytes" => Ok(json!({"contents": [{"uri": uri, "blob": "AP8B"}]})),
        "day://today" => Ok(json!({"contents": [{"uri": uri, "text": "sunny"}]})),
        _ => Err(json!({"code": -32002, "message": "no such note"})),
    }
}

/// An answer that says how far it has come before it comes.
fn with_progress(id: &Value, token: &Value) -> Response {
    let params = json!({"progressToken": token, "progress": 1, "total": 2, "message": "half"});
    let result = json!({"content": [{"type": "text", "text": "done"}]});
    let messages = [
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
        json!({"jsonrpc": "2.0", "id": id, "result": result}),
    ];
    let events = messages.map(|it| Ok::<_, Infallible>(Event::default().data(it.to_string())));
    Sse::new(futures_util::stream::iter(events)).into_response()
}
