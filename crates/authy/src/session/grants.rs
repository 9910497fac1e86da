//! Grants made, taken back, and kept in step with their policies.

use super::Session;
use super::log::rekey_head;
use super::names::Sharer;
use super::record::{Opened, key_place, open_value, seal_meta, seal_value};
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::grant::{GrantInfo, IssuedGrant, NewGrant};
use crate::keyring::{Owner, share_lookup};
use crate::keys::sealing::seal_to;
use crate::keys::{Bundle, Key, Place, Terms, Token, WriterKeys};
use crate::name::{GrantId, SecretName};
use crate::policy::{Matcher, Policy};
use crate::store::{GrantRow, KeyKind};

/// A grant as the owner opens it.
pub(super) struct OpenGrant {
    pub(super) row: GrantRow,
    pub(super) key: Key,
    pub(super) bundle: Bundle,
}

/// Whether a grant still stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Active,
    Revoked,
}

impl Session {
    /// All grants, oldest first, those taken back, too. Needs `admin`.
    pub fn grants(&self) -> Result<Vec<GrantInfo>> {
        self.read(Operation::List, Some("grants"), |work| {
            work.keys.require(Capability::Admin)?;
            let mut infos = Vec::new();
            for row in work.store.grants()? {
                let standing = if row.revoked { Standing::Revoked } else { Standing::Active };
                let grant = work.open_grant(row)?;
                infos.push(describe(GrantId(grant.row.id), &grant.bundle.terms, grant.row.used, standing));
            }
            Ok(infos)
        })
    }

    /// Makes a grant. Its token is in the answer and nowhere else. Needs `admin`.
    pub fn create_grant(&self, new: &NewGrant) -> Result<IssuedGrant> {
        let token = Token::random()?;
        let id = token.id();
        let info = self.change(Operation::GrantCreate, Some(&id.to_string()), |work| {
            work.keys.require(Capability::Admin)?;
            let policy = work.policy_named(&new.policy)?;
            let terms = Terms {
                label: new.label.chars().take(200).collect(),
                policy: policy.name.clone(),
                allow: policy.allow.clone(),
                deny: policy.deny.clone(),
                run_only: policy.run_only,
                capabilities: new.capabilities,
                created: work.now,
                expires: new.lifetime.map(|lifetime| work.now.after(lifetime)),
                uses: new.uses,
            };
            work.detail = Some(format!("{} on `{}` for {}", terms.capabilities(), policy.name, terms.label));
            let key = Key::random()?;
            let public = token.pair().public();
            let place = Place { vault: &work.keys.vault, table: "grant key", row: &id.0, version: 0 };
            let info = describe(id, &terms, 0, Standing::Active);
            let row = GrantRow {
                id: id.0,
                revision: 1,
                public,
                key_for_holder: seal_to(&public, place, key.bytes())?,
                key_for_owner: work.owners_copy(work.keys.owner()?, id, &key)?,
                bundle: work.bundle(terms, id)?.wrap(&key, &work.keys.vault, id, 1)?,
                used: 0,
                revoked: false,
                shares: 0,
            };
            work.store.insert_grant(&row)?;
            let contents = work.keys.owner()?.root.contents.clone();
            work.changed.came(&contents, "grant", &id.0, 1);
            work.reshare(&[id])?;
            Ok(info)
        })?;
        Ok(IssuedGrant { info, token })
    }

    /// Takes a grant back: what it could open gets new keys. Needs `admin`.
    pub fn revoke_grant(&self, id: GrantId) -> Result<()> {
        self.change(Operation::GrantRevoke, Some(&id.to_string()), |work| {
            work.keys.require(Capability::Admin)?;
            let row = work.store.grant(id.0)?.ok_or(Error::GrantNotFound(id))?;
            if row.revoked { Ok(()) } else { work.revoke(&[id]) }
        })
    }

    /// Takes all grants back. Gives how many there were. Needs `admin`.
    pub fn revoke_all_grants(&self) -> Result<usize> {
        self.change(Operation::GrantRevoke, Some("all"), |work| {
            work.keys.require(Capability::Admin)?;
            let ids: Vec<GrantId> = work.active_grants()?.iter().map(|grant| GrantId(grant.row.id)).collect();
            if !ids.is_empty() {
                work.revoke(&ids)?;
            }
            Ok(ids.len())
        })
    }
}

