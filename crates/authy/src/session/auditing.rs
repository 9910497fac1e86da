//! The audit log read, checked, exported and mended.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use serde::Serialize;

use super::approvals::LIFETIME;
use super::log::{PART, begin, code, damaged_log, entries_at, is_not_cut, next_key, open_state, understand};
use super::{Session, State};
use crate::audit::{AuditEntry, AuditReport, Broken, Operation, Outcome};
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::keyring::{ChainState, Keyring, Owner};
use crate::keys::{Key, LogKeys};
use crate::store::{AuditRow, GrantRow, Store};
use crate::time::Timestamp;
use crate::trust::Trust;

impl Session {
    /// The newest entries of the log, or all, oldest first. Needs the owner.
    pub fn audit_entries(&self, newest: Option<usize>) -> Result<Vec<AuditEntry>> {
        self.read(Operation::AuditRead, None, |work| {
            work.keys.require(Capability::Admin)?;
            let root = &work.keys.owner()?.root;
            let rows = work.store.newest_audit(newest.unwrap_or(usize::MAX))?;
            let understood =
                |row| understand(root, &work.keys.vault, row).unwrap_or_else(|| damaged_entry(row));
            Ok(rows.iter().map(understood).collect())
        })
    }

    /// Writes the whole log as lines of JSON; an entry that does not open is a line that says so. Gives the number of lines.
    /// Needs the owner.
    pub fn export_audit(&self, to: &mut dyn Write) -> Result<u64> {
        self.read(Operation::AuditRead, None, |work| {
            work.keys.require(Capability::Admin)?;
            let root = &work.keys.owner()?.root;
            let io = |source| Error::Io { path: "the export".into(), source };
            let mut count = 0;
            work.store.each_audit(|row| {
                match understand(root, &work.keys.vault, &row) {
                    Some(entry) => serde_json::to_writer(&mut *to, &Line::from(&entry)),
                    None => serde_json::to_writer(&mut *to, &Damaged { seq: row.seq, damaged: true }),
                }
                .map_err(|error| io(error.into()))?;
                to.write_all(b"\n").map_err(io)?;
                count += 1;
                Ok(true)
            })?;
            Ok(count)
        })
    }

    /// Checks that no entry was changed, removed, added or moved, and that none is missing at the end. Needs the owner.
    pub fn verify_audit(&self) -> Result<AuditReport> {
        let mut state = self.locked();
        let State { store, keys, trust, .. } = &mut *state;
        trust.look()?;
        // One transaction, so that nobody adds an entry meanwhile; nothing is written.
        let unit = store.begin(crate::store::Durability::Process)?;
        keys.refresh(store, trust, Timestamp::now())?;
        keys.require(Capability::Admin)?;
        let report = verify(store, keys, trust)?;
        drop(unit);
        Ok(report)
    }

    /// Lets a damaged log be written to again: from here on it has new keys. The entries stay as they are, those that cannot
    /// be vouched for, too; what was lost is in the next entry. Needs the owner.
    pub fn mend_audit(&self) -> Result<AuditReport> {
        let report = self.verify_audit()?;
        let lost = report.broken.as_ref().map_or_else(
            || "every entry can be vouched for".to_owned(),
            |broken| format!("entries from {} cannot be vouched for: {}", broken.seq, broken.reason),
        );
        self.change(Operation::AuditMend, None, |work| {
            work.keys.require(Capability::Admin)?;
            work.detail = Some(lost);
            work.log_mended = true;
            // Whatever waits is asked for again: it may not be known which yes was used.
            work.store.delete_approvals()?;
            // No log comes that far by counting. Behind such entries there might be no number left for the next.
            work.store.delete_audit_from(work.trust.head()?.0.entry + PART)?;
            let mut owner = work.keys.owner()?.clone();
            let before = owner.root.log().cloned().ok_or_else(|| damaged_log("it has no keys"))?;
            let (end, code) = work.store.audit_end()?;
            owner.root.begin_log(LogKeys { mended: true, ..LogKeys::random(end + 1, code)? });
            work.replace_owner(owner)?;
            work.restart_log(&before)
        })?;
        Ok(report)
    }
}

