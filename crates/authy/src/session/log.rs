//! The audit log: entries, and the ratchet of each writer.
//!
//! An entry's code is made with the writer's own key, which then becomes a hash of itself: who learns today's key cannot
//! forge yesterday's entries, and no writer can forge another's. Each code covers the one before it, whoever wrote that.

use serde::{Deserialize, Serialize};

use super::Session;
use super::work::Work;
use crate::audit::{Actor, AuditEntry, Operation, Outcome};
use crate::error::{Error, Result, Untrusted};
use crate::keyring::{Chain, ChainState, Keyring, Owner};
use crate::keys::pack::{Pack, Unpack};
use crate::keys::{Key, Place as Sealed, Root};
use crate::name::GrantId;
use crate::store::{AuditRow, ChainRow, Store};
use crate::time::Timestamp;
use crate::trust::{Place, Trust};

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

/// How many entries a writer can have in one part of the log; the number of the part stands above.
pub(super) const PART: u64 = 1 << 40;

/// A number that no log comes to by counting.
const HIGHEST: u64 = 1 << 62;

/// Lengths tell little when they come in steps.
pub(super) const STEP: usize = 64;

/// Begins the log of a new vault. Gives where the owner is in it, to be noted.
pub(crate) fn start(store: &Store, owner: &Owner, vault: &[u8; 16]) -> Result<Place> {
    begin(store, owner, vault, b"", (0, &[]))
}

/// Puts a writer at the start of the newest part of the log. Gives where it is, to be noted.
pub(super) fn begin(
    store: &Store,
    owner: &Owner,
    vault: &[u8; 16],
    writer: &[u8],
    (uses, answered): (u64, &[(i64, i64)]),
) -> Result<Place> {
    let log = owner.root.log().ok_or_else(|| damaged_log("it has no keys"))?;
    let state = ChainState { key: log.start_of(writer), uses, answered: answered.to_vec() };
    // It only grows, in the next part, too.
    let position = owner.epoch * PART;
    let words = log.words_of(writer);
    let row = ChainRow { position, state: seal(&words, vault, writer, position, &state)? };
    store.set_chain(writer, &row)?;
    Ok(noted_place(&words, vault, writer, position))
}

/// How many entries of its part a writer has written.
pub(super) fn entries_at(position: u64) -> u64 {
    position % PART
}

fn seal(words: &Key, vault: &[u8; 16], writer: &[u8], position: u64, state: &ChainState) -> Result<Vec<u8>> {
    let mut pack =
        Pack::with_room(256).key(&state.key).number(state.uses).number(state.answered.len() as u64);
    for (id, end) in &state.answered {
        pack = pack.number(id.cast_unsigned()).number(end.cast_unsigned());
    }
    words.seal(chain_place(vault, writer, position), pack.bytes())
}

/// What a writer remembers, opened with the key for its words.
pub(super) fn open_state(words: &Key, vault: &[u8; 16], writer: &[u8], row: &ChainRow) -> Option<ChainState> {
    let plain = words.open(chain_place(vault, writer, row.position), &row.state)?;
    let mut fields = Unpack::new(&plain);
    let (key, uses) = (fields.key()?, fields.number()?);
    let mut answered = Vec::new();
    for _ in 0..fields.number()? {
        answered.push((fields.number()?.cast_signed(), fields.number()?.cast_signed()));
    }
    Some(ChainState { key, uses, answered })
}

/// How far a writer has come, as it is noted outside the file.
pub(super) fn noted_place(words: &Key, vault: &[u8; 16], writer: &[u8], position: u64) -> Place {
    let code = words.mac("anchored place", &[vault, writer, &position.to_be_bytes()]);
    Place { writer: writer.to_vec(), position, code }
}

fn chain_place<'a>(vault: &'a [u8; 16], writer: &'a [u8], position: u64) -> Sealed<'a> {
    Sealed { vault, table: "chain", row: writer, version: position }
}

fn entry_place<'a>(vault: &'a [u8; 16], writer: &'a [u8], seq: u64) -> Sealed<'a> {
    Sealed { vault, table: "audit", row: writer, version: seq }
}

