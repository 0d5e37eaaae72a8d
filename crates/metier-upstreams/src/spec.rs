//! Specs: how a server is reached, validated; nothing in one can be half right.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc, time::Duration};

use thiserror::Error;
use url::Url;

use crate::filter::ToolFilter;

/// How long a server may take until it is ready, if nothing else is said.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a call may be silent, if nothing else is said.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(300);

/// The name of a server: its key in the configuration.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(Arc<str>);

/// Why a text is no name of a server.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "`{0}` is not a server name: use letters, digits, `-`, `_` and `.`, {LONGEST_NAME} at most"
)]
pub struct NameError(String);

/// How many characters a name may have.
const LONGEST_NAME: usize = 64;

/// How one server is reached, and what of it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    /// What it is called here.
    pub name: ServerName,
    /// How it is reached.
    pub endpoint: Endpoint,
    /// Whether it may be reached.
    pub admission: Admission,
    /// Which of its tools exist for us.
    pub tools: ToolFilter,
    /// How long it may take from the start until it is ready.
    pub connect_timeout: Duration,
    /// How long a call may be silent; progress begins that time anew.
    pub call_timeout: Duration,
}

/// How a server is reached; each way carries what it needs and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// A program that we start, and talk to over its standard streams.
    Stdio(Program),
    /// Streamable HTTP.
    Http {
        /// Where.
        site: Site,
        /// What to do if it is not spoken there.
        fallback: Fallback,
    },
    /// The older HTTP transport with one stream for all answers.
    LegacySse(Site),
}

/// A program and how to start it.
#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    /// Its path, or a name to look for in `PATH`.
    pub command: String,
    /// Its arguments; they may hold secrets and are never shown.
    pub args: Vec<String>,
    /// Variables that it gets beside those of this process.
    pub env: Secrets,
    /// The folder it starts in; that of this process if none.
    pub cwd: Option<PathBuf>,
}

/// An address, and what to send along with every request to it.
#[derive(Clone, PartialEq, Eq)]
pub struct Site {
    /// Its URL; user and query may hold secrets.
    pub url: Url,
    /// Headers for every request.
    pub headers: Secrets,
}

/// What to do if streamable HTTP is not spoken at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// Say so.
    None,
    /// Try legacy SSE at the same address.
    LegacySse,
}

/// Whether a server may be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is connected at start.
    Granted,
    /// It comes from a file that nobody has vouched for; the text says what to do.
    Untrusted(String),
    /// Its owner switched it off.
    Disabled,
}

/// Named values that are never shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets(pub BTreeMap<String, String>);

impl ServerName {
    /// Takes a text as a name, if it may be one.
    pub fn new(text: &str) -> Result<ServerName, NameError> {
        let is_name = !text.is_empty()
            && text.chars().count() <= LONGEST_NAME
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        if is_name {
            Ok(ServerName(text.into()))
        } else {
            Err(NameError(text.chars().take(LONGEST_NAME + 1).collect()))
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl ServerSpec {
    /// A server with the usual deadlines, all of whose tools are used.
    #[must_use]
    pub fn new(name: ServerName, endpoint: Endpoint) -> ServerSpec {
        ServerSpec {
            name,
            endpoint,
            admission: Admission::Granted,
            tools: ToolFilter::default(),
            connect_timeout: CONNECT_TIMEOUT,
            call_timeout: CALL_TIMEOUT,
        }
    }

    /// Whether a connection made for `other` may stay: only what is shown of the server differs.
    pub(crate) fn connects_like(&self, other: &ServerSpec) -> bool {
        let but_for_tools = ServerSpec { tools: self.tools.clone(), ..other.clone() };
        *self == but_for_tools
    }
}

impl Endpoint {
    /// The word for this way: `stdio`, `http` or `sse`.
    #[must_use]
    pub const fn transport(&self) -> &'static str {
        match self {
            Endpoint::Stdio(_) => "stdio",
            Endpoint::Http { .. } => "http",
            Endpoint::LegacySse(_) => "sse",
        }
    }
}

impl fmt::Display for Endpoint {
    /// What may be shown of it: no arguments, no user, no query.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Stdio(program) => f.write_str(&program.command),
            Endpoint::Http { site, .. } | Endpoint::LegacySse(site) => site.fmt(f),
        }
    }
}

impl fmt::Display for Site {
    /// The address without what may be secret: some servers want a token in the path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url.origin().ascii_serialization())?;
        match self.url.path() {
            "" | "/" | "/mcp" | "/sse" => f.write_str(self.url.path()),
            _ => f.write_str("/…"),
        }
    }
}

impl fmt::Debug for Program {
    /// Without arguments and values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("command", &self.command)
            .field("env", &self.env)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Site({self}, {:?})", self.headers)
    }
}

impl fmt::Debug for Secrets {
    /// The names alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
