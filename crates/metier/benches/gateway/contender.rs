//! The programs compared.

use std::{
    env, io,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::json;

use crate::{floor, peers, stage::Stage};

/// Where other gateways are.
const PEERS: &str = "METIER_PEERS";

/// Variables that name the folders in which programs keep things.
const HOMES: [&str; 5] =
    ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

/// How a client reaches a gateway.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Front {
    Stdio,
    /// Streamable HTTP at this path; `{}` stands for a server where each has a path of its own.
    Http(&'static str),
    /// The transport before that.
    Sse(&'static str),
}

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Program {
    /// This very program.
    Floor,
    Metier,
    /// A file below the folder of the peers.
    Peer(&'static str),
}

/// One of the programs compared.
pub(crate) struct Contender {
    pub(crate) label: &'static str,
    pub(crate) front: Front,
    program: Program,
    /// Whether all servers stand behind it, or it is one of them.
    is_gateway: bool,
    arguments: fn(&Stage) -> io::Result<Vec<String>>,
}

/// Which row the others are compared with.
pub(crate) const BARE: usize = 1;

/// Who takes part, client on stdio; the bare proxy second.
static STDIO: [Contender; 7] = [
    Contender { is_gateway: false, ..row("direct", Front::Stdio, Program::Floor, direct) },
    row("bare proxy", Front::Stdio, Program::Floor, bare),
    row("bare proxy, in batches", Front::Stdio, Program::Floor, batches),
    row("metier", Front::Stdio, Program::Metier, metier),
    row("metier, no line in the log for a call", Front::Stdio, Program::Metier, quiet),
    row("mcp-hub (crate)", Front::Stdio, Program::Peer("cargo/bin/mcp-hub"), peers::hub_crate),
    row("fastmcp", Front::Stdio, Program::Peer("py/bin/python"), peers::fastmcp),
];

/// Who takes part, client on HTTP, in the same order.
static HTTP: [Contender; 9] = [
    Contender { is_gateway: false, ..row("direct", MCP, Program::Floor, direct) },
    row("bare proxy", MCP, Program::Floor, bare),
    row("metier", MCP, Program::Metier, metier),
    row("metier, no line in the log for a call", MCP, Program::Metier, quiet),
    row(
        "mcp-aggregator (crate)",
        MCP,
        Program::Peer("cargo/bin/mcp-aggregator"),
        peers::aggregator,
    ),
    row(
        "mcp-proxy (crate)",
        Front::Http("/"),
        Program::Peer("cargo/bin/mcp-proxy"),
        peers::proxy_crate,
    ),
    row(
        "mcp-hub (npm), SSE",
        Front::Sse("/mcp"),
        Program::Peer("npm/node_modules/.bin/mcp-hub"),
        peers::hub_npm,
    ),
    row(
        "mcp-proxy (PyPI), a path each",
        Front::Http("/servers/{}/mcp"),
        Program::Peer("py-proxy/bin/mcp-proxy"),
        peers::proxy_pypi,
    ),
    row("fastmcp", MCP, Program::Peer("py/bin/python"), peers::fastmcp),
];

const MCP: Front = Front::Http("/mcp");

const fn row(
    label: &'static str,
    front: Front,
    program: Program,
    arguments: fn(&Stage) -> io::Result<Vec<String>>,
) -> Contender {
    Contender { label, front, program, is_gateway: true, arguments }
}

/// Those who compete with each other.
pub(crate) struct Field {
    /// What the client is on.
    pub(crate) front: &'static str,
    pub(crate) contenders: Vec<&'static Contender>,
}

impl Field {
    /// All contenders that are there.
    pub(crate) fn all() -> [Field; 2] {
        let fields: [(&str, &[Contender]); 2] = [("stdio", &STDIO), ("HTTP", &HTTP)];
        fields.map(|(front, all)| {
            let contenders = all.iter().filter(|it| it.is_there(front)).collect();
            Field { front, contenders }
        })
    }
}

impl Contender {
    pub(crate) fn is_peer(&self) -> bool {
        matches!(self.program, Program::Peer(_))
    }

    /// How many tools it shall list.
    pub(crate) fn n_tools(&self, n_upstreams: usize) -> usize {
        if self.is_gateway { n_upstreams } else { 1 }
    }

    /// The program with its arguments, and a home where nobody has ever been.
    pub(crate) fn command(&self, stage: &Stage) -> io::Result<Command> {
        let home = stage.home()?;
        let mut command = Command::new(self.path().unwrap_or_default());
        command.args((self.arguments)(stage)?).current_dir(&home);
        command.envs(HOMES.map(|it| (it, &home)));
        if self.is_peer() {
            command.envs(peers::QUIET);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stage.log()?);
        Ok(command)
    }

    fn path(&self) -> Option<PathBuf> {
        match self.program {
            Program::Floor => env::current_exe().ok(),
            Program::Metier => Some(env!("CARGO_BIN_EXE_metier").into()),
            Program::Peer(file) => env::var_os(PEERS).map(|it| PathBuf::from(it).join(file)),
        }
    }

    #[expect(clippy::print_stderr, reason = "who is missing would otherwise not be missed")]
    fn is_there(&self, front: &str) -> bool {
        let is_there = self.path().is_some_and(|it| it.is_file());
        if !is_there {
            eprintln!("`{}` on {front} is left out: not found below ${PEERS}", self.label);
        }
        is_there
    }
}

fn direct(stage: &Stage) -> io::Result<Vec<String>> {
    Ok(floor(stage, ["echo".to_owned()]))
}

fn bare(stage: &Stage) -> io::Result<Vec<String>> {
    Ok(floor(stage, ["proxy".to_owned(), stage.n_upstreams.to_string()]))
}

fn batches(stage: &Stage) -> io::Result<Vec<String>> {
    Ok(floor(stage, ["batches".to_owned(), stage.n_upstreams.to_string()]))
}

/// Floors listen where they are told, and otherwise speak on stdio.
fn floor<const N: usize>(stage: &Stage, what: [String; N]) -> Vec<String> {
    let port = (stage.front != Front::Stdio).then(|| stage.port());
    [floor::COMMAND.to_owned()].into_iter().chain(what).chain(port).collect()
}

fn metier(stage: &Stage) -> io::Result<Vec<String>> {
    let config = json!({ "mcpServers": stage.servers(|_| json!({}))? });
    let config = stage.file("metier.json", &config.to_string())?;
    let home = stage.home()?;
    let mut arguments = vec!["mcp", "--config", &config, "--user-dir", &home, "--root", &home];
    let port = stage.port();
    if stage.front != Front::Stdio {
        arguments.extend(["--transport", "http", "--port", &port]);
    }
    Ok(arguments.into_iter().map(str::to_owned).collect())
}

/// As quiet as its peers are made.
fn quiet(stage: &Stage) -> io::Result<Vec<String>> {
    let mut arguments = metier(stage)?;
    arguments.extend(["--log-level".to_owned(), "error".to_owned()]);
    Ok(arguments)
}
