//! Servers that others wrote, used through `metier-upstreams` over every transport.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use futures_util::future::join_all;
use metier_upstreams::{CallError, Endpoint, Fallback, Phase, Secrets, Site};
use serde_json::{Value, json};

use super::{
    clients::{self, INSTALLED, PYTHON, SCRIPTS},
    programs::{Daemon, Noted},
    story::{Listener, Story, run},
};

/// What there is to do with a server.
struct Part {
    /// Its tools, resources, templates and prompts, a line each.
    offer: &'static str,
    /// A call and the text that comes of it.
    echo: (Call, &'static str),
    /// A call that tells four times how far it has come.
    counts: Call,
    /// A call that tells how far it has come, and never ends.
    waits: Call,
    /// A call that may follow when that one was dropped, and the text that comes of it.
    after: (Call, &'static str),
    /// A call whose result is an error.
    fails: Call,
    /// A resource and what its text begins with.
    resource: (&'static str, &'static str),
}

/// A tool and its arguments.
type Call = (&'static str, &'static str);

/// The reference server of the protocol, `@modelcontextprotocol/server-everything`.
const EVERYTHING: Part = Part {
    offer: "\
echo get-annotated-message get-env get-resource-links get-resource-reference \
get-structured-content get-sum get-tiny-image gzip-file-as-resource simulate-research-query \
toggle-simulated-logging toggle-subscriber-updates trigger-long-running-operation
demo://resource/static/document/architecture.md demo://resource/static/document/extension.md \
demo://resource/static/document/features.md demo://resource/static/document/how-it-works.md \
demo://resource/static/document/instructions.md demo://resource/static/document/startup.md \
demo://resource/static/document/structure.md
demo://resource/dynamic/blob/{resourceId} demo://resource/dynamic/text/{resourceId}
args-prompt completable-prompt resource-prompt simple-prompt",
    echo: (("echo", r#"{"message":"hello"}"#), "Echo: hello"),
    counts: ("trigger-long-running-operation", r#"{"duration":0.1,"steps":4}"#),
    waits: ("trigger-long-running-operation", r#"{"duration":3600,"steps":36000}"#),
    after: (("get-sum", r#"{"a":1,"b":2}"#), "The sum of 1 and 2 is 3."),
    fails: ("get-sum", r#"{"a":"one"}"#),
    resource: ("demo://resource/dynamic/text/1", "Resource 1: This is a plaintext resource"),
};

/// The server of `tests/clients/server.py`, whose lists have pages. `cancellation` waits for that
/// of `wait`.
const PAGED: Part = Part {
    offer: "\
cancellation count echo fail wait
note://1 note://2 note://3
note://{number}
one three two",
    echo: (("echo", r#"{"text":"hello"}"#), "hello"),
    counts: ("count", r#"{"to":4}"#),
    waits: ("wait", "{}"),
    after: (("cancellation", "{}"), "cancelled"),
    fails: ("fail", "{}"),
    resource: ("note://3", "This is note 3."),
};

#[test]
fn the_everything_server_is_used_over_pipes() {
    over_pipes(&EVERYTHING, || vec![clients::node(), everything(), "stdio".into()]);
}

#[test]
fn the_everything_server_is_used_over_streamable_http() {
    over_the_web(&EVERYTHING, everything_over_http, streamable);
}

#[test]
fn the_everything_server_is_used_over_legacy_sse() {
    over_the_web(&EVERYTHING, everything_over_sse, |daemon| {
        Endpoint::LegacySse(site(daemon, "/sse"))
    });
}

#[test]
fn an_address_without_streamable_http_is_tried_as_legacy_sse() {
    run(async {
        let daemon = Daemon::start(everything_over_sse);
        let site = site(&daemon, "/sse");
        let endpoint = Endpoint::Http { site, fallback: Fallback::LegacySse };
        let story = Story::begin(endpoint).await;
        echoes(&story, &EVERYTHING).await;
        story.end().await;
    });
}

#[test]
fn a_python_server_is_used_over_pipes() {
    over_pipes(&PAGED, || vec![PYTHON.clone(), python_script(), "stdio".into()]);
}

#[test]
fn a_python_server_is_used_over_streamable_http() {
    over_the_web(&PAGED, python_over_http, streamable);
}

/// This server says 400 to those whose session it does not know, where the protocol wants 404.
#[test]
fn a_session_that_the_server_forgot_is_renewed_once_for_all_callers() {
    const OPENED: &str = "Session initialized with ID: ";
    run(async {
        let daemon = Daemon::start(everything_over_http);
        let story = Story::begin(streamable(&daemon)).await;
        let line = daemon.says(OPENED);
        let (_, id) = line.split_once(OPENED).unwrap();
        ureq::delete(daemon.url("/mcp")).header("mcp-session-id", id).call().unwrap();

        join_all((0..8).map(|_| echoes(&story, &EVERYTHING))).await;
        daemon.says(OPENED);
        story.end().await;
        let rest = daemon.last_words();
        assert!(!rest.iter().any(|line| line.contains(OPENED)), "{rest:#?}");
    });
}

#[test]
fn the_filesystem_server_lists_reads_and_writes() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("files");
        fs::create_dir(&root).unwrap();
        let server = package("server-filesystem/dist/index.js");
        let (noted, program) = Noted::new(folder.path(), &[&clients::node(), &server, &root]);
        let story = Story::begin(Endpoint::Stdio(program)).await;
        uses_files(&story, &root).await;
        story.end().await;
        assert_eq!(noted.n_alive(), 0);
    });
}

async fn uses_files(story: &Story, root: &Path) {
    let file = root.join("note.txt");
    let call =
        async |tool, arguments: Value| story.call(tool, &arguments.to_string()).await.unwrap();
    let written = call("write_file", json!({ "path": file, "content": "hello\n" })).await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "hello\n", "{written}");
    let read = call("read_text_file", json!({ "path": file })).await;
    assert_eq!(text(&read), "hello\n");
    let listed = call("list_directory", json!({ "path": root })).await;
    assert_eq!(text(&listed), "[FILE] note.txt");
    let outside = call("read_text_file", json!({ "path": root.parent() })).await;
    assert_eq!(outside["isError"], true, "{outside}");
}

/// A server whose program we start; that it is killed must not matter, and no one may be left.
fn over_pipes(part: &Part, line: fn() -> Vec<PathBuf>) {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (noted, program) = Noted::new(folder.path(), &line());
        let story = Story::begin(Endpoint::Stdio(program)).await;
        is_used(&story, part).await;
        noted.kill();
        is_missed(&story, part).await;
        comes_back(&story, part).await;
        story.end().await;
        assert_eq!(noted.n_alive(), 0);
    });
}

/// A server that runs without us; that it is started anew must not matter.
fn over_the_web(part: &Part, command: fn(u16) -> Command, endpoint: fn(&Daemon) -> Endpoint) {
    run(async {
        let mut daemon = Daemon::start(command);
        let story = Story::begin(endpoint(&daemon)).await;
        is_used(&story, part).await;
        daemon.kill();
        is_missed(&story, part).await;
        daemon.start_again();
        comes_back(&story, part).await;
        story.end().await;
    });
}

async fn is_used(story: &Story, part: &Part) {
    assert_eq!(story.offer(), part.offer);
    echoes(story, part).await;
    tells_of_progress(story, part).await;
    is_cancelled(story, part).await;
    refuses(story, part).await;
    let (uri, beginning) = part.resource;
    let read = story.read(uri).await.unwrap();
    assert!(read["contents"][0]["text"].as_str().unwrap().starts_with(beginning), "{read}");
}

async fn echoes(story: &Story, part: &Part) {
    let ((tool, arguments), expected) = part.echo;
    assert_eq!(text(&story.call(tool, arguments).await.unwrap()), expected);
}

async fn tells_of_progress(story: &Story, part: &Part) {
    let (listener, mut heard) = Listener::new();
    let (tool, arguments) = part.counts;
    story.call_as(tool, arguments, listener).await.unwrap();
    let mut steps = Vec::new();
    while let Some(step) = heard.recv().await {
        steps.push((step["progress"].as_f64().unwrap(), step["total"].as_f64().unwrap()));
    }
    assert_eq!(steps, [(1.0, 4.0), (2.0, 4.0), (3.0, 4.0), (4.0, 4.0)]);
}

/// A call that is dropped when it has certainly begun; the server goes on.
async fn is_cancelled(story: &Story, part: &Part) {
    let (listener, mut heard) = Listener::new();
    let (tool, arguments) = part.waits;
    tokio::select! {
        ended = story.call_as(tool, arguments, listener) => panic!("{ended:?}"),
        step = heard.recv() => assert!(step.is_some()),
    }
    let ((tool, arguments), expected) = part.after;
    assert_eq!(text(&story.call(tool, arguments).await.unwrap()), expected);
}

/// Errors of tools are results; those of the protocol keep their code.
async fn refuses(story: &Story, part: &Part) {
    let (tool, arguments) = part.fails;
    let failed = story.call(tool, arguments).await.unwrap();
    assert_eq!(failed["isError"], true, "{failed}");
    let missing = story.read("nowhere://to/be/found").await;
    let Err(CallError::Refused { error, .. }) = missing else { panic!("{missing:?}") };
    assert_eq!(error.code, -32602, "{error}");
    let unknown = story.call("nothing", "{}").await;
    assert!(matches!(unknown, Err(CallError::NoTool(_))), "{unknown:?}");
}

/// A server that is gone: whoever calls it hears so, and so does whoever looks.
async fn is_missed(story: &Story, part: &Part) {
    let ((tool, arguments), _) = part.echo;
    story.call(tool, arguments).await.unwrap_err();
    let server = story.until(|phase| *phase != Phase::Ready { attempt: 0 }).await;
    assert!(server.standing.last_error.is_some(), "{server:?}");
}

async fn comes_back(story: &Story, part: &Part) {
    story.retry().await;
    story.until(|phase| matches!(phase, Phase::Ready { attempt: 1.. })).await;
    echoes(story, part).await;
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

fn streamable(daemon: &Daemon) -> Endpoint {
    Endpoint::Http { site: site(daemon, "/mcp"), fallback: Fallback::None }
}

fn site(daemon: &Daemon, path: &str) -> Site {
    Site { url: daemon.url(path).parse().unwrap(), headers: Secrets::default() }
}

fn everything_over_http(port: u16) -> Command {
    everything_over("streamableHttp", port)
}

fn everything_over_sse(port: u16) -> Command {
    everything_over("sse", port)
}

fn everything_over(transport: &str, port: u16) -> Command {
    let mut command = Command::new(clients::node());
    command.arg(everything()).arg(transport).env("PORT", port.to_string());
    command
}

fn everything() -> PathBuf {
    package("server-everything/dist/index.js")
}

fn package(path: &str) -> PathBuf {
    INSTALLED.join("node_modules/@modelcontextprotocol").join(path)
}

fn python_over_http(port: u16) -> Command {
    let mut command = Command::new(&*PYTHON);
    command.arg(python_script()).args(["http", &port.to_string()]);
    command
}

fn python_script() -> PathBuf {
    Path::new(SCRIPTS).join("server.py")
}
