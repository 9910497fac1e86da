//! `authy approve` and `authy deny`: a person's answer to a use that waits for one.

use authy::{ApprovalId, Decision, PendingApproval};
use serde::Serialize;

use super::desk::Desk;
use super::failure::Failure;
use super::table::table;

/// Say yes to one use of a secret; without a number, list what waits
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy approve       what waits, with numbers
  authy approve 7     say yes to number 7, once")]
pub(super) struct Args {
    /// Which one
    id: Option<ApprovalId>,
}

/// Say no to a use of a secret
#[derive(clap::Args)]
#[command(after_help = "Example:
  authy deny 7")]
pub(super) struct DenyArgs {
    /// Which one, as `authy approve` lists it
    id: ApprovalId,
}

#[derive(Serialize)]
struct Waiting<'a> {
    approvals: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Item<'a> {
    id: ApprovalId,
    secret: &'a str,
    purpose: &'a str,
    asked_by: String,
    asked: String,
    expires: String,
}

#[derive(Serialize)]
struct Decided {
    id: ApprovalId,
    approved: bool,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    if let Some(id) = args.id {
        desk.access()?.decide(id, Decision::Approve)?;
        return desk.answer(&format!("Approved {id}, once"), &Decided { id, approved: true });
    }
    let waiting = desk.session()?.approvals()?;
    let rows: Vec<[String; 5]> = waiting
        .iter()
        .map(|each| {
            let PendingApproval { id, secret, purpose, expires, .. } = each;
            [id.to_string(), secret.to_string(), purpose.clone(), asked_by(each), expires.to_string()]
        })
        .collect();
    let items = waiting.iter().map(|each| Item {
        id: each.id,
        secret: each.secret.as_str(),
        purpose: &each.purpose,
        asked_by: asked_by(each),
        asked: each.asked.to_string(),
        expires: each.expires.to_string(),
    });
    let text = if rows.is_empty() {
        "nothing waits for approval".to_owned()
    } else {
        table(["ID", "SECRET", "FOR", "ASKED BY", "UNTIL"], &rows)
    };
    desk.answer(&text, &Waiting { approvals: items.collect() })
}

pub(super) fn deny(desk: &Desk, args: &DenyArgs) -> Result<(), Failure> {
    desk.access()?.decide(args.id, Decision::Deny)?;
    desk.answer(&format!("Denied {}", args.id), &Decided { id: args.id, approved: false })
}

/// Who waits for the answer.
pub(super) fn asked_by(approval: &PendingApproval) -> String {
    approval.grant.map_or("owner".to_owned(), |id| format!("grant {id}"))
}
