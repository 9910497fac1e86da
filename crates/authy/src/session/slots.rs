//! Key slots added and removed; a new key for the whole vault.

use super::Session;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result, SlotError};
use crate::keyring::{Owner, slot_mac, slot_place};
use crate::keys::sealing::seal_to;
use crate::keys::{Key, Stretching};
use crate::slot::{NewSlot, SlotInfo, SlotKind};
use crate::store::{SlotRow, Store};
use crate::time::Timestamp;

const MOST: usize = 16;

impl Session {
    /// The ways to unlock.
    pub fn slots(&self) -> Result<Vec<SlotInfo>> {
        self.locked().store.slots()?.iter().map(SlotInfo::read).collect()
    }

    /// Adds a way to unlock. Needs `admin`.
    pub fn add_slot(&self, slot: &NewSlot) -> Result<SlotInfo> {
        self.change(Operation::SlotAdd, Some(slot.kind().as_str()), |work| {
            work.keys.require(Capability::Admin)?;
            if work.store.slots()?.len() >= MOST {
                return Err(SlotError::TooMany.into());
            }
            let Owner { vault_key, root, .. } = work.keys.owner()?;
            insert_slot(work.store, &work.keys.vault, (vault_key, &root.slots), slot)
        })
    }

    /// Removes a way to unlock. Who knows the vault key still has it: see [`Session::rotate_vault_key`]. Needs `admin`.
    pub fn remove_slot(&self, id: i64) -> Result<()> {
        self.change(Operation::SlotRemove, Some(&id.to_string()), |work| {
            work.keys.require(Capability::Admin)?;
            let slots = work.store.slots()?;
            if !slots.iter().any(|slot| slot.id == id) {
                return Err(SlotError::NotFound(id).into());
            }
            if slots.len() == 1 {
                return Err(SlotError::Last(id).into());
            }
            work.store.delete_slot(id)?;
            // Sessions that came through this slot look for it at their next operation, and end.
            let Owner { vault_key, root, epoch } = work.keys.owner()?;
            let epoch = epoch + 1;
            work.store.set_root(epoch, &root.wrap(vault_key, &work.keys.vault, epoch)?)?;
            let owner = Owner { epoch, vault_key: vault_key.clone(), root: root.clone() };
            work.keys.set_owner(owner);
            Ok(())
        })
    }

    /// Gives the vault a new key. All slots and grants stay good. Needs `admin`.
    pub fn rotate_vault_key(&self) -> Result<()> {
        self.change(Operation::Rekey, None, |work| {
            work.keys.require(Capability::Admin)?;
            work.new_vault_key()
        })
    }
}

impl NewSlot {
    fn kind(&self) -> SlotKind {
        match self {
            NewSlot::Passphrase(_) => SlotKind::Passphrase,
            NewSlot::Keyfile(_) => SlotKind::Keyfile,
            NewSlot::Recovery(_) => SlotKind::Recovery,
            NewSlot::Keychain(_) => SlotKind::Keychain,
        }
    }
}

impl SlotInfo {
    pub(crate) fn read(row: &SlotRow) -> Result<SlotInfo> {
        let kinds = [SlotKind::Passphrase, SlotKind::Keyfile, SlotKind::Recovery, SlotKind::Keychain];
        let kind = kinds.into_iter().find(|kind| kind.as_str() == row.kind).ok_or_else(|| {
            Error::Damaged { what: format!("key slot {}", row.id), reason: "its kind is unknown" }
        })?;
        let created = Timestamp::from_millis(row.created);
        Ok(SlotInfo { id: row.id, kind, created, recipient: crate::keys::recipient(&row.public) })
    }
}

/// Adds a slot with the vault key in it.
pub(crate) fn insert_slot(
    store: &Store,
    vault: &[u8; 16],
    (vault_key, slots): (&Key, &Key),
    slot: &NewSlot,
) -> Result<SlotInfo> {
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
    let id = store.next_slot()?;
    let public = pair.public();
    let mut row = SlotRow {
        id,
        kind: slot.kind().as_str().to_owned(),
        stretching,
        public,
        sealed: seal_to(&public, slot_place(vault, &id.to_be_bytes()), vault_key.bytes())?,
        created: Timestamp::now().millis(),
        mac: [0; 32],
    };
    row.mac = slot_mac(slots, &row);
    store.insert_slot(&row)?;
    SlotInfo::read(&row)
}

/// Puts a new vault key into every slot. A slot the owner did not add gets nothing, and stops the change.
pub(super) fn reseal_all(store: &Store, vault: &[u8; 16], slots: &Key, new: &Key) -> Result<()> {
    for slot in store.slots()? {
        if slot.mac != slot_mac(slots, &slot) {
            let what = format!("key slot {}", slot.id);
            return Err(Error::Damaged { what, reason: "it was not added by the owner, or was changed" });
        }
        let sealed = seal_to(&slot.public, slot_place(vault, &slot.id.to_be_bytes()), new.bytes())?;
        store.reseal_slot(slot.id, &sealed)?;
    }
    Ok(())
}
