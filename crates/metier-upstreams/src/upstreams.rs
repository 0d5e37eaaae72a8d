//! The handle: everything that one can do with servers.

use std::{sync::Arc, time::Duration};

use serde_json::value::{RawValue, to_raw_value};
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    audience::Audience,
    call::{self, CallError, Request, ToolCall},
    caller::Caller,
    connect::Opener,
    hub::{Hub, Order, Plan},
    identity::Identity,
    link::Ask,
    registry::ToolEntry,
    roster::Roster,
    rounds::{MOST_ROUNDS, Questions},
    spec::ServerName,
};

/// How long all servers together may take to end.
const STOP_WITHIN: Duration = Duration::from_secs(10);

/// Servers that are kept; clones are the same ones. When the last clone is dropped, all end.
#[derive(Clone)]
pub struct Upstreams(Arc<Hold>);

struct Hold {
    roster: watch::Receiver<Arc<Roster>>,
    orders: mpsc::Sender<Order>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Upstreams {
    /// Begins to keep the servers of a plan, on the runtime that this is called on.
    #[must_use]
    pub fn start(identity: Identity, plan: Plan) -> Upstreams {
        Upstreams::start_for(identity, plan, Arc::new(()))
    }

    /// The same, for an audience that hears what servers say outside of calls.
    #[must_use]
    pub fn start_for(identity: Identity, plan: Plan, audience: Arc<dyn Audience>) -> Upstreams {
        let tasks = TaskTracker::new();
        let opener = Opener::real(identity, audience, &tasks);
        Upstreams::start_with(opener, tasks, plan)
    }

    pub(crate) fn start_with(opener: Opener, tasks: TaskTracker, plan: Plan) -> Upstreams {
        let stop = CancellationToken::new();
        let (publish, roster) = watch::channel(Arc::default());
        let (orders, incoming) = mpsc::channel(16);
        let mut hub = Hub::new(opener, tasks.clone(), stop.clone(), publish);
        hub.follow(plan);
        tasks.spawn(hub.run(incoming));
        Upstreams(Arc::new(Hold { roster, orders, stop, tasks }))
    }

    /// All servers and what they offer, now.
    #[must_use]
    pub fn roster(&self) -> Arc<Roster> {
        self.0.roster.borrow().clone()
    }

    /// The roster, and each one that comes after it.
    #[must_use]
    pub fn rosters(&self) -> watch::Receiver<Arc<Roster>> {
        self.0.roster.clone()
    }

    /// The roster when it is known of every server whether it can be reached, or when the time is over.
    pub async fn settled(&self, within: Duration) -> Arc<Roster> {
        let mut roster = self.0.roster.clone();
        let settled = roster.wait_for(|roster| roster.is_settled());
        match timeout(within, settled).await {
            Ok(Ok(roster)) => roster.clone(),
            Ok(Err(_)) | Err(_) => self.roster(),
        }
    }

    /// Follows another plan: only servers that are to be reached in another way are left and reached anew.
    pub async fn follow(&self, plan: Plan) {
        let _ = self.0.orders.send(Order::Plan(plan)).await;
    }

    /// Tries a server that waits again at once.
    pub async fn retry(&self, server: &ServerName) {
        let _ = self.0.orders.send(Order::Retry(server.clone())).await;
    }

    /// Calls a tool by its id (`server:tool`) or wire name, and answers what the server asks meanwhile.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Option<&RawValue>,
        caller: Arc<dyn Caller>,
    ) -> Result<Box<RawValue>, CallError> {
        let roster = self.knowing(tool).await;
        let Some(entry) = roster.tools().get(tool) else {
            return Err(CallError::NoTool(tool.to_owned()));
        };
        let nothing = RawValue::from_string("{}".to_owned()).unwrap_or_default();
        let params = [("arguments", arguments.unwrap_or(&nothing))];
        let call = ToolCall { params: &params, ..ToolCall::default() };
        self.forward_through(entry, call, caller).await
    }

    /// Calls a tool as a client did; a result that asks for more first is passed on as it is.
    pub async fn forward(
        &self,
        entry: &ToolEntry,
        call: ToolCall<'_>,
        caller: Arc<dyn Caller>,
    ) -> Result<Box<RawValue>, CallError> {
        call::request(&self.0.roster, &entry.server, &call.ask(&entry.tool), &caller).await
    }