impl Work<'_> {
    pub(super) fn open_grant(&self, row: GrantRow) -> Result<OpenGrant> {
        let id = GrantId(row.id);
        let key = self.keys.owner()?.grant_key(&self.keys.vault, &row)?;
        let bundle = Bundle::unwrap(&key, &self.keys.vault, id, row.revision, &row.bundle)
            .ok_or_else(|| Error::Damaged { what: format!("grant {id}"), reason: "it does not open" })?;
        Ok(OpenGrant { row, key, bundle })
    }

    /// The grants that were not taken back.
    pub(super) fn active_grants(&self) -> Result<Vec<OpenGrant>> {
        let active = self.store.grants()?.into_iter().filter(|row| !row.revoked);
        active.map(|row| self.open_grant(row)).collect()
    }

    /// What a holder on these terms gets.
    fn bundle(&self, terms: Terms, id: GrantId) -> Result<Bundle> {
        let Owner { vault_key, root, .. } = self.keys.owner()?;
        Ok(Bundle {
            audit_head: root.audit_head.clone(),
            audit_words: root.words_of(&id.0),
            owner: root.pair.public(),
            writer: terms
                .writes()
                .then(|| WriterKeys { names: root.names.clone(), contents: root.contents.clone() }),
            vault_key: terms.capabilities().has(Capability::Admin).then(|| vault_key.clone()),
            terms,
        })
    }

    fn owners_copy(&self, owner: &Owner, id: GrantId, key: &Key) -> Result<Vec<u8>> {
        let place = Place { vault: &self.keys.vault, table: "grant key for owner", row: &id.0, version: 0 };
        owner.vault_key.wrap(place, key)
    }

    /// Writes a grant with the keys of now, on the terms it has.
    fn rewrite_grant(&mut self, mut grant: OpenGrant) -> Result<()> {
        let id = GrantId(grant.row.id);
        let before = grant.row.revision;
        grant.row.revision += 1;
        let mut bundle = self.bundle(grant.bundle.terms, id)?;
        if grant.row.revoked {
            // What is left says what it was, and opens nothing.
            bundle.audit_head = Key::random()?;
            bundle.writer = None;
            bundle.vault_key = None;
        }
        grant.row.bundle = bundle.wrap(&grant.key, &self.keys.vault, id, grant.row.revision)?;
        grant.row.key_for_owner = self.owners_copy(self.keys.owner()?, id, &grant.key)?;
        self.store.update_grant(&grant.row)?;
        let contents = self.keys.owner()?.root.contents.clone();
        self.changed.went(&contents, "grant", &id.0, before);
        self.changed.came(&contents, "grant", &id.0, grant.row.revision);
        self.sharing_changed = true;
        Ok(())
    }

    fn revoke(&mut self, ids: &[GrantId]) -> Result<()> {
        let mut administered = false;
        let mut others = Vec::new();
        let mut revoked = Vec::new();
        for mut grant in self.active_grants()? {
            if ids.contains(&GrantId(grant.row.id)) {
                administered |= grant.bundle.vault_key.is_some();
                grant.row.revoked = true;
                revoked.push(grant);
            } else {
                others.push(grant);
            }
        }
        // They could open the head of the log; from now on nobody can with what they have.
        let owner = self.keys.owner()?;
        let (mut root, vault_key, epoch) = (owner.root.clone(), owner.vault_key.clone(), owner.epoch + 1);
        let old = std::mem::replace(&mut root.audit_head, Key::random()?);
        rekey_head(self.store, &self.keys.vault, &old, &root.audit_head)?;
        self.store.set_root(epoch, &root.wrap(&vault_key, &self.keys.vault, epoch)?)?;
        self.keys.set_owner(Owner { epoch, vault_key, root });
        for grant in revoked.into_iter().chain(others) {
            self.rewrite_grant(grant)?;
        }
        self.reshare(ids)?;
        if administered { self.new_vault_key() } else { Ok(()) }
    }

    /// Gives the grants of a policy its new patterns.
    pub(super) fn apply_policy(&mut self, policy: &Policy) -> Result<()> {
        let mut ids = Vec::new();
        for mut grant in self.active_grants()? {
            if grant.bundle.terms.policy == policy.name {
                ids.push(GrantId(grant.row.id));
                grant.bundle.terms.allow.clone_from(&policy.allow);
                grant.bundle.terms.deny.clone_from(&policy.deny);
                grant.bundle.terms.run_only = policy.run_only;
                self.rewrite_grant(grant)?;
            }
        }
        if ids.is_empty() { Ok(()) } else { self.reshare(&ids) }
    }

    /// Makes the shares of these grants what their terms say: keys for what is new, new keys for what is gone.
    fn reshare(&mut self, ids: &[GrantId]) -> Result<()> {
        self.sharing_changed = true;
        let sharers = self.sharers()?;
        let mut keys = Vec::new();
        for id in ids {
            let row = self.store.grant(id.0)?.ok_or(Error::GrantNotFound(*id))?;
            let key = self.keys.owner()?.grant_key(&self.keys.vault, &row)?;
            let matcher = sharers.iter().find(|sharer| sharer.id == *id).map(|sharer| &sharer.matcher);
            keys.push((*id, key, matcher));
        }
        let names: Vec<SecretName> = self.load_names()?.infos.keys().cloned().collect();
        for name in names {
            let mut lost = false;
            for (id, key, matcher) in &keys {
                let has = self.store.share(id.0, &share_lookup(key, &name))?.is_some();
                let wanted = matcher.is_some_and(|matcher: &Matcher| matcher.covers(&name));
                if wanted && !has {
                    let opened = self.find(&name)?;
                    self.share((*id, key), &name, opened.row.id, &opened.key)?;
                }
                lost |= has && !wanted;
            }
            if lost {
                let opened = self.find(&name)?;
                self.rekey_record(opened, &sharers)?;
            }
        }
        Ok(())
    }

    /// Gives a record a new key, and the key to those who still share it.
    fn rekey_record(&mut self, mut opened: Opened, sharers: &[Sharer]) -> Result<()> {
        let vault = self.keys.vault;
        let value = self.value(&opened)?;
        let new = Key::random()?;
        for (version, sealed) in self.store.old_versions(opened.row.id)? {
            let (old, stored) = open_value(&vault, &opened.key, &opened.row, version, &sealed)
                .ok_or_else(|| super::record::damaged(&opened.info.name))?;
            let sealed = seal_value(&vault, &new, (&opened.row.lookup, version), (&old, stored))?;
            self.store.set_old_version(opened.row.id, version, &sealed)?;
        }
        let Opened { row, key, info } = &mut opened;
        let before = row.revision;
        row.revision += 1;
        row.meta = seal_meta(&vault, &new, (&row.lookup, row.revision), info)?;
        row.value = seal_value(&vault, &new, (&row.lookup, row.version), (&value, info.modified))?;
        row.key = self.keys.owner()?.vault_key.wrap(key_place(&vault, &row.lookup), &new)?;
        row.key_kind = KeyKind::Wrapped;
        *key = new.clone();
        let (id, name) = (row.id, info.name.clone());
        self.write(opened, before)?;
        self.store.delete_shares_of(id)?;
        for sharer in sharers.iter().filter(|sharer| sharer.matcher.covers(&name)) {
            self.share((sharer.id, &sharer.key), &name, id, &new)?;
        }
        Ok(())
    }

    /// Gives the vault a new key: every slot, record and grant is wrapped by it.
    pub(super) fn new_vault_key(&mut self) -> Result<()> {
        let vault = self.keys.vault;
        let grants: Vec<OpenGrant> =
            self.store.grants()?.into_iter().map(|row| self.open_grant(row)).collect::<Result<_>>()?;
        let owner = self.keys.owner()?;
        let (old, root, epoch) = (owner.vault_key.clone(), owner.root.clone(), owner.epoch + 1);
        let new = Key::random()?;
        super::slots::reseal_all(self.store, &vault, &root.slots, &new)?;
        self.store.set_root(epoch, &root.wrap(&new, &vault, epoch)?)?;
        let mut wrapped = Vec::new();
        self.store.each_record(|row| {
            if row.key_kind == KeyKind::Wrapped {
                let place = key_place(&vault, &row.lookup);
                let key = old
                    .unwrap_key(place, &row.key)
                    .ok_or(Error::Damaged { what: "a record".into(), reason: "its key does not open" })?;
                wrapped.push((row.id, new.wrap(place, &key)?));
            }
            Ok(())
        })?;
        for (id, key) in wrapped {
            self.store.set_record_key(id, KeyKind::Wrapped, &key)?;
        }
        self.keys.set_owner(Owner { epoch, vault_key: new, root });
        grants.into_iter().try_for_each(|grant| self.rewrite_grant(grant))
    }
}

/// A grant in the words of its owner.
pub(super) fn describe(id: GrantId, terms: &Terms, used: u64, standing: Standing) -> GrantInfo {
    GrantInfo {
        id,
        label: terms.label.clone(),
        policy: terms.policy.clone(),
        capabilities: terms.capabilities(),
        created: terms.created,
        expires: terms.expires,
        uses: terms.uses,
        used,
        revoked: standing == Standing::Revoked,
    }
}
