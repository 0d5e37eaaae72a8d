//! The official Rust SDK as a client of the built server, in both eras.

use std::{error::Error, future::Future, time::Duration};

use rmcp::{
    ClientHandler, ClientServiceExt, RoleClient, ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, ClientConfig, ClientRequest,
        ErrorCode, ProtocolVersion, ServerNotification, SubscriptionFilter,
    },
    service::{ClientLifecycleMode, NotificationContext, PeerRequestOptions, RunningService},
    transport::{IntoTransport, StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{
    served::{self, Served},
    support::{self, Machine, tree},
};

/// What a busy machine may take for something that takes less than a second.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn the_rust_sdk_is_served_behind_pipes_with_a_handshake() {
    over_pipes(handshake());
}

#[test]
fn the_rust_sdk_is_served_behind_pipes_without_a_handshake() {
    over_pipes(discovery());
    over_pipes(either());
}

#[test]
fn the_rust_sdk_is_served_over_http_with_a_handshake() {
    over_http(handshake());
}

#[test]
fn the_rust_sdk_is_served_over_http_without_a_handshake() {
    over_http(discovery());
    over_http(either());
}

fn handshake() -> ClientLifecycleMode {
    ClientLifecycleMode::Initialize
}

fn discovery() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

fn either() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    }
}

/// A client that remembers whether it was told of changed tools.
struct Listener {
    config: ClientConfig,
    changed: Notify,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

type Client = RunningService<RoleClient, Listener>;

fn over_pipes(lifecycle: ClientLifecycleMode) {
    run(async {
        let machine = served::machine();
        let (line, exits) = served::piped(&machine);
        let mut command = tokio::process::Command::new(&line[0]);
        command.args(&line[1..]).current_dir(machine.path("project"));
        command.env("HOME", machine.path("home"));
        let client = connect(TokioChildProcess::new(command).unwrap(), lifecycle).await;
        play(&client, &machine).await;
        client.cancel().await.unwrap();
        served::assert_went_by_itself(&exits);
    });
}

/// The server is stopped under the client's feet: an open stream must not keep it.
fn over_http(lifecycle: ClientLifecycleMode) {
    run(async {
        let machine = served::machine();
        let served = Served::start(&machine, "http");
        // The SDK's client asks for one even if nothing is encrypted.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let transport = StreamableHttpClientTransport::from_uri(served.url("/mcp"));
        let client = connect(transport, lifecycle).await;
        play(&client, &machine).await;
        let ended = tokio::task::spawn_blocking(|| served.stop()).await.unwrap();
        assert_eq!(ended.code(), Some(0));
        client.cancel().await.unwrap();
    });
}

/// Runs a story on a runtime of its own, if slow tests are wanted.
fn run(story: impl Future<Output = ()>) {
    if !support::slow() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, story).await.unwrap() });
}

async fn connect<T, E, A>(transport: T, lifecycle: ClientLifecycleMode) -> Client
where
    T: IntoTransport<RoleClient, E, A>,
    E: Error + Send + Sync + 'static,
{
    let mut config = ClientConfig::default();
    if lifecycle == ClientLifecycleMode::Initialize {
        config.protocol_version = ProtocolVersion::V_2025_11_25;
    }
    let listener = Listener { config, changed: Notify::new() };
    listener.serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

/// List, load, search, four ways to ask wrongly, a cancelled request, and a new skill.
async fn play(client: &Client, machine: &Machine) {
    let names: Vec<_> =
        client.list_all_tools().await.unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["skill", "skills_list", "skills_search", "skills_read"]);

    loads(client, machine).await;
    let found = call(client, "skills_search", json!({"query": "hello"})).await.unwrap();
    assert_eq!(found.structured_content.unwrap()["results"][0]["meta"]["name"], "greet");

    let unknown = call(client, "skill", json!({"name": "nobody"})).await.unwrap();
    assert_eq!(unknown.is_error, Some(true));
    assert!(text(&unknown).starts_with("Skill 'nobody' not found."), "{unknown:?}");

    refuses(client, "skill", json!({}), "name").await;
    refuses(client, "skill", json!({"name": 5}), "name").await;
    refuses(client, "skill", json!({"name": "greet", "more": 1}), "more").await;
    refuses(client, "nothing", json!({}), "nothing").await;

    cancels(client).await;
    loads(client, machine).await;
    hears_of_change(client, machine).await;
}

async fn call(
    client: &Client,
    tool: &'static str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    client.call_tool(request(tool, arguments)).await
}

fn request(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { unreachable!("arguments are an object") };
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

async fn loads(client: &Client, machine: &Machine) {
    let loaded = call(client, "skill", json!({"name": "greet"})).await.unwrap();
    let base = machine.path("skills/greet");
    let head = format!("Loading: greet\nBase directory: {}\n", base.display());
    assert!(text(&loaded).starts_with(&head), "{loaded:?}");
    assert!(text(&loaded).ends_with("---\nHello there.\n"), "{loaded:?}");
}

async fn refuses(client: &Client, tool: &'static str, arguments: Value, word: &str) {
    let answer = call(client, tool, arguments).await;
    let Err(ServiceError::McpError(error)) = answer else { panic!("{answer:?}") };
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{error:?}");
    assert!(error.message.contains(word), "{error:?}");
}

async fn cancels(client: &Client) {
    let params = request("skills_list", json!({"includeBody": true}));
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let pending =
        client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    pending.cancel(Some("no longer wanted".into())).await.unwrap();
}

async fn hears_of_change(client: &Client, machine: &Machine) {
    let skill = "name: fresh | description: Comes later.";
    let plant = || tree::write(&machine.path(""), "skills/fresh/SKILL.md", skill);
    if client
        .peer()
        .peer_info()
        .is_some_and(|it| it.protocol_version < ProtocolVersion::V_2026_07_28)
    {
        plant();
        client.service().changed.notified().await;
    } else {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let mut changes = client.listen(filter).await.unwrap();
        plant();
        let change = changes.next().await.unwrap().unwrap();
        assert!(matches!(change, ServerNotification::ToolListChangedNotification(_)), "{change:?}");
    }
    let tools = client.list_all_tools().await.unwrap();
    assert!(tools[0].description.as_ref().unwrap().contains("fresh"));
}
