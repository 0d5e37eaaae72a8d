//! A server at an address of this machine: it does what a test says, and remembers what it was sent.

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
};
use futures_util::{Stream, StreamExt, stream};
use metier_upstreams::{Endpoint, Fallback, Secrets, ServerName, ServerSpec, Site};
use metier_wire::Era;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, mpsc, oneshot, watch},
    time::timeout,
};
use tokio_util::task::TaskTracker;

/// How long a test waits for what must come.
pub(in crate::tests) const SOON: Duration = Duration::from_secs(20);
/// What a fake records when its answer is no longer wanted.
pub(in crate::tests) const CLOSED: &str = "(closed)";
/// What it records when somebody wants to hear what belongs to no call.
const LISTENING: &str = "(listening)";

/// What a server does about one request, one thing after another.
#[derive(Clone, Debug)]
pub(in crate::tests) enum Act {
    /// Says something on the stream of the request: a method, and parameters.
    Say(&'static str, Value),
    /// Asks the client, and waits for the answer.
    Ask(&'static str, Value),
    /// Waits until the test lets it go on.
    Wait,
    /// Answers with a result, as it is written.
    Give(String),
    /// Answers with a result that holds the answers to what it asked.
    GiveAnswers,
    /// Answers with an error, as it is written.
    Refuse(&'static str),
    /// Breaks off.
    Break,
    /// Answers with an HTTP status alone.
    Status(u16),
}

type React = Box<dyn Fn(&Value) -> Vec<Act> + Send + Sync>;

/// A server; clones are the same one.
#[derive(Clone)]
pub(in crate::tests) struct Fake(Arc<Inner>);

struct Inner {
    era: Era,
    capabilities: Mutex<Value>,
    lists: Mutex<HashMap<&'static str, String>>,
    reacts: Mutex<HashMap<&'static str, React>>,
    seen: watch::Sender<Vec<Seen>>,
    release: Semaphore,
    /// Who waits for the answer to a question.
    asked: Mutex<HashMap<String, oneshot::Sender<Value>>>,
    /// The streams of what belongs to no call, with what each is for.
    asides: Mutex<Vec<(Value, mpsc::UnboundedSender<Value>)>>,
    tasks: TaskTracker,
}

/// Something that a server was sent.
#[derive(Clone, Debug)]
pub(in crate::tests) struct Seen {
    pub(in crate::tests) method: String,
    pub(in crate::tests) message: Value,
    pub(in crate::tests) text: String,
    pub(in crate::tests) headers: HeaderMap,
}

impl Fake {
    pub(in crate::tests) fn new(era: Era) -> Fake {
        let changing = json!({ "listChanged": true });
        let capabilities = json!({
            "tools": changing, "prompts": changing, "logging": {},
            "resources": { "listChanged": true, "subscribe": true },
        });
        let lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
        Fake(Arc::new(Inner {
            era,
            capabilities: Mutex::new(capabilities),
            lists: Mutex::new(lists.into_iter().map(|it| (it, String::new())).collect()),
            reacts: Mutex::default(),
            seen: watch::Sender::default(),
            release: Semaphore::new(0),
            asked: Mutex::default(),
            asides: Mutex::default(),
            tasks: TaskTracker::new(),
        }))
    }

    /// One of an earlier revision.
    pub(in crate::tests) fn legacy() -> Fake {
        Fake::new(Era::Legacy)
    }

    /// One of 2026-07-28.
    pub(in crate::tests) fn modern() -> Fake {
        Fake::new(Era::Modern)
    }

    /// Has these in a list from now on.
    pub(in crate::tests) fn listing(self, method: &'static str, items: &str) -> Fake {
        self.0.lists.lock().unwrap().insert(method, items.to_owned());
        self
    }

    /// Has tools of these names.
    pub(in crate::tests) fn tools(self, names: &[&str]) -> Fake {
        let tools: Vec<String> = names.iter().map(|it| json!({ "name": it }).to_string()).collect();
        self.listing("tools/list", &tools.join(","))
    }

    /// Can do something else, too.
    pub(in crate::tests) fn able(self, capability: &str) -> Fake {
        self.0.capabilities.lock().unwrap()[capability] = json!({});
        self
    }

    /// Has these skills, as entries of `skills/list`.
    pub(in crate::tests) fn skilled(self, entries: &[Value]) -> Fake {
        let extensions = json!({ "io.modelcontextprotocol/skills": {} });
        self.0.capabilities.lock().unwrap()["extensions"] = extensions;
        let skills = json!({ "resultType": "complete", "skills": entries }).to_string();
        self.on("skills/list", move |_| vec![Act::Give(skills.clone())])
    }

    /// Does this about requests of a method.
    pub(in crate::tests) fn on(
        self,
        method: &'static str,
        react: impl Fn(&Value) -> Vec<Act> + Send + Sync + 'static,
    ) -> Fake {
        self.0.reacts.lock().unwrap().insert(method, Box::new(react));
        self
    }

    /// Begins to serve, and says how it is reached.
    pub(in crate::tests) async fn spec(&self, name: &str) -> ServerSpec {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let routes = Router::new()
            .route("/mcp", post(take).get(listen).delete(StatusCode::NO_CONTENT))
            .with_state(self.clone());
        self.0.tasks.spawn(async move { axum::serve(listener, routes).await });
        let site = Site { url: url.parse().unwrap(), headers: Secrets::default() };
        let endpoint = Endpoint::Http { site, fallback: Fallback::None };
        ServerSpec::new(ServerName::new(name).unwrap(), endpoint)
    }

    /// Lets one who waits go on.
    pub(in crate::tests) fn go_on(&self) {
        self.0.release.add_permits(1);
    }

    /// What it was sent of a method so far.
    pub(in crate::tests) fn seen(&self, method: &str) -> Vec<Seen> {
        self.0.seen.borrow().iter().filter(|it| it.method == method).cloned().collect()
    }

    /// What it was sent of a method, once that is so much.
    pub(in crate::tests) async fn sees(&self, method: &str, n_seen: usize) -> Vec<Seen> {
        let mut seen = self.0.seen.subscribe();
        let count = |all: &Vec<Seen>| all.iter().filter(|it| it.method == method).count();
        let got = timeout(SOON, seen.wait_for(|all| count(all) >= n_seen)).await;
        assert!(got.is_ok(), "`{method}` came {} times", self.seen(method).len());
        drop(got);
        self.seen(method)
    }

    /// Says something that belongs to no call to all who want to hear it.
    pub(in crate::tests) fn say(&self, method: &str, params: &Value) {
        let asides = self.0.asides.lock().unwrap();
        for (filter, stream) in asides.iter().filter(|(filter, _)| wants(filter, method, params)) {
            let mut params = params.clone();
            if let Some(id) = filter.get("id") {
                params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": id });
            }
            let _ = stream.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
        }
    }

    /// Asks something that belongs to no call; the answer comes when it was given.
    pub(in crate::tests) fn ask(&self, method: &str, params: &Value) -> oneshot::Receiver<Value> {
        let (answer, answered) = oneshot::channel();
        let asides = self.0.asides.lock().unwrap();
        let mut asked = self.0.asked.lock().unwrap();
        let id = format!("q-{}", asked.len());
        asked.insert(id.clone(), answer);
        let question = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        asides.iter().for_each(|(_, stream)| stream.send(question.clone()).unwrap());
        answered
    }

    /// Waits until somebody hears what belongs to no call, and is of a kind.
    pub(in crate::tests) async fn heard(&self, method: &str, params: &Value) {
        let is_heard = || {
            let asides = self.0.asides.lock().unwrap();
            asides.iter().any(|(it, stream)| wants(it, method, params) && !stream.is_closed())
        };
        let mut seen = self.0.seen.subscribe();
        let heard = async {
            while !is_heard() {
                seen.changed().await.unwrap();
            }
        };
        assert!(timeout(SOON, heard).await.is_ok(), "nobody wants to hear `{method}`");
    }

    fn record(&self, method: &str, message: Value, text: String, headers: HeaderMap) {
        let seen = Seen { method: method.to_owned(), message, text, headers };
        self.0.seen.send_modify(|all| all.push(seen));
    }

    fn acts(&self, message: &Value) -> Vec<Act> {
        let method = message["method"].as_str().unwrap();
        if let Some(react) = self.0.reacts.lock().unwrap().get(method) {
            return react(message);
        }
        let result = |members: &str| match self.0.era {
            Era::Legacy => Act::Give(format!("{{{members}}}")),
            Era::Modern => {
                let comma = if members.is_empty() { "" } else { "," };
                Act::Give(format!(r#"{{"resultType":"complete"{comma}{members}}}"#))
            }
        };
        let capabilities = self.0.capabilities.lock().unwrap();
        let lists = self.0.lists.lock().unwrap();
        vec![match (method, self.0.era) {
            ("initialize", Era::Legacy) => result(&format!(
                r#""protocolVersion":"2025-11-25","capabilities":{capabilities},"serverInfo":{{"name":"fake","version":"1"}}"#
            )),
            ("server/discover", Era::Modern) => result(&format!(
                r#""supportedVersions":["2026-07-28"],"capabilities":{capabilities},"ttlMs":0,"cacheScope":"private""#
            )),
            ("tools/list", _) => result(&format!(r#""tools":[{}]"#, lists[method])),
            ("resources/list", _) => result(&format!(r#""resources":[{}]"#, lists[method])),
            ("resources/templates/list", _) => {
                result(&format!(r#""resourceTemplates":[{}]"#, lists[method]))
            }
            ("prompts/list", _) => result(&format!(r#""prompts":[{}]"#, lists[method])),
            ("tools/call", _) => result(r#""content":[]"#),
            ("resources/read", _) => result(r#""contents":[]"#),
            ("prompts/get", _) => result(r#""messages":[]"#),
            ("completion/complete", _) => result(r#""completion":{"values":["one"]}"#),
            (
                "ping" | "resources/subscribe" | "resources/unsubscribe" | "logging/setLevel",
                Era::Legacy,
            ) => result(""),
            _ => Act::Refuse(r#"{"code":-32601,"message":"unknown method"}"#),
        }]
    }

    /// Does one thing after another, the answer last.
    async fn play(self, request: Value, acts: Vec<Act>, out: mpsc::Sender<String>) {
        let mut answers = Vec::new();
        for (at, act) in acts.into_iter().enumerate() {
            let message = match act {
                Act::Say(method, params) => {
                    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
                }
                Act::Ask(method, params) => {
                    let id = format!("{}-{at}", request["id"]);
                    let (answer, answered) = oneshot::channel();
                    self.0.asked.lock().unwrap().insert(id.clone(), answer);
                    let asked =
                        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
                    let _ = out.send(asked.to_string()).await;
                    let mut answer = answered.await.unwrap();
                    answer.as_object_mut().unwrap().remove("id");
                    answers.push(answer);
                    continue;
                }
                Act::Wait => {
                    self.0.release.acquire().await.unwrap().forget();
                    continue;
                }
                Act::Break => return,
                last => answer(&request, &last, &answers),
            };
            let _ = out.send(message).await;
        }
    }
}

/// What was played while somebody listened; it is recorded if nobody does before the end.
struct Listened {
    fake: Fake,
    request: Value,
    is_over: bool,
}

impl Drop for Listened {
    fn drop(&mut self) {
        if !self.is_over {
            let request = std::mem::take(&mut self.request);
            self.fake.record(CLOSED, request, String::new(), HeaderMap::new());
        }
    }
}

/// Whether a stream is for such a notification.
fn wants(filter: &Value, method: &str, params: &Value) -> bool {
    let Some(filter) = filter.get("notifications") else { return true };
    let has = |key: &str| filter[key] == true;
    match method {
        "notifications/tools/list_changed" => has("toolsListChanged"),
        "notifications/resources/list_changed" => has("resourcesListChanged"),
        "notifications/prompts/list_changed" => has("promptsListChanged"),
        "notifications/resources/updated" => {
            let uris = filter["resourceSubscriptions"].as_array();
            uris.is_some_and(|uris| uris.contains(&params["uri"]))
        }
        _ => false,
    }
}

fn answer(request: &Value, act: &Act, answers: &[Value]) -> String {
    let id = &request["id"];
    match act {
        Act::Give(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Act::GiveAnswers => {
            json!({ "jsonrpc": "2.0", "id": id, "result": { "content": [], "answers": answers } })
                .to_string()
        }
        Act::Refuse(error) => format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#),
        _ => unreachable!("{act:?} is no answer"),
    }
}

async fn take(State(fake): State<Fake>, headers: HeaderMap, text: String) -> Response {
    let message: Value = serde_json::from_str(&text).unwrap();
    let Some(method) = message["method"].as_str() else {
        let waiting = fake.0.asked.lock().unwrap().remove(message["id"].as_str().unwrap());
        waiting.unwrap().send(message).unwrap();
        return StatusCode::ACCEPTED.into_response();
    };
    let method = method.to_owned();
    fake.record(&method, message.clone(), text, headers);
    if message.get("id").is_none() {
        return StatusCode::ACCEPTED.into_response();
    }
    if method == "subscriptions/listen" && fake.0.era == Era::Modern {
        let filter =
            json!({ "id": message["id"], "notifications": message["params"]["notifications"] });
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": message["id"] });
        let params = json!({ "_meta": meta, "notifications": filter["notifications"] });
        let method = "notifications/subscriptions/acknowledged";
        let first = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        return aside(&fake, filter, HeaderMap::new(), Some(first));
    }
    let acts = fake.acts(&message);
    if let [Act::Status(status)] = acts[..] {
        return StatusCode::from_u16(status).unwrap().into_response();
    }
    let mut response = answered(fake, message, acts);
    if method == "initialize" {
        response.headers_mut().insert("mcp-session-id", HeaderValue::from_static("s"));
    }
    response
}

/// The answer to a request, alone or at the end of a stream.
fn answered(fake: Fake, message: Value, acts: Vec<Act>) -> Response {
    if let [act @ (Act::Give(_) | Act::Refuse(_))] = &acts[..] {
        let kind = [(CONTENT_TYPE, "application/json")];
        return (kind, answer(&message, act, &[])).into_response();
    }
    let (out, coming) = mpsc::channel(16);
    fake.0.tasks.spawn(fake.clone().play(message.clone(), acts, out));
    let listened = Listened { fake, request: message, is_over: false };
    events(stream::unfold((coming, listened), async |(mut coming, mut listened)| {
        let message: Option<String> = coming.recv().await;
        listened.is_over = message.is_none();
        Some((message?, (coming, listened)))
    }))
}

/// A stream of what belongs to no call.
async fn listen(State(fake): State<Fake>, headers: HeaderMap) -> Response {
    if fake.0.era == Era::Modern {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    aside(&fake, json!({}), headers, None)
}

fn aside(fake: &Fake, filter: Value, headers: HeaderMap, first: Option<Value>) -> Response {
    let (out, coming) = mpsc::unbounded_channel();
    if let Some(it) = first {
        out.send(it).unwrap();
    }
    fake.0.asides.lock().unwrap().push((filter.clone(), out));
    fake.record(LISTENING, filter.clone(), String::new(), headers);
    let listened = Listened { fake: fake.clone(), request: filter, is_over: false };
    events(stream::unfold((coming, listened), async |(mut coming, listened)| {
        let message: Value = coming.recv().await?;
        Some((message.to_string(), (coming, listened)))
    }))
}

fn events(messages: impl Stream<Item = String> + Send + 'static) -> Response {
    let events = messages.map(|it| Ok::<_, Infallible>(format!("data: {it}\n\n")));
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)).into_response()
}
