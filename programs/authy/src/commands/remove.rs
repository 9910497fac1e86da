//! `authy remove`: a secret and all its versions; or everything that is damaged.

use std::fmt::Write as _;

use authy::SecretName;
use serde::Serialize;

use super::desk::Desk;
use super::failure::Failure;

/// Remove a secret with all its versions; `authy restore` brings it back for 30 days
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy remove old-key")]
pub(super) struct Args {
    /// Which secret
    #[arg(required_unless_present = "damaged")]
    name: Option<SecretName>,
    /// Remove everything that is damaged, so that the rest can be listed and changed again; says what was lost
    #[arg(long, conflicts_with = "name")]
    damaged: bool,
    /// Delete it for good, with what the trash has under its name
    #[arg(long, conflicts_with = "damaged")]
    for_good: bool,
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
    unchecked: &'a [String],
    grants: usize,
    policies: usize,
    added: usize,
    rebuilt: bool,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    // Until its structure is right the vault does not open at all.
    let rebuilt = if args.damaged && desk.vault.exists() { desk.vault.rebuild_if_needed()? } else { None };
    let added = rebuilt.unwrap_or(0);
    let session = desk.session()?;
    let Some(name) = &args.name else {
        let lost = session.remove_damaged()?;
        let mut text = format!(
            "took out {} damaged secrets, {} grants and {} policies; {} secrets were missing altogether",
            lost.records, lost.grants, lost.policies, lost.missing
        );
        if rebuilt.is_some() {
            let _ = write!(text, "\nmade the database anew: its structure was not as it should be");
        }
        if added > 0 {
            let _ = write!(
                text,
                "\ntook out {added} triggers, views or indexes that somebody had added to the file"
            );
        }
        for name in &lost.names {
            let _ = write!(text, "\n  {name}");
        }
        if !lost.unchecked.is_empty() {
            let _ = write!(
                text,
                "\nkept, but nothing says whether these are the newest, nor how they may be used: until you have looked \
                 at each and said so by `authy set NAME --reveal --no-approve`, they are not shown, and each use needs \
                 your yes:"
            );
        }
        for name in &lost.unchecked {
            let _ = write!(text, "\n  {name}");
        }
        let authy::Repaired { records, names, missing, unchecked, grants, policies } = &lost;
        let answer = Repaired {
            damaged: *records,
            names,
            missing: *missing,
            unchecked,
            grants: *grants,
            policies: *policies,
            added,
            rebuilt: rebuilt.is_some(),
        };
        return desk.answer(&text, &answer);
    };
    let there = session.remove(name)?;
    let deleted = if args.for_good { session.empty_trash(Some(name))? } else { 0 };
    if !there && deleted == 0 {
        return Err(authy::Error::NotFound(name.clone()).into());
    }
    desk.answer(&format!("Removed secret '{name}'"), &Answer { removed: name })?;
    if !args.for_good && session.grant().is_none() {
        desk.remark(&format!("it is in the trash for 30 days: `authy restore {name}` brings it back"));
    }
    Ok(())
}
