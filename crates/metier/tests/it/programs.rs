//! The programs behind real servers: started, killed, and looked for when they should be gone.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use metier_upstreams::{Program, Secrets};

/// What a busy machine may take for something that takes a second.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// How often another port is tried: between its choice and its use someone else may take it.
const MOST_TRIES: usize = 5;

/// A program that notes each of its starts, so that it can be killed and looked for.
pub(crate) struct Noted {
    notes: PathBuf,
}

impl Noted {
    /// The program that a command line starts, and where it notes that.
    pub(crate) fn new<S: AsRef<Path>>(folder: &Path, line: &[S]) -> (Noted, Program) {
        let notes = folder.join("starts");
        let script = "echo $$ >> \"$0\"; exec \"$@\"";
        let mut args = vec!["-c".to_owned(), script.to_owned(), text(&notes)];
        args.extend(line.iter().map(|word| text(word.as_ref())));
        let program =
            Program { command: "sh".to_owned(), args, env: Secrets::default(), cwd: None };
        (Noted { notes }, program)
    }

    /// Kills the one that was started last.
    pub(crate) fn kill(&self) {
        signal("KILL", self.pids().last().unwrap());
    }

    /// Kills the one that was started last, and all that it started.
    pub(crate) fn kill_group(&self) {
        assert!(signal("KILL", &format!("-{}", self.pids().last().unwrap())));
    }

    /// How many of those that were started still run.
    pub(crate) fn n_alive(&self) -> usize {
        self.pids().iter().filter(|pid| signal("0", pid)).count()
    }

    fn pids(&self) -> Vec<String> {
        fs::read_to_string(&self.notes).unwrap().lines().map(str::to_owned).collect()
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Whether there was someone to take the signal.
fn signal(name: &str, pid: &str) -> bool {
    let sent = Command::new("kill").args(["-s", name, "--", pid]).stderr(Stdio::null()).status();
    sent.unwrap().success()
}

/// A server on a port of its own, and what it says; it ends with this value.
pub(crate) struct Daemon {
    command: fn(u16) -> Command,
    port: u16,
    child: Child,
    said: mpsc::Receiver<String>,
}

impl Daemon {
    /// Starts a server that says on which port it listens.
    pub(crate) fn start(command: fn(u16) -> Command) -> Daemon {
        let any_port = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let started = (0..MOST_TRIES).find_map(|_| Daemon::listening(command, any_port()));
        started.unwrap_or_else(|| panic!("{:?} does not listen", command(0)))
    }

    fn listening(command: fn(u16) -> Command, port: u16) -> Option<Daemon> {
        let mut made = command(port);
        made.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = made.spawn().unwrap();
        let (say, said) = mpsc::channel();
        read(child.stdout.take().unwrap(), say.clone());
        read(child.stderr.take().unwrap(), say);
        let daemon = Daemon { command, port, child, said };
        daemon.waits_for("ing on ").map(|_| daemon)
    }

    /// The address of a path on this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The next line with some words in it; what comes before is passed over.
    pub(crate) fn says(&self, words: &str) -> String {
        self.waits_for(words).unwrap_or_else(|| panic!("it never said {words:?}"))
    }

    fn waits_for(&self, words: &str) -> Option<String> {
        loop {
            match self.said.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(words) => return Some(line),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it where it was.
    pub(crate) fn start_again(&mut self) {
        *self = Daemon::listening(self.command, self.port).unwrap();
    }

    /// Kills it; what it said last.
    pub(crate) fn last_words(mut self) -> Vec<String> {
        self.kill();
        self.said.iter().collect()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes lines on until there are no more, lest they fill the pipe.
fn read(stream: impl Read + Send + 'static, say: mpsc::Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = say.send(line);
        }
    });
}
