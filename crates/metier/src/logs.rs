//! Logs: lines on stderr for whoever runs a server.
//!
//! A client may hold the other end of stderr and never read it. So lines are handed to a thread of
//! their own, and those that find no room are dropped: a log never holds the server up.

use std::{
    io::{self, Write},
    iter,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::Duration,
};

use tracing_subscriber::{filter::LevelFilter, fmt::MakeWriter};

use crate::args::{LogFormat, LogLevel, Logs};

/// How many lines may wait for stderr.
const MOST_LINES: usize = 1_000;
/// How long lines are collected.
const MOMENT: Duration = Duration::from_millis(10);
/// How long the last lines may take to leave.
const FAREWELL: Duration = Duration::from_millis(200);

/// What is handed to the thread that writes.
enum Entry {
    Line(Vec<u8>),
    /// Everything before this is written.
    Mark(SyncSender<()>),
}

/// Logging, which waits a little for its last lines when it is dropped.
pub(crate) struct Logging {
    entries: SyncSender<Entry>,
}

/// Begins to log as the arguments ask.
pub(crate) fn begin(logs: &Logs) -> Logging {
    let level = match logs.log_level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let (entries, waiting) = sync_channel(MOST_LINES);
    thread::spawn(move || write_out(&waiting, io::stderr()));
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false)
        .with_ansi(false)
        .with_writer(Lines(entries.clone()));
    // Only a second server in one process would find a logger in place, and use that.
    let _ = match logs.log_format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
    Logging { entries }
}

impl Drop for Logging {
    fn drop(&mut self) {
        let (mark, written) = sync_channel(1);
        if self.entries.try_send(Entry::Mark(mark)).is_ok() {
            let _ = written.recv_timeout(FAREWELL);
        }
    }
}

/// The way into the queue of lines.
#[derive(Clone)]
struct Lines(SyncSender<Entry>);

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Lines;

    fn make_writer(&'a self) -> Lines {
        self.clone()
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let _ = self.0.try_send(Entry::Line(line.to_vec()));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes lines a moment after they came, together with those that followed: whoever logs then seldom
/// has to wake this thread.
fn write_out(entries: &Receiver<Entry>, mut output: impl Write) {
    let mut lines = Vec::new();
    for first in entries {
        thread::sleep(MOMENT);
        for entry in iter::once(first).chain(entries.try_iter().take(MOST_LINES)) {
            match entry {
                Entry::Line(line) => lines.extend_from_slice(&line),
                Entry::Mark(mark) => {
                    let _ = output.write_all(&lines);
                    lines.clear();
                    let _ = mark.send(());
                }
            }
        }
        let _ = output.write_all(&lines);
        lines.clear();
    }
}
