//! How other gateways want to be told what stands behind them.
//!
//! Each in the way that costs it least: nothing in its log but errors, no look for updates.

use std::{fmt::Write, io};

use serde_json::json;

use crate::{
    contender::Front,
    stage::{Stage, server},
};

/// Variables that keep logs short.
pub(crate) const QUIET: [(&str, &str); 4] = [
    ("RUST_LOG", "error"),
    ("FASTMCP_LOG_LEVEL", "ERROR"),
    ("FASTMCP_CHECK_FOR_UPDATES", "off"),
    ("FASTMCP_SHOW_SERVER_BANNER", "false"),
];

pub(crate) fn aggregator(stage: &Stage) -> io::Result<Vec<String>> {
    let servers = stage.servers(|name| json!({"type": "stdio", "prefix": name}))?;
    let config = stage.file("aggregator.json", &json!({ "servers": servers }).to_string())?;
    Ok(words(["--config", &config, "--addr", &stage.address.to_string()]))
}

pub(crate) fn hub_crate(stage: &Stage) -> io::Result<Vec<String>> {
    let mut config = String::new();
    for name in stage.names() {
        let _ = writeln!(config, "[servers.{name}]\nprefix = \"{name}\"\n{}", program()?);
    }
    Ok(vec![stage.file("hub.toml", &config)?])
}

pub(crate) fn proxy_crate(stage: &Stage) -> io::Result<Vec<String>> {
    let mut config = String::from("[proxy]\nname = \"proxy\"\n");
    let _ = writeln!(config, "[proxy.listen]\nhost = \"127.0.0.1\"\nport = {}", stage.port());
    for name in stage.names() {
        let head = format!("[[backends]]\nname = \"{name}\"\ntransport = \"stdio\"");
        let _ = writeln!(config, "{head}\n{}", program()?);
    }
    Ok(words(["--config", &stage.file("proxy.toml", &config)?]))
}

pub(crate) fn hub_npm(stage: &Stage) -> io::Result<Vec<String>> {
    Ok(words(["--port", &stage.port(), "--config", &mcp_servers(stage)?]))
}

pub(crate) fn proxy_pypi(stage: &Stage) -> io::Result<Vec<String>> {
    let config = mcp_servers(stage)?;
    Ok(words(["--port", &stage.port(), "--log-level", "ERROR", "--named-server-config", &config]))
}

pub(crate) fn fastmcp(stage: &Stage) -> io::Result<Vec<String>> {
    let port = stage.address.port();
    let how = match stage.front {
        Front::Stdio => json!({}),
        _ => json!({"transport": "http", "port": port}),
    };
    Ok(vec![stage.file("gateway.py", FASTMCP)?, mcp_servers(stage)?, how.to_string()])
}

/// Of the ways to put servers behind one, that which costs a call least: a session of each is kept.
const FASTMCP: &str = r#"
import asyncio, json, sys
from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

async def main(servers, how):
    gateway = FastMCP("gateway")
    for name, server in servers.items():
        client = Client(StdioTransport(**server))
        await client.__aenter__()
        gateway.mount(create_proxy(client), namespace=name)
    await gateway.run_async(show_banner=False, **how)

asyncio.run(main(json.load(open(sys.argv[1]))["mcpServers"], json.loads(sys.argv[2])))
"#;

/// The file that most clients know.
fn mcp_servers(stage: &Stage) -> io::Result<String> {
    let servers = stage.servers(|_| json!({}))?;
    stage.file("mcp.json", &json!({ "mcpServers": servers }).to_string())
}

/// How a server is started, in TOML.
fn program() -> io::Result<String> {
    let (command, args) = server()?;
    Ok(format!("command = {}\nargs = {}\n", json!(command), json!(args)))
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).into()
}
