//! Grants made, taken back, and kept in step with their policies.

use std::collections::BTreeSet;

use super::Session;
use super::log;
use super::names::Sharer;
use super::record::{Opened, key_place, seal_meta, seal_value};
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::grant::{GrantInfo, IssuedGrant, NewGrant};
use crate::keyring::{Owner, grant_code, holders_copy_place, owners_copy_place, share_lookup};
use crate::keys::pack::Pack;
use crate::keys::sealing::seal_to;
use crate::keys::{Bundle, Key, Terms, Token};
use crate::name::{GrantId, SecretName};
use crate::policy::Policy;
use crate::store::{GrantRow, RecordRow, ShareRow};

/// A grant as the owner opens it.
pub(super) struct OpenGrant {
    pub(super) row: GrantRow,
    pub(super) key: Key,
    pub(super) authentication: Key,
    pub(super) bundle: Bundle,
}

/// Whether a grant still stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Active,
    Revoked,
}

impl Session {
    /// All grants, oldest first, those taken back, too. Needs the owner.
    pub fn grants(&self) -> Result<Vec<GrantInfo>> {
        self.read(Operation::List, Some("grants"), |work| {
            work.keys.require(Capability::Admin)?;
            let mut infos = Vec::new();
            for row in work.grant_rows()? {
                let standing = if row.revoked { Standing::Revoked } else { Standing::Active };
                let grant = work.open_grant(row)?;
                let used = work.remembered_by(&grant.row.id)?.map_or(0, |state| state.uses);
                infos.push(describe(GrantId(grant.row.id), &grant.bundle.terms, used, standing));
            }
            Ok(infos)
        })
    }

