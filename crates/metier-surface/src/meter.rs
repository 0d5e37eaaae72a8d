//! Counters: what the server has done so far, for `/metrics`.

use std::{
    borrow::Cow,
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// The methods that are counted by name; all others count as one.
const METHODS: [&str; 7] = [
    "initialize",
    "ping",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
    "other",
];

/// Counts requests; shared by all sessions.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    methods: [Count; METHODS.len()],
    refused: AtomicU64,
    sessions: AtomicU64,
}

#[derive(Debug, Default)]
struct Count {
    answered: AtomicU64,
    failed: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Meter {
    pub(crate) fn answered(&self, method: &str, took: Duration) {
        let count = self.count(method);
        count.answered.fetch_add(1, Relaxed);
        count.nanoseconds.fetch_add(nanoseconds(took), Relaxed);
    }

    pub(crate) fn failed(&self, method: &str, took: Duration) {
        let count = self.count(method);
        count.failed.fetch_add(1, Relaxed);
        count.nanoseconds.fetch_add(nanoseconds(took), Relaxed);
    }

    pub(crate) fn refused(&self) {
        self.refused.fetch_add(1, Relaxed);
    }

    pub(crate) fn set_sessions(&self, n_sessions: usize) {
        self.sessions.store(n_sessions as u64, Relaxed);
    }

    /// All counters in the text format of Prometheus.
    pub(crate) fn render(&self) -> String {
        let mut out = String::new();
        head(&mut out, "metier_requests_total", "counter", "Requests by method and outcome.");
        for (method, count) in METHODS.iter().zip(&self.methods) {
            for (outcome, count) in [("result", &count.answered), ("error", &count.failed)] {
                let count = count.load(Relaxed);
                let _ = writeln!(
                    out,
                    "metier_requests_total{{method=\"{method}\",outcome=\"{outcome}\"}} {count}"
                );
            }
        }
        head(&mut out, "metier_request_seconds_total", "counter", "Time spent on requests.");
        for (method, count) in METHODS.iter().zip(&self.methods) {
            let seconds = Duration::from_nanos(count.nanoseconds.load(Relaxed)).as_secs_f64();
            let _ = writeln!(out, "metier_request_seconds_total{{method=\"{method}\"}} {seconds}");
        }
        head(
            &mut out,
            "metier_refused_total",
            "counter",
            "What came and was no message, or no request that can be taken.",
        );
        let _ = writeln!(out, "metier_refused_total {}", self.refused.load(Relaxed));
        head(&mut out, "metier_sessions", "gauge", "Sessions that are open.");
        let _ = writeln!(out, "metier_sessions {}", self.sessions.load(Relaxed));
        out
    }

    fn count(&self, method: &str) -> &Count {
        let at = METHODS.iter().position(|it| *it == method).unwrap_or(METHODS.len() - 1);
        &self.methods[at]
    }
}

/// The name of a method, for later.
pub(crate) fn named(method: &str) -> Cow<'static, str> {
    let known = METHODS.into_iter().find(|it| *it == method);
    known.map_or_else(|| method.to_owned().into(), Cow::Borrowed)
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
