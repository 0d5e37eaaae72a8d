//! How much is measured: everything, or enough to see that it works.

use std::time::Duration;

/// The sizes of one run.
pub(crate) struct Plan {
    /// How many servers stand behind each gateway, one after the other.
    pub(crate) sizes: &'static [usize],
    /// How long each is loaded before that, so that what compiles as it runs has done so.
    pub(crate) warm_up: Duration,
    /// How often the gateways take turns.
    pub(crate) rounds: usize,
    /// How long each turn lasts.
    pub(crate) turn: Duration,
    /// How often each gateway is started.
    pub(crate) starts: usize,
}

pub(crate) const WHOLE: Plan = Plan {
    sizes: &[1, 5, 20],
    warm_up: Duration::from_secs(1),
    // Many short turns: whatever else the machine does then falls on few of them.
    rounds: 25,
    turn: Duration::from_millis(50),
    starts: 7,
};

pub(crate) const QUICK: Plan = Plan {
    sizes: &[1, 5],
    warm_up: Duration::from_millis(100),
    rounds: 5,
    turn: Duration::from_millis(25),
    starts: 1,
};