impl super::work::Work<'_> {
    /// Puts every writer at the start of the newest part of the log; what they remembered under the keys before stays, if that
    /// is not older than the anchor knows.
    pub(super) fn restart_log(&mut self, before: &LogKeys) -> Result<()> {
        let writers: Vec<(Vec<u8>, bool)> = std::iter::once((Vec::new(), true))
            .chain(self.store.grants()?.into_iter().map(|grant| (grant.id.to_vec(), !grant.revoked)))
            .collect();
        for (writer, stands) in writers {
            let words = before.words_of(&writer);
            let row = self.store.chain(&writer)?;
            let row = row.filter(|row| is_not_cut(self.trust, (&words, &self.keys.vault), &writer, row));
            let state = row.and_then(|row| open_state(&words, &self.keys.vault, &writer, &row));
            // Otherwise it is not known any more how often a grant was used, and which yes: one that has a number of uses has
            // none left, and what was approved until now has to be approved again.
            let unknown = || (u64::MAX / 2, ChainState::all_answered_by(self.now.after(LIFETIME)));
            let (uses, answered) = state.map_or_else(unknown, |state| (state.uses, state.answered));
            if stands {
                let place =
                    begin(self.store, self.keys.owner()?, &self.keys.vault, &writer, (uses, &answered))?;
                self.places.push(place);
            } else {
                self.store.delete_chain(&writer)?;
            }
        }
        // The grants have to learn their new keys for words.
        self.keys.chain = None;
        self.rewrite_active_grants()
    }
}

/// Follows every writer's ratchet from its start and compares. The log is read once, an entry at a time.
fn verify(store: &Store, keys: &Keyring, trust: &mut Trust) -> Result<AuditReport> {
    let Owner { root, .. } = keys.owner()?;
    let head = trust.head()?.0.clone();
    let mut revoked: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let mut grants = BTreeSet::new();
    for grant in store.grants()? {
        // A grant that was changed ends where it began: what it wrote since the owner last saw it is not vouched for.
        let known = trust.tree.find(store, &GrantRow::leaf(grant.id))? == Some(grant.digest());
        if known {
            grants.insert(grant.id);
        }
        if !known || grant.revoked {
            revoked.insert(grant.id.to_vec(), if known { grant.entries } else { head.entry });
        }
    }
    let pinned = (head.entry, head.entry_code);
    let mut walk = Walk { keys: BTreeMap::new(), counts: BTreeMap::new(), last: 0, code: [0; 32], pinned };
    let (mut good, mut broken, mut known) = (0, None, Vec::new());
    let mut skip = 0;
    store.each_audit(|row| {
        if row.seq < skip {
            return Ok(true);
        }
        let Some(reason) = walk.step(root.log_of(row.seq), &row, &revoked) else {
            good += 1;
            return Ok(true);
        };
        let found = Broken { seq: walk.last + 1, reason };
        // What is before a part that was begun because of damage is known to be damaged.
        let Some(next) = root.logs.iter().find(|log| log.mended && log.first > found.seq) else {
            broken = Some(found);
            return Ok(false);
        };
        known.push(found);
        skip = next.first;
        walk.resume(next);
        if row.seq >= skip {
            match walk.step(root.log_of(row.seq), &row, &revoked) {
                None => good += 1,
                Some(reason) => broken = Some(Broken { seq: walk.last + 1, reason }),
            }
        }
        Ok(broken.is_none())
    })?;
    if broken.is_none() {
        let seq = walk.last + 1;
        let reason = if head.entry > walk.last {
            Some(CUT)
        } else if grants.len() as u64 != head.grants {
            // Nothing says how far one has come that is not there, or that says something else about itself.
            Some("a grant is missing or was changed, and its last entries may be")
        } else {
            check_ends(store, keys, trust, &walk)?
        };
        broken = reason.map(|reason| Broken { seq, reason });
    }
    Ok(AuditReport { good, broken, known })
}

/// Where a check of the log is.
struct Walk {
    keys: BTreeMap<Vec<u8>, Key>,
    counts: BTreeMap<Vec<u8>, u64>,
    last: u64,
    code: [u8; 32],
    /// The entry that the head names, and its code.
    pinned: (u64, [u8; 32]),
}

