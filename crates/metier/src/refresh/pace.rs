//! When to scan next: the whole policy, without a clock, a disk or a task.

use std::time::Duration;

use tokio::time::Instant;

/// How long events must have been silent before a scan follows them.
const QUIET: Duration = Duration::from_millis(500);
/// How long a scan waits for events that never fall silent.
const LONGEST_BURST: Duration = Duration::from_secs(2);

/// When the folders are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refresh {
    /// When somebody asks.
    Never,
    /// When something is heard to change, when somebody asks, and at the latest after this time.
    Every(Duration),
}

/// Whether every change is heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hearing {
    /// Silence means that nothing has changed.
    Whole,
    /// Something may change unheard.
    Partial,
}

/// Knows when the next scan is due.
#[derive(Debug)]
pub(crate) struct Pace {
    refresh: Refresh,
    hearing: Hearing,
    is_awaited: bool,
    burst: Option<Burst>,
    /// When the interval ends.
    tick: Option<Instant>,
}

/// Events that no scan has followed yet.
#[derive(Clone, Copy, Debug)]
struct Burst {
    first: Instant,
    last: Instant,
}

impl Pace {
    /// The first scan is due at once.
    pub(crate) fn new(refresh: Refresh) -> Pace {
        Pace { refresh, hearing: Hearing::Partial, is_awaited: true, burst: None, tick: None }
    }

    /// Something has changed, or may have.
    pub(crate) fn event(&mut self, now: Instant) {
        self.burst.get_or_insert(Burst { first: now, last: now }).last = now;
    }

    /// Whether the last scan shows what is on the disk now.
    pub(crate) fn is_fresh(&self) -> bool {
        self.hearing == Hearing::Whole && self.burst.is_none() && !self.is_awaited
    }

    /// Somebody waits for the next scan.
    pub(crate) fn hurry(&mut self) {
        self.is_awaited = true;
    }

    /// When the next scan is due; `None`: when something happens.
    pub(crate) fn due(&self, now: Instant) -> Option<Instant> {
        let awaited = self.is_awaited.then_some(now);
        let burst = self.burst.map(|it| (it.last + QUIET).min(it.first + LONGEST_BURST));
        [awaited, burst, self.tick].into_iter().flatten().min()
    }

    /// A scan begins, and will see everything that has happened so far.
    pub(crate) fn begin(&mut self) {
        (self.is_awaited, self.burst) = (false, None);
    }

    /// A scan has ended, and changes are listened for as said.
    pub(crate) fn end(&mut self, now: Instant, hearing: Hearing) {
        self.hearing = hearing;
        self.tick = match self.refresh {
            Refresh::Never => None,
            Refresh::Every(period) => now.checked_add(period.max(QUIET)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells a story in words, each with its time in milliseconds, and says what follows: when the
    /// next scan is due, and what became of asks.
    #[track_caller]
    fn check(refresh: Refresh, story: &str, expected: &str) {
        let start = Instant::now();
        let mut pace = Pace::new(refresh);
        let mut outcome = Vec::new();
        let mut now = start;
        for word in story.split_whitespace() {
            let (word, at) = word.split_once('@').unwrap();
            now = start + Duration::from_millis(at.parse().unwrap());
            match word {
                "begin" => pace.begin(),
                "whole" => pace.end(now, Hearing::Whole),
                "partial" => pace.end(now, Hearing::Partial),
                "event" => pace.event(now),
                "ask" if pace.is_fresh() => outcome.push("answered".to_owned()),
                "ask" => pace.hurry(),
                _ => panic!("`{word}` is no word"),
            }
        }
        let due = pace.due(now).map(|due| format!("scan@{}", (due - start).as_millis()));
        outcome.push(due.unwrap_or_else(|| "never".to_owned()));
        assert_eq!(outcome.join(" "), expected);
    }

    const EVERY: Refresh = Refresh::Every(Duration::from_secs(30));

    #[test]
    fn the_first_scan_is_due_at_once() {
        check(Refresh::Never, "", "scan@0");
    }

    #[test]
    fn after_a_scan_the_interval_begins_anew() {
        check(EVERY, "begin@0 whole@100", "scan@30100");
        check(EVERY, "begin@0 whole@100 event@200 begin@700 whole@800", "scan@30800");
    }

    #[test]
    fn no_interval_is_shorter_than_a_moment_of_silence() {
        check(Refresh::Every(Duration::ZERO), "begin@0 whole@100", "scan@600");
    }

    #[test]
    fn an_interval_beyond_all_clocks_never_ends() {
        check(Refresh::Every(Duration::MAX), "begin@0 whole@100", "never");
    }

    #[test]
    fn without_refresh_only_asks_lead_to_scans() {
        check(Refresh::Never, "begin@0 partial@100", "never");
        check(Refresh::Never, "begin@0 partial@100 ask@5000", "scan@5000");
    }

    #[test]
    fn a_scan_follows_the_last_event_of_a_burst() {
        check(EVERY, "begin@0 whole@0 event@1000", "scan@1500");
        check(EVERY, "begin@0 whole@0 event@1000 event@1300 event@1700", "scan@2200");
    }

    #[test]
    fn events_without_end_do_not_put_a_scan_off_for_ever() {
        let story =
            "begin@0 whole@0 event@1000 event@1400 event@1800 event@2200 event@2600 event@2900";
        check(EVERY, story, "scan@3000");
    }

    #[test]
    fn an_event_during_a_scan_leads_to_another() {
        check(EVERY, "begin@0 event@50 whole@100", "scan@550");
    }

    #[test]
    fn an_ask_is_answered_at_once_while_silence_means_that_nothing_changed() {
        check(EVERY, "begin@0 whole@100 ask@5000", "answered scan@30100");
    }

    #[test]
    fn an_ask_during_a_burst_waits_for_no_silence() {
        check(EVERY, "begin@0 whole@100 event@5000 ask@5010", "scan@5010");
    }

    #[test]
    fn an_ask_where_changes_may_be_missed_leads_to_a_scan() {
        check(EVERY, "begin@0 partial@100 ask@5000", "scan@5000");
    }

    #[test]
    fn asks_that_wait_share_one_scan() {
        check(EVERY, "begin@0 partial@0 ask@10 ask@20 begin@30 partial@40", "scan@30040");
    }
}
