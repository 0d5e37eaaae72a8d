//! What a gateway is given: servers to stand in front of, a port, and a folder of its own.

use std::{
    env, fs, io,
    net::{SocketAddr, TcpListener},
};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::{contender::Front, floor};

/// The surroundings of one gateway.
pub(crate) struct Stage {
    folder: TempDir,
    pub(crate) front: Front,
    pub(crate) n_upstreams: usize,
    /// Where it shall listen, if it does.
    pub(crate) address: SocketAddr,
}

impl Stage {
    pub(crate) fn new(front: Front, n_upstreams: usize) -> io::Result<Stage> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        Ok(Stage { folder: TempDir::new()?, front, n_upstreams, address })
    }

    pub(crate) fn port(&self) -> String {
        self.address.port().to_string()
    }

    /// A folder in which there is nothing but what the gateway put there.
    pub(crate) fn home(&self) -> io::Result<String> {
        let home = self.folder.path().join("home");
        fs::create_dir_all(&home)?;
        Ok(home.to_string_lossy().into_owned())
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> io::Result<String> {
        let path = self.folder.path().join(name);
        fs::write(&path, text)?;
        Ok(path.to_string_lossy().into_owned())
    }

    /// Where the gateway's log goes.
    pub(crate) fn log(&self) -> io::Result<fs::File> {
        fs::File::create(self.folder.path().join("log"))
    }

    /// The last lines that the gateway wrote there.
    pub(crate) fn last_words(&self) -> String {
        let log = fs::read(self.folder.path().join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().rev().take(5).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// Names of the servers.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        (0..self.n_upstreams).map(|at| format!("s{at}"))
    }

    /// All servers by name, as most configuration files want them, with whatever else one needs.
    pub(crate) fn servers(&self, more: fn(&str) -> Value) -> io::Result<Value> {
        let (command, args) = server()?;
        let mut servers = Map::new();
        for name in self.names() {
            let mut entry = more(&name);
            entry["command"] = json!(command);
            entry["args"] = json!(args);
            servers.insert(name, entry);
        }
        Ok(servers.into())
    }
}

/// How one of the servers is started.
pub(crate) fn server() -> io::Result<(String, [&'static str; 2])> {
    Ok((env::current_exe()?.to_string_lossy().into_owned(), [floor::COMMAND, "echo"]))
}
