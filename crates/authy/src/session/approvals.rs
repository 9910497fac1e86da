//! Uses that wait for a person's yes.
//!
//! A yes is a signature of the owner over one request: whose it is, for which secret and purpose, and until when. The
//! purpose is the whole of what will be done, and its digest is what counts: a yes to one thing is none to another.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Session;
use super::log::{STEP, chain, check_not_cut};
use super::work::Work;
use crate::approval::{ApprovalId, Decision, PendingApproval};
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::keys::signing::verifies;
use crate::keys::{Key, Place};
use crate::name::{GrantId, SecretName};
use crate::store::ApprovalRow;
use crate::time::Timestamp;

/// How long a request is remembered, and how many there may be.
const LIFETIME: Duration = Duration::from_secs(15 * 60);
const MOST: usize = 200;
/// A person cannot be asked to read more than this.
const LONGEST: usize = 16 * 1024;

#[derive(Serialize, Deserialize)]
struct Request {
    secret: SecretName,
    purpose: String,
    asked: Timestamp,
}

/// What the owner signs.
struct Answer<'a> {
    vault: &'a [u8; 16],
    row: &'a ApprovalRow,
    decision: i64,
}

const YES: i64 = 1;
const NO: i64 = 2;

impl Answer<'_> {
    const PURPOSE: &'static str = "authy approval";

    fn parts<T>(&self, with: impl FnOnce(&[&[u8]]) -> T) -> T {
        let ApprovalRow { id, writer, subject, entry, expires, .. } = self.row;
        let (id, expires) = (id.to_be_bytes(), expires.to_be_bytes());
        with(&[self.vault, &id, writer, subject, entry, &expires, &self.decision.to_be_bytes()])
    }
}

impl Session {
    /// The uses that wait for a yes, oldest first. Needs the owner.
    pub fn approvals(&self) -> Result<Vec<PendingApproval>> {
        self.read(Operation::List, Some("approvals"), |work| {
            work.keys.require(Capability::Admin)?;
            let rows = work.store.approvals()?;
            let waiting = rows.iter().filter(|row| work.is_current(row) && work.answer(row).is_none());
            // One that does not open was put there by somebody else, or is from before the keys were renewed.
            Ok(waiting.filter_map(|row| work.open_approval(row).ok()).collect())
        })
    }

    /// Says yes or no to a use that waits. A yes is good for one use. Needs the owner.
    pub fn decide(&self, id: ApprovalId, decision: Decision) -> Result<()> {
        let (operation, decision) = match decision {
            Decision::Approve => (Operation::Approve, YES),
            Decision::Deny => (Operation::Deny, NO),
        };
        self.change(operation, Some(&id.to_string()), |work| {
            work.keys.require(Capability::Admin)?;
            let rows = work.store.approvals()?;
            let row = rows.iter().find(|row| row.id == id.0 && work.is_current(row));
            let row = row.ok_or(Error::ApprovalNotFound(id))?;
            let pending = work.open_approval(row)?;
            work.detail =
                Some(format!("{}: {}", pending.secret, pending.purpose).chars().take(500).collect());
            let identity = &work.keys.owner()?.root.identity;
            let answer = Answer { vault: &work.keys.vault, row, decision };
            let signature = answer.parts(|parts| identity.sign(Answer::PURPOSE, parts));
            work.store.answer_approval(id.0, decision, &signature)
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
            if purpose.len() > LONGEST {
                return Err(Error::TooMuch(
                    "what is to be done is too long for a person to read and approve; make it shorter",
                ));
            }
            work.detail = Some(purpose.chars().take(200).collect());
            work.store.delete_approvals_before(work.now.millis())?;
            let (writer, words) = work.keys.log_writer()?;
            let subject = subject(&words, name, purpose);
            let rows = work.store.approvals()?;
            let asked = rows
                .iter()
                .find(|row| row.writer == writer && row.subject == subject && work.answer(row) != Some(YES));
            if let Some(row) = asked {
                return Ok(ApprovalId(row.id));
            }
            if rows.len() >= MOST {
                return Err(Error::TooMuch(
                    "too many uses wait for a yes; approve or deny some with `authy approve`",
                ));
            }
            let request = Request { secret: name.clone(), purpose: purpose.to_owned(), asked: work.now };
            let mut plain =
                serde_json::to_vec(&request).map_err(|_| Error::TooMuch("the purpose is too long"))?;
            plain.resize(plain.len().next_multiple_of(STEP), b' ');
            let entry = words.seal(place(&work.keys.vault, &subject), &plain)?;
            let expires = work.now.after(LIFETIME).millis();
            let row = ApprovalRow { id: 0, writer, subject, entry, expires, answer: None };
            work.store.insert_approval(&row).map(ApprovalId)
        })
    }
}

impl Work<'_> {
    /// Takes the yes for this use, which is then gone. Gives how it was approved.
    pub(super) fn take_approval(&mut self, name: &SecretName, purpose: &str) -> Result<String> {
        let (writer, words) = self.keys.log_writer()?;
        let (chain_row, state) = chain(self.store, self.keys)?;
        check_not_cut(self.trust, self.keys, &chain_row)?;
        let subject = subject(&words, name, purpose);
        let rows = self.store.approvals()?;
        let unused = |row: &&ApprovalRow| state.answered.iter().all(|(id, _)| *id != row.id);
        let ours =
            |row: &&ApprovalRow| row.writer == writer && row.subject == subject && self.is_current(row);
        let mut waiting = None;
        for row in rows.iter().filter(ours).filter(unused) {
            match self.answer(row) {
                Some(YES) => {
                    self.store.delete_approval(row.id)?;
                    self.remembered.answered = Some((row.id, row.expires));
                    return Ok(format!("approved by the owner, approval {}", row.id));
                }
                Some(_) => return Err(Error::Denied(name.clone())),
                None => waiting = Some(row.id),
            }
        }
        Err(Error::NeedsApproval { name: name.clone(), id: ApprovalId(waiting.unwrap_or(0)) })
    }

    /// What the owner answered; what the owner did not sign is no answer.
    fn answer(&self, row: &ApprovalRow) -> Option<i64> {
        let (decision, signature) = row.answer.as_ref()?;
        let answer = Answer { vault: &self.keys.vault, row, decision: *decision };
        answer
            .parts(|parts| verifies(self.keys.identity(), Answer::PURPOSE, parts, signature))
            .then_some(*decision)
    }

    fn is_current(&self, row: &ApprovalRow) -> bool {
        row.expires > self.now.millis()
    }

    fn open_approval(&self, row: &ApprovalRow) -> Result<PendingApproval> {
        let damaged =
            || Error::Damaged { what: format!("approval {}", row.id), reason: "it does not decrypt" };
        let words = self.keys.owner()?.root.log().map(|log| log.words_of(&row.writer)).ok_or_else(damaged)?;
        let plain = words.open(place(&self.keys.vault, &row.subject), &row.entry).ok_or_else(damaged)?;
        let Request { secret, purpose, asked } = serde_json::from_slice(&plain).map_err(|_| damaged())?;
        // What the person reads must be what is asked for.
        if subject(&words, &secret, &purpose) != row.subject {
            return Err(damaged());
        }
        let grant = match row.writer.as_slice() {
            [] => None,
            id => Some(GrantId(id.try_into().map_err(|_| damaged())?)),
        };
        let expires = Timestamp::from_millis(row.expires);
        let purpose = crate::approval::readable(&purpose);
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
