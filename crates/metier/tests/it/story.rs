//! One server and someone who uses it through `metier-upstreams`.

use std::sync::Arc;

use metier_upstreams::{
    CallError, Caller, Endpoint, Identity, Phase, Plan, Server, ServerName, ServerSpec, Upstreams,
};
use serde_json::{Value, value::RawValue};
use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    time::timeout,
};

use super::{programs::PATIENCE, support};

/// Runs a story if slow tests are wanted.
pub(crate) fn run(story: impl Future<Output = ()>) {
    if support::slow() {
        block_on(story);
    }
}

/// Runs a story on a runtime of its own. The story may block; what it uses goes on meanwhile.
pub(crate) fn block_on(story: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { timeout(2 * PATIENCE, story).await.unwrap() });
}

/// A server that is kept.
pub(crate) struct Story {
    upstreams: Upstreams,
    name: ServerName,
}

impl Story {
    /// Connects a server.
    pub(crate) async fn begin(endpoint: Endpoint) -> Story {
        let name = ServerName::new("it").unwrap();
        let mut spec = ServerSpec::new(name.clone(), endpoint);
        spec.connect_timeout = PATIENCE;
        let plan = Plan { servers: vec![spec], ..Plan::default() };
        let upstreams = Upstreams::start(Identity::new("metier", "0"), plan);
        let story = Story { upstreams, name };
        story.upstreams.settled(PATIENCE).await;
        let Server { standing, .. } = &*story.server();
        assert_eq!(standing.phase, Phase::Ready { attempt: 0 });
        story
    }

    pub(crate) fn server(&self) -> Arc<Server> {
        self.upstreams.roster().server(&self.name).unwrap().clone()
    }

    /// The server as soon as its phase is of some kind.
    pub(crate) async fn until(&self, is: impl Fn(&Phase) -> bool) -> Arc<Server> {
        let mut rosters = self.upstreams.rosters();
        let name = &self.name;
        let seen = rosters.wait_for(|it| is(&it.server(name).unwrap().standing.phase));
        let roster =
            timeout(PATIENCE, seen).await.unwrap_or_else(|_| panic!("{:?}", self.server()));
        roster.unwrap().server(name).unwrap().clone()
    }

    /// The names of all that the server offers, a line for each kind.
    pub(crate) fn offer(&self) -> String {
        let offer = self.server().standing.offer.clone().unwrap();
        let tools: Vec<&str> = offer.tools.iter().map(|it| &*it.name).collect();
        let lists = [&offer.resources, &offer.templates, &offer.prompts];
        let lists = lists.map(|list| list.iter().map(|it| &*it.key).collect::<Vec<_>>().join(" "));
        format!("{}\n{}", tools.join(" "), lists.join("\n"))
    }

    pub(crate) async fn call(&self, tool: &str, arguments: &str) -> Result<Value, CallError> {
        self.call_as(tool, arguments, Arc::new(())).await
    }

    pub(crate) async fn call_as(
        &self,
        tool: &str,
        arguments: &str,
        caller: Arc<dyn Caller>,
    ) -> Result<Value, CallError> {
        let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
        let tool = format!("{}:{tool}", self.name);
        parsed(self.upstreams.call(&tool, Some(&arguments), caller).await)
    }

    pub(crate) async fn read(&self, uri: &str) -> Result<Value, CallError> {
        parsed(self.upstreams.read(&self.name, uri, Arc::new(())).await)
    }

    pub(crate) async fn retry(&self) {
        self.upstreams.retry(&self.name).await;
    }

    /// Leaves the server.
    pub(crate) async fn end(&self) {
        self.upstreams.stop().await;
        assert_eq!(self.server().standing.phase, Phase::Stopped);
    }
}

fn parsed(outcome: Result<Box<RawValue>, CallError>) -> Result<Value, CallError> {
    outcome.map(|result| serde_json::from_str(result.get()).unwrap())
}

/// A caller who passes on what is heard of the call's progress.
pub(crate) struct Listener(UnboundedSender<Value>);

impl Listener {
    pub(crate) fn new() -> (Arc<Listener>, UnboundedReceiver<Value>) {
        let (heard, hear) = mpsc::unbounded_channel();
        (Arc::new(Listener(heard)), hear)
    }
}

impl Caller for Listener {
    fn progress(&self, params: &RawValue) {
        let _ = self.0.send(serde_json::from_str(params.get()).unwrap());
    }
}
