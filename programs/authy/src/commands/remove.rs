//! `authy remove`: a secret and all its versions; or everything that is damaged.

use std::fmt::Write as _;

use authy::SecretName;
use serde::Serialize;

use super::desk::Desk;
use super::failure::Failure;

/// Remove a secret with all its versions
#[derive(clap::Args)]
#[command(after_help = "Example:
  authy remove old-key")]
pub(super) struct Args {
    /// Which secret
    #[arg(required_unless_present = "damaged")]
    name: Option<SecretName>,
    /// Remove everything that is damaged, so that the rest can be listed and changed again; says what was lost
    #[arg(long, conflicts_with = "name")]
    damaged: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    removed: &'a SecretName,
}

#[derive(Serialize)]
struct Repaired<'a> {
    damaged: usize,
    names: &'a [String],
    missing: u64,
    grants: usize,
    policies: usize,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    let session = desk.session()?;
    let Some(name) = &args.name else {
        let lost = session.remove_damaged()?;
        let mut text = format!(
            "took out {} damaged secrets, {} grants and {} policies; {} secrets were missing altogether",
            lost.records, lost.grants, lost.policies, lost.missing
        );
        for name in &lost.names {
            let _ = write!(text, "\n  {name}");
        }
        let authy::Repaired { records, names, missing, grants, policies } = &lost;
        let answer =
            Repaired { damaged: *records, names, missing: *missing, grants: *grants, policies: *policies };
        return desk.answer(&text, &answer);
    };
    if !session.remove(name)? {
        return Err(authy::Error::NotFound(name.clone()).into());
    }
    desk.answer(&format!("Removed secret '{name}'"), &Answer { removed: name })
}
