//! What both bare proxies have in common: servers that are started, greeted and listed once.

use std::{
    env,
    io::{self, BufRead, BufReader, Write},
    process::{ChildStdin, ChildStdout, Command, Stdio},
};

use super::{COMMAND, surgery};
use crate::request::{INITIALIZED, initialize, list};

/// Both ends of one server's stdio.
pub(super) struct Upstream {
    pub(super) to: ChildStdin,
    pub(super) from: BufReader<ChildStdout>,
}

/// All servers, and the answer to whatever is not a call.
pub(super) struct Upstreams {
    pub(super) all: Vec<Upstream>,
    pub(super) front: Front,
}

impl Upstreams {
    /// Starts so many servers and asks all of them at once what they offer.
    pub(super) fn start(n_upstreams: usize) -> io::Result<Upstreams> {
        let start = |_| {
            let mut command = Command::new(env::current_exe()?);
            command.args([COMMAND, "echo"]).stdin(Stdio::piped()).stdout(Stdio::piped());
            let child = command.spawn()?;
            let (mut to, from) = (child.stdin.unwrap(), child.stdout.unwrap());
            to.write_all(format!("{}\n{INITIALIZED}\n{}\n", initialize(), list()).as_bytes())?;
            Ok(Upstream { to, from: BufReader::with_capacity(1 << 16, from) })
        };
        let mut all: Vec<Upstream> = (0..n_upstreams).map(start).collect::<io::Result<_>>()?;
        let mut tools = Vec::new();
        for (at, upstream) in all.iter_mut().enumerate() {
            let mut line = String::new();
            upstream.from.read_line(&mut line)?;
            line.clear();
            upstream.from.read_line(&mut line)?;
            tools.extend(surgery::tools(at, &line));
        }
        Ok(Upstreams { all, front: Front { tools: tools.join(",") } })
    }
}

/// What a proxy answers by itself.
pub(super) struct Front {
    tools: String,
}

impl Front {
    /// Answers a message that is not a call; a notification leaves the buffer as it was.
    pub(super) fn answer(&self, message: &[u8], out: &mut Vec<u8>) {
        let Some(id) = surgery::id(message) else { return };
        if memchr::memmem::find(message, br#""method":"tools/list""#).is_none() {
            return super::echo::answer(message, out);
        }
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(&message[id]);
        out.extend_from_slice(br#","result":{"tools":["#);
        out.extend_from_slice(self.tools.as_bytes());
        out.extend_from_slice(b"]}}");
    }
}
