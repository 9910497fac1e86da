//! Starts the process that runs the inputs, counts, and finds the input when that process dies or hangs.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::Target;
use crate::options::Options;
use crate::work::print_input;

/// A stretch takes a second at most; a process silent for this long hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// How a worker ended, and the last number it announced.
struct End {
    last: u64,
    how: How,
}

enum How {
    /// Success when the time was over, a code when it caught a panic and printed the input, none when it died.
    Exit(ExitStatus),
    Hang,
}

pub(crate) fn run(target: &Target, options: &Options) -> ExitCode {
    eprintln!("fuzzing {} for {} s with seed {}", target.name, options.seconds, options.seed);
    let began = Instant::now();
    let end = match worker(target, options, "--work-from", 0, options.seconds) {
        Ok(end) => end,
        Err(error) => return cannot_start(&error),
    };
    match end.how {
        How::Exit(status) if status.success() => {
            let rate = u128::from(end.last) * 1000 / began.elapsed().as_millis().max(1);
            println!("{}: {} inputs, {rate} inputs/s, nothing found", target.name, end.last);
            return ExitCode::SUCCESS;
        }
        // The worker caught a panic and has printed the input.
        How::Exit(status) if status.code().is_some() => return ExitCode::FAILURE,
        How::Exit(status) => eprintln!("The target ended the process ({status})."),
        How::Hang => eprintln!("The target hangs: no progress for {} s.", PATIENCE.as_secs()),
    }
    if target.bounds.is_some() {
        eprintln!(
            "The input is in the newest file {}/deskmate-fuzz-{}-*.",
            std::env::temp_dir().display(),
            target.name
        );
        return ExitCode::FAILURE;
    }
    eprintln!("Looking for the input among {} from number {} on ...", target.stretch, end.last);
    match worker(target, options, "--step-from", end.last, PATIENCE.as_secs() * 4) {
        Ok(End { how: How::Exit(status), .. }) if status.success() => {
            eprintln!("It did not happen again: the cause is not one input alone.");
        }
        // A panic this time: printed as well.
        Ok(End { how: How::Exit(status), .. }) if status.code().is_some() => {}
        Ok(End { last, .. }) => print_input(target, options.seed, last),
        Err(error) => return cannot_start(&error),
    }
    ExitCode::FAILURE
}

fn cannot_start(error: &std::io::Error) -> ExitCode {
    eprintln!("error: the fuzzer cannot start itself a second time: {error}");
    ExitCode::from(2)
}

fn worker(target: &Target, options: &Options, role: &str, first: u64, seconds: u64) -> std::io::Result<End> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--target", target.name])
        .args(["--seed", &options.seed.to_string(), "--seconds", &seconds.to_string()])
        .args([role, &first.to_string()])
        .stdout(Stdio::piped())
        .spawn()?;
    let numbers = announcements(&mut child);
    let mut last = first;
    loop {
        match numbers.recv_timeout(PATIENCE) {
            Ok(number) => last = number,
            Err(RecvTimeoutError::Disconnected) => return Ok(End { last, how: How::Exit(child.wait()?) }),
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                child.wait()?;
                return Ok(End { last, how: How::Hang });
            }
        }
    }
}

/// The numbers a worker writes; ends when the worker does.
fn announcements(child: &mut Child) -> Receiver<u64> {
    let (sender, receiver) = channel();
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let Some(number) = line.parse().ok() else { continue };
                if sender.send(number).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}
