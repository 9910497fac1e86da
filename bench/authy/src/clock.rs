//! Time on the clock and on the processor.

use std::fs;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::Result;

/// What some calls took, each.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    /// The median, in milliseconds.
    pub(crate) wall: f64,
    /// The mean of a round, in milliseconds; of the rounds, the one in the middle.
    pub(crate) cpu: f64,
}

/// Enough to leave out what the machine did besides, and each long enough to have its share of checkpoints.
const ROUNDS: usize = 15;

/// Runs a call so often; `cpu` tells the processor time so far of whoever does the work.
pub(crate) fn timed(
    calls: usize,
    cpu: impl Fn() -> Result<Duration>,
    mut call: impl FnMut(usize) -> Result<()>,
) -> Result<Took> {
    let (mut walls, mut means) = (Vec::with_capacity(calls), Vec::new());
    let numbers: Vec<usize> = (0..calls).collect();
    for round in numbers.chunks(calls.div_ceil(ROUNDS).max(1)) {
        let before = cpu()?;
        for number in round {
            let began = Instant::now();
            call(*number)?;
            walls.push(millis(began.elapsed()));
        }
        means.push(millis(cpu()?.saturating_sub(before)) / round.len() as f64);
    }
    Ok(Took { wall: median(walls), cpu: median(means) })
}

pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Of this process.
pub(crate) fn own() -> Result<Duration> {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Ok(Duration::new(u64::try_from(time.tv_sec)?, u32::try_from(time.tv_nsec)?))
}

/// Of all threads of another one that are still there; its threads live as long as it does.
pub(crate) fn of(pid: u32) -> Result<Duration> {
    let mut nanos = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let spent = fs::read_to_string(thread?.path().join("schedstat"))?;
        nanos += spent.split(' ').next().unwrap_or_default().parse::<u64>()?;
    }
    Ok(Duration::from_nanos(nanos))
}

/// The most memory a process had, in MB.
pub(crate) fn peak_memory(pid: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no memory in the status")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse::<f64>()? / 1024.0)
}
