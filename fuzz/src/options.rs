//! The command line.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::Target;

pub(crate) fn usage(targets: &[Target]) -> String {
    let names: Vec<&str> = targets.iter().map(|target| target.name).collect();
    format!(
        "\
options: [--target NAME] [--seconds N] [--seed S] [--only NUMBER]

  --target NAME  what to fuzz ({}); the first when it is left out
  --seconds N    how long to run (60)
  --seed S       where to start; the clock decides when it is left out
  --only NUMBER  print and run this one input of the seed",
        names.join(", ")
    )
}

pub(crate) struct Options {
    pub(crate) seconds: u64,
    pub(crate) seed: u64,
    pub(crate) role: Role,
}

#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// Starts a worker and explains its death.
    Watch,
    /// Runs inputs from number `first` on; announces every single one when `step_by_step`.
    Work { first: u64, step_by_step: bool },
    /// Prints and runs one input.
    One { number: u64 },
}

impl Options {
    pub(crate) fn parse(
        mut arguments: impl Iterator<Item = String>,
        targets: &[Target],
    ) -> Result<(Self, &Target), String> {
        let mut options = Self { seconds: 60, seed: clock(), role: Role::Watch };
        let mut target = targets.first().ok_or("there is nothing to fuzz")?;
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("`{flag}` needs a value after it"))?;
            let number =
                || value.parse::<u64>().map_err(|_| format!("`{flag} {value}` is not a whole number"));
            match flag.as_str() {
                "--target" => {
                    let named = targets.iter().find(|target| target.name == value);
                    target = named.ok_or_else(|| format!("there is no target `{value}`"))?;
                }
                "--seconds" => options.seconds = number()?,
                "--seed" => options.seed = number()?,
                "--only" => options.role = Role::One { number: number()? },
                // The two below are for the watcher's own use.
                "--work-from" => options.role = Role::Work { first: number()?, step_by_step: false },
                "--step-from" => options.role = Role::Work { first: number()?, step_by_step: true },
                _ => return Err(format!("unknown option `{flag}`")),
            }
        }
        Ok((options, target))
    }
}

fn clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |age| age.as_secs())
}
