//! Runs inputs, until the time is over or one makes the target panic.

use std::io::Write;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::Target;
use crate::options::Options;

/// Far more memory than any input is worth; a target that wants more of it ends here.
const MOST_MEMORY: u64 = 1 << 30;

/// Runs inputs from `first` on, and writes the number of each stretch (of each input when `step_by_step`) to
/// stdout, for the watcher, before it runs.
pub(crate) fn run(target: &Target, options: &Options, first: u64, step_by_step: bool) -> ExitCode {
    limit_memory();
    let stretch = if step_by_step { 1 } else { target.stretch };
    let ends = Instant::now() + Duration::from_secs(options.seconds);
    let mut number = first;
    while Instant::now() < ends {
        if announce(number).is_err() {
            // The watcher is gone.
            return ExitCode::FAILURE;
        }
        for number in number..number + stretch {
            if !survives(target, options.seed, number) {
                return ExitCode::FAILURE;
            }
        }
        number += stretch;
    }
    // The last announcement is how many inputs there were.
    if announce(number).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

pub(crate) fn run_one(target: &Target, seed: u64, number: u64) -> ExitCode {
    limit_memory();
    print_input(target, seed, number);
    if survives(target, seed, number) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Shows an input: as hex, and as text as far as it is text.
pub(crate) fn print_input(target: &Target, seed: u64, number: u64) {
    let input = target.input_of(seed, number);
    let hex = input.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    eprintln!("input {number} of seed {seed}, {} bytes", input.len());
    eprintln!("hex:  {hex}");
    eprintln!("text: {}", input.escape_ascii());
    let program = std::env::args().next().unwrap_or_default();
    eprintln!("again: {program} --target {} --seed {seed} --only {number}", target.name);
}

fn survives(target: &Target, seed: u64, number: u64) -> bool {
    let input = target.input_of(seed, number);
    let survived = catch_unwind(|| (target.run)(&input)).is_ok();
    if !survived {
        eprintln!("The target panicked (message above).");
        print_input(target, seed, number);
    }
    survived
}

fn limit_memory() {
    let limit = Rlimit { current: Some(MOST_MEMORY), maximum: Some(MOST_MEMORY) };
    if let Err(error) = setrlimit(Resource::As, limit) {
        eprintln!("memory is not bounded: {error}");
    }
}

fn announce(number: u64) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{number}")?;
    stdout.flush()
}
