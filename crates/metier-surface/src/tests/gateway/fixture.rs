//! A surface with servers behind it, and clients of both eras in front.

use std::{
    collections::VecDeque,
    fmt::Display,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use axum::{Router, body::Body, http::Request};
use metier_skills::{Catalog, Filter};
use metier_upstreams::{Identity, Plan, Upstreams};
use metier_wire::{Era, Frame};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::fake::{Fake, SOON};
use crate::{
    Expose, Presentation, ToolNames,
    http::{self, Guard, Site, Transports},
    lane::{Lane, Outgoing},
    responder::Implementation,
    session::{Server, Session},
    surface::{Publisher, surface},
};

/// A surface with servers behind it.
pub(in crate::tests) struct Front {
    pub(in crate::tests) server: Arc<Server>,
    pub(in crate::tests) upstreams: Upstreams,
    pub(in crate::tests) publisher: Publisher,
}

/// How a front looks.
pub(in crate::tests) struct Look {
    pub(in crate::tests) expose: Expose,
    pub(in crate::tests) presentation: Presentation,
}

impl Default for Look {
    /// All tools of servers, and none for skills.
    fn default() -> Look {
        let presentation = Presentation { tools: Vec::new(), ..Presentation::default() };
        Look { expose: Expose::All, presentation }
    }
}

impl Look {
    pub(in crate::tests) fn exposing(expose: Expose) -> Look {
        Look { expose, ..Look::default() }
    }

    pub(in crate::tests) fn canonical() -> Look {
        let mut look = Look::default();
        look.presentation.names = ToolNames::Canonical;
        look
    }
}

impl Front {
    /// A surface whose servers are all there.
    pub(in crate::tests) async fn of(fakes: &[(&str, &Fake)]) -> Front {
        Front::looking(Look::default(), fakes).await
    }

    pub(in crate::tests) async fn looking(look: Look, fakes: &[(&str, &Fake)]) -> Front {
        let front = Front::begin(look, plan(fakes).await);
        assert!(front.upstreams.settled(SOON).await.is_settled());
        front
    }

    /// A surface whose servers are just being met.
    pub(in crate::tests) fn begin(look: Look, plan: Plan) -> Front {
        let front = Front::unscanned(look, plan);
        front.publisher.publish(Catalog::new(&[], &Filter::default()));
        front
    }

    /// The same, before it is known which skills there are.
    pub(in crate::tests) fn unscanned(look: Look, plan: Plan) -> Front {
        let server = Implementation { name: "metier".into(), version: "0".into() };
        let (mut surface, publisher, _) = surface(server, look.presentation);
        let all = json!({ "elicitation": {}, "roots": {}, "sampling": {} });
        let identity = Identity::capable("metier", "0", all).instance("here");
        let upstreams = Upstreams::start_for(identity, plan, surface.ear());
        let stock = surface.join(upstreams.clone(), look.expose, "here");
        TaskTracker::new().spawn(stock);
        Front { server: Server::new(Arc::new(surface)), upstreams, publisher }
    }

    /// A surface without any server, not even a place for one.
    pub(in crate::tests) fn alone(presentation: Presentation) -> Front {
        let server = Implementation { name: "metier".into(), version: "0".into() };
        let (surface, publisher, _) = surface(server, presentation);
        let upstreams = Upstreams::start(Identity::new("metier", "0"), Plan::default());
        Front { server: Server::new(Arc::new(surface)), upstreams, publisher }
    }

    /// Keeps these servers from now on, and no others.
    pub(in crate::tests) async fn follow(&self, plan: Plan) {
        self.upstreams.follow(plan).await;
    }

    /// The same surface for clients that come by HTTP.
    pub(in crate::tests) fn routes(&self) -> Router {
        let guard = Guard::new(IpAddr::V4(Ipv4Addr::LOCALHOST), &[], None);
        http::routes(&self.server, Site { guard, transports: Transports::All })
    }

    /// What `/metrics` says.
    pub(in crate::tests) async fn metrics(&self) -> String {
        let request = Request::get("/metrics").header("host", "localhost").body(Body::empty());
        let response = self.routes().oneshot(request.unwrap()).await.unwrap();
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        String::from_utf8(body.to_vec()).unwrap()
    }

    /// A client of an earlier revision that can do this.
    pub(in crate::tests) fn legacy(&self, capabilities: &Value) -> Client {
        let mut client = Client::new(self, Era::Legacy, capabilities);
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "0" } });
        client.send("initialize", params);
        client.coming_at_once.clear();
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// A client of 2026-07-28 that can do this.
    pub(in crate::tests) fn modern(&self, capabilities: &Value) -> Client {
        Client::new(self, Era::Modern, capabilities)
    }

    /// A client of that era that can do nothing.
    pub(in crate::tests) fn client(&self, era: Era) -> Client {
        match era {
            Era::Legacy => self.legacy(&json!({})),
            Era::Modern => self.modern(&json!({})),
        }
    }
}

/// A plan with these servers.
pub(in crate::tests) async fn plan(fakes: &[(&str, &Fake)]) -> Plan {
    let mut servers = Vec::new();
    for (name, fake) in fakes {
        servers.push(fake.spec(name).await);
    }
    Plan { servers, ..Plan::default() }
}

/// A client in memory.
pub(in crate::tests) struct Client {
    session: Arc<Session>,
    lane: Lane,
    coming: mpsc::Receiver<Outgoing>,
    coming_at_once: VecDeque<String>,
    era: Era,
    capabilities: Value,
    n_sent: u64,
    /// What came before the answers that it waited for.
    pub(in crate::tests) asides: Vec<Value>,
}

