//! Runs inputs, until the time is over or one makes the target panic.

use std::io::Write;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::measure::{Coverage, cost};
use crate::options::Options;
use crate::{Bounds, Random, Target};

/// How many inputs that led to something new are kept.
const MOST_KEPT: usize = 4096;
/// Longer ones are not kept: what they reach, a shorter one will.
const LONGEST_KEPT: usize = 1 << 16;

/// Far more memory than any input is worth; a target that wants more of it ends here.
const MOST_MEMORY: u64 = 1 << 30;

/// Runs inputs from `first` on, and writes the number of each stretch (of each input when `step_by_step`) to
/// stdout, for the watcher, before it runs.
pub(crate) fn run(target: &Target, options: &Options, first: u64, step_by_step: bool) -> ExitCode {
    limit_memory();
    if let Some(bounds) = &target.bounds {
        return run_guided(target, bounds, options, first);
    }
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

/// Runs inputs that are measured, and makes new ones from those that reach something new.
fn run_guided(target: &Target, bounds: &Bounds, options: &Options, first: u64) -> ExitCode {
    let ends = Instant::now() + Duration::from_secs(options.seconds);
    let is_counted = Coverage::is_counted();
    let (mut coverage, mut kept) = (Coverage::default(), Vec::<Vec<u8>>::new());
    let mut number = first;
    while Instant::now() < ends {
        if announce(number).is_err() {
            return ExitCode::FAILURE;
        }
        for number in number..number + target.stretch {
            let mut random = Random::new(options.seed, number);
            let input = if kept.is_empty() || random.below(4) == 0 {
                (target.input)(&mut random)
            } else {
                let base = random.below(kept.len());
                (bounds.mutate)(&mut random, &kept[base])
            };
            Coverage::reset();
            if !stays_within(target, bounds, &input) {
                eprintln!("seed {}, input {number}", options.seed);
                return ExitCode::FAILURE;
            }
            if is_counted && coverage.grew() && input.len() <= LONGEST_KEPT && kept.len() < MOST_KEPT {
                kept.push(input);
            }
        }
        number += target.stretch;
    }
    if is_counted {
        eprintln!("{}: {} edges, {} inputs kept", target.name, coverage.edges(), kept.len());
    }
    if announce(number).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether an input makes no panic and costs no more than it may.
fn stays_within(target: &Target, bounds: &Bounds, input: &[u8]) -> bool {
    let file = std::env::temp_dir().join(format!("deskmate-fuzz-{}-{}", target.name, std::process::id()));
    // A process that dies cannot tell: what it ran last is in the file.
    let is_saved = std::fs::write(&file, input).is_ok();
    let (survived, cost) = cost(|| catch_unwind(|| (target.run)(input)).is_ok());
    let reason = if !survived {
        "The target panicked (message above).".to_owned()
    } else if cost.time > bounds.time {
        format!("The target took {:?} of processor time; {:?} are allowed.", cost.time, bounds.time)
    } else if cost.memory > bounds.memory {
        format!("The target took {} bytes of memory; {} are allowed.", cost.memory, bounds.memory)
    } else {
        if is_saved {
            let _ = std::fs::remove_file(&file);
        }
        return true;
    };
    eprintln!("{reason}\nThe input has {} bytes and is in {}.", input.len(), file.display());
    false
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
