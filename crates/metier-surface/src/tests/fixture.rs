//! A responder whose methods do what real ones rarely do.

use std::sync::Arc;

use metier_wire::{Era, Error};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use crate::{
    call::Call,
    responder::{Answer, Asking, Body, Changes, Done, Greeting, Implementation, Meta, Responder},
};

/// Answers `now`, `later`, `wait`, `progress`, `ask`, `panic` and `panic_later`.
pub(super) struct StandIn {
    greeting: Greeting,
    pub(super) changes: watch::Sender<Changes>,
    /// Lets `wait` go on.
    pub(super) release: Arc<Notify>,
    /// How many `wait`s have begun, and how many were dropped before their end.
    pub(super) begun: Arc<watch::Sender<usize>>,
    dropped: Arc<watch::Sender<usize>>,
}

impl StandIn {
    pub(super) fn new() -> Arc<StandIn> {
        let server = Implementation { name: "stand-in".into(), version: "1".into() };
        let capabilities = json!({ "tools": { "listChanged": true } });
        Arc::new(StandIn {
            greeting: Greeting { server, capabilities, instructions: "Be brief.".into() },
            changes: watch::Sender::new(Changes::default()),
            release: Arc::default(),
            begun: Arc::new(watch::Sender::new(0)),
            dropped: Arc::new(watch::Sender::new(0)),
        })
    }

    /// Changes the list of tools.
    pub(super) fn change(&self) {
        self.changes.send_modify(|changes| changes.tools += 1);
    }

    /// Waits until that many `wait`s have begun.
    pub(super) async fn has_begun(&self, n_begun: usize) {
        let mut begun = self.begun.subscribe();
        begun.wait_for(|it| *it >= n_begun).await.unwrap();
    }

    /// Waits until that many `wait`s were dropped before their end.
    pub(super) async fn has_dropped(&self, n_dropped: usize) {
        let mut dropped = self.dropped.subscribe();
        dropped.wait_for(|it| *it >= n_dropped).await.unwrap();
    }

    fn work(&self, method: &str) -> Option<Answer> {
        let (release, begun) = (Arc::clone(&self.release), Arc::clone(&self.begun));
        let dropped = Arc::clone(&self.dropped);
        Some(match method {
            "later" => later(async |call| done(&call, json!({ "came": "later" }))),
            "much" => later(async |call| done(&call, json!({ "much": "x".repeat(4 << 20) }))),
            "wait" => later(async move |call| {
                let on_drop = OnDrop(dropped);
                begun.send_modify(|it| *it += 1);
                release.notified().await;
                std::mem::forget(on_drop);
                done(&call, json!({ "waited": true }))
            }),
            "progress" => later(async |call| {
                call.progress(1, Some("half")).await;
                call.progress(2, None).await;
                done(&call, json!({ "progressed": true }))
            }),
            "ask" => later(async |call| {
                let answer = call.ask("roots/list", None::<&()>).await?;
                done(
                    &call,
                    json!({ "answered": serde_json::from_str::<Value>(answer.get()).unwrap() }),
                )
            }),
            "panic_later" => later(async |_| panic!("on purpose")),
            _ => return None,
        })
    }
}

impl Responder for StandIn {
    fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    fn changes(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    fn is_ready(&self) -> bool {
        true
    }

    fn answer(&self, asking: &Asking<'_>, out: &mut Vec<u8>) -> Result<Answer, Error> {
        match &*asking.request.method {
            "now" => {
                let result = result(asking.era(), json!({ "came": "now" }));
                out.extend_from_slice(result.to_string().as_bytes());
                Ok(Answer::Now(Meta::Absent))
            }
            "panic" => panic!("on purpose"),
            method => self.work(method).ok_or_else(|| Error::method_not_found(method)),
        }
    }
}

/// Counts work that was given up.
struct OnDrop(Arc<watch::Sender<usize>>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.send_modify(|it| *it += 1);
    }
}

fn later<F: Future<Output = Done> + Send + 'static>(
    work: impl FnOnce(Call) -> F + Send + 'static,
) -> Answer {
    Answer::Later(Box::new(move |call| Box::pin(work(call))))
}

fn done(call: &Call, value: Value) -> Done {
    Ok(Body::plain(result(call.era(), value).to_string().into_bytes()))
}

fn result(era: Era, mut value: Value) -> Value {
    if era == Era::Modern {
        value["resultType"] = "complete".into();
    }
    value
}

/// A request of a session.
pub(super) fn request(id: u64, method: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string()
}

/// A request that says of itself what revision 2026-07-28 wants.
pub(super) fn modern(id: u64, method: &str, params: Value) -> String {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// `initialize` of one revision.
pub(super) fn initialize(revision: &str) -> String {
    let params = json!({ "protocolVersion": revision, "capabilities": {},
        "clientInfo": { "name": "test", "version": "0" } });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string()
}

pub(super) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
