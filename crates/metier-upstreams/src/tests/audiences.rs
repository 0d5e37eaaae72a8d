//! Audiences: who hears, and who answers, what a server says that may belong to no call.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json, value::RawValue};
use tokio::time::{sleep, timeout};

use super::{
    call_for,
    fake::{Act, Fake, notification},
    raw, settle,
};
use crate::{Answering, Audience, Caller, Identity, ServerName, Upstreams};

/// Someone who keeps what they hear, and answers every question with their own name.
struct Ears {
    name: &'static str,
    heard: Mutex<Vec<String>>,
}

impl Ears {
    fn of(name: &'static str) -> Arc<Ears> {
        Arc::new(Ears { name, heard: Mutex::default() })
    }

    fn heard(&self) -> String {
        self.heard.lock().unwrap().join(", ")
    }

    fn hear(&self, text: String) {
        self.heard.lock().unwrap().push(text);
    }

    fn answer(&self) -> Answering<'_> {
        Box::pin(async { Ok(raw(&format!(r#"{{"by":"{}"}}"#, self.name))) })
    }
}

impl Audience for Ears {
    fn told(&self, server: &ServerName, method: &str, params: Option<&RawValue>) {
        self.hear(format!("{server} tells {method} {}", params.map_or("", RawValue::get)));
    }

    fn asked<'a>(
        &'a self,
        server: &'a ServerName,
        method: &'a str,
        params: Option<&'a RawValue>,
    ) -> Answering<'a> {
        self.hear(format!("{server} asks {method} {}", params.map_or("", RawValue::get)));
        self.answer()
    }
}

impl Caller for Ears {
    fn told(&self, method: &str, _params: Option<&RawValue>) {
        self.hear(format!("told {method}"));
    }

    fn asked<'a>(&'a self, method: &'a str, _params: Option<&'a RawValue>) -> Answering<'a> {
        self.hear(format!("asked {method}"));
        self.answer()
    }
}

/// A hall in which a server that answers no call is heard.
struct Hall {
    fake: Arc<Fake>,
    upstreams: Upstreams,
    audience: Arc<Ears>,
}

impl Hall {
    async fn open() -> Hall {
        let fake = Fake::on("tools/call", |_, _| Vec::new());
        let audience = Ears::of("audience");
        let upstreams = fake.kept_by(Identity::new("test", "1"), audience.clone());
        settle(&upstreams).await;
        Hall { fake, upstreams, audience }
    }

    /// What the server gets, and what the audience hears, if it says this while these call it.
    async fn said(&self, message: Value, callers: &[Arc<Ears>]) -> (Option<Value>, String) {
        self.audience.heard.lock().unwrap().clear();
        let n_seen = self.fake.seen().len() + callers.len();
        let calls = callers.iter().map(|it| call_for(&self.upstreams, "{}", it.clone()));
        let calls = futures_util::future::join_all(calls);
        let saying = async {
            sleep(Duration::from_secs(1)).await;
            self.fake.act(Act::Say(message)).await;
            sleep(Duration::from_secs(1)).await;
            self.fake.seen().get(n_seen).cloned()
        };
        // Nobody waits for the calls.
        let seen = tokio::select! {
            seen = saying => seen,
            _ = async { calls.await; std::future::pending::<()>().await } => None,
        };
        sleep(Duration::from_secs(1)).await;
        (seen, self.audience.heard())
    }
}

/// What the only caller and the audience hear of a notification.
async fn check_told(method: &str, expected: (&str, &str)) {
    let hall = Hall::open().await;
    let caller = Ears::of("caller");
    let message = notification(method, json!({ "a": 1 }));
    let (_, audience) = hall.said(message.clone(), std::slice::from_ref(&caller)).await;
    assert_eq!((&*caller.heard(), &*audience), expected, "{method}");
    // Whether someone calls makes no difference.
    assert_eq!(hall.said(message, &[]).await.1, expected.1);
    hall.upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_server_tells_by_a_stream_that_calls_share_is_for_the_audience() {
    for method in [
        "notifications/message",
        "notifications/resources/updated",
        "notifications/elicitation/complete",
        "notifications/never/heard/of",
    ] {
        check_told(method, ("", &format!(r#"fake tells {method} {{"a":1}}"#))).await;
    }
    // The roster says so.
    check_told("notifications/tools/list_changed", ("", "")).await;
    check_told("notifications/progress", ("", "")).await;
}

/// Who answers a question that a server asks while these call it.
async fn check_asked(callers: &[Arc<Ears>], expected: &str) {
    let hall = Hall::open().await;
    let asks = json!({ "jsonrpc": "2.0", "id": "q", "method": "roots/list", "params": { "a": 1 } });
    let (seen, audience) = hall.said(asks, callers).await;
    let by = json!({ "jsonrpc": "2.0", "id": "q", "result": { "by": expected } });
    assert_eq!(seen, Some(by));
    let is_audience = expected == "audience";
    let heard = if is_audience { r#"fake asks roots/list {"a":1}"# } else { "" };
    assert_eq!(audience, heard);
    for caller in callers {
        assert_eq!(caller.heard(), if is_audience { "" } else { "asked roots/list" });
    }
    hall.upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_is_for_the_only_caller_or_for_the_audience_if_nobody_calls() {
    check_asked(&[], "audience").await;
    check_asked(&[Ears::of("one")], "one").await;
    let several = Ears::of("several");
    check_asked(&[several.clone(), several], "several").await;
}

/// An audience that cannot bear anything.
struct Nervous;

impl Audience for Nervous {
    fn told(&self, _server: &ServerName, _method: &str, _params: Option<&RawValue>) {
        panic!("an audience that panics");
    }
}

#[tokio::test(start_paused = true)]
async fn an_audience_that_panics_costs_the_connection_and_not_the_server() {
    let fake = Fake::good();
    let upstreams = fake.kept_by(Identity::new("test", "1"), Arc::new(Nervous));
    settle(&upstreams).await;
    fake.say(notification("notifications/message", json!({}))).await;
    let lost = "fake waiting (someone who heard its messages panicked) fake:echo";
    timeout(Duration::from_secs(5), super::until(&upstreams, lost)).await.unwrap();
    super::until(&upstreams, "fake ready fake:echo").await;
    assert_eq!(fake.n_attempts(), 2);
    upstreams.stop().await;
}
