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
pub(super) const LIFETIME: Duration = Duration::from_secs(15 * 60);
const MOST: usize = 200;
/// A person cannot be asked to read more than this.
const LONGEST: usize = 16 * 1024;

#[derive(Serialize, Deserialize)]
struct Request {
    secret: SecretName,
    /// Those that want a yes for the same use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<SecretName>,
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
        let (waiting, good, odd) = self.read(Operation::List, Some("approvals"), |work| {
            work.keys.require(Capability::Admin)?;
            let (mut waiting, mut good) = (Vec::new(), Vec::new());
            let store = work.store;
            store.each_approval(|row| {
                let Ok(request) = work.open_approval(&row) else { return Ok(()) };
                good.push(row.id);
                if work.is_current(&row) && work.answer(&row).is_none() {
                    waiting.push(request);
                }
                Ok(())
            })?;
            let odd = work.store.count_approvals()?.saturating_sub(good.len() as u64);
            Ok((waiting, good, odd))
        })?;
        // What does not open was put there by somebody else. Left there, enough of it would keep others from asking.
        if odd > 0 {
            self.change(Operation::Repair, Some("approvals"), |work| {
                work.detail = Some(format!("{odd} requests that do not open were taken out"));
                work.store.keep_approvals(&good)
            })?;
        }
        Ok(waiting)
    }

    /// Says yes or no to a use that waits, as it was read: if another is in its place by now, nothing is said. A yes is good
    /// for one use. Needs the owner.
    pub fn decide(&self, request: &PendingApproval, decision: Decision) -> Result<()> {
        let (operation, decision) = match decision {
            Decision::Approve => (Operation::Approve, YES),
            Decision::Deny => (Operation::Deny, NO),
        };
        let id = request.id;
        self.change(operation, Some(&id.to_string()), |work| {
            work.keys.require(Capability::Admin)?;
            let row = work.store.approval(id.0)?.filter(|row| work.is_current(row));
            let row = row.ok_or(Error::ApprovalNotFound(id))?;
            if work.open_approval(&row)? != *request {
                return Err(Error::ApprovalChanged(id));
            }
            let words = format!("{}: {}", request.names(), request.purpose);
            work.detail = Some(words.chars().take(500).collect());
            let identity = &work.keys.owner()?.root.identity;
            let answer = Answer { vault: &work.keys.vault, row: &row, decision };
            let signature = answer.parts(|parts| identity.sign(Answer::PURPOSE, parts));
            work.store.answer_approval(id.0, decision, &signature)
        })
    }

    /// Where a yes is missing, leaves a request for one and says its number.
    pub(super) fn or_ask<T>(&self, result: Result<T>, purpose: &str) -> Result<T> {
        match result {
            Err(Error::NeedsApproval { names, .. }) => {
                let id = self.ask_for(&names, purpose)?;
                Err(Error::NeedsApproval { names, id })
            }
            other => other,
        }
    }

    fn ask_for(&self, names: &[SecretName], purpose: &str) -> Result<ApprovalId> {
        let target = names.iter().map(SecretName::as_str).collect::<Vec<_>>().join(", ");
        self.change(Operation::ApprovalAsk, Some(&target), |work| {
            if purpose.len() > LONGEST {
                return Err(Error::TooMuch(
                    "what is to be done is too long for a person to read and approve; make it shorter",
                ));
            }
            work.detail = Some(purpose.chars().take(200).collect());
            work.store.delete_approvals_before(work.now.millis())?;
            let (writer, words) = work.keys.log_writer()?;
            let subject = subject(&words, names, purpose);
            // What this writer did not seal was put there by somebody else, and takes nobody's place.
            let mut rows = Vec::new();
            work.store.each_approval_of(&writer, |row| {
                if words.open(place(&work.keys.vault, &row.subject), &row.entry).is_some() {
                    rows.push(row);
                }
                Ok(())
            })?;
            let asked = rows.iter().find(|row| row.subject == subject && work.answer(row) != Some(YES));
            if let Some(row) = asked {
                return Ok(ApprovalId(row.id));
            }
            if rows.len() >= MOST {
                return Err(Error::TooMuch(
                    "too many uses wait for a yes; approve or deny some with `authy approve`",
                ));
            }
            let (first, others) = names.split_first().ok_or(Error::TooMuch("no secret is named"))?;
            let request = Request {
                secret: first.clone(),
                others: others.to_vec(),
                purpose: purpose.to_owned(),
                asked: work.now,
            };
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
    pub(super) fn take_approval(&mut self, names: &[SecretName], purpose: &str) -> Result<String> {
        let (writer, words) = self.keys.log_writer()?;
        let (chain_row, state) = chain(self.store, self.keys)?;
        check_not_cut(self.trust, self.keys, &chain_row)?;
        let subject = subject(&words, names, purpose);
        // The first answer counts.
        let (mut waiting, mut answered) = (None, None);
        self.store.each_approval_of(&writer, |row| {
            let unused = !state.is_answered(row.id, row.expires);
            if row.subject == subject && self.is_current(&row) && unused && answered.is_none() {
                match self.answer(&row) {
                    Some(decision) => answered = Some((decision, row.id, row.expires)),
                    None => waiting = Some(row.id),
                }
            }
            Ok(())
        })?;
        match answered {
            Some((YES, id, expires)) => {
                self.store.delete_approval(id)?;
                self.remembered.answered = Some((id, expires));
                Ok(format!("approved by the owner, approval {id}"))
            }
            Some(_) => Err(Error::Denied(names.to_vec())),
            None => Err(Error::NeedsApproval { names: names.to_vec(), id: ApprovalId(waiting.unwrap_or(0)) }),
        }
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

    fn open_approval(&mut self, row: &ApprovalRow) -> Result<PendingApproval> {
        let damaged =
            || Error::Damaged { what: format!("approval {}", row.id), reason: "it does not decrypt" };
        // Nobody waits for longer but who made the request with another program than this.
        if row.expires > self.now.after(LIFETIME).millis() {
            return Err(damaged());
        }
        let words = self.keys.owner()?.root.log().map(|log| log.words_of(&row.writer)).ok_or_else(damaged)?;
        let plain = words.open(place(&self.keys.vault, &row.subject), &row.entry).ok_or_else(damaged)?;
        let Request { secret, others, purpose, asked } =
            serde_json::from_slice(&plain).map_err(|_| damaged())?;
        let secrets: Vec<SecretName> = std::iter::once(secret).chain(others).collect();
        // What the person reads must be what is asked for.
        let subject = subject(&words, &secrets, &purpose);
        if subject != row.subject || purpose.len() > LONGEST {
            return Err(damaged());
        }
        let grant = match row.writer.as_slice() {
            [] => None,
            id => {
                let id: [u8; 8] = id.try_into().map_err(|_| damaged())?;
                // Who held it may still know how to ask.
                let stands = self.store.grant(id)?.map(|row| self.open_grant(row)).transpose()?;
                stands.filter(|grant| !grant.row.revoked).ok_or_else(damaged)?;
                Some(GrantId(id))
            }
        };
        let expires = Timestamp::from_millis(row.expires);
        let purpose = crate::approval::readable(&purpose);
        Ok(PendingApproval { id: ApprovalId(row.id), secrets, purpose, grant, asked, expires, subject })
    }
}

/// What a request is about, so that the same one is found again.
fn subject(words: &Key, names: &[SecretName], purpose: &str) -> [u8; 32] {
    let names = names.iter().map(|name| name.as_str().as_bytes());
    let parts: Vec<&[u8]> = names.chain([purpose.as_bytes()]).collect();
    words.mac("approval", &parts)
}

fn place<'a>(vault: &'a [u8; 16], subject: &'a [u8; 32]) -> Place<'a> {
    Place { vault, table: "approval", row: subject, version: 0 }
}