pub(super) fn code(key: &Key, previous: &[u8; 32], row: &AuditRow) -> [u8; 32] {
    key.mac("audit entry", &[&row.seq.to_be_bytes(), previous, &row.writer, &row.entry])
}

pub(super) fn next_key(key: &Key) -> Key {
    key.derive("audit next", b"")
}

/// Where this session's writer is in the log, and what it remembers.
pub(super) fn chain(store: &Store, keys: &Keyring) -> Result<(ChainRow, ChainState)> {
    let (writer, words) = keys.log_writer()?;
    let row = store.chain(&writer)?.ok_or_else(|| damaged_log("the place of this writer is missing"))?;
    // The position is what the anchor is compared with, so it has to be the one that the state was sealed for.
    let known = |chain: &&Chain| chain.wrapped == row.state && chain.position == row.position;
    let state = match keys.chain.as_ref().filter(known) {
        Some(chain) => chain.state.clone(),
        None => open_state(&words, &keys.vault, &writer, &row)
            .ok_or_else(|| damaged_log("the place of this writer does not open"))?,
    };
    Ok((row, state))
}

/// Refuses a writer whose entries were cut off, as far as the anchor knows how many there were; and one whose place in the
/// anchor is gone or was not noted by itself or the owner.
pub(super) fn check_not_cut(trust: &Trust, keys: &Keyring, row: &ChainRow) -> Result<()> {
    let (writer, words) = keys.log_writer()?;
    if is_not_cut(trust, (&words, &keys.vault), &writer, row) {
        Ok(())
    } else {
        Err(Untrusted::LogCut.into())
    }
}

/// Whether a writer has come as far as the anchor says, and the anchor says it in the words of that writer.
pub(super) fn is_not_cut(
    trust: &Trust,
    (words, vault): (&Key, &[u8; 16]),
    writer: &[u8],
    row: &ChainRow,
) -> bool {
    trust.noted().and_then(|noted| noted.place(writer)).is_some_and(|place| {
        place.position <= row.position && *place == noted_place(words, vault, writer, place.position)
    })
}

/// What an entry changes about what its writer remembers.
#[derive(Default)]
pub(super) struct Remembered {
    /// How many values were used or shown.
    pub(super) used: u64,
    /// An approval was used, by number, with its end.
    pub(super) answered: Option<(i64, i64)>,
}

/// Adds an entry, within the transaction of what it is about. Gives the writer's new position.
pub(super) fn append(
    store: &Store,
    keys: &mut Keyring,
    said: &Said<'_>,
    remembered: &Remembered,
) -> Result<u64> {
    let (writer, words) = keys.log_writer()?;
    let (row, mut state) = chain(store, keys)?;
    let (last, previous) = store.audit_end()?;
    if last >= HIGHEST {
        return Err(damaged_log("somebody has put entries at the end of all numbers"));
    }
    let seq = last + 1;
    let mut plain =
        serde_json::to_vec(said).map_err(|_| Error::TooMuch("the entry for the audit log is too long"))?;
    plain.resize(plain.len().next_multiple_of(STEP), b' ');
    let entry = words.seal(entry_place(&keys.vault, &writer, seq), &plain)?;
    let mut entry = AuditRow { seq, writer: writer.clone(), entry, mac: [0; 32] };
    entry.mac = code(&state.key, &previous, &entry);
    store.insert_audit(&entry)?;
    state.key = next_key(&state.key);
    state.uses += remembered.used;
    state.forget_ended(said.time.millis());
    state.answered.extend(remembered.answered);
    let position = row.position + 1;
    let wrapped = seal(&words, &keys.vault, &writer, position, &state)?;
    store.set_chain(&writer, &ChainRow { position, state: wrapped.clone() })?;
    // If the transaction fails, the vault keeps another state, and this one is not taken for it.
    keys.chain = Some(Chain { wrapped, position, state });
    Ok(position)
}

