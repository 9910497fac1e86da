//! The audit log: entries, the ratchet of their keys, and checking them.

use std::io::Write;

use serde::{Deserialize, Serialize};

use super::Session;
use crate::audit::{Actor, AuditEntry, AuditReport, Broken, Operation, Outcome};
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::keyring::{Keyring, NextEntry};
use crate::keys::{Key, Place, Root};
use crate::name::GrantId;
use crate::store::{AuditRow, HeadRow, Store};
use crate::time::Timestamp;

/// What an entry says.
#[derive(Serialize)]
pub(super) struct Said<'a> {
    pub(super) time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) via: Option<&'a str>,
    pub(super) operation: Operation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<&'a str>,
    pub(super) outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) detail: Option<&'a str>,
}

#[derive(Deserialize)]
struct Read {
    time: Timestamp,
    via: Option<String>,
    operation: Operation,
    target: Option<String>,
    outcome: Outcome,
    detail: Option<String>,
}

/// Begins the log of a new vault.
pub(crate) fn start(store: &Store, root: &Root, vault: &[u8; 16]) -> Result<()> {
    store.set_audit_head(&head(&root.audit_head, vault, 0, &first_key(root), [0; 32])?)
}

fn first_key(root: &Root) -> Key {
    root.audit_seed.derive("audit first", b"")
}

fn head(head_key: &Key, vault: &[u8; 16], seq: u64, next: &Key, mac: [u8; 32]) -> Result<HeadRow> {
    Ok(HeadRow { seq, key: head_key.wrap(head_place(vault, seq), next)?, mac })
}

fn head_place(vault: &[u8; 16], seq: u64) -> Place<'_> {
    Place { vault, table: "audit head", row: b"", version: seq }
}

fn entry_place<'a>(vault: &'a [u8; 16], writer: &'a [u8], seq: u64) -> Place<'a> {
    Place { vault, table: "audit", row: writer, version: seq }
}

/// The code of an entry. It depends on all before it, by `previous` and by the key, which is a hash of the one before: who
/// learns today's key cannot forge yesterday's entries.
fn code(key: &Key, previous: &[u8; 32], row: &AuditRow) -> [u8; 32] {
    key.mac("audit entry", &[&row.seq.to_be_bytes(), previous, &row.writer, &row.entry])
}

fn next_key(key: &Key) -> Key {
    key.derive("audit next", b"")
}

/// Adds an entry, within the transaction of what it is about.
pub(super) fn append(store: &Store, keys: &mut Keyring, said: &Said<'_>) -> Result<()> {
    let (writer, words, head_key) = keys.log_writer()?;
    let last = store.audit_head()?.ok_or_else(|| store.damaged("the audit log has no head"))?;
    let ours = keys.next_entry.take().filter(|next| next.seq == last.seq && next.wrapped == last.key);
    let key = match ours {
        Some(next) => next.key,
        None => open_head(store, &head_key, &keys.vault, &last)?,
    };
    let seq = last.seq + 1;
    let said =
        serde_json::to_vec(said).map_err(|_| Error::TooMuch("the entry for the audit log is too long"))?;
    let entry = words.seal(entry_place(&keys.vault, &writer, seq), &said)?;
    let mut row = AuditRow { seq, writer, entry, mac: [0; 32] };
    row.mac = code(&key, &last.mac, &row);
    store.insert_audit(&row)?;
    let next = next_key(&key);
    let head = head(&head_key, &keys.vault, seq, &next, row.mac)?;
    store.set_audit_head(&head)?;
    // If the transaction fails, the vault keeps another head, and this one is not taken for it.
    keys.next_entry = Some(NextEntry { seq, wrapped: head.key, key: next });
    Ok(())
}

fn open_head(store: &Store, head_key: &Key, vault: &[u8; 16], head: &HeadRow) -> Result<Key> {
    head_key
        .unwrap_key(head_place(vault, head.seq), &head.key)
        .ok_or_else(|| store.damaged("the head of the audit log does not open"))
}

/// Gives the head of the log a new key, which those who lost theirs do not have.
pub(super) fn rekey_head(store: &Store, vault: &[u8; 16], old: &Key, new: &Key) -> Result<()> {
    let last = store.audit_head()?.ok_or_else(|| store.damaged("the audit log has no head"))?;
    let next = open_head(store, old, vault, &last)?;
    store.set_audit_head(&head(new, vault, last.seq, &next, last.mac)?)
}

/// An entry in words.
fn understand(root: &Root, vault: &[u8; 16], row: &AuditRow) -> Option<AuditEntry> {
    let plain = root.words_of(&row.writer).open(entry_place(vault, &row.writer, row.seq), &row.entry)?;
    let Read { time, via, operation, target, outcome, detail } = serde_json::from_slice(&plain).ok()?;
    let actor = match row.writer.as_slice() {
        [] => Actor::Owner,
        id => Actor::Grant(GrantId(id.try_into().ok()?)),
    };
    Some(AuditEntry { seq: row.seq, time, actor, via, operation, target, outcome, detail })
}

/// Follows the ratchet from its start and compares. The log is read once, an entry at a time.
fn verify(store: &Store, keys: &Keyring) -> Result<AuditReport> {
    let root = &keys.owner()?.root;
    let mut key = first_key(root);
    let mut previous = [0; 32];
    let mut good = 0;
    let mut broken = None;
    store.each_audit(|row| {
        let expected = good + 1;
        if row.seq != expected {
            broken = Some(Broken { seq: expected, reason: "the entry is missing" });
        } else if row.mac != code(&key, &previous, &row) {
            broken = Some(Broken { seq: expected, reason: "the entry was changed or is in the wrong place" });
        } else {
            good = expected;
            previous = row.mac;
            key = next_key(&key);
        }
        Ok(broken.is_none())
    })?;
    if broken.is_none() {
        broken = check_end(store, keys, &key, &previous, good)?;
    }
    Ok(AuditReport { good, broken })
}

