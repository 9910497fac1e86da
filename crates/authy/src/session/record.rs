//! A record opened and closed: its key, what is known about it, its value.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::work::Work;
use crate::error::{Error, Result};
use crate::keyring::Keyring;
use crate::keys::{Key, Place};
use crate::name::SecretName;
use crate::secret::{Attributes, SecretInfo};
use crate::store::{KeyKind, RecordRow};
use crate::time::Timestamp;
use crate::value::SecretValue;

/// A record whose key is known.
pub(super) struct Opened {
    pub(super) row: RecordRow,
    pub(super) key: Key,
    pub(super) info: SecretInfo,
}

/// What is known about a secret, as it is stored. Its version is the row's.
#[derive(Serialize, Deserialize)]
struct Meta {
    name: SecretName,
    created: Timestamp,
    modified: Timestamp,
    #[serde(flatten)]
    attributes: Attributes,
}

/// Sizes tell little when they come in steps.
const STEP: usize = 64;

impl Work<'_> {
    /// Finds a record and opens what is known about it. That there is none is only said when none is missing.
    pub(super) fn find(&mut self, name: &SecretName) -> Result<Opened> {
        self.keys.require_scope(name)?;
        if let Some(found) = self.look_up(name)? {
            return Ok(found);
        }
        self.check_absent(name)?;
        Err(Error::NotFound(name.clone()))
    }

    /// Makes sure that a name that was not found is not there: nothing is missing, and no index has lost it.
    pub(super) fn check_absent(&mut self, name: &SecretName) -> Result<()> {
        if self.load_names()?.infos.contains_key(name) {
            return Err(Error::Damaged {
                what: format!("`{name}`"),
                reason: "it is there, but no index finds it",
            });
        }
        Ok(())
    }

    /// Finds a record, if it is there and this session has its key.
    pub(super) fn look_up(&self, name: &SecretName) -> Result<Option<Opened>> {
        let found = match (&self.keys.owner, &self.keys.holder) {
            (Some(owner), _) => {
                let lookup = record_lookup(&owner.root.names, name);
                match self.store.record(&lookup)? {
                    None => return Ok(None),
                    Some(row) => (owners_key(self.keys, &row)?, row),
                }
            }
            (None, Some(holder)) => {
                let lookup = holder.lookup(name);
                let Some(share) = self.store.share(holder.id.0, &lookup)? else { return Ok(None) };
                let place = Place { vault: &self.keys.vault, table: "share", row: &lookup, version: 0 };
                let key = holder.key.unwrap_key(place, &share.key).ok_or_else(|| damaged(name))?;
                let row = self.store.record_by_id(share.record)?.ok_or_else(|| damaged(name))?;
                (key, row)
            }
            (None, None) => return Ok(None),
        };
        let (key, row) = found;
        let info = open_meta(&self.keys.vault, &key, &row).ok_or_else(|| damaged(name))?;
        if info.name != *name {
            return Err(damaged(name));
        }
        Ok(Some(Opened { row, key, info }))
    }

    /// The current value.
    pub(super) fn value(&self, opened: &Opened) -> Result<SecretValue> {
        let Opened { row, key, info } = opened;
        open_value(&self.keys.vault, key, row, row.version, &row.value)
            .map(|(value, _)| value)
            .ok_or_else(|| damaged(&info.name))
    }
}

/// How the owner, and who may write, finds a record.
pub(super) fn record_lookup(names: &Key, name: &SecretName) -> [u8; 32] {
    names.mac("record", &[name.as_str().as_bytes()])
}

/// The record's key, as the owner gets at it.
pub(super) fn owners_key(keys: &Keyring, row: &RecordRow) -> Result<Key> {
    let owner = keys.owner()?;
    let place = key_place(&keys.vault, &row.lookup);
    let key = match row.key_kind {
        KeyKind::Wrapped => owner.vault_key.unwrap_key(place, &row.key),
        KeyKind::Sealed => owner.root.pair.open(place, &row.key).and_then(|key| Key::read(&key)),
    };
    key.ok_or(Error::Damaged { what: "a record".into(), reason: "its key does not open" })
}

/// Where a record's key belongs.
pub(super) fn key_place<'a>(vault: &'a [u8; 16], lookup: &'a [u8; 32]) -> Place<'a> {
    Place { vault, table: "record key", row: lookup, version: 0 }
}

pub(super) fn open_meta(vault: &[u8; 16], key: &Key, row: &RecordRow) -> Option<SecretInfo> {
    let at = meta_row(&row.lookup, row.version);
    let plain = key.open(Place { vault, table: "record", row: &at, version: row.revision }, &row.meta)?;
    let Meta { name, created, modified, attributes } = serde_json::from_slice(&plain).ok()?;
    Some(SecretInfo { name, version: row.version, created, modified, attributes })
}

pub(super) fn seal_meta(
    vault: &[u8; 16],
    key: &Key,
    (lookup, revision): (&[u8; 32], u64),
    info: &SecretInfo,
) -> Result<Vec<u8>> {
    let SecretInfo { name, version: _, created, modified, attributes } = info.clone();
    let plain = serde_json::to_vec(&Meta { name, created, modified, attributes })
        .map_err(|_| Error::TooMuch("the attributes are too long"))?;
    if plain.len() > 32 * 1024 {
        return Err(Error::TooMuch(
            "tags, description, hosts and commands of a secret have at most 32 KiB together",
        ));
    }
    let at = meta_row(lookup, info.version);
    key.seal(Place { vault, table: "record", row: &at, version: revision }, &plain)
}

/// What is known about a secret belongs to one version of its value.
fn meta_row(lookup: &[u8; 32], version: u32) -> [u8; 36] {
    let mut row = [0; 36];
    let (name, number) = row.split_at_mut(32);
    name.copy_from_slice(lookup);
    number.copy_from_slice(&version.to_be_bytes());
    row
}

/// A value and when it was stored.
pub(super) fn open_value(
    vault: &[u8; 16],
    key: &Key,
    row: &RecordRow,
    version: u32,
    sealed: &[u8],
) -> Option<(SecretValue, Timestamp)> {
    let place = Place { vault, table: "value", row: &row.lookup, version: u64::from(version) };
    let plain = key.open(place, sealed)?;
    let (stored, rest) = plain.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let value = SecretValue::new(rest.get(..length)?).ok()?;
    Some((value, Timestamp::from_millis(i64::from_be_bytes(*stored))))
}

pub(super) fn seal_value(
    vault: &[u8; 16],
    key: &Key,
    (lookup, version): (&[u8; 32], u32),
    (value, stored): (&SecretValue, Timestamp),
) -> Result<Vec<u8>> {
    let length = u32::try_from(value.len()).map_err(|_| Error::TooMuch("the value is too long"))?;
    let padded = (12 + value.len()).next_multiple_of(STEP);
    // Reserved at once: growing would leave a copy behind that nobody wipes.
    let mut plain = Zeroizing::new(Vec::with_capacity(padded));
    plain.extend_from_slice(&stored.millis().to_be_bytes());
    plain.extend_from_slice(&length.to_be_bytes());
    plain.extend_from_slice(value.as_bytes());
    plain.resize(padded, 0);
    key.seal(Place { vault, table: "value", row: lookup, version: u64::from(version) }, &plain)
}

pub(super) fn damaged(name: &SecretName) -> Error {
    Error::Damaged { what: format!("`{name}`"), reason: "it does not decrypt" }
}
