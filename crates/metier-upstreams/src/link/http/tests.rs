//! One request after another against a server that answers by a script.

mod answers;
mod faults;
mod sessions;
mod sockets;

use std::sync::Arc;

use metier_wire::Revision;
use serde_json::value::RawValue;
use tokio_util::task::TaskTracker;

use super::Http;
use crate::{
    caller::{Caller, Running},
    identity::Identity,
    link::{
        Ask, Link, Switchboard, Way,
        stub::{Stub, site, told},
    },
    web::Web,
};

const LEGACY: Option<Revision> = Some(Revision::V2025_11_25);
const MODERN: Option<Revision> = Some(Revision::V2026_07_28);

/// A link to a server, and what belongs to it.
struct Bench {
    link: Link,
    tasks: TaskTracker,
}

impl Bench {
    fn new(web: Web, revision: Option<Revision>) -> Bench {
        Bench::at("https://files.example/mcp", web, revision)
    }

    fn at(url: &str, web: Web, revision: Option<Revision>) -> Bench {
        Bench::heard_by(Arc::new(()), url, web, revision)
    }

    /// One whose server is heard by someone outside of calls.
    fn heard_by(
        audience: Arc<dyn Caller>,
        url: &str,
        web: Web,
        revision: Option<Revision>,
    ) -> Bench {
        let tasks = TaskTracker::new();
        let board = Switchboard::new(Arc::new(Identity::new("metier", "1")), audience);
        revision.into_iter().for_each(|it| board.settle(it));
        let http = Http::new(&site(url, &[]), web, &tasks).unwrap();
        Bench { link: Link::new(Way::Http(http), board), tasks }
    }

    /// Sends a request, and says what came of it.
    async fn ask(&self, method: &str) -> String {
        told(self.link.request(Ask::new(method, &[])).await)
    }

    /// Calls a tool for someone.
    async fn call(&self, caller: Arc<dyn Caller>) -> String {
        let running = Running::new(caller);
        let name = RawValue::from_string(r#""look""#.to_owned()).unwrap();
        let ask = Ask {
            method: "tools/call",
            params: &[("name", &name)],
            running: Some(&running),
            ..Ask::default()
        };
        told(self.link.request(ask).await)
    }

    /// Waits until all that runs aside is done.
    async fn settle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }
}

/// What comes of one `tools/list`, and then what the server got.
async fn check(revision: Option<Revision>, script: &[&str], expected: &str) {
    let stub = Stub::new(script);
    let bench = Bench::new(stub.web(), revision);
    let outcome = bench.ask("tools/list").await;
    bench.settle().await;
    assert_eq!(format!("{outcome}\n{}", stub.log()), expected);
}

/// What comes of one `tools/list`, where what the server got goes without saying.
async fn check_outcome(revision: Option<Revision>, answer: &str, expected: &str) {
    let stub = Stub::new(&[answer]);
    let bench = Bench::new(stub.web(), revision);
    assert_eq!(bench.ask("tools/list").await, expected);
    bench.settle().await;
    assert_eq!(stub.log().lines().count(), 1, "{}", stub.log());
}
