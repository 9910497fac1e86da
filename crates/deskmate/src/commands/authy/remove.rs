//! `authy remove`: a secret and all its versions.

use authy::SecretName;
use serde::Serialize;

use super::desk::Desk;
use super::failure::Failure;

/// Remove a secret with all its versions
#[derive(clap::Args)]
pub(super) struct Args {
    /// Which secret
    name: SecretName,
}

#[derive(Serialize)]
struct Answer<'a> {
    removed: &'a SecretName,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    if !desk.session()?.remove(&args.name)? {
        return Err(authy::Error::NotFound(args.name.clone()).into());
    }
    desk.answer(&format!("Removed secret '{}'", args.name), &Answer { removed: &args.name })
}
