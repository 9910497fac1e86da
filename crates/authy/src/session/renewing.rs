//! Every key of the vault made new: what an old credential knew opens nothing any more.

use std::collections::BTreeSet;

use super::Session;
use super::grants::OpenGrant;
use super::record::{Opened, owners_key, record_lookup, trash_lookup};
use super::slots::know_slot;
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::grant::GrantInfo;
use crate::keyring::Owner;
use crate::keys::Key;
use crate::name::{GrantId, SecretName};
use crate::policy::Policy;
use crate::slot::{NewSlot, SlotInfo};
use crate::store::{PolicyRow, ShareRow};
use crate::trust::certify;

/// What a compromise took with it.
#[derive(Debug, Clone)]
pub struct Recovered {
    /// The one way in there is now.
    pub slot: SlotInfo,
    /// The ways in there were.
    pub removed: Vec<SlotInfo>,
    /// The grants there were.
    pub revoked: Vec<GrantInfo>,
    /// The secrets whose values whoever had the old credential may know: they must be replaced where they are used.
    pub exposed: Vec<SecretName>,
}

impl Session {
    /// Gives the vault new keys and a new identity. All slots and grants stay good. Needs the owner.
    pub fn rotate_vault_key(&self) -> Result<()> {
        self.change(Operation::Rekey, None, |work| {
            work.keys.require(Capability::Admin)?;
            let owner = work.keys.owner()?.clone();
            work.renew(&owner)
        })
    }

    /// Recovers from a compromise: new keys and a new identity, one new way in, and every other way in and every grant gone.
    /// Needs the owner.
    pub fn recover(&self, only: &NewSlot) -> Result<Recovered> {
        let grants: Vec<GrantInfo> = self.grants()?.into_iter().filter(|grant| !grant.revoked).collect();
        self.change(Operation::Rekey, Some("compromised"), |work| {
            work.keys.require(Capability::Admin)?;
            // What is in the trash was readable as well.
            let trash = work.trash()?.into_iter().map(|opened| opened.info.name);
            let mut exposed: BTreeSet<SecretName> = trash.collect();
            exposed.extend(work.load_names()?.infos.keys().cloned());
            let exposed: Vec<SecretName> = exposed.into_iter().collect();
            let ids: Vec<GrantId> = work.active_grants()?.iter().map(|grant| GrantId(grant.row.id)).collect();
            work.mark_revoked(&ids)?;
            let mut owner = work.keys.owner()?.clone();
            let removed = std::mem::take(&mut owner.root.slots);
            let removed = removed.iter().map(SlotInfo::of).collect();
            let slot = know_slot(&mut owner, only)?;
            work.renew(&owner)?;
            work.detail = Some(format!("{} grants revoked, {} secrets exposed", ids.len(), exposed.len()));
            Ok(Recovered { slot, removed, revoked: grants.clone(), exposed })
        })
    }
}

impl Work<'_> {
    /// Makes everything new that whoever knew the owner's keys could use. The slots of `owner` are the ones that stay.
    pub(super) fn renew(&mut self, owner: &Owner) -> Result<()> {
        // Under the new keys nothing that grants have left could be read.
        self.take_over_now()?;
        self.store.delete_approvals()?;
        let records = self.open_all_records()?;
        let policies = self.open_all_policies()?;
        let grants: Vec<OpenGrant> =
            self.grant_rows()?.into_iter().map(|row| self.open_grant(row)).collect::<Result<_>>()?;
        let before = owner.root.log().cloned().ok_or_else(|| super::log::damaged_log("it has no keys"))?;
        let (last, code) = self.store.audit_end()?;
        let new = Owner {
            epoch: owner.epoch,
            vault_key: Key::random()?,
            root: owner.root.renewed(last + 1, code)?,
        };
        let certificate = certify(&owner.root.identity, &self.keys.vault, &new.root.identity.public());
        self.store.insert_succession(
            &owner.root.identity.public(),
            &new.root.identity.public(),
            &certificate,
        )?;
        let old_lookups: Vec<[u8; 32]> = self.store.policies()?.into_iter().map(|row| row.lookup).collect();
        self.replace_owner(new)?;
        self.write_slots()?;
        for lookup in old_lookups {
            self.store.delete_policy(&lookup)?;
            self.set_leaf(PolicyRow::leaf(&lookup), None);
        }
        for (policy, revision) in policies {
            self.put_policy(&policy, revision + 1)?;
        }
        // All grants get new keys; those that were revoked stay to be read about.
        for mut grant in grants {
            for share in self.store.shares(grant.row.id)? {
                self.set_leaf(ShareRow::leaf(grant.row.id, &share.lookup), None);
            }
            grant.key = Key::random()?;
            grant.row.shares = 0;
            grant.bundle = self.bundle(grant.bundle.terms, GrantId(grant.row.id))?;
            self.write_grant(grant)?;
        }
        self.store.delete_shares()?;
        self.shares.clear();
        self.restart_log(&before)?;
        let sharers = self.sharers()?;
        // The lookups of all names are new, and an old one may be in the way of nothing.
        for mut opened in records {
            let (id, name, key) = (opened.row.id, opened.info.name.clone(), Key::random()?);
            // Its digest, which is checked when it is opened, was read with the rest.
            opened.row.value = self.store.record_by_id(id)?.ok_or_else(missing)?.value;
            let names = &self.keys.owner()?.root.names;
            let removed = opened.info.removed.is_some();
            let lookup = if removed { trash_lookup(names, id) } else { record_lookup(names, &name) };
            self.reseal_record(opened, &key, &lookup)?;
            for sharer in sharers.iter().filter(|sharer| !removed && sharer.matcher.covers(&name)) {
                self.share(sharer, &name, id, &key)?;
            }
        }
        (*self.names, *self.sharing) = (None, None);
        self.sharing_changed = true;
        Ok(())
    }

    /// Every record, opened under the keys of before, without its value.
    fn open_all_records(&mut self) -> Result<Vec<Opened>> {
        // Fails, and says what to do, where one is damaged: it would be lost here for good.
        self.load_names()?;
        let mut records = Vec::new();
        for row in self.store.records()? {
            let info = self.known_record(&row)?;
            let key = owners_key(self.keys, &row)?;
            records.push(Opened { row, key, info });
        }
        Ok(records)
    }

    fn open_all_policies(&mut self) -> Result<Vec<(Policy, u64)>> {
        let rows = self.policy_rows()?;
        rows.iter().map(|row| Ok((self.open_policy(row)?, row.revision))).collect()
    }
}