const CUT: &str = "the end of the log was cut off";

impl Walk {
    /// Checks one entry; gives what is wrong with it.
    fn step(
        &mut self,
        log: Option<&LogKeys>,
        row: &AuditRow,
        revoked: &BTreeMap<Vec<u8>, u64>,
    ) -> Option<&'static str> {
        const CHANGED: &str = "the entry was changed or is in the wrong place";
        let Some(log) = log else { return Some(CHANGED) };
        if row.seq != self.last + 1 {
            return Some("the entry is missing");
        }
        if row.seq == log.first {
            if log.previous != self.code {
                return Some(CHANGED);
            }
            (self.keys, self.counts) = (BTreeMap::new(), BTreeMap::new());
        }
        let key = self.keys.entry(row.writer.clone()).or_insert_with(|| log.start_of(&row.writer));
        let pinned = self.pinned.0 != row.seq || self.pinned.1 == row.mac;
        if row.mac != code(key, &self.code, row) || !pinned {
            return Some(CHANGED);
        }
        if revoked.get(&row.writer).is_some_and(|last| row.seq > *last) {
            return Some("the entry was written after its grant was revoked");
        }
        *key = next_key(key);
        *self.counts.entry(row.writer.clone()).or_default() += 1;
        (self.last, self.code) = (row.seq, row.mac);
        None
    }

    /// Goes on at the start of a part.
    fn resume(&mut self, log: &LogKeys) {
        (self.keys, self.counts) = (BTreeMap::new(), BTreeMap::new());
        (self.last, self.code) = (log.first - 1, log.previous);
    }
}

/// Whether every writer wrote as many entries as it says it did, and as the anchor says.
fn check_ends(store: &Store, keys: &Keyring, trust: &Trust, walk: &Walk) -> Result<Option<&'static str>> {
    let root = &keys.owner()?.root;
    let Some(log) = root.log() else { return Ok(Some("the log has no keys")) };
    let grants = store.grants()?.into_iter().filter(|grant| !grant.revoked).map(|grant| grant.id.to_vec());
    for writer in std::iter::once(Vec::new()).chain(grants) {
        let Some(row) = store.chain(&writer)? else {
            return Ok(Some("the place of a writer is missing"));
        };
        if open_state(&log.words_of(&writer), &keys.vault, &writer, &row).is_none() {
            return Ok(Some("the place of a writer was changed"));
        }
        let noted = trust.noted().and_then(|noted| noted.place(&writer));
        if noted.is_some_and(|place| place.position > row.position) {
            return Ok(Some(CUT));
        }
        let counted =
            if walk.last + 1 == log.first { 0 } else { walk.counts.get(&writer).copied().unwrap_or(0) };
        if entries_at(row.position) != counted {
            return Ok(Some(if entries_at(row.position) > counted {
                CUT
            } else {
                "the place of a writer was put back"
            }));
        }
    }
    Ok(None)
}

/// What a line of the export says: times as people read them.
#[derive(Serialize)]
struct Line<'a> {
    at: String,
    #[serde(flatten)]
    entry: &'a AuditEntry,
}

/// A line in the place of an entry that does not open.
#[derive(Serialize)]
struct Damaged {
    seq: u64,
    damaged: bool,
}

impl<'a> From<&'a AuditEntry> for Line<'a> {
    fn from(entry: &'a AuditEntry) -> Line<'a> {
        Line { at: entry.time.to_string(), entry }
    }
}

/// What is shown of an entry that does not open.
fn damaged_entry(row: &AuditRow) -> AuditEntry {
    let actor = match <[u8; 8]>::try_from(row.writer.as_slice()) {
        Ok(id) => crate::audit::Actor::Grant(crate::name::GrantId(id)),
        Err(_) => crate::audit::Actor::Owner,
    };
    AuditEntry {
        seq: row.seq,
        time: Timestamp::from_millis(0),
        actor,
        via: None,
        operation: Operation::Damaged,
        target: None,
        outcome: Outcome::Failed,
        detail: Some("this entry is damaged and does not open".to_owned()),
    }
}
