//! `authy store` and `authy rotate`: a value for a secret.

use authy::{NewSecret, Overwrite, SecretName};
use serde::Serialize;

use super::agent::{Access, Agent};
use super::desk::Desk;
use super::failure::Failure;
use super::hidden;
use super::set::Attributes;
use super::value::{self, Ending};

/// Store a secret; its value comes from stdin, or is asked for
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy store stripe-key                     asks; nothing is shown
  pass show stripe | authy store stripe-key  from another program
  authy store tls-key --exact < server.key   every byte, the last newline too")]
pub(super) struct Args {
    /// What it is called: letters, digits, `.`, `_`, `/` and `-`
    name: SecretName,
    /// Give a secret that is there a new version
    #[arg(long)]
    force: bool,
    /// Keep the newline at the end of stdin
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    attributes: Attributes,
}

/// Give a secret a new value, from stdin or asked for; the old one is kept
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy rotate db-url            asks for the value
  pwgen 32 1 | authy rotate db-url")]
pub(super) struct RotateArgs {
    /// Which secret
    name: SecretName,
    /// Keep the newline at the end of stdin
    #[arg(long)]
    exact: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    name: &'a SecretName,
    version: u32,
}

pub(super) fn run(desk: &Desk, args: Args) -> Result<(), Failure> {
    // Everything is asked for before the vault is unlocked: that may take a while.
    if let Some(agent) = Agent::of(desk)?.filter(|_| !args.attributes.are_given()) {
        let value = value::read(&args.name, ending(args.exact))?;
        let secret = NewSecret { name: args.name, value, attributes: None };
        return stored(desk, &Access::Agent(agent), &secret, args.force);
    }
    let silence = hidden::silence();
    let credential = desk.credential()?;
    let value = value::read(&args.name, ending(args.exact))?;
    drop(silence);
    let session = desk.unlock(&credential)?;
    for warning in args.attributes.warnings() {
        desk.remark(&warning);
    }
    let attributes = if args.attributes.are_given() {
        // What was said before stays, but for what is said now.
        let before = match session.info(&args.name) {
            Ok(info) => info.attributes,
            Err(authy::Error::NotFound(_) | authy::Error::Lacks(_)) => authy::Attributes::default(),
            Err(error) => return Err(error.into()),
        };
        Some(args.attributes.change(before)?)
    } else {
        None
    };
    let secret = NewSecret { name: args.name, value, attributes };
    stored(desk, &Access::Session(session), &secret, args.force)
}

fn stored(desk: &Desk, access: &Access, secret: &NewSecret, force: bool) -> Result<(), Failure> {
    let overwrite = if force { Overwrite::NewVersion } else { Overwrite::Refuse };
    let version = access.store(secret, overwrite)?;
    desk.answer(&format!("Stored secret '{}'", secret.name), &Answer { name: &secret.name, version })
}

pub(super) fn rotate(desk: &Desk, args: &RotateArgs) -> Result<(), Failure> {
    let version = if let Some(agent) = Agent::of(desk)? {
        let value = value::read(&args.name, ending(args.exact))?;
        Access::Agent(agent).rotate(&args.name, &value)?
    } else {
        let silence = hidden::silence();
        let credential = desk.credential()?;
        let value = value::read(&args.name, ending(args.exact))?;
        drop(silence);
        Access::Session(desk.unlock(&credential)?).rotate(&args.name, &value)?
    };
    desk.answer(
        &format!("Rotated secret '{}' to version {version}", args.name),
        &Answer { name: &args.name, version },
    )
}

fn ending(exact: bool) -> Ending {
    if exact { Ending::Exact } else { Ending::Trimmed }
}
