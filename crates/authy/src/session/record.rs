//! A record opened and closed: its key, what is known about it, its value.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::log::STEP;
use super::work::Work;
use crate::error::{Error, Result};
use crate::keyring::Keyring;
use crate::keys::{Key, Place};
use crate::name::SecretName;
use crate::secret::{Attributes, SecretInfo};
use crate::store::{RecordRow, ShareRow};
use crate::time::Timestamp;
use crate::value::SecretValue;

/// A record whose key is known.
pub(super) struct Opened {
    pub(super) row: RecordRow,
    pub(super) key: Key,
    pub(super) info: SecretInfo,
}

/// A secret as a session finds it.
pub(super) enum Found {
    /// It is in the vault.
    Kept(Opened),
    /// This grant stored it, and the owner has not taken it over yet.
    Pending(SecretInfo, SecretValue),
}

/// What is known about a secret, as it is stored. Its version is the row's.
#[derive(Serialize, Deserialize)]
struct Meta {
    name: SecretName,
    created: Timestamp,
    modified: Timestamp,
    #[serde(flatten)]
    attributes: Attributes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    removed: Option<Timestamp>,
}

impl Found {
    pub(super) fn info(&self) -> &SecretInfo {
        match self {
            Found::Kept(opened) => &opened.info,
            Found::Pending(info, _) => info,
        }
    }

    pub(super) fn into_info(self) -> SecretInfo {
        match self {
            Found::Kept(opened) => opened.info,
            Found::Pending(info, _) => info,
        }
    }
}

impl Work<'_> {
    /// Finds a secret and opens what is known about it. That there is none is proven.
    pub(super) fn find(&mut self, name: &SecretName) -> Result<Found> {
        self.keys.require_scope(name)?;
        self.look_up(name)?.ok_or_else(|| Error::NotFound(name.clone()))
    }

    /// Finds a record of the vault itself.
    pub(super) fn find_kept(&mut self, name: &SecretName) -> Result<Opened> {
        self.keys.require_scope(name)?;
        self.look_up_kept(name)?.ok_or_else(|| Error::NotFound(name.clone()))
    }

    /// Finds a secret, if it is there and this session has its key.
    pub(super) fn look_up(&mut self, name: &SecretName) -> Result<Option<Found>> {
        if let Some(pending) = self.own_pending(name)? {
            return Ok(pending.into_found());
        }
        Ok(self.look_up_kept(name)?.map(Found::Kept))
    }

    pub(super) fn look_up_kept(&mut self, name: &SecretName) -> Result<Option<Opened>> {
        let opened = if let Some(holder) = &self.keys.holder {
            let (id, lookup) = (holder.id, holder.lookup(name));
            let share = self.store.share(id.0, &lookup)?;
            let found = share.as_ref().map(ShareRow::digest);
            self.check(&ShareRow::leaf(id.0, &lookup), found, || format!("`{name}`"))?;
            let Some(share) = share else { return Ok(None) };
            match self.open_share(&share)? {
                Some(opened) => opened,
                None => return Err(Error::NotShared(name.clone())),
            }
        } else {
            let lookup = record_lookup(&self.keys.owner()?.root.names, name);
            let row = self.store.record(&lookup)?;
            let found = row.as_ref().map(RecordRow::digest);
            self.check(&RecordRow::leaf(&lookup), found, || format!("`{name}`"))?;
            let Some(row) = row else { return Ok(None) };
            let key = owners_key(self.keys, &row)?;
            let info = open_meta(&self.keys.vault, &key, &row).ok_or_else(|| damaged(name))?;
            Opened { row, key, info }
        };
        if opened.info.name != *name || opened.info.removed.is_some() {
            return Err(damaged(name));
        }
        Ok(Some(opened))
    }

    /// The record a grant shares; `None` if it may only know that it is there.
    pub(super) fn open_share(&mut self, share: &ShareRow) -> Result<Option<Opened>> {
        let damaged = |reason| Error::Damaged { what: "a record".into(), reason };
        let Some(holder) = &self.keys.holder else { return Ok(None) };
        let id = holder.id;
        let place = Place { vault: &self.keys.vault, table: "share", row: &share.lookup, version: 0 };
        let key = match share.key.as_slice() {
            [] => None,
            wrapped => {
                Some(holder.key.unwrap_key(place, wrapped).ok_or_else(|| damaged("its key does not open"))?)
            }
        };
        self.check(&ShareRow::leaf(id.0, &share.lookup), Some(share.digest()), || "a record".into())?;
        let Some(key) = key else { return Ok(None) };
        let row = self.store.record_by_id(share.record)?.ok_or_else(|| damaged("it is missing"))?;
        self.check(&RecordRow::leaf(&row.lookup), Some(row.digest()), || "a record".into())?;
        let info = open_meta(&self.keys.vault, &key, &row).ok_or_else(|| damaged("it does not decrypt"))?;
        Ok(Some(Opened { row, key, info }))
    }

    /// The current value.
    pub(super) fn value(&self, found: &Found) -> Result<SecretValue> {
        match found {
            Found::Pending(_, value) => Ok(value.clone()),
            Found::Kept(opened) => self.kept_value(opened),
        }
    }

    pub(super) fn kept_value(&self, opened: &Opened) -> Result<SecretValue> {
        let Opened { row, key, info } = opened;
        if RecordRow::digest_of_value(&row.value) != row.value_digest {
            return Err(damaged(&info.name));
        }
        open_value(&self.keys.vault, key, &row.lookup, row.version, &row.value)
            .map(|(value, _)| value)
            .ok_or_else(|| damaged(&info.name))
    }

    /// Fails unless the value and all old versions are what they should be.
    pub(super) fn check_values(&self, opened: &Opened) -> Result<()> {
        self.kept_value(opened)?;
        opened.row.old_versions().try_for_each(|(number, _)| self.old_value(opened, number).map(drop))
    }

    /// An old version as it is kept, and when it was stored; `None` if it is not kept.
    pub(super) fn old_value(
        &self,
        opened: &Opened,
        version: u32,
    ) -> Result<Option<(SecretValue, Timestamp)>> {
        let Opened { row, key, info } = opened;
        let Some((_, digest)) = row.old_versions().find(|(number, _)| *number == version) else {
            return Ok(None);
        };
        let sealed = self.store.old_version(row.id, version)?.ok_or_else(|| damaged(&info.name))?;
        if RecordRow::digest_of_value(&sealed) != digest {
            return Err(damaged(&info.name));
        }
        let opened = open_value(&self.keys.vault, key, &row.lookup, version, &sealed);
        opened.map(Some).ok_or_else(|| damaged(&info.name))
    }
}

