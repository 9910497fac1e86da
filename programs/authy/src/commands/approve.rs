//! `authy approve` and `authy deny`: a person's answer to a use that waits for one.

use authy::{ApprovalId, Decision, PendingApproval, Session};
use serde::Serialize;

use super::desk::{self, Desk};
use super::failure::Failure;
use super::hidden;

/// Say yes to one use of a secret; without a number, list what waits
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy approve       what waits, with numbers
  authy approve 7     show number 7 in full, and say yes to it, once")]
pub(super) struct Args {
    /// Which one
    id: Option<ApprovalId>,
}

/// Say no to a use of a secret
#[derive(clap::Args)]
#[command(after_help = "Examples:
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
    secret: String,
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
        desk.access()?.approve(id)?;
        return desk.answer(&format!("Approved {id}, once"), &Decided { id, approved: true });
    }
    let waiting = desk.session()?.approvals()?;
    let items = waiting.iter().map(|each| Item {
        id: each.id,
        secret: each.names(),
        purpose: &each.purpose,
        asked_by: asked_by(each),
        asked: each.asked.to_string(),
        expires: each.expires.to_string(),
    });
    let text = if waiting.is_empty() {
        "nothing waits for approval".to_owned()
    } else {
        // Not a table: what is to be read in full may be long.
        waiting.iter().map(shown).collect::<Vec<_>>().join("\n")
    };
    desk.answer(&text, &Waiting { approvals: items.collect() })
}

pub(super) fn deny(desk: &Desk, args: &DenyArgs) -> Result<(), Failure> {
    desk.access()?.deny(args.id)?;
    desk.answer(&format!("Denied {}", args.id), &Decided { id: args.id, approved: false })
}

/// Says yes to a request, which the person reads first where there is one to ask: since it was listed somebody may have put
/// another in its place.
pub(super) fn approve(session: &Session, id: ApprovalId) -> Result<(), Failure> {
    let request = waiting(session, id)?;
    let (names, by) = (request.names(), asked_by(&request));
    let question = format!("{by} wants to use `{names}` to {}. Allow it, once?", request.purpose);
    if desk::may_ask() && !hidden::confirm(&question)? {
        return Err(Failure::NotConfirmed);
    }
    Ok(session.decide(&request, Decision::Approve)?)
}

/// The request with this number.
pub(super) fn waiting(session: &Session, id: ApprovalId) -> Result<PendingApproval, Failure> {
    let found = session.approvals()?.into_iter().find(|each| each.id == id);
    Ok(found.ok_or(authy::Error::ApprovalNotFound(id))?)
}

/// A request as a person reads it.
fn shown(request: &PendingApproval) -> String {
    let PendingApproval { id, purpose, expires, .. } = request;
    format!("{id}  {}\n   to {purpose}\n   asked by {}, until {expires}", request.names(), asked_by(request))
}

/// Who waits for the answer.
pub(super) fn asked_by(approval: &PendingApproval) -> String {
    approval.grant.map_or("owner".to_owned(), |id| format!("grant {id}"))
}
