//! Tallies: how often each tool was called, and how that ended.

use std::{
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

use metier_upstreams::{CallError, ToolEntry};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::ledger::{Ended, Ledger};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With a result.
    Result,
    /// With a result that says that the tool could not do it.
    ToolError,
    /// With the server's refusal.
    Refused,
    /// Without an answer: the server is away, silent, or lost it.
    Unanswered,
    /// The client did not want the answer any more.
    Cancelled,
}

/// The calls of one tool.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    ended: [AtomicU64; Ending::ALL.len()],
    microseconds: AtomicU64,
}

/// A call that is being counted; one that nobody ends was cancelled.
pub(super) struct Counted {
    entry: Arc<ToolEntry>,
    tally: Option<Arc<Tally>>,
    ledger: Arc<Ledger>,
    since: Instant,
    ending: Ending,
}

#[derive(Deserialize)]
struct Result_ {
    #[serde(default, rename = "isError")]
    is_error: bool,
}

impl Ending {
    const ALL: [Ending; 5] =
        [Ending::Result, Ending::ToolError, Ending::Refused, Ending::Unanswered, Ending::Cancelled];

    fn of(outcome: &Result<Box<RawValue>, CallError>) -> Ending {
        match outcome {
            Ok(result) if is_error(result) => Ending::ToolError,
            Ok(_) => Ending::Result,
            Err(CallError::Refused { .. }) => Ending::Refused,
            Err(_) => Ending::Unanswered,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Ending::Result => "result",
            Ending::ToolError => "tool_error",
            Ending::Refused => "refused",
            Ending::Unanswered => "unanswered",
            Ending::Cancelled => "cancelled",
        }
    }
}

/// Whether a tool says that it could not do it. Most results need not be read for that.
fn is_error(result: &RawValue) -> bool {
    result.get().contains("\"isError\"")
        && serde_json::from_str::<Result_>(result.get()).is_ok_and(|it| it.is_error)
}

impl Counted {
    pub(super) fn new(
        entry: Arc<ToolEntry>,
        tally: Option<Arc<Tally>>,
        ledger: Arc<Ledger>,
        since: Instant,
    ) -> Counted {
        Counted { entry, tally, ledger, since, ending: Ending::Cancelled }
    }

    /// Ends the call.
    pub(super) fn end(mut self, outcome: &Result<Box<RawValue>, CallError>) {
        self.ending = Ending::of(outcome);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let took = self.since.elapsed();
        if let Some(tally) = &self.tally {
            tally.ended[self.ending as usize].fetch_add(1, Relaxed);
            let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            tally.microseconds.fetch_add(microseconds, Relaxed);
        }
        self.ledger.note(Ended { entry: self.entry.clone(), ending: self.ending, took });
    }
}

/// Appends the counts of all tools in the text format of Prometheus.
pub(super) fn render<'a>(out: &mut String, tallies: impl Iterator<Item = (&'a str, &'a Tally)>) {
    let (mut calls, mut seconds) = (String::new(), String::new());
    for (id, tally) in tallies {
        let Some((server, tool)) = id.split_once(':') else { continue };
        let labels = format!("server=\"{}\",tool=\"{}\"", label(server), label(tool));
        for ending in Ending::ALL {
            let n_calls = tally.ended[ending as usize].load(Relaxed);
            if n_calls > 0 {
                let word = ending.word();
                let _ = writeln!(
                    calls,
                    "metier_tool_calls_total{{{labels},outcome=\"{word}\"}} {n_calls}"
                );
            }
        }
        let microseconds = tally.microseconds.load(Relaxed);
        if microseconds > 0 {
            #[expect(clippy::cast_precision_loss, reason = "exact for three centuries")]
            let value = microseconds as f64 / 1e6;
            let _ = writeln!(seconds, "metier_tool_seconds_total{{{labels}}} {value}");
        }
    }
    let _ = write!(
        out,
        "# HELP metier_tool_calls_total Calls of tools of servers by outcome.\n\
         # TYPE metier_tool_calls_total counter\n{calls}\
         # HELP metier_tool_seconds_total Time from a call to its end.\n\
         # TYPE metier_tool_seconds_total counter\n{seconds}"
    );
}

/// A value of a label, as the format wants it.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
