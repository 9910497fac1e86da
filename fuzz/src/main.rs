//! A mutation fuzzer for the wire format, on the stable toolchain.
//!
//! Input number `n` of a seed is always the same bytes, so a finding is named by two numbers. The process you start
//! only watches: a second one runs the inputs, and when that one dies without a word (stack overflow, abort, out
//! of memory) or hangs, the watcher runs the last stretch again step by step to find the input.

mod corpus;
mod expect;
mod mutate;
mod options;
mod random;
mod service;
mod target;
mod watch;
mod work;

use std::process::ExitCode;

use options::{Options, Role};

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(reason) => {
            eprintln!("error: {reason}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match options.role {
        Role::Watch => watch::run(&options),
        Role::Work { first, step_by_step } => work::run(&options, first, step_by_step),
        Role::One { number } => work::run_one(options.seed, number),
    }
}