/// How the owner finds a record.
pub(super) fn record_lookup(names: &Key, name: &SecretName) -> [u8; 32] {
    names.mac("record", &[name.as_str().as_bytes()])
}

/// How a record in the trash is found: by its number, so that several of one name can be there.
pub(super) fn trash_lookup(names: &Key, record: i64) -> [u8; 32] {
    names.mac("trash", &[&record.to_be_bytes()])
}

/// The record's key, as the owner gets at it.
pub(super) fn owners_key(keys: &Keyring, row: &RecordRow) -> Result<Key> {
    let key = keys.owner()?.vault_key.unwrap_key(key_place(&keys.vault, &row.lookup), &row.key);
    key.ok_or(Error::Damaged { what: "a record".into(), reason: "its key does not open" })
}

/// Where a record's key belongs.
pub(super) fn key_place<'a>(vault: &'a [u8; 16], lookup: &'a [u8; 32]) -> Place<'a> {
    Place { vault, table: "record key", row: lookup, version: 0 }
}

pub(super) fn open_meta(vault: &[u8; 16], key: &Key, row: &RecordRow) -> Option<SecretInfo> {
    let at = meta_row(&row.lookup, row.version);
    let plain = key.open(Place { vault, table: "record", row: &at, version: row.revision }, &row.meta)?;
    let Meta { name, created, modified, attributes, removed } = serde_json::from_slice(&plain).ok()?;
    Some(SecretInfo { name, version: row.version, created, modified, attributes, removed })
}

pub(super) fn seal_meta(
    vault: &[u8; 16],
    key: &Key,
    (lookup, revision): (&[u8; 32], u64),
    info: &SecretInfo,
) -> Result<Vec<u8>> {
    let SecretInfo { name, version: _, created, modified, attributes, removed } = info.clone();
    let mut plain = serde_json::to_vec(&Meta { name, created, modified, attributes, removed })
        .map_err(|_| Error::TooMuch("the attributes are too long"))?;
    if plain.len() > 32 * 1024 {
        return Err(Error::TooMuch(
            "tags, description, hosts and commands of a secret have at most 32 KiB together",
        ));
    }
    // Blanks at the end mean nothing in JSON.
    plain.resize(plain.len().next_multiple_of(STEP), b' ');
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
pub(crate) fn open_value(
    vault: &[u8; 16],
    key: &Key,
    lookup: &[u8; 32],
    version: u32,
    sealed: &[u8],
) -> Option<(SecretValue, Timestamp)> {
    let place = Place { vault, table: "value", row: lookup, version: u64::from(version) };
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
