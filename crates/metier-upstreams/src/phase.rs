//! Phases: where a server stands, and the whole policy of reconnecting. No clock, no socket, no task.

use std::{sync::Arc, time::Duration};

/// The first pause before another attempt.
pub(crate) const FIRST_RETRY: Duration = Duration::from_secs(1);
/// The longest pause while a server may come back at any time.
pub(crate) const SLOWEST_RETRY: Duration = Duration::from_secs(60);
/// The pause after a failure that waiting does not mend.
pub(crate) const RARE_RETRY: Duration = Duration::from_secs(300);
/// How long a connection must last until earlier failures no longer count.
pub(crate) const STABLE_AFTER: Duration = Duration::from_secs(60);
/// How many attempts in a row may fail until a server's tools are no longer shown.
const GRACE: u32 = 5;

/// Where one server stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It is being started or reached.
    Connecting {
        /// How many attempts failed before this one.
        attempt: u32,
    },
    /// It answers.
    Ready {
        /// How many attempts failed lately; nought once it has been stable.
        attempt: u32,
    },
    /// It could not be reached, or went away; there will be another attempt.
    Waiting {
        /// How many attempts have failed.
        attempt: u32,
        /// After which time there will be another.
        retry_in: Duration,
        /// Why.
        reason: Arc<str>,
    },
    /// It will not be ready soon by itself: no such program, no access.
    Failed {
        /// Why.
        reason: Arc<str>,
        /// Whether the server wants to know who we are.
        cause: Cause,
    },
    /// Nobody has vouched for the file it comes from.
    Untrusted {
        /// What to do about it.
        reason: Arc<str>,
    },
    /// Its owner switched it off.
    Disabled,
    /// We stopped it.
    Stopped,
}

/// What kind of failure waiting does not mend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The server wants to know who we are, or does not want us.
    Unauthorized,
    /// What the configuration names is not there, or is no MCP server.
    Unusable,
    /// What it offers comes from ourselves.
    Loop,
}

/// What happens to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It answers, and what it offers is known.
    Connected,
    /// It has answered for long enough.
    Stable,
    /// It could not be reached, or went away.
    Lost(Arc<str>),
    /// It forgot us.
    Expired,
    /// It cannot be reached as things are.
    Refused(Cause, Arc<str>),
    /// It is time for another attempt.
    RetryDue,
}

impl Phase {
    /// What comes after `event`. `luck` is any number; it spreads the pauses of many servers.
    #[must_use]
    pub(crate) fn after(self, event: Event, luck: u32) -> Phase {
        let waiting = |attempt: u32, reason| Phase::Waiting {
            attempt,
            retry_in: spread(backoff(attempt), luck),
            reason,
        };
        match (self, event) {
            (Phase::Connecting { attempt }, Event::Connected) => Phase::Ready { attempt },
            (Phase::Ready { .. }, Event::Stable) => Phase::Ready { attempt: 0 },
            // The server is there, only the session is not: no need to wait, the first time.
            (Phase::Ready { attempt: 0 }, Event::Expired) => Phase::Connecting { attempt: 1 },
            (Phase::Connecting { attempt } | Phase::Ready { attempt }, Event::Expired) => {
                waiting(attempt + 1, "the session expired again and again".into())
            }
            (Phase::Connecting { attempt } | Phase::Ready { attempt }, Event::Lost(reason)) => {
                waiting(attempt + 1, reason)
            }
            (Phase::Connecting { .. } | Phase::Ready { .. }, Event::Refused(cause, reason)) => {
                Phase::Failed { reason, cause }
            }
            (Phase::Waiting { attempt, .. }, Event::RetryDue) => Phase::Connecting { attempt },
            (Phase::Failed { .. }, Event::RetryDue) => Phase::Connecting { attempt: GRACE },
            (phase, _) => phase,
        }
    }

    /// After which time to try again, if nothing happens meanwhile.
    pub(crate) fn pause(&self) -> Option<Duration> {
        match self {
            Phase::Waiting { retry_in, .. } => Some(*retry_in),
            Phase::Failed { .. } => Some(RARE_RETRY),
            _ => None,
        }
    }

    /// Whether what the server last offered is still shown: it is there, or away for a moment.
    pub(crate) fn keeps_offer(&self) -> bool {
        match self {
            Phase::Ready { .. } => true,
            Phase::Connecting { attempt } | Phase::Waiting { attempt, .. } => *attempt <= GRACE,
            Phase::Failed { .. } | Phase::Untrusted { .. } | Phase::Disabled | Phase::Stopped => {
                false
            }
        }
    }

    /// Whether it is not known yet how the first attempt ends.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        matches!(self, Phase::Connecting { attempt: 0 })
    }

    /// The word for it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Phase::Connecting { .. } => "connecting",
            Phase::Ready { .. } => "ready",
            Phase::Waiting { .. } => "waiting",
            Phase::Failed { .. } => "failed",
            Phase::Untrusted { .. } => "untrusted",
            Phase::Disabled => "disabled",
            Phase::Stopped => "stopped",
        }
    }

    /// Why it is so, where there is something to say.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Phase::Waiting { reason, .. }
            | Phase::Failed { reason, .. }
            | Phase::Untrusted { reason } => Some(reason),
            Phase::Connecting { .. } | Phase::Ready { .. } | Phase::Disabled | Phase::Stopped => {
                None
            }
        }
    }
}

/// Doubles from [`FIRST_RETRY`] and stays at [`SLOWEST_RETRY`].
fn backoff(attempt: u32) -> Duration {
    let doublings = attempt.saturating_sub(1).min(16);
    (FIRST_RETRY * 2_u32.pow(doublings)).min(SLOWEST_RETRY)
}

/// Between three quarters and the whole of a pause, so that many servers do not come at once.
fn spread(pause: Duration, luck: u32) -> Duration {
    let quarter = pause / 4;
    pause - quarter.mul_f64(f64::from(luck) / f64::from(u32::MAX))
}
