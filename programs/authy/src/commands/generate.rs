//! `authy generate`: a random value, stored under a name that nobody has seen it by.

use authy::generate::{Classes, Recipe, generate};
use authy::{NewSecret, Overwrite, SecretName, SecretValue};
use serde::Serialize;

use super::desk::Desk;
use super::failure::Failure;

/// Make a random value and store it; it is not shown
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy generate session-key")]
pub(super) struct Args {
    /// What it is called
    name: SecretName,
    /// How many characters, or random bytes with `--hex`
    #[arg(long, value_name = "N", default_value_t = 32)]
    length: usize,
    /// Marks such as `!` and `%` as well
    #[arg(long)]
    symbols: bool,
    /// Random bytes as hexadecimal digits instead
    #[arg(long, conflicts_with = "symbols")]
    hex: bool,
    /// Give a secret that is there a new version
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    name: &'a SecretName,
    version: u32,
}

pub(super) fn run(desk: &Desk, args: Args) -> Result<(), Failure> {
    let recipe = if args.hex {
        Recipe::Hex { bytes: args.length }
    } else {
        let classes = Classes { symbols: args.symbols, ..Classes::default() };
        Recipe::Characters { length: args.length, classes }
    };
    let value = generate(recipe).map_err(Failure::Generate)?;
    let value = SecretValue::new(value.to_vec()).map_err(authy::Error::from)?;
    let overwrite = if args.force { Overwrite::NewVersion } else { Overwrite::Refuse };
    let secret = NewSecret { name: args.name, value, attributes: None };
    let version = desk.session()?.store(&secret, overwrite)?;
    let text = format!("Stored a random value as '{}'; `authy get` shows it", secret.name);
    desk.answer(&text, &Answer { name: &secret.name, version })
}