/// Whether the log ends where its head says.
fn check_end(
    store: &Store,
    keys: &Keyring,
    next: &Key,
    last: &[u8; 32],
    good: u64,
) -> Result<Option<Broken>> {
    let root = &keys.owner()?.root;
    let Some(head) = store.audit_head()? else {
        return Ok(Some(Broken { seq: good + 1, reason: "the head of the log is missing" }));
    };
    let opened = root.audit_head.unwrap_key(head_place(&keys.vault, head.seq), &head.key);
    Ok(match opened {
        _ if head.seq > good => Some(Broken { seq: good + 1, reason: "the end of the log was cut off" }),
        Some(key) if key.bytes() == next.bytes() && head.seq == good && head.mac == *last => None,
        _ => Some(Broken { seq: good + 1, reason: "the head of the log was changed" }),
    })
}

impl Session {
    /// Writes an entry about something that was done elsewhere.
    pub(crate) fn note(&self, operation: Operation) -> Result<()> {
        self.change(operation, None, |_| Ok(()))
    }

    /// The newest entries of the log, or all, oldest first. Needs `admin`.
    pub fn audit_entries(&self, newest: Option<usize>) -> Result<Vec<AuditEntry>> {
        self.read(Operation::AuditRead, None, |work| {
            work.keys.require(Capability::Admin)?;
            let root = &work.keys.owner()?.root;
            let rows = work.store.newest_audit(newest.unwrap_or(usize::MAX))?;
            let mut entries = Vec::with_capacity(rows.len());
            for row in &rows {
                entries.push(understand(root, &work.keys.vault, row).ok_or_else(|| damaged_entry(row.seq))?);
            }
            Ok(entries)
        })
    }

    /// Writes the whole log as lines of JSON. Gives the number of lines. Needs `admin`.
    pub fn export_audit(&self, to: &mut dyn Write) -> Result<u64> {
        self.read(Operation::AuditRead, None, |work| {
            work.keys.require(Capability::Admin)?;
            let root = &work.keys.owner()?.root;
            let mut count = 0;
            work.store.each_audit(|row| {
                let entry = understand(root, &work.keys.vault, &row).ok_or_else(|| damaged_entry(row.seq))?;
                let io = |source| Error::Io { path: "the export".into(), source };
                serde_json::to_writer(&mut *to, &Line::from(&entry)).map_err(|error| io(error.into()))?;
                to.write_all(b"\n").map_err(io)?;
                count += 1;
                Ok(true)
            })?;
            Ok(count)
        })
    }

    /// Checks that no entry was changed, removed, added or moved, and that none is missing at the end. Needs `admin`.
    pub fn verify_audit(&self) -> Result<AuditReport> {
        let mut state = self.locked();
        let super::State { store, keys, .. } = &mut *state;
        // One transaction, so that nobody adds an entry between the last of them and the head; nothing is written.
        let unit = store.begin(crate::store::Durability::Process)?;
        keys.refresh(store, Timestamp::now())?;
        keys.require(Capability::Admin)?;
        let report = verify(store, keys)?;
        drop(unit);
        Ok(report)
    }

    /// Makes a log whose head is damaged usable again. The entries stay as they are, those that cannot be vouched for, too;
    /// that it was done is the next entry. Needs `admin`.
    pub fn mend_audit(&self) -> Result<AuditReport> {
        let mut state = self.locked();
        let super::State { store, keys, .. } = &mut *state;
        let unit = store.begin(crate::store::Durability::Power)?;
        keys.refresh(store, Timestamp::now())?;
        let report = verify(store, keys)?;
        if report.broken.is_some() {
            mend(store, keys, &report)?;
            let said = Said {
                time: Timestamp::now(),
                via: self.via.as_deref(),
                operation: Operation::AuditMend,
                target: None,
                outcome: Outcome::Done,
                detail: Some("the head was made anew from the entries that are there"),
            };
            append(store, keys, &said)?;
        }
        unit.commit()?;
        Ok(report)
    }
}

/// Sets the head after the last entry there is.
fn mend(store: &Store, keys: &Keyring, report: &AuditReport) -> Result<()> {
    let root = &keys.owner()?.root;
    let last = store.newest_audit(1)?.pop();
    let seq = last.as_ref().map_or(0, |row| row.seq).max(report.good);
    let mut key = first_key(root);
    for _ in 0..seq {
        key = next_key(&key);
    }
    let mac = last.map_or([0; 32], |row| row.mac);
    store.set_audit_head(&head(&root.audit_head, &keys.vault, seq, &key, mac)?)
}

/// What a line of the export says: times as people read them.
#[derive(Serialize)]
struct Line<'a> {
    at: String,
    #[serde(flatten)]
    entry: &'a AuditEntry,
}

impl<'a> From<&'a AuditEntry> for Line<'a> {
    fn from(entry: &'a AuditEntry) -> Line<'a> {
        Line { at: entry.time.to_string(), entry }
    }
}

fn damaged_entry(seq: u64) -> Error {
    Error::Damaged { what: format!("entry {seq} of the audit log"), reason: "it does not open" }
}
