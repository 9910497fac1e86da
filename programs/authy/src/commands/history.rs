//! `authy history` and `authy rollback`: earlier versions of a secret.

use authy::SecretName;
use serde::Serialize;

use super::desk::Desk;
use super::failure::Failure;
use super::table::table;

/// List the versions of a secret that are kept
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy history db-url")]
pub(super) struct Args {
    /// Which secret
    name: SecretName,
}

/// Give a secret an earlier value again, as a new version
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy rollback db-url 2")]
pub(super) struct RollbackArgs {
    /// Which secret
    name: SecretName,
    /// Which version, as `authy history` lists them
    version: u32,
}

#[derive(Serialize)]
struct Answer<'a> {
    name: &'a SecretName,
    versions: Vec<Kept>,
}

#[derive(Serialize)]
struct Kept {
    version: u32,
    stored: String,
    current: bool,
}

#[derive(Serialize)]
struct RolledBack<'a> {
    name: &'a SecretName,
    version: u32,
    restored: u32,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    let kept = desk.session()?.history(&args.name)?;
    let rows: Vec<[String; 3]> = kept
        .iter()
        .map(|each| {
            let mark = if each.current { "current" } else { "" };
            [each.version.to_string(), each.stored.to_string(), mark.to_owned()]
        })
        .collect();
    let versions = kept.iter().map(|each| Kept {
        version: each.version,
        stored: each.stored.to_string(),
        current: each.current,
    });
    let answer = Answer { name: &args.name, versions: versions.collect() };
    desk.answer(&table(["VERSION", "STORED", ""], &rows), &answer)
}

pub(super) fn rollback(desk: &Desk, args: &RollbackArgs) -> Result<(), Failure> {
    let version = desk.session()?.rollback(&args.name, args.version)?;
    let text = format!(
        "Secret '{}' has the value of version {} again, as version {version}",
        args.name, args.version
    );
    desk.answer(&text, &RolledBack { name: &args.name, version, restored: args.version })
}
