//! What the kernel says of a process: processor time and memory.

use std::{
    fs, io, thread,
    time::{Duration, Instant},
};

use nix::{time::clock_getcpuclockid, unistd::Pid};

/// How long a process must do nothing before it counts as idle.
const CALM: Duration = Duration::from_millis(300);
/// When waiting for that ends.
const PATIENCE: Duration = Duration::from_secs(20);

/// Processor time of a process so far, with all threads it ever had.
pub(crate) fn cpu(pid: u32) -> io::Result<Duration> {
    let clock = clock_getcpuclockid(Pid::from_raw(pid.cast_signed()))?;
    Ok(clock.now()?.into())
}

/// Memory of a process, in kilobytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// All pages in memory.
    pub(crate) resident: u64,
    /// The most that ever was.
    pub(crate) peak: u64,
    /// Pages without a file behind them: heap and stacks.
    pub(crate) anonymous: u64,
}

impl Memory {
    /// Reads what a process occupies now.
    pub(crate) fn of(pid: u32) -> io::Result<Memory> {
        let text = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let field = |name: &str| {
            let rest = text.lines().find_map(|line| line.strip_prefix(name));
            rest.and_then(|it| it.split_whitespace().next()?.parse().ok()).unwrap_or(0)
        };
        Ok(Memory {
            resident: field("VmRSS:"),
            peak: field("VmHWM:"),
            anonymous: field("RssAnon:"),
        })
    }
}

/// Waits until a process has nothing left to do.
pub(crate) fn settle(pid: u32) -> io::Result<()> {
    let began = Instant::now();
    let mut before = cpu(pid)?;
    while began.elapsed() < PATIENCE {
        thread::sleep(CALM);
        let now = cpu(pid)?;
        // A timer that ticks is not work.
        if now - before < CALM / 500 {
            break;
        }
        before = now;
    }
    Ok(())
}
