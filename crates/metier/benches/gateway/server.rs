//! A program that is running, and those that it started.

use std::{
    fs::{self, File},
    io,
    os::fd::OwnedFd,
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{contender::Contender, lines::Lines, process::Memory, stage::Stage};

/// How long the programs behind a gateway may take to end after it.
const FAREWELL: Duration = Duration::from_secs(5);

/// A running program, ended when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) stage: Stage,
}

impl Server {
    /// Starts it to listen.
    pub(crate) fn start(contender: &Contender, stage: Stage) -> io::Result<Server> {
        Ok(Server { child: contender.command(&stage)?.spawn()?, stage })
    }

    /// Starts it to speak on stdio.
    pub(crate) fn start_stdio(contender: &Contender, stage: Stage) -> io::Result<(Server, Lines)> {
        let mut command = contender.command(&stage)?;
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let to = OwnedFd::from(child.stdin.take().unwrap());
        let from = OwnedFd::from(child.stdout.take().unwrap());
        Ok((Server { child, stage }, Lines::new(File::from(to), File::from(from))))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Kilobytes in memory: of the program alone, and with all that it started.
    pub(crate) fn resident(&self) -> io::Result<[u64; 2]> {
        let alone = Memory::of(self.pid())?.resident;
        let below = descendants(self.pid())?;
        let below: u64 = below.iter().flat_map(|&it| Memory::of(it)).map(|it| it.resident).sum();
        Ok([alone, alone + below])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let below = descendants(self.pid()).unwrap_or_default();
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Whoever is measured next should have the machine for itself.
        let began = Instant::now();
        while below.iter().any(|&it| is_running(it)) && began.elapsed() < FAREWELL {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

fn is_running(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// All processes that a process started, directly or not.
fn descendants(pid: u32) -> io::Result<Vec<u32>> {
    let ids = fs::read_dir("/proc")?.flatten();
    let ids = ids.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let pairs: Vec<(u32, u32)> = ids.filter_map(|it| Some((it, parent(it)?))).collect();
    let mut found = vec![pid];
    let mut at = 0;
    while at < found.len() {
        let children = pairs.iter().filter(|it| it.1 == found[at]).map(|it| it.0);
        let children: Vec<u32> = children.collect();
        found.extend(children);
        at += 1;
    }
    Ok(found.split_off(1))
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of a program may hold anything, so look behind it.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