    /// Makes a grant. Its token is in the answer and nowhere else. Needs the owner.
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
                capabilities: new.capabilities.without(Capability::Admin),
                created: work.now,
                expires: new.lifetime.map(|lifetime| work.now.after(lifetime)),
                uses: new.uses,
                asks_client: new.asks_client,
            };
            work.detail = Some(format!("{} on `{}` for {}", terms.capabilities(), policy.name, terms.label));
            let info = describe(id, &terms, 0, Standing::Active);
            let pair = token.pair();
            let row = GrantRow {
                id: id.0,
                revision: 0,
                public: pair.public(),
                key_for_holder: Vec::new(),
                key_for_owner: Vec::new(),
                bundle: Vec::new(),
                code: [0; 32],
                revoked: false,
                shares: 0,
                folded: 0,
                entries: 0,
            };
            work.store.insert_grant(&row)?;
            work.grants += 1;
            let grant = OpenGrant {
                row,
                key: Key::random()?,
                authentication: pair.authentication(),
                bundle: work.bundle(terms, id)?,
            };
            work.write_grant(grant)?;
            let place = log::begin(work.store, work.keys.owner()?, &work.keys.vault, &id.0, (0, &[]))?;
            work.places.push(place);
            work.reshare(&[id])?;
            Ok(info)
        })?;
        Ok(IssuedGrant { info, token })
    }

    /// Takes a grant back: what it could open gets new keys. Needs the owner.
    pub fn revoke_grant(&self, id: GrantId) -> Result<()> {
        self.change(Operation::GrantRevoke, Some(&id.to_string()), |work| {
            work.keys.require(Capability::Admin)?;
            let row = work.store.grant(id.0)?;
            work.check(&GrantRow::leaf(id.0), row.as_ref().map(GrantRow::digest), || format!("grant {id}"))?;
            let row = row.ok_or(Error::GrantNotFound(id))?;
            if row.revoked { Ok(()) } else { work.revoke(&[id]) }
        })
    }

    /// Takes all grants back. Gives how many there were. Needs the owner.
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
    /// Opens a grant for the owner, after checking that it is as it should be.
    pub(super) fn open_grant(&mut self, row: GrantRow) -> Result<OpenGrant> {
        let id = GrantId(row.id);
        self.check(&GrantRow::leaf(row.id), Some(row.digest()), || format!("grant {id}"))?;
        let (key, authentication) = self.keys.owner()?.grant_keys(&self.keys.vault, &row)?;
        let bundle = Bundle::unwrap(&key, &self.keys.vault, id, row.revision, &row.bundle)
            .ok_or_else(|| Error::Damaged { what: format!("grant {id}"), reason: "it does not open" })?;
        Ok(OpenGrant { row, key, authentication, bundle })
    }

    /// The grants that were not taken back.
    pub(super) fn active_grants(&mut self) -> Result<Vec<OpenGrant>> {
        let active = self.grant_rows()?.into_iter().filter(|row| !row.revoked);
        active.map(|row| self.open_grant(row)).collect()
    }

    /// All grants as they are kept; none is missing, and none says of itself what the owner did not say, such as that it was
    /// taken back.
    pub(super) fn grant_rows(&mut self) -> Result<Vec<GrantRow>> {
        let rows = self.store.grants()?;
        let expected = self.trust.head()?.0.grants.saturating_add_signed(self.grants);
        // One that is there twice would stand for one that is not there.
        let distinct: BTreeSet<[u8; 8]> = rows.iter().map(|row| row.id).collect();
        if rows.len() as u64 != expected || distinct.len() != rows.len() {
            return Err(self.store.damaged("grants are missing or were added"));
        }
        for row in &rows {
            self.check(&GrantRow::leaf(row.id), Some(row.digest()), || format!("grant {}", GrantId(row.id)))?;
        }
        Ok(rows)
    }

    /// What a holder on these terms gets.
    pub(super) fn bundle(&self, terms: Terms, id: GrantId) -> Result<Bundle> {
        let Owner { root, .. } = self.keys.owner()?;
        let words = root.log().map(|log| log.words_of(&id.0));
        let words = words.ok_or_else(|| log::damaged_log("it has no keys"))?;
        Ok(Bundle { words, owner: root.pair.public(), terms })
    }

    /// Writes a grant under its key: sealed to its token, and authenticated to it.
    pub(super) fn write_grant(&mut self, grant: OpenGrant) -> Result<()> {
        let OpenGrant { mut row, key, authentication, bundle } = grant;
        let (vault, id) = (self.keys.vault, GrantId(row.id));
        let owner = self.keys.owner()?;
        row.revision += 1;
        row.bundle = bundle.wrap(&key, &vault, id, row.revision)?;
        row.key_for_holder = if row.revoked {
            // What is left says what it was, and opens nothing.
            Vec::new()
        } else {
            seal_to(&row.public, holders_copy_place(&vault, &row.id), key.bytes())?
        };
        let copy = Pack::with_room(64).key(&key).key(&authentication);
        row.key_for_owner = owner.vault_key.seal(owners_copy_place(&vault, &row.id), copy.bytes())?;
        row.code = grant_code(&authentication, &vault, &owner.root.identity.public(), &row);
        self.store.update_grant(&row)?;
        self.set_leaf(GrantRow::leaf(row.id), Some(row.digest()));
        self.sharing_changed = true;
        Ok(())
    }

    /// Writes all grants that stand with the keys of now.
    pub(super) fn rewrite_active_grants(&mut self) -> Result<()> {
        for mut grant in self.active_grants()? {
            grant.bundle = self.bundle(grant.bundle.terms, GrantId(grant.row.id))?;
            self.write_grant(grant)?;
        }
        Ok(())
    }

    pub(super) fn revoke(&mut self, ids: &[GrantId]) -> Result<()> {
        self.mark_revoked(ids)?;
        self.reshare(ids)
    }

    /// Takes grants back without giving records new keys.
    pub(super) fn mark_revoked(&mut self, ids: &[GrantId]) -> Result<()> {
        // What it stored before counts.
        self.take_over_now()?;
        let (entries, _) = self.store.audit_end()?;
        for mut grant in self.active_grants()? {
            if ids.contains(&GrantId(grant.row.id)) {
                grant.row.revoked = true;
                // Its last entry is one of those there are; no later one is believed.
                grant.row.entries = entries;
                self.store.delete_chain(&grant.row.id)?;
                self.write_grant(grant)?;
            }
        }
        Ok(())
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
                self.write_grant(grant)?;
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
            let (key, _) = self.keys.owner()?.grant_keys(&self.keys.vault, &row)?;
            let sharer = sharers.iter().find(|sharer| sharer.id == *id);
            keys.push((*id, key, sharer));
        }
        let names: Vec<SecretName> = self.load_names()?.infos.keys().cloned().collect();
        for name in names {
            let mut lost = false;
            for (id, key, sharer) in &keys {
                let leaf = ShareRow::leaf(id.0, &share_lookup(key, &name));
                let has = self.leaf(&leaf)?.is_some();
                let wanted = sharer.filter(|sharer| sharer.matcher.covers(&name));
                // One that may now read, or no more, gets another share, too.
                if let Some(sharer) = wanted {
                    let opened = self.find_kept(&name)?;
                    self.share(sharer, &name, opened.row.id, &opened.key)?;
                }
                lost |= has && wanted.is_none_or(|sharer| !sharer.opens);
            }
            if lost {
                let opened = self.find_kept(&name)?;
                self.rekey_record(opened, &sharers)?;
            }
        }
        Ok(())
    }

    /// Gives a record a new key, and the key to those who still share it.
    fn rekey_record(&mut self, opened: Opened, sharers: &[Sharer]) -> Result<()> {
        let (id, name, new) = (opened.row.id, opened.info.name.clone(), Key::random()?);
        let lookup = opened.row.lookup;
        self.reseal_record(opened, &new, &lookup)?;
        self.unshare(id)?;
        for sharer in sharers.iter().filter(|sharer| sharer.matcher.covers(&name)) {
            self.share(sharer, &name, id, &new)?;
        }
        Ok(())
    }

    /// Encrypts a record with its old versions under a new key, to be found by a new lookup.
    pub(super) fn reseal_record(&mut self, mut opened: Opened, new: &Key, lookup: &[u8; 32]) -> Result<()> {
        let vault = self.keys.vault;
        let value = self.kept_value(&opened)?;
        let numbers: Vec<u32> = opened.row.old_versions().map(|(number, _)| number).collect();
        let mut old = Vec::with_capacity(numbers.len());
        for version in numbers {
            if let Some((value, stored)) = self.old_value(&opened, version)? {
                let sealed = seal_value(&vault, new, (lookup, version), (&value, stored))?;
                old.push((version, RecordRow::digest_of_value(&sealed)));
                self.store.insert_old_version(opened.row.id, version, &sealed)?;
            }
        }
        if opened.row.lookup != *lookup {
            self.set_leaf(RecordRow::leaf(&opened.row.lookup), None);
        }
        let Opened { row, key, info } = &mut opened;
        row.lookup = *lookup;
        row.revision += 1;
        row.set_old_versions(old);
        row.meta = seal_meta(&vault, new, (lookup, row.revision), info)?;
        row.value = seal_value(&vault, new, (lookup, row.version), (&value, info.modified))?;
        row.value_digest = RecordRow::digest_of_value(&row.value);
        row.key = self.keys.owner()?.vault_key.wrap(key_place(&vault, lookup), new)?;
        *key = new.clone();
        self.write(opened)
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
        asks_client: terms.asks_client,
    }
}