fn missing() -> Error {
    Error::Damaged { what: "a record".into(), reason: "it does not decrypt" }
}

#[cfg(test)]
mod tests {
    use super::super::scratch::{Scratch, grant, policy_for_all};
    use crate::capability::Capability;
    use crate::credential::Credential;
    use crate::keys::{Identity, Key, Place};
    use crate::name::SecretName;
    use crate::secret::{NewSecret, Overwrite};
    use crate::session::Session;
    use crate::slot::NewSlot;
    use crate::store::Store;
    use crate::value::SecretValue;
    use crate::vault::Vault;

    fn store(session: &Session, name: &str, value: &str) {
        let name = SecretName::new(name).expect("a name");
        let value = SecretValue::new(value).expect("a value");
        session.store(&NewSecret { name, value, attributes: None }, Overwrite::NewVersion).expect("stored");
    }

    /// Every key an old credential and an old copy give: the vault key, all of the root bundle, the keys of records and grants.
    fn all_keys(session: &Session) -> Vec<Key> {
        let state = session.locked();
        let owner = state.keys.owner().expect("the owner");
        let vault = state.keys.vault;
        let root = &owner.root;
        let mut keys =
            vec![owner.vault_key.clone(), root.names.clone(), root.policies.clone(), root.pair.key()];
        for log in &root.logs {
            keys.extend([log.words.clone(), log.seed.clone(), log.words_of(b"")]);
        }
        for row in state.store.records().expect("records") {
            keys.push(super::owners_key(&state.keys, &row).expect("a key"));
        }
        for row in state.store.grants().expect("grants") {
            let (key, authentication) = owner.grant_keys(&vault, &row).expect("keys");
            keys.extend([key, authentication]);
        }
        keys
    }

    /// Every sealed thing of a file with the place it belongs to.
    fn opened_by(store: &Store, vault: &[u8; 16], epoch: u64, key: &Key) -> Vec<&'static str> {
        let mut opened = Vec::new();
        let mut try_open = |what, table, row: &[u8], version, sealed: &[u8]| {
            if key.open(Place { vault, table, row, version }, sealed).is_some() {
                opened.push(what);
            }
        };
        try_open("root", "root", b"", epoch, &store.root().expect("a root"));
        for row in store.records().expect("records") {
            let row = store.record_by_id(row.id).expect("read").expect("a record");
            let at = [row.lookup.as_slice(), &row.version.to_be_bytes()].concat();
            try_open("record key", "record key", &row.lookup, 0, &row.key);
            try_open("meta", "record", &at, row.revision, &row.meta);
            try_open("value", "value", &row.lookup, u64::from(row.version), &row.value);
            for (version, _) in row.old_versions() {
                let old = store.old_version(row.id, version).expect("read").expect("kept");
                try_open("old value", "value", &row.lookup, u64::from(version), &old);
            }
        }
        for row in store.policies().expect("policies") {
            try_open("policy", "policy", &row.lookup, row.revision, &row.body);
        }
        for row in store.grants().expect("grants") {
            try_open("grant", "grant key for owner", &row.id, 0, &row.key_for_owner);
            try_open("bundle", "grant bundle", &row.id, row.revision, &row.bundle);
            for share in store.shares(row.id).expect("shares") {
                try_open("share", "share", &share.lookup, 0, &share.key);
            }
        }
        opened
    }

    #[test]
    fn no_key_from_before_opens_anything_after_a_credential_was_removed() {
        let scratch = Scratch::new("renewing");
        let (vault, key) = (Vault::at(scratch.path().join("vault")), scratch.path().join("key"));
        let old = Identity::random().expect("random");
        old.write(&key).expect("a keyfile");
        let session = vault.create(&[NewSlot::Keyfile(old)]).expect("a vault");
        drop(session);
        let session = vault.unlock(&Credential::Keyfile(key)).expect("unlocked");
        for value in ["one", "two", "three"] {
            store(&session, "a", value);
        }
        grant(&session, &policy_for_all(&session), [Capability::List, Capability::Use]);
        let before = all_keys(&session);
        let mine = session.slots().expect("slots").remove(0).id;
        session.add_slot(&NewSlot::Keyfile(Identity::random().expect("random"))).expect("added");
        {
            let state = session.locked();
            let (vault, epoch) = (state.keys.vault, state.keys.owner().expect("owner").epoch);
            let opened: usize =
                before.iter().map(|key| opened_by(&state.store, &vault, epoch, key).len()).sum();
            assert!(opened >= 10, "the search works, and adding a credential changes nothing: {opened}");
        }
        session.remove_slot(mine).expect("removed");
        store(&session, "a", "later");
        store(&session, "b", "later");
        let state = session.locked();
        let (vault, epoch) = (state.keys.vault, state.keys.owner().expect("owner").epoch);
        for key in &before {
            assert_eq!(opened_by(&state.store, &vault, epoch, key), Vec::<&str>::new());
        }
    }
}