/// An entry in words.
pub(super) fn understand(root: &Root, vault: &[u8; 16], row: &AuditRow) -> Option<AuditEntry> {
    let words = root.log_of(row.seq)?.words_of(&row.writer);
    let plain = words.open(entry_place(vault, &row.writer, row.seq), &row.entry)?;
    let Read { time, via, operation, target, outcome, detail } = serde_json::from_slice(&plain).ok()?;
    let actor = match row.writer.as_slice() {
        [] => Actor::Owner,
        id => Actor::Grant(GrantId(id.try_into().ok()?)),
    };
    Some(AuditEntry { seq: row.seq, time, actor, via, operation, target, outcome, detail })
}

impl Work<'_> {
    /// Notes where all writers are, as the file says: the owner accepts that.
    pub(super) fn note_places(&mut self) -> Result<()> {
        let grants = self.active_grants()?.into_iter().map(|grant| grant.row.id.to_vec());
        let log = self.keys.owner()?.root.log().cloned().ok_or_else(|| damaged_log("it has no keys"))?;
        for writer in std::iter::once(Vec::new()).chain(grants.collect::<Vec<_>>()) {
            if let Some(row) = self.store.chain(&writer)? {
                self.places.push(noted_place(
                    &log.words_of(&writer),
                    &self.keys.vault,
                    &writer,
                    row.position,
                ));
            }
        }
        Ok(())
    }

    /// What a grant remembers, as the owner reads it.
    pub(super) fn remembered_by(&self, writer: &[u8]) -> Result<Option<ChainState>> {
        let root = &self.keys.owner()?.root;
        let Some((row, log)) = self.store.chain(writer)?.zip(root.log()) else { return Ok(None) };
        Ok(open_state(&log.words_of(writer), &self.keys.vault, writer, &row))
    }
}

impl Session {
    /// Writes an entry about something that was done elsewhere.
    pub(crate) fn note(&self, operation: Operation, detail: Option<String>) -> Result<()> {
        self.change(operation, None, |work| {
            work.detail = detail;
            Ok(())
        })
    }
}

pub(super) fn damaged_log(reason: &'static str) -> Error {
    Error::DamagedLog(reason)
}

#[cfg(test)]
mod tests {
    use super::super::scratch::{Scratch, policy_for_all};
    use crate::capability::{Capabilities, Capability};
    use crate::credential::Credential;
    use crate::error::Error;
    use crate::grant::NewGrant;
    use crate::name::SecretName;
    use crate::secret::{Consent, NewSecret, Overwrite};
    use crate::value::SecretValue;

    /// A session that remembers what was put back would take it for the newest, if nobody looked at the position.
    #[test]
    fn what_a_session_remembers_of_a_number_of_uses_is_good_at_its_own_position_only() {
        let scratch = Scratch::new("remembered");
        let (vault, owner) = scratch.vault();
        let name = SecretName::new("a").expect("a name");
        let value = SecretValue::new("one").expect("a value");
        let new = NewSecret { name: name.clone(), value, attributes: None };
        owner.store(&new, Overwrite::NewVersion).expect("stored");
        let capabilities = Capabilities::of([Capability::List, Capability::Reveal]);
        let terms = NewGrant::for_agent("x", policy_for_all(&owner));
        let issued = owner.create_grant(&NewGrant { capabilities, uses: Some(2), ..terms }).expect("a grant");
        let open = || {
            let credential = Credential::Token(issued.token.clone());
            vault.unlock(&credential).expect("it opens").with_durable_reads()
        };
        let (one, other) = (open(), open());
        let raw = rusqlite::Connection::open(vault.file()).expect("the database");
        one.get(&name, Consent::Unasked).expect("the first use");
        let kept: Vec<u8> = raw
            .query_row("SELECT state FROM chain WHERE writer = ?", [issued.info.id.0], |row| row.get(0))
            .expect("its place");
        other.get(&name, Consent::Unasked).expect("the second use");
        let used_up = other.get(&name, Consent::Unasked).err();
        assert!(matches!(used_up, Some(Error::TokenUsedUp(2))), "{used_up:?}");
        raw.execute("UPDATE chain SET state = ? WHERE writer = ?", (kept, issued.info.id.0))
            .expect("put back");
        let refused = one.get(&name, Consent::Unasked).err();
        assert!(matches!(refused, Some(Error::DamagedLog(_))), "{refused:?}");
    }
}