impl Client {
    fn new(front: &Front, era: Era, capabilities: &Value) -> Client {
        let (lane, coming) = Lane::queue();
        let session = Session::new(&front.server, Some(lane.clone()));
        let (coming_at_once, asides) = (VecDeque::new(), Vec::new());
        let capabilities = capabilities.clone();
        Client { session, lane, coming, coming_at_once, era, capabilities, n_sent: 0, asides }
    }

    /// Sends a request whose parameters are such an object, and says its id.
    pub(in crate::tests) fn send(&mut self, method: &str, params: impl Display) -> u64 {
        self.send_with(method, params, "")
    }

    /// The same, with these members in `_meta`.
    pub(in crate::tests) fn send_with(
        &mut self,
        method: &str,
        params: impl Display,
        meta: &str,
    ) -> u64 {
        self.n_sent += 1;
        let params = self.params(&params.to_string(), meta);
        let id = self.n_sent;
        self.write(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
        id
    }

    pub(in crate::tests) fn notify(&mut self, method: &str, params: impl Display) {
        self.write(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#));
    }

    /// Answers a question.
    pub(in crate::tests) fn answer(&mut self, question: &Value, result: impl Display) {
        let id = &question["id"];
        self.write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
    }

    /// Refuses to answer a question.
    pub(in crate::tests) fn refuse(&mut self, question: &Value, error: &str) {
        let id = &question["id"];
        self.write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
    }

    /// The answer to a request; what comes before it is kept.
    pub(in crate::tests) async fn ask(&mut self, method: &str, params: impl Display) -> Value {
        self.ask_with(method, params, "").await
    }

    pub(in crate::tests) async fn ask_with(
        &mut self,
        method: &str,
        params: impl Display,
        meta: &str,
    ) -> Value {
        let id = self.send_with(method, params, meta);
        self.answer_to(id).await
    }

    /// The answer to a request as it was written.
    pub(in crate::tests) async fn ask_for_text(
        &mut self,
        method: &str,
        params: impl Display,
    ) -> String {
        self.send(method, params);
        self.next_text().await
    }

    /// Waits for the answer to a request that was sent.
    pub(in crate::tests) async fn answer_to(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.asides.push(message);
        }
    }

    /// The next message.
    pub(in crate::tests) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.next_text().await).unwrap()
    }

    async fn next_text(&mut self) -> String {
        if let Some(text) = self.coming_at_once.pop_front() {
            return text;
        }
        let outgoing = timeout(SOON, self.coming.recv()).await.expect("nothing comes").unwrap();
        String::from_utf8(outgoing.message.to_vec()).unwrap()
    }

    /// What has come until now.
    pub(in crate::tests) fn rest(&mut self) -> Vec<Value> {
        let at_once = self.coming_at_once.drain(..).map(|it| serde_json::from_str(&it).unwrap());
        let mut rest: Vec<Value> = self.asides.drain(..).chain(at_once).collect();
        while let Ok(outgoing) = self.coming.try_recv() {
            rest.push(serde_json::from_slice(&outgoing.message).unwrap());
        }
        rest
    }

    /// Whether something was answered before anything else could happen.
    pub(in crate::tests) fn has_answer_at_once(&self) -> bool {
        !self.coming_at_once.is_empty()
    }

    fn params(&self, params: &str, meta: &str) -> String {
        let mut members = meta.to_owned();
        if self.era == Era::Modern {
            let comma = if meta.is_empty() { "" } else { "," };
            members = format!(
                r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"test","version":"0"}},"io.modelcontextprotocol/clientCapabilities":{}{comma}{meta}"#,
                self.capabilities
            );
        }
        match (&*members, params.strip_prefix('{').unwrap()) {
            ("", _) => params.to_owned(),
            (_, "}") => format!(r#"{{"_meta":{{{members}}}}}"#),
            (_, rest) => format!(r#"{{"_meta":{{{members}}},{rest}"#),
        }
    }

    fn write(&mut self, text: &str) {
        let mut out = Vec::new();
        self.session.take(Frame::read(text.as_bytes()), &|| self.lane.clone(), &mut out);
        if !out.is_empty() {
            self.coming_at_once.push_back(String::from_utf8(out).unwrap());
        }
    }
}

/// The result of an answer, without who gave it.
pub(in crate::tests) fn result(answer: &Value) -> Value {
    let mut result = answer["result"].clone();
    assert!(result.is_object(), "{answer}");
    if let Some(meta) = result.get_mut("_meta").and_then(Value::as_object_mut) {
        meta.remove("io.modelcontextprotocol/serverInfo");
        meta.remove("metier/instances");
        if meta.is_empty() {
            result.as_object_mut().unwrap().remove("_meta");
        }
    }
    result
}

/// The names in a list.
pub(in crate::tests) fn names(answer: &Value, list: &str, key: &str) -> Vec<String> {
    let items = answer["result"][list].as_array().unwrap_or_else(|| panic!("{answer}"));
    items.iter().map(|it| it[key].as_str().unwrap().to_owned()).collect()
}

pub(in crate::tests) fn error(answer: &Value) -> (i64, String) {
    let error = &answer["error"];
    (error["code"].as_i64().unwrap_or_default(), error["message"].to_string())
}

impl Drop for Client {
    fn drop(&mut self) {
        self.session.end();
    }
}
