//! The programs compared, started and ended.

use std::{
    env,
    fs::File,
    io::{self, BufRead, BufReader},
    net::SocketAddr,
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{Child, Command, Stdio},
    thread,
};

use crate::{floor, lines::Lines, shelf::Shelf};

/// One of the programs compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Contender {
    Metier,
    /// The least that answers: a blocking loop on stdio, an axum handler on HTTP.
    Bare,
    /// The same handler on a runtime of one thread.
    BareOneThread,
    /// A server with nothing but a handler, on the official SDK.
    Rmcp,
}

impl Contender {
    /// Who takes part on stdio; metier first, then the floor it is measured by.
    pub(crate) const STDIO: [Contender; 3] = [Contender::Metier, Contender::Bare, Contender::Rmcp];
    /// Who takes part on HTTP, in the same order.
    pub(crate) const HTTP: [Contender; 4] =
        [Contender::Metier, Contender::Bare, Contender::BareOneThread, Contender::Rmcp];

    /// Its name in the tables.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Contender::Metier => "metier",
            Contender::Bare => "bare",
            Contender::BareOneThread => "bare, one thread",
            Contender::Rmcp => "rmcp",
        }
    }

    fn command(self, shelf: &Shelf, transport: &str) -> io::Result<Command> {
        if self == Contender::Metier {
            let mut command = Command::new(env!("CARGO_BIN_EXE_metier"));
            command.args(["mcp", "--transport", transport, "--root"]).arg(shelf.root());
            if transport == "http" {
                command.args(["--port", "0"]);
            }
            return Ok(command);
        }
        let mut command = Command::new(env::current_exe()?);
        command.args([floor::COMMAND, self.label(), transport]);
        command.args([shelf.root(), shelf.list()]);
        Ok(command)
    }
}

/// How the host made the server's stdin and stdout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Channel {
    Pipes,
    /// Unix sockets, as Node makes them.
    Sockets,
}

impl Channel {
    /// The server's stdin and our end of it.
    fn stdin(self) -> io::Result<(OwnedFd, File)> {
        if self == Channel::Sockets {
            return sockets();
        }
        let (theirs, ours) = io::pipe()?;
        Ok((theirs.into(), OwnedFd::from(ours).into()))
    }

    /// The server's stdout and our end of it.
    fn stdout(self) -> io::Result<(OwnedFd, File)> {
        if self == Channel::Sockets {
            return sockets();
        }
        let (ours, theirs) = io::pipe()?;
        Ok((theirs.into(), OwnedFd::from(ours).into()))
    }
}

/// Two ends alike.
fn sockets() -> io::Result<(OwnedFd, File)> {
    let (theirs, ours) = UnixStream::pair()?;
    Ok((theirs.into(), OwnedFd::from(ours).into()))
}

/// A running server, ended when it is dropped.
pub(crate) struct Server(Child);

impl Server {
    /// Starts a server on stdio.
    pub(crate) fn stdio(
        contender: Contender,
        shelf: &Shelf,
        channel: Channel,
    ) -> io::Result<(Server, Lines)> {
        let (input, to) = channel.stdin()?;
        let (output, from) = channel.stdout()?;
        let mut command = contender.command(shelf, "stdio")?;
        let child = command.stdin(input).stdout(output).stderr(Stdio::null()).spawn()?;
        Ok((Server(child), Lines::new(to, from)))
    }

    /// Starts a server on HTTP and waits until it says where.
    pub(crate) fn http(contender: Contender, shelf: &Shelf) -> io::Result<(Server, SocketAddr)> {
        let mut command = contender.command(shelf, "http")?;
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut server = Server(child.spawn()?);
        let mut log = BufReader::new(server.0.stderr.take().unwrap());
        let mut line = String::new();
        while log.read_line(&mut line)? > 0 {
            if let Some(address) = address(&line) {
                // A log that nobody reads would stop its writer in the end.
                thread::spawn(move || io::copy(&mut log, &mut io::sink()));
                return Ok((server, address));
            }
            line.clear();
        }
        Err(io::Error::other(format!("`{}` did not say where it listens", contender.label())))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The address in a line of a log.
fn address(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("http://")?;
    let end = rest.find(|it: char| !it.is_ascii_digit() && !".:".contains(it));
    rest[..end.unwrap_or(rest.len())].parse().ok()
}
