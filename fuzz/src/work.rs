//! Runs inputs, until the time is over or one makes the target panic.

use std::io::Write;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::mutate::input;
use crate::options::Options;
use crate::target::target;

/// So many inputs between two signs of life.
pub(crate) const STRETCH: u64 = 4096;

/// Runs inputs from `first` on, and writes the number of each stretch (of each input when `step_by_step`) to
/// stdout, for the watcher, before it runs.
pub(crate) fn run(options: &Options, first: u64, step_by_step: bool) -> ExitCode {
    let stretch = if step_by_step { 1 } else { STRETCH };
    let ends = Instant::now() + Duration::from_secs(options.seconds);
    let mut number = first;
    while Instant::now() < ends {
        if announce(number).is_err() {
            // The watcher is gone.
            return ExitCode::FAILURE;
        }
        for number in number..number + stretch {
            if !survives(options.seed, number) {
                return ExitCode::FAILURE;
            }
        }
        number += stretch;
    }
    // The last announcement is how many inputs there were.
    if announce(number).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

pub(crate) fn run_one(seed: u64, number: u64) -> ExitCode {
    print_input(seed, number);
    if survives(seed, number) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Shows an input: as hex, and as text as far as it is text.
pub(crate) fn print_input(seed: u64, number: u64) {
    let input = input(seed, number);
    let hex = input.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    eprintln!("input {number} of seed {seed}, {} bytes", input.len());
    eprintln!("hex:  {hex}");
    eprintln!("text: {}", input.escape_ascii());
    eprintln!("again: wire --seed {seed} --only {number}");
}

fn survives(seed: u64, number: u64) -> bool {
    let input = input(seed, number);
    let survived = catch_unwind(|| target(&input)).is_ok();
    if !survived {
        eprintln!("The target panicked (message above).");
        print_input(seed, number);
    }
    survived
}

fn announce(number: u64) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{number}")?;
    stdout.flush()
}
