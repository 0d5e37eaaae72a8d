//! From single latencies to the medians in the tables.

use std::{io, process, thread, time::Duration};

use crate::process::cpu;

/// How long after a turn the server may still tidy up before its clock is read.
const TAIL: Duration = Duration::from_millis(2);

/// One turn of one contender, as it was driven.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) elapsed: Duration,
    latencies: Vec<Duration>,
    bytes: usize,
}

impl Round {
    /// Counts one reply.
    pub(crate) fn record(&mut self, latency: Duration, bytes: usize) {
        self.latencies.push(latency);
        self.bytes += bytes;
    }
}

/// The same turn in figures, times in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) per_second: f64,
    /// Processor time of the server for one call.
    pub(crate) server: f64,
    /// Processor time of this program for one call.
    pub(crate) driver: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Bytes of one reply.
    pub(crate) bytes: f64,
}

/// Drives a server for one turn and says what it cost.
pub(crate) fn measure(pid: u32, drive: impl FnOnce() -> io::Result<Round>) -> io::Result<Figures> {
    let clocks = || io::Result::Ok((cpu(pid)?, cpu(process::id())?));
    let (server, driver) = clocks()?;
    let mut round = drive()?;
    thread::sleep(TAIL);
    let (server_after, driver_after) = clocks()?;
    round.latencies.sort_unstable();
    let calls = round.latencies.len() as f64;
    let rank = |share: f64| micros(round.latencies[(share * (calls - 1.0)) as usize]);
    Ok(Figures {
        per_second: calls / round.elapsed.as_secs_f64(),
        server: micros(server_after - server) / calls,
        driver: micros(driver_after - driver) / calls,
        p50: rank(0.5),
        p99: rank(0.99),
        bytes: round.bytes as f64 / calls,
    })
}

/// The median of each figure by itself.
pub(crate) fn medians(rounds: &[Figures]) -> Figures {
    let of = |figure: fn(&Figures) -> f64| median(rounds.iter().map(figure));
    Figures {
        per_second: of(|it| it.per_second),
        server: of(|it| it.server),
        driver: of(|it| it.driver),
        p50: of(|it| it.p50),
        p99: of(|it| it.p99),
        bytes: of(|it| it.bytes),
    }
}

/// The median of the ratios between turns of the same round.
pub(crate) fn paired<T>(turns: &[T], floor: &[T], figure: fn(&T) -> f64) -> f64 {
    median(turns.iter().zip(floor).map(|(it, floor)| figure(it) / figure(floor)))
}

/// The middle value.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub(crate) fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
