//! Uses that wait for a person's yes.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Session;
use super::work::Work;
use crate::approval::{ApprovalId, Decision, PendingApproval};
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::keys::{Key, Place};
use crate::name::{GrantId, SecretName};
use crate::store::{ApprovalRow, ApprovalState};
use crate::time::Timestamp;

/// How long a request is remembered, and how many there may be.
const LIFETIME: Duration = Duration::from_secs(15 * 60);
const MOST: usize = 200;

#[derive(Serialize, Deserialize)]
struct Request {
    secret: SecretName,
    purpose: String,
    asked: Timestamp,
}

impl Session {
    /// The uses that wait for a yes, oldest first. Needs `admin`.
    pub fn approvals(&self) -> Result<Vec<PendingApproval>> {
        self.read(Operation::List, Some("approvals"), |work| {
            work.keys.require(Capability::Admin)?;
            let rows = work.store.approvals()?;
            let waiting =
                rows.iter().filter(|row| row.state == ApprovalState::Waiting && work.is_current(row));
            waiting.map(|row| work.open_approval(row)).collect()
        })
    }

    /// Says yes or no to a use that waits. A yes is good for one use. Needs `admin`.
    pub fn decide(&self, id: ApprovalId, decision: Decision) -> Result<()> {
        let (operation, state) = match decision {
            Decision::Approve => (Operation::Approve, ApprovalState::Approved),
            Decision::Deny => (Operation::Deny, ApprovalState::Denied),
        };
        self.change(operation, Some(&id.to_string()), |work| {
            work.keys.require(Capability::Admin)?;
            let rows = work.store.approvals()?;
            let row = rows.iter().find(|row| row.id == id.0 && work.is_current(row));
            let pending = work.open_approval(row.ok_or(Error::ApprovalNotFound(id))?)?;
            work.detail = Some(format!("{}: {}", pending.secret, pending.purpose));
            work.store.set_approval(id.0, state)
        })
    }

    /// Where a yes is missing, leaves a request for one and says its number.
    pub(super) fn or_ask<T>(&self, result: Result<T>, purpose: &str) -> Result<T> {
        match result {
            Err(Error::NeedsApproval { name, .. }) => {
                let id = self.ask_for(&name, purpose)?;
                Err(Error::NeedsApproval { name, id })
            }
            other => other,
        }
    }

    fn ask_for(&self, name: &SecretName, purpose: &str) -> Result<ApprovalId> {
        self.change(Operation::ApprovalAsk, Some(name.as_str()), |work| {
            let purpose: String = purpose.chars().take(500).collect();
            work.detail = Some(purpose.clone());
            work.store.delete_approvals_before(work.now.millis())?;
            let (writer, words, _) = work.keys.log_writer()?;
            let subject = subject(&words, name, &purpose);
            let rows = work.store.approvals()?;
            if let Some(row) = rows.iter().find(|row| row.writer == writer && row.subject == subject) {
                return Ok(ApprovalId(row.id));
            }
            if rows.len() >= MOST {
                return Err(Error::TooMuch(
                    "too many uses wait for a yes; approve or deny some with `authy approve`",
                ));
            }
            let request = Request { secret: name.clone(), purpose, asked: work.now };
            let plain =
                serde_json::to_vec(&request).map_err(|_| Error::TooMuch("the purpose is too long"))?;
            let entry = words.seal(place(&work.keys.vault, &subject), &plain)?;
            let expires = work.now.after(LIFETIME).millis();
            let state = ApprovalState::Waiting;
            let row = ApprovalRow { id: 0, writer, subject, entry, state, expires };
            work.store.insert_approval(&row).map(ApprovalId)
        })
    }
}

impl Work<'_> {
    /// Takes the yes for this use, which is then gone.
    pub(super) fn take_approval(&self, name: &SecretName, purpose: &str) -> Result<()> {
        let (writer, words, _) = self.keys.log_writer()?;
        let purpose: String = purpose.chars().take(500).collect();
        let subject = subject(&words, name, &purpose);
        let rows = self.store.approvals()?;
        let found =
            rows.iter().find(|row| row.writer == writer && row.subject == subject && self.is_current(row));
        match found.map(|row| (row.state, row.id)) {
            Some((ApprovalState::Approved, id)) => self.store.delete_approval(id),
            Some((ApprovalState::Denied, _)) => Err(Error::Denied(name.clone())),
            Some((ApprovalState::Waiting, id)) => {
                Err(Error::NeedsApproval { name: name.clone(), id: ApprovalId(id) })
            }
            None => Err(Error::NeedsApproval { name: name.clone(), id: ApprovalId(0) }),
        }
    }

    fn is_current(&self, row: &ApprovalRow) -> bool {
        row.expires > self.now.millis()
    }

    fn open_approval(&self, row: &ApprovalRow) -> Result<PendingApproval> {
        let damaged =
            || Error::Damaged { what: format!("approval {}", row.id), reason: "it does not decrypt" };
        let words = self.keys.owner()?.root.words_of(&row.writer);
        let plain = words.open(place(&self.keys.vault, &row.subject), &row.entry).ok_or_else(damaged)?;
        let Request { secret, purpose, asked } = serde_json::from_slice(&plain).map_err(|_| damaged())?;
        let grant = match row.writer.as_slice() {
            [] => None,
            id => Some(GrantId(id.try_into().map_err(|_| damaged())?)),
        };
        let expires = Timestamp::from_millis(row.expires);
        Ok(PendingApproval { id: ApprovalId(row.id), secret, purpose, grant, asked, expires })
    }
}

/// What a request is about, so that the same one is found again.
fn subject(words: &Key, name: &SecretName, purpose: &str) -> [u8; 32] {
    words.mac("approval", &[name.as_str().as_bytes(), purpose.as_bytes()])
}

fn place<'a>(vault: &'a [u8; 16], subject: &'a [u8; 32]) -> Place<'a> {
    Place { vault, table: "approval", row: subject, version: 0 }
}