#[cfg(test)]
mod tests {
    use super::super::scratch::{Scratch, grant, policy_for_all};
    use super::{OpenGrant, log};
    use crate::audit::Operation;
    use crate::capability::Capability;
    use crate::credential::Credential;
    use crate::error::{Error, Untrusted};
    use crate::keys::{Key, Token};

    /// A vault as somebody makes it who knows the public half of a token, which is in the file, and wants to be handed what its
    /// holder stores. Its maker is its owner, so all else in it is right.
    #[test]
    fn a_forged_vault_does_not_open_with_the_token_it_was_forged_for() {
        let scratch = Scratch::new("forged-grant");
        let (vault, maker) = scratch.vault();
        let issued = grant(&maker, &policy_for_all(&maker), [Capability::List, Capability::Use]);
        let victim = Token::random().expect("random");
        let forge = |authentication: Key| {
            maker
                .change(Operation::GrantCreate, None, |work| {
                    let row = work.store.grant(issued.info.id.0)?.ok_or(Error::TokenRevoked)?;
                    let OpenGrant { mut row, key, mut bundle, .. } = work.open_grant(row)?;
                    (row.id, row.public) = (victim.id().0, victim.pair().public());
                    if work.store.grant(row.id)?.is_none() {
                        work.store.insert_grant(&row)?;
                        work.grants += 1;
                    }
                    bundle = work.bundle(bundle.terms, victim.id())?;
                    work.write_grant(OpenGrant { row, key, authentication: authentication.clone(), bundle })?;
                    log::begin(work.store, work.keys.owner()?, &work.keys.vault, &victim.id().0, (0, &[]))
                        .map(|place| work.places.push(place))
                })
                .expect("forged");
        };
        let credential = Credential::Token(victim.clone());
        forge(Key::random().expect("random"));
        let refused = vault.unlock(&credential);
        assert!(matches!(refused, Err(Error::Untrusted(Untrusted::Counterfeit))));
        // With what only the holder has, it would open: nothing else is in the way.
        forge(victim.pair().authentication());
        vault.unlock(&credential).expect("it opens");
    }
}
