//! Key slots added and removed.

use super::Session;
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result, SlotError};
use crate::keyring::{Owner, slot_code, slot_place};
use crate::keys::sealing::seal_to;
use crate::keys::{KnownSlot, Stretching};
use crate::slot::{NewSlot, SlotInfo, SlotKind};
use crate::store::{SlotRow, Store};
use crate::time::Timestamp;

const MOST: usize = 16;

impl Session {
    /// The ways to unlock, as the owner knows them. Needs the owner.
    pub fn slots(&self) -> Result<Vec<SlotInfo>> {
        let state = self.locked();
        Ok(state.keys.owner()?.root.slots.iter().map(SlotInfo::of).collect())
    }

    /// Adds a way to unlock. Needs the owner.
    pub fn add_slot(&self, slot: &NewSlot) -> Result<SlotInfo> {
        self.change(Operation::SlotAdd, Some(slot.kind().as_str()), |work| {
            work.keys.require(Capability::Admin)?;
            let mut owner = work.keys.owner()?.clone();
            let info = know_slot(&mut owner, slot)?;
            work.replace_owner(owner)?;
            work.write_slots()?;
            Ok(info)
        })
    }

    /// Removes a way to unlock, and renews every key: see [`Session::remove_slots`]. Needs the owner.
    pub fn remove_slot(&self, id: i64) -> Result<()> {
        self.remove_slots(&[id])
    }

    /// Removes ways to unlock. Whoever had one knew all keys, so every key is new afterwards, and so is the identity. Needs
    /// the owner.
    pub fn remove_slots(&self, ids: &[i64]) -> Result<()> {
        let words: Vec<String> = ids.iter().map(ToString::to_string).collect();
        self.change(Operation::SlotRemove, Some(&words.join(", ")), |work| {
            work.keys.require(Capability::Admin)?;
            let mut owner = work.keys.owner()?.clone();
            for id in ids {
                if owner.root.slot(*id).is_none() {
                    return Err(SlotError::NotFound(*id).into());
                }
                owner.root.slots.retain(|slot| slot.id != *id);
                if owner.root.slots.is_empty() {
                    return Err(SlotError::Last(*id).into());
                }
            }
            work.renew(&owner)
        })
    }
}

impl Work<'_> {
    /// Makes the rows of all slots from what the owner knows, and lets the head say so: before a passphrase is stretched, this
    /// tells them from rows that somebody added.
    pub(super) fn write_slots(&mut self) -> Result<()> {
        let owner = self.keys.owner()?;
        let next = owner.root.next_slot;
        let rows = write_slots(self.store, &self.keys.vault, owner)?;
        // Numbers are never used again, so these are all there ever were.
        for id in 1..next {
            let row = rows.iter().find(|row| row.id == id).map(SlotRow::digest);
            if row.is_some() || self.leaf(&SlotRow::leaf(id))?.is_some() {
                self.set_leaf(SlotRow::leaf(id), row);
            }
        }
        Ok(())
    }
}

/// Makes the rows of all slots from what the owner knows: the vault key for each, and the code by which it knows the vault.
pub(crate) fn write_slots(store: &Store, vault: &[u8; 16], owner: &Owner) -> Result<Vec<SlotRow>> {
    let identity = owner.root.identity.public();
    let mut rows = Vec::with_capacity(owner.root.slots.len());
    for known in &owner.root.slots {
        let id = known.id.to_be_bytes();
        let mut row = SlotRow {
            id: known.id,
            kind: known.kind.as_str().to_owned(),
            stretching: known.stretching.clone(),
            public: known.public,
            sealed: seal_to(&known.public, slot_place(vault, &id), owner.vault_key.bytes())?,
            created: known.created,
            code: [0; 32],
        };
        row.code = slot_code(&known.authentication, vault, &identity, &row);
        rows.push(row);
    }
    store.set_slots(&rows)?;
    Ok(rows)
}

/// Adds a slot to those the owner knows.
pub(crate) fn know_slot(owner: &mut Owner, slot: &NewSlot) -> Result<SlotInfo> {
    if owner.root.slots.len() >= MOST {
        return Err(SlotError::TooMany.into());
    }
    let (pair, stretching) = match slot {
        NewSlot::Passphrase(passphrase) => {
            let stretching = Stretching::new()?;
            let written =
                serde_json::to_vec(&stretching).map_err(|_| Error::TooMuch("the slot is too long"))?;
            (stretching.pair(passphrase)?, Some(written))
        }
        NewSlot::Keyfile(identity) => (identity.pair().clone(), None),
        NewSlot::Recovery(code) | NewSlot::Keychain(code) => (code.pair(), None),
    };
    if slot.kind() == SlotKind::Passphrase {
        let passphrases = owner.root.slots.iter().filter(|slot| slot.kind == SlotKind::Passphrase);
        if passphrases.count() >= crate::keyring::MOST_PASSPHRASES {
            return Err(SlotError::TooManyPassphrases.into());
        }
    }
    let known = KnownSlot {
        id: owner.root.next_slot,
        kind: slot.kind(),
        stretching,
        public: pair.public(),
        created: Timestamp::now().millis(),
        authentication: pair.authentication(),
    };
    owner.root.next_slot += 1;
    let info = SlotInfo::of(&known);
    owner.root.slots.push(known);
    Ok(info)
}

impl NewSlot {
    pub(super) fn kind(&self) -> SlotKind {
        match self {
            NewSlot::Passphrase(_) => SlotKind::Passphrase,
            NewSlot::Keyfile(_) => SlotKind::Keyfile,
            NewSlot::Recovery(_) => SlotKind::Recovery,
            NewSlot::Keychain(_) => SlotKind::Keychain,
        }
    }
}

impl SlotInfo {
    pub(super) fn of(known: &KnownSlot) -> SlotInfo {
        SlotInfo {
            id: known.id,
            kind: known.kind,
            created: Timestamp::from_millis(known.created),
            recipient: crate::keys::recipient(&known.public),
        }
    }

    /// As a file of the earlier format says.
    pub(crate) fn read_old(row: &crate::store::format1::OldSlot) -> Result<SlotInfo> {
        let kind = SlotKind::named(&row.kind).ok_or_else(|| Error::Damaged {
            what: format!("key slot {}", row.id),
            reason: "its kind is unknown",
        })?;
        let recipient = crate::keys::recipient(&row.public);
        Ok(SlotInfo { id: row.id, kind, created: Timestamp::from_millis(0), recipient })
    }

    /// As the file says, which nobody has to believe.
    pub(crate) fn read(row: &SlotRow) -> Result<SlotInfo> {
        let kind = SlotKind::named(&row.kind).ok_or_else(|| Error::Damaged {
            what: format!("key slot {}", row.id),
            reason: "its kind is unknown",
        })?;
        let created = Timestamp::from_millis(row.created);
        Ok(SlotInfo { id: row.id, kind, created, recipient: crate::keys::recipient(&row.public) })
    }
}
