//! `authy trash`: what was removed, for as long as it can be brought back.

use authy::SecretInfo;
use serde::Serialize;

use super::desk::Desk;
use super::failure::Failure;
use super::table::table;

/// List removed secrets, or delete them for good
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy trash
  authy trash --empty")]
pub(super) struct Args {
    /// Delete everything in the trash for good
    #[arg(long)]
    empty: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    trash: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Item<'a> {
    name: &'a str,
    version: u32,
    removed: String,
}

#[derive(Serialize)]
struct Emptied {
    deleted: usize,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    let session = desk.session()?;
    if args.empty {
        let deleted = session.empty_trash(None)?;
        return desk.answer(&format!("deleted {deleted} secrets for good"), &Emptied { deleted });
    }
    let removed = session.trash()?;
    let when = |info: &SecretInfo| info.removed.map(|time| time.to_string()).unwrap_or_default();
    let rows: Vec<[String; 3]> =
        removed.iter().map(|info| [info.name.to_string(), info.version.to_string(), when(info)]).collect();
    let text = if rows.is_empty() {
        "the trash is empty".to_owned()
    } else {
        table(["NAME", "VERSION", "REMOVED"], &rows)
    };
    let trash = removed.iter().map(|info| Item {
        name: info.name.as_str(),
        version: info.version,
        removed: when(info),
    });
    desk.answer(&text, &Answer { trash: trash.collect() })
}
