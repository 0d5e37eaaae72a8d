//! Health: whether a server is still there, by what its revision offers.

use std::time::Duration;

use metier_wire::Era;
use tokio::time::{Instant, timeout};

use crate::link::{Ask, DISCOVER, Failed, Link};

/// How long a healthy server may be quiet until it is asked.
const CALM: Duration = Duration::from_secs(30);
/// How long one that missed a question may.
const SHAKY: Duration = Duration::from_secs(10);
/// How long an answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// How many questions in a row may go unanswered.
const MOST_MISSES: u32 = 3;

/// What is known of a server's health.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Health {
    misses: u32,
}

/// What a question found.
#[derive(Debug)]
pub(crate) enum Probe {
    /// It answered, whatever it said, after this time.
    Alive(Duration),
    /// It did not answer.
    Silent,
    /// There is nobody to ask.
    Gone(Failed),
}

/// What to think of a server that did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Shaky,
    Dead,
}

impl Health {
    /// How long the server may be quiet until it is asked.
    pub(crate) fn pause(self) -> Duration {
        if self.misses == 0 { CALM } else { SHAKY }
    }

    /// It was heard.
    pub(crate) fn heard(&mut self) {
        self.misses = 0;
    }

    /// It did not answer.
    pub(crate) fn missed(&mut self) -> Verdict {
        self.misses += 1;
        if self.misses < MOST_MISSES { Verdict::Shaky } else { Verdict::Dead }
    }
}

/// Asks a server whether it is there.
pub(crate) async fn probe(link: Link) -> Probe {
    let is_modern = link.board().revision().is_some_and(|it| it.era() == Era::Modern);
    let method = if is_modern { DISCOVER } else { "ping" };
    let began = Instant::now();
    match timeout(ANSWER_WITHIN, link.request(Ask::new(method, &[]))).await {
        Err(_) | Ok(Err(Failed::Status { status: 500.., .. })) => Probe::Silent,
        Ok(Err(failed @ (Failed::Lost(_) | Failed::Unsent(_) | Failed::Unauthorized(_)))) => {
            Probe::Gone(failed)
        }
        // Many servers know no `ping`, and say so: that is an answer.
        Ok(_) => Probe::Alive(began.elapsed()),
    }
}
