//! Logs: lines on stderr for whoever runs a server.

use std::io;

use tracing_subscriber::filter::LevelFilter;

use crate::args::{LogFormat, LogLevel, Logs};

/// Begins to log as the arguments ask.
pub(crate) fn begin(logs: &Logs) {
    let level = match logs.log_level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false)
        .with_ansi(false)
        .with_writer(io::stderr);
    // Only a second server in one process would find a logger in place, and use that.
    let _ = match logs.log_format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
}
