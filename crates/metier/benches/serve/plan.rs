//! How much is measured: everything, or enough to see that it works.

use std::time::Duration;

/// The sizes of one run.
pub(crate) struct Plan {
    /// How many skills there are, one corpus after the other.
    pub(crate) sizes: &'static [usize],
    /// How often the contenders take turns.
    pub(crate) rounds: usize,
    /// How long each turn lasts.
    pub(crate) turn: Duration,
    /// How often each contender is started.
    pub(crate) starts: usize,
    /// How many idle sessions are opened.
    pub(crate) sessions: usize,
}

pub(crate) const WHOLE: Plan = Plan {
    sizes: &[100, 1_000, 10_000],
    // Many short turns: whatever else the machine does then falls on few of them.
    rounds: 25,
    turn: Duration::from_millis(50),
    starts: 15,
    sessions: 1_000,
};

pub(crate) const QUICK: Plan =
    Plan { sizes: &[100], rounds: 7, turn: Duration::from_millis(25), starts: 5, sessions: 200 };

impl Plan {
    /// The smallest and the largest corpus.
    pub(crate) fn extremes(&self) -> impl Iterator<Item = usize> {
        let (first, last) = (self.sizes.first(), self.sizes.last());
        first.into_iter().chain(last.filter(|_| self.sizes.len() > 1)).copied()
    }
}
