//! What one call through the crate costs beside the same call made by hand, in one run.
//!
//! `cargo bench -p metier-upstreams --bench call -- [--quick]`. The server is this very program,
//! started again: a bare loop over stdio, or a bare axum route. Both ways to it take turns, round by
//! round; a figure is the median over the rounds, and so is a ratio.

#![expect(clippy::unwrap_used, reason = "without its server a benchmark has nothing to measure")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::{
    env,
    io::{self, BufRead, BufReader, BufWriter, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{Router, http::header::CONTENT_TYPE, response::IntoResponse, routing::post};
use futures_util::{StreamExt, stream::FuturesUnordered};
use metier_upstreams::{
    Endpoint, Fallback, Identity, Plan, Program, Secrets, ServerName, ServerSpec, Site, Upstreams,
};
use serde_json::{Value, json, value::RawValue};
use tokio::runtime::{Builder, Runtime};

const ARGUMENTS: &str =
    r#"{"text":"a text of some sixty characters, as one would send to a tool"}"#;
const CALL: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":"#,
    r#"{"text":"a text of some sixty characters, as one would send to a tool"}}}"#
);

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve", "stdio"] => serve_stdio().unwrap(),
        ["serve", "http"] => serve_http().unwrap(),
        args => measure(if args.contains(&"--quick") { 5 } else { 31 }),
    }
}

/// What a bare server makes of a message.
fn answer(message: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(message).unwrap();
    let result = match message["method"].as_str().unwrap() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "bare", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [{ "name": "echo" }] }),
        "tools/call" => {
            let text = &message["params"]["arguments"]["text"];
            json!({ "content": [{ "type": "text", "text": text }] })
        }
        "server/discover" => {
            let error = json!({ "code": -32601, "message": "unknown" });
            return Some(
                json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }).to_string(),
            );
        }
        _ => return None,
    };
    Some(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string())
}

fn serve_stdio() -> io::Result<()> {
    let (input, mut output) = (io::stdin().lock(), BufWriter::new(io::stdout().lock()));
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if let Some(answer) = answer(&line) {
            writeln!(output, "{answer}")?;
        }
        if input.buffer().is_empty() {
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

fn serve_http() -> io::Result<()> {
    let reply = |body: bytes::Bytes| async move {
        let answer = answer(&body).unwrap_or_default();
        ([(CONTENT_TYPE, "application/json")], answer).into_response()
    };
    runtime().block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?.port());
        use axum::serve::ListenerExt;
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        axum::serve(listener, Router::new().route("/mcp", post(reply))).await
    })
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn start(transport: &str) -> (Child, ChildStdin, BufReader<ChildStdout>) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["serve", transport])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, input, BufReader::new(output))
}

fn measure(rounds: usize) {
    println!("{:<24} {:>10} {:>10} {:>7}", "one call, µs", "by hand", "crate", "ratio");
    for in_flight in [1, 32] {
        let (mut child, mut input, mut output) = start("stdio");
        let by_hand = |calls: usize| {
            let mut line = String::new();
            for _ in 0..calls / in_flight {
                for _ in 0..in_flight {
                    writeln!(input, "{CALL}").unwrap();
                }
                for _ in 0..in_flight {
                    line.clear();
                    output.read_line(&mut line).unwrap();
                    assert!(line.contains("content"));
                }
            }
        };
        let program = Program {
            command: env::current_exe().unwrap().to_str().unwrap().to_owned(),
            args: vec!["serve".to_owned(), "stdio".to_owned()],
            env: Secrets::default(),
            cwd: None,
        };
        race("stdio", in_flight, rounds, by_hand, Endpoint::Stdio(program));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // As the crate does when it first goes to the web.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (mut child, _input, mut output) = start("http");
    let mut port = String::new();
    output.read_line(&mut port).unwrap();
    let url = format!("http://127.0.0.1:{}/mcp", port.trim());
    for in_flight in [1, 32] {
        let (runtime, client) = (runtime(), reqwest::Client::new());
        let by_hand = |calls: usize| {
            runtime.block_on(at_once(calls, in_flight, || async {
                let sent = client.post(&url).header("content-type", "application/json").body(CALL);
                let body = sent.send().await.unwrap().bytes().await.unwrap();
                let _: &RawValue = serde_json::from_slice(&body).unwrap();
            }));
        };
        let site = Site { url: url.parse().unwrap(), headers: Secrets::default() };
        let endpoint = Endpoint::Http { site, fallback: Fallback::None };
        race("http", in_flight, rounds, by_hand, endpoint);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Lets both ways take turns, and prints what they took.
fn race(
    transport: &str,
    in_flight: usize,
    rounds: usize,
    mut by_hand: impl FnMut(usize),
    endpoint: Endpoint,
) {
    const CALLS: usize = 2_048;
    let runtime = runtime();
    let upstreams = runtime.block_on(async {
        let spec = ServerSpec::new(ServerName::new("bare").unwrap(), endpoint);
        let plan = Plan { servers: vec![spec], ..Plan::default() };
        let upstreams = Upstreams::start(Identity::new("bench", "1"), plan);
        let roster = upstreams.settled(Duration::from_secs(10)).await;
        assert!(roster.tools().get("bare:echo").is_some(), "the server is not ready");
        upstreams
    });
    let arguments = RawValue::from_string(ARGUMENTS.to_owned()).unwrap();
    let caller: Arc<()> = Arc::new(());
    let through = |calls: usize| {
        runtime.block_on(at_once(calls, in_flight, || async {
            upstreams.call("bare:echo", Some(&arguments), caller.clone()).await.unwrap();
        }));
    };
    let mut turns = Vec::new();
    for round in 0..=rounds {
        let hand = timed(|| by_hand(CALLS)) / CALLS as f64;
        let ours = timed(|| through(CALLS)) / CALLS as f64;
        // The first round warms both up.
        if round > 0 {
            turns.push((hand, ours, ours / hand));
        }
    }
    let (hand, ours) = (median(&turns, |it| it.0), median(&turns, |it| it.1));
    let ratio = median(&turns, |it| it.2);
    let name = format!("{transport}, {in_flight} at a time");
    println!("{name:<24} {hand:>10.1} {ours:>10.1} {ratio:>7.2}");
    runtime.block_on(upstreams.stop());
}

/// Does something many times, so many at a time.
async fn at_once<F: Future<Output = ()>>(calls: usize, in_flight: usize, once: impl Fn() -> F) {
    let mut running: FuturesUnordered<F> = (0..in_flight).map(|_| once()).collect();
    let mut left = calls - in_flight;
    while running.next().await.is_some() {
        if left > 0 {
            left -= 1;
            running.push(once());
        }
    }
}

/// How many microseconds something takes.
fn timed(run: impl FnOnce()) -> f64 {
    let began = Instant::now();
    run();
    began.elapsed().as_secs_f64() * 1e6
}

fn median<T>(turns: &[T], figure: impl Fn(&T) -> f64) -> f64 {
    let mut figures: Vec<f64> = turns.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
