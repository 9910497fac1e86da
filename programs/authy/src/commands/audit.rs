//! `authy audit`: who did what, and whether the log is whole.

use std::io;

use authy::{Actor, AuditEntry, Outcome};
use serde::Serialize;

use super::desk::{Desk, Output};
use super::failure::Failure;
use super::table::table;

#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Show the newest entries
    Show {
        /// How many; 0 means all
        #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
        count: usize,
    },
    /// Check that no entry was changed, removed or cut off
    Verify,
    /// Write all entries to stdout, for other programs
    Export,
    /// Begin the log anew after damage; what was lost is in its next entry
    Mend,
}

#[derive(Serialize)]
struct Shown {
    entries: Vec<Item>,
    shown: usize,
}

#[derive(Serialize)]
struct Item {
    seq: u64,
    timestamp: String,
    operation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

#[derive(Serialize)]
struct Verified {
    entries: u64,
    intact: bool,
}

#[derive(Serialize)]
struct Mended {
    entries: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<String>,
}

pub(super) fn run(desk: &Desk, command: &Command) -> Result<(), Failure> {
    let session = desk.session()?;
    match command {
        Command::Show { count } => show(desk, session.audit_entries((*count > 0).then_some(*count))?),
        Command::Verify => {
            let report = session.verify_audit()?;
            if let Some(broken) = report.broken {
                return Err(Failure::AuditBroken(broken));
            }
            let text = format!("the audit log is whole: {} entries", report.good);
            desk.answer(&text, &Verified { entries: report.good, intact: true })
        }
        Command::Mend => {
            let report = session.mend_audit()?;
            let lost = report.broken.map(|broken| format!("entries from {}: {}", broken.seq, broken.reason));
            let text = match &lost {
                Some(lost) => format!("the log goes on; what cannot be vouched for: {lost}"),
                None => "the log goes on; every entry is as it was written".to_owned(),
            };
            desk.answer(&text, &Mended { entries: report.good, lost })
        }
        Command::Export => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            session.export_audit(&mut out)?;
            io::Write::flush(&mut out)?;
            Ok(())
        }
    }
}

/// Who did it, in a word.
pub(super) fn actor(entry: &AuditEntry) -> String {
    match &entry.actor {
        Actor::Owner => "owner".to_owned(),
        Actor::Grant(id) => format!("grant {id}"),
    }
}

/// How it ended, in a word.
pub(super) fn outcome(entry: &AuditEntry) -> &'static str {
    match entry.outcome {
        Outcome::Done => "done",
        Outcome::Denied => "denied",
        Outcome::Failed => "failed",
    }
}

fn show(desk: &Desk, entries: Vec<AuditEntry>) -> Result<(), Failure> {
    let items: Vec<Item> = entries
        .into_iter()
        .map(|entry| Item {
            seq: entry.seq,
            timestamp: entry.time.to_string(),
            operation: entry.operation.as_str(),
            actor: actor(&entry),
            outcome: outcome(&entry),
            secret: entry.target,
            via: entry.via,
            detail: entry.detail,
        })
        .collect();
    let text = match desk.output {
        Output::Json => String::new(),
        Output::Text => {
            let rows: Vec<[String; 7]> = items.iter().map(columns).collect();
            table(["ENTRY", "TIME", "WHO", "WHAT", "TO", "OUTCOME", ""], &rows)
        }
    };
    desk.answer(&text, &Shown { shown: items.len(), entries: items })
}

fn columns(item: &Item) -> [String; 7] {
    [
        item.seq.to_string(),
        item.timestamp.clone(),
        item.actor.clone(),
        item.operation.to_owned(),
        item.secret.clone().unwrap_or_else(|| "-".to_owned()),
        item.outcome.to_owned(),
        item.detail.clone().unwrap_or_default(),
    ]
}
