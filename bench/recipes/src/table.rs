//! The table that is printed, and figures in it.

use std::time::Duration;

use crate::Result;
use crate::one_core::on_one_core;
use crate::process::Process;

pub(crate) fn head() {
    println!("| figure | original | target | ours | ours, on one core |\n|---|--:|--:|--:|--:|");
}

/// A figure that was measured once.
pub(crate) fn row(what: &str, original: &str, target: &str, ours: &str) {
    println!("| {what} | {original} | {target} | {ours} | |");
}

/// Milliseconds, on all cores and on one.
pub(crate) fn times(what: &str, original: &str, target: &str, digits: usize, (ours, alone): (f64, f64)) {
    println!("| {what} | {original} | {target} | {ours:.digits$} ms | {alone:.digits$} ms |");
}

/// Measures on all cores, then on one, which these processes share with us.
pub(crate) fn both_ways<T>(processes: &[u32], mut measure: impl FnMut() -> Result<T>) -> Result<(T, T)> {
    let wide = measure()?;
    Ok((wide, on_one_core(processes, measure)?))
}

pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Milliseconds of processor time of these processes for each of so many rounds.
pub(crate) fn cpu_each(
    processes: &[&Process],
    rounds: u32,
    mut work: impl FnMut() -> Result<()>,
) -> Result<f64> {
    let sum = || processes.iter().map(|process| process.cpu()).sum::<Result<Duration>>();
    let before = sum()?;
    for _ in 0..rounds {
        work()?;
    }
    Ok(ms(sum()? - before) / f64::from(rounds))
}

pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
