//! An MCP server of the test's own that has skills, over streamable HTTP in a thread of the test.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, mpsc::channel},
    thread,
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// What the shop has, and what was asked for.
#[derive(Default)]
pub(crate) struct Stock {
    /// What `skills/list` says.
    pub(crate) listed: Vec<Value>,
    /// What only `skills/get` knows.
    pub(crate) unlisted: Vec<Value>,
    /// What `resources/read` gives.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// The URIs that were read.
    pub(crate) read: Vec<String>,
    /// What `skills/list` says in place of what is listed, if anything, by the cursor.
    pub(crate) pages: BTreeMap<String, Result<Value, Value>>,
    /// What it says the first time in place of that.
    pub(crate) once: BTreeMap<String, Result<Value, Value>>,
    /// What happens before a file is first read.
    pub(crate) meanwhile: BTreeMap<String, Box<dyn FnOnce() + Send>>,
    /// Whoever reads this waits for ever.
    pub(crate) stuck: Option<String>,
}

/// A shop that is open.
#[derive(Clone)]
pub(crate) struct Shop {
    pub(crate) address: SocketAddr,
    stock: Arc<Mutex<Stock>>,
}

impl Shop {
    /// One that has these skills, each written as its path and its files as `path=text`; line ends in
    /// texts are written `|`. Frontmatter is listed as it is written.
    pub(crate) fn open(skills: &[(&str, &[&str])]) -> Shop {
        let mut stock = Stock::default();
        for (path, files) in skills {
            let entry = stock.take_in(path, files);
            stock.listed.push(entry);
        }
        let stock = Arc::new(Mutex::new(stock));
        let state = Arc::clone(&stock);
        let (told, address) = channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                told.send(listener.local_addr().unwrap()).unwrap();
                let app = Router::new().route("/mcp", post(answer)).with_state(state);
                axum::serve(listener, app).await.unwrap();
            });
        });
        Shop { address: address.recv().unwrap(), stock }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Changes what the shop has.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Stock)) {
        change(&mut self.stock.lock().unwrap());
    }

    /// The URIs that were read since the last time.
    pub(crate) fn read(&self) -> Vec<String> {
        std::mem::take(&mut self.stock.lock().unwrap().read)
    }
}

impl Stock {
    /// Keeps the files of a skill; the entry that describes it.
    pub(crate) fn take_in(&mut self, path: &str, files: &[&str]) -> Value {
        let root = format!("skill://{path}");
        let mut resources = Vec::new();
        let mut frontmatter = serde_json::Map::new();
        for file in files {
            let (name, text) = file.split_once('=').unwrap();
            let text = text.replace('|', "\n");
            if name == "SKILL.md" {
                let head = text.split("---\n").nth(1).unwrap();
                let fields = head.lines().filter_map(|it| it.split_once(": "));
                frontmatter.extend(fields.map(|(key, value)| (key.to_owned(), value.into())));
            }
            let uri = format!("{root}/{name}");
            resources.push(described(&uri, text.as_bytes()));
            self.files.insert(uri, text.into_bytes());
        }
        json!({ "uri": format!("{root}/SKILL.md"), "frontmatter": frontmatter, "resources": resources })
    }
}

/// What is listed of a file.
pub(crate) fn described(uri: &str, bytes: &[u8]) -> Value {
    let hex: String = Sha256::digest(bytes).iter().map(|it| format!("{it:02x}")).collect();
    json!({ "uri": uri, "digest": format!("sha256:{hex}"), "size": bytes.len() })
}

async fn answer(State(stock): State<Arc<Mutex<Stock>>>, body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap();
    let id = message["id"].clone();
    if id.is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    let uri = message["params"]["uri"].as_str().unwrap_or_default();
    let meanwhile = stock.lock().unwrap().meanwhile.remove(uri);
    if let Some(meanwhile) = meanwhile {
        tokio::task::spawn_blocking(meanwhile).await.unwrap();
    }
    if stock.lock().unwrap().stuck.as_deref() == Some(uri) {
        stock.lock().unwrap().read.push(uri.to_owned());
        std::future::pending::<()>().await;
    }
    let key = message["params"]["cursor"].as_str().unwrap_or(uri);
    let outcome = reply(&mut stock.lock().unwrap(), message["method"].as_str().unwrap(), key);
    let reply = match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
    };
    ([(CONTENT_TYPE, "application/json")], reply.to_string()).into_response()
}

fn reply(stock: &mut Stock, method: &str, key: &str) -> Result<Value, Value> {
    match method {
        "initialize" => Ok(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"resources": {}, "extensions": {"io.modelcontextprotocol/skills": {}}},
            "serverInfo": {"name": "shop", "version": "1"},
        })),
        "ping" => Ok(json!({})),
        "resources/list" => Ok(json!({"resources": []})),
        "resources/templates/list" => Ok(json!({"resourceTemplates": []})),
        "skills/list" => {
            let page = stock.once.remove(key).or_else(|| stock.pages.get(key).cloned());
            page.unwrap_or_else(|| Ok(json!({"skills": stock.listed})))
        }
        "skills/get" => {
            let mut all = stock.listed.iter().chain(&stock.unlisted);
            let skill = all.find(|it| it["uri"] == key);
            skill.map(|it| json!({"skill": it})).ok_or_else(|| unknown(key))
        }
        "resources/read" => {
            stock.read.push(key.to_owned());
            let bytes = stock.files.get(key).ok_or_else(|| unknown(key))?;
            let text = String::from_utf8(bytes.clone()).unwrap();
            Ok(json!({"contents": [{"uri": key, "text": text}]}))
        }
        method => Err(json!({"code": -32601, "message": format!("no method {method}")})),
    }
}

fn unknown(uri: &str) -> Value {
    json!({"code": -32602, "message": format!("nothing at {uri}")})
}