    /// Calls a tool as a client did; what a result asks for first is put to the caller.
    pub async fn forward_through(
        &self,
        entry: &ToolEntry,
        call: ToolCall<'_>,
        caller: Arc<dyn Caller>,
    ) -> Result<Box<RawValue>, CallError> {
        self.through(&entry.server, call.ask(&entry.tool), &caller).await
    }

    /// The roster when it has a tool, or when no server whose it could be is just being met.
    pub async fn knowing(&self, tool: &str) -> Arc<Roster> {
        let knows =
            |roster: &Arc<Roster>| roster.tools().get(tool).is_some() || !roster.is_meeting(tool);
        let now = self.roster();
        if knows(&now) {
            return now;
        }
        self.0.roster.clone().wait_for(knows).await.map_or(now, |it| it.clone())
    }

    /// Reads a resource of a server.
    pub async fn read(
        &self,
        server: &ServerName,
        uri: &str,
        caller: Arc<dyn Caller>,
    ) -> Result<Box<RawValue>, CallError> {
        let uri = to_raw_value(uri).unwrap_or_default();
        let params = [("uri", &*uri)];
        self.request_through(server, Request::new("resources/read", &params), caller).await
    }

    /// Asks a server anything; what it answers is passed on as it is.
    pub async fn request(
        &self,
        server: &ServerName,
        request: Request<'_>,
        caller: Arc<dyn Caller>,
    ) -> Result<Box<RawValue>, CallError> {
        call::request(&self.0.roster, server, &request.ask(), &caller).await
    }

    /// Asks a server for a stream that stays open until either side ends it; the caller hears what it
    /// brings.
    pub async fn listen(
        &self,
        server: &ServerName,
        request: Request<'_>,
        caller: Arc<dyn Caller>,
    ) -> Result<Box<RawValue>, CallError> {
        call::listen(&self.0.roster, server, request.ask(), caller).await
    }

    /// Tells a server something that has no answer, if it is there to hear it.
    pub async fn notify(&self, server: &ServerName, method: &str) {
        let roster = self.roster();
        let link = roster.server(server).and_then(|it| it.standing.link.as_ref());
        if let Some(link) = link {
            let _ = link.notify(method, None::<&()>).await;
        }
    }

    /// Asks a server anything; what a result asks for first is put to the caller.
    pub async fn request_through(
        &self,
        server: &ServerName,
        request: Request<'_>,
        caller: Arc<dyn Caller>,
    ) -> Result<Box<RawValue>, CallError> {
        self.through(server, request.ask(), &caller).await
    }

    /// Asks a server, and goes on asking with the caller's answers until there is a result.
    async fn through(
        &self,
        server: &ServerName,
        ask: Ask<'_>,
        caller: &Arc<dyn Caller>,
    ) -> Result<Box<RawValue>, CallError> {
        let result = call::request(&self.0.roster, server, &ask, caller).await?;
        match Questions::in_result(&result) {
            None => Ok(result),
            Some(questions) => Box::pin(self.rounds(server, ask, caller, questions)).await,
        }
    }

    /// Answers questions until there is a result.
    async fn rounds(
        &self,
        server: &ServerName,
        ask: Ask<'_>,
        caller: &Arc<dyn Caller>,
        mut questions: Questions,
    ) -> Result<Box<RawValue>, CallError> {
        for _ in 0..MOST_ROUNDS {
            let answers = questions
                .put_to(caller)
                .await
                .map_err(|error| CallError::Refused { server: server.clone(), error })?;
            let params = answers.beside(ask.params);
            let ask = Ask { params: &params, ..ask };
            let result = call::request(&self.0.roster, server, &ask, caller).await?;
            match Questions::in_result(&result) {
                None => return Ok(result),
                Some(more) => questions = more,
            }
        }
        let reason = format!("it asked more than {MOST_ROUNDS} times");
        Err(CallError::Lost { server: server.clone(), reason })
    }

    /// Leaves all servers, and waits until that is done.
    pub async fn stop(&self) {
        self.0.stop.cancel();
        self.0.tasks.close();
        let _ = timeout(STOP_WITHIN, self.0.tasks.wait()).await;
    }
}
