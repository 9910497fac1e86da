//! A mutation fuzzer on the stable toolchain. `wire` feeds the wire format with it, `picture` the formats of pictures,
//! and `ocr` the reader of text with pictures.
//!
//! Input number `n` of a seed is always the same bytes, so a finding is named by two numbers. The process you start
//! only watches: a second one runs the inputs, and when that one dies without a word (stack overflow, abort, out
//! of memory) or hangs, the watcher runs the last stretch again step by step to find the input.
//!
//! A target with [`Bounds`] must also stay within them with every input. In a build that counts edges, inputs that
//! reach something new are kept and mutated further; then the number of an input is not enough to make it again, and a
//! finding is written to a file.

mod measure;
pub mod mutate;
mod options;
mod random;
mod watch;
mod work;

use std::process::ExitCode;

use options::{Options, Role};
pub use random::Random;

/// What is fuzzed, and with what.
pub struct Target {
    /// What `--target` calls it.
    pub name: &'static str,
    /// Makes an input: always the same from the same random numbers.
    pub input: fn(&mut Random) -> Vec<u8>,
    /// Must return for every input: no panic, no abort, no hang.
    pub run: fn(&[u8]),
    /// So many inputs between two signs of life: what takes a second at most.
    pub stretch: u64,
    /// What an input may cost, if that is measured.
    pub bounds: Option<Bounds>,
}

/// What running one input may cost, and how inputs that lead to something new are changed further.
pub struct Bounds {
    /// Of processor time.
    pub time: std::time::Duration,
    /// In bytes.
    pub memory: usize,
    /// Makes another input from one.
    pub mutate: fn(&mut Random, &[u8]) -> Vec<u8>,
}

/// A stretch of inputs that take next to no time.
const STRETCH: u64 = 1024;

impl Target {
    /// One whose inputs take next to no time.
    #[must_use]
    pub const fn new(name: &'static str, input: fn(&mut Random) -> Vec<u8>, run: fn(&[u8])) -> Self {
        Self { name, input, run, stretch: STRETCH, bounds: None }
    }

    /// The same, with bounds for each input. They take a little longer.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        Self { stretch: STRETCH / 8, bounds: Some(bounds), ..self }
    }

    fn input_of(&self, seed: u64, number: u64) -> Vec<u8> {
        (self.input)(&mut Random::new(seed, number))
    }
}

/// The program: fuzzes one of the targets, as the command line says.
#[must_use]
pub fn main(targets: &[Target]) -> ExitCode {
    let (options, target) = match Options::parse(std::env::args().skip(1), targets) {
        Ok(parsed) => parsed,
        Err(reason) => {
            eprintln!("error: {reason}\n\n{}", options::usage(targets));
            return ExitCode::from(2);
        }
    };
    match options.role {
        Role::Watch => watch::run(target, &options),
        Role::Work { first, step_by_step } => work::run(target, &options, first, step_by_step),
        Role::One { number } => work::run_one(target, options.seed, number),
    }
}
