//! What is damaged taken out, and what is not saved.

use std::collections::BTreeSet;

use super::Session;
use super::record::{Found, Opened, owners_key};
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::keys::Key;
use crate::secret::SecretInfo;
use crate::store::{GrantRow, PolicyRow, RecordRow};
use crate::trust::{Changes, Tree};
use crate::value::SecretValue;

/// What a repair took out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Secrets whose rows were there and were not what they should be.
    pub records: usize,
    /// Those of them whose name could still be read.
    pub names: Vec<String>,
    /// Secrets of which nothing was left.
    pub missing: u64,
    /// Secrets that open and were kept, although nothing says any more whether they are the newest: with every mark there is, as
    /// nothing says either which they had.
    pub unchecked: Vec<String>,
    /// Grants, those of which nothing was left, too.
    pub grants: usize,
    /// Policies.
    pub policies: usize,
}

/// What can still be read of a vault.
#[derive(Debug)]
pub struct Salvaged {
    /// Secrets and their values.
    pub saved: Vec<(SecretInfo, SecretValue)>,
    /// How many cannot be read.
    pub lost: usize,
    /// How many were left out, as they are never revealed or want a yes each time.
    pub left_out: usize,
}

impl Session {
    /// Takes out secrets, grants and policies that are damaged or missing, so that the rest can be listed and changed again.
    /// Says what was lost. Needs the owner.
    pub fn remove_damaged(&self) -> Result<Repaired> {
        self.change(Operation::Repair, None, |work| {
            work.keys.require(Capability::Admin)?;
            let mut repaired = Repaired::default();
            work.store.delete_malformed()?;
            work.drop_bad_policies(&mut repaired)?;
            work.drop_bad_grants(&mut repaired)?;
            work.drop_bad_records(&mut repaired)?;
            work.rebuild(&repaired)?;
            (*work.names, *work.sharing) = (None, None);
            work.sharing_changed = true;
            work.detail = Some(format!(
                "{} secrets ({}), {} missing, {} grants, {} policies; kept unchecked: {}",
                repaired.records,
                repaired.names.join(", "),
                repaired.missing,
                repaired.grants,
                repaired.policies,
                repaired.unchecked.join(", ")
            ));
            Ok(repaired)
        })
    }

    /// Every secret that can still be read, with its value, but for those that are never revealed or want a yes each time. Needs
    /// the owner.
    pub fn salvage(&self) -> Result<Salvaged> {
        self.read(Operation::Salvage, None, |work| {
            work.keys.require(Capability::Admin)?;
            let (mut saved, mut lost, mut left_out, mut removed) = (Vec::new(), 0, 0, 0);
            for row in work.store.records()? {
                let opened = work.known_record(&row).and_then(|info| {
                    let row = work.store.record_by_id(row.id)?.ok_or(Error::TooMuch("it is gone"))?;
                    let key = owners_key(work.keys, &row)?;
                    let found = Found::Kept(Opened { row, key, info });
                    Ok((work.value(&found)?, found.into_info()))
                });
                match opened {
                    Ok((_, info)) if info.removed.is_some() => removed += 1,
                    Ok((_, SecretInfo { attributes, .. }))
                        if attributes.never_reveal || attributes.approve_each_use =>
                    {
                        left_out += 1;
                    }
                    Ok((value, info)) => saved.push((info, value)),
                    Err(_) => lost += 1,
                }
            }
            let expected = usize::try_from(work.trust.head()?.0.records).unwrap_or(usize::MAX);
            let lost = lost.max(expected.saturating_sub(saved.len() + left_out + removed));
            work.detail = Some(format!("{} saved, {lost} not, {left_out} left out", saved.len()));
            Ok(Salvaged { saved, lost, left_out })
        })
    }
}

impl Work<'_> {
    /// Makes the tree anew from the rows that are left, all of which were found good: nodes may be damaged, and leaves of
    /// rows that are gone may be in them. What grants share is made anew with it. A grant that was lost is over, so what it could
    /// open gets new keys, as when one is revoked; which records those are is not known any more.
    fn rebuild(&mut self, repaired: &Repaired) -> Result<()> {
        self.store.delete_shares()?;
        self.shares.clear();
        let mut leaves = Changes::new();
        for mut grant in self.store.grants()? {
            grant.shares = 0;
            self.store.update_grant(&grant)?;
            leaves.insert(GrantRow::leaf(grant.id), Some(grant.digest()));
        }
        for policy in self.store.policies()? {
            leaves.insert(PolicyRow::leaf(&policy.lookup), Some(policy.digest()));
        }
        for record in self.store.records()? {
            leaves.insert(RecordRow::leaf(&record.lookup), Some(record.digest()));
        }
        self.store.delete_nodes()?;
        self.trust.tree = Tree::new(Tree::empty_root());
        self.leaves = leaves;
        self.changed = true;
        self.write_slots()?;
        let sharers = self.sharers()?;
        for row in self.store.records()? {
            let info = self.known_record(&row)?;
            let mut key = owners_key(self.keys, &row)?;
            if repaired.grants > 0 {
                let full = self.store.record_by_id(row.id)?.ok_or(Error::TooMuch("it is gone"))?;
                let (lookup, new) = (full.lookup, Key::random()?);
                self.reseal_record(Opened { row: full, key, info: info.clone() }, &new, &lookup)?;
                key = new;
            }
            let covering = sharers.iter().filter(|sharer| sharer.matcher.covers(&info.name));
            for sharer in covering.filter(|_| info.removed.is_none()) {
                self.share(sharer, &info.name, row.id, &key)?;
            }
        }
        Ok(())
    }

    fn drop_bad_records(&mut self, repaired: &mut Repaired) -> Result<()> {
        let mut good = 0_u64;
        for row in self.store.records()? {
            let unchecked = matches!(self.leaf(&RecordRow::leaf(&row.lookup)), Err(Error::Damaged { .. }));
            let known = if unchecked { self.open_record(&row) } else { self.known_record(&row) };
            let whole = known.and_then(|info| {
                let full = self.store.record_by_id(row.id)?.ok_or(Error::TooMuch("it is gone"))?;
                let key = owners_key(self.keys, &full)?;
                let opened = Opened { row: full, key, info };
                self.check_values(&opened)?;
                Ok(opened)
            });
            match whole {
                Ok(opened) => {
                    good += 1;
                    if unchecked {
                        repaired.unchecked.push(opened.info.name.to_string());
                        self.keep_unchecked(opened)?;
                    }
                }
                Err(Error::Storage { path, source, remedy }) => {
                    return Err(Error::Storage { path, source, remedy });
                }
                Err(_) => {
                    repaired.records += 1;
                    if let Ok(info) = self.open_record(&row) {
                        repaired.names.push(info.name.to_string());
                    }
                    self.store.delete_record(row.id)?;
                }
            }
        }
        let expected = self.trust.head()?.0.records;
        repaired.missing = expected.saturating_sub(good + repaired.records as u64);
        self.records = i64::try_from(good).unwrap_or(i64::MAX) - i64::try_from(expected).unwrap_or(i64::MAX);
        Ok(())
    }

    /// Keeps a record that may be an old one which somebody put back: it may have had no marks yet, and its key may be known to
    /// grants that were revoked since.
    fn keep_unchecked(&mut self, mut opened: Opened) -> Result<()> {
        opened.info.attributes.never_reveal = true;
        opened.info.attributes.approve_each_use = true;
        let lookup = opened.row.lookup;
        self.reseal_record(opened, &Key::random()?, &lookup)
    }

    fn drop_bad_grants(&mut self, repaired: &mut Repaired) -> Result<()> {
        let (mut kept, mut known, mut bad) = (Vec::new(), BTreeSet::new(), Vec::new());
        for row in self.store.grants()? {
            let id = row.id;
            match self.open_grant(row) {
                // One that is there twice is one.
                Ok(grant) if known.insert(id) => kept.push(grant.row),
                Ok(_) => {}
                Err(_) => bad.push(id),
            }
        }
        repaired.grants = bad.len();
        for id in bad.iter().filter(|id| !known.contains(*id)) {
            self.store.delete_chain(id)?;
        }
        self.store.set_grants(&kept)?;
        let (good, expected) = (kept.len() as u64, self.trust.head()?.0.grants);
        let gone = usize::try_from(expected.saturating_sub(good)).unwrap_or(usize::MAX);
        repaired.grants = repaired.grants.max(gone);
        self.grants = i64::try_from(good).unwrap_or(i64::MAX) - i64::try_from(expected).unwrap_or(i64::MAX);
        Ok(())
    }

    fn drop_bad_policies(&mut self, repaired: &mut Repaired) -> Result<()> {
        let (mut kept, mut known) = (Vec::new(), BTreeSet::new());
        for row in self.store.policies()? {
            if self.open_policy(&row).is_err() {
                repaired.policies += 1;
            } else if known.insert(row.lookup) {
                kept.push(row);
            }
        }
        self.store.set_policies(&kept)?;
        let (good, expected) = (kept.len() as u64, self.trust.head()?.0.policies);
        self.policies = i64::try_from(good).unwrap_or(i64::MAX) - i64::try_from(expected).unwrap_or(i64::MAX);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::scratch::{Scratch, grant, policy_for_all};
    use super::owners_key;
    use crate::capability::Capability;
    use crate::credential::Credential;
    use crate::keys::Identity;
    use crate::name::SecretName;
    use crate::secret::{Consent, NewSecret, Overwrite};
    use crate::session::Session;
    use crate::slot::NewSlot;
    use crate::value::SecretValue;
    use crate::vault::Vault;

    /// Who held a token that was revoked since knows the keys of then, and can put a row of then back. With another program, they
    /// would read what is stored later.
    #[test]
    fn an_old_row_that_a_repair_kept_opens_with_no_key_of_then() {
        let scratch = Scratch::new("repairing-old");
        let (vault, key) = (Vault::at(scratch.path().join("vault")), scratch.path().join("key"));
        let identity = Identity::random().expect("random");
        identity.write(&key).expect("a keyfile");
        let owner = vault.create(&[NewSlot::Keyfile(identity)]).expect("a vault");
        let value = SecretValue::new("one").expect("a value");
        let name = SecretName::new("a").expect("a name");
        let new = NewSecret { name: name.clone(), value, attributes: None };
        owner.store(&new, Overwrite::NewVersion).expect("stored");
        let policy = policy_for_all(&owner);
        let held = grant(&owner, &policy, [Capability::List, Capability::Reveal]);
        let then = key_of_the_record(&owner);
        let raw = rusqlite::Connection::open(vault.file()).expect("the database");
        raw.execute_batch("CREATE TABLE kept AS SELECT * FROM record").expect("kept");
        owner.revoke_grant(held.info.id).expect("revoked");
        assert_ne!(key_of_the_record(&owner), then);
        raw.execute_batch("DELETE FROM record; INSERT INTO record SELECT * FROM kept; DELETE FROM node")
            .expect("put back");
        let owner = vault.unlock(&Credential::Keyfile(key)).expect("unlocked");
        assert_eq!(key_of_the_record(&owner), then, "the row of then has the key of then");
        assert_eq!(owner.remove_damaged().expect("repaired").unchecked, ["a"]);
        assert_ne!(key_of_the_record(&owner), then);
    }

    fn key_of_the_record(session: &Session) -> [u8; 32] {
        let state = session.locked();
        let rows = state.store.records().expect("records");
        *owners_key(&state.keys, &rows[0]).expect("a key").bytes()
    }

    /// Whoever holds a token can take the row of its grant away, and be forgotten by a repair. With another program, the key
    /// they had would open what is stored later.
    #[test]
    fn a_grant_that_a_repair_lost_opens_nothing_that_is_stored_later() {
        let scratch = Scratch::new("repairing");
        let (vault, owner) = scratch.vault();
        let name = SecretName::new("a").expect("a name");
        let store = |value: &str| {
            let value = SecretValue::new(value).expect("a value");
            let new = NewSecret { name: name.clone(), value, attributes: None };
            owner.store(&new, Overwrite::NewVersion).expect("stored");
        };
        store("one");
        store("two");
        let policy = policy_for_all(&owner);
        let make = || grant(&owner, &policy, [Capability::List, Capability::Reveal]);
        let (lost, kept) = (make(), make());
        let before = key_of_the_record(&owner);
        let raw = rusqlite::Connection::open(vault.file()).expect("the database");
        raw.execute("DELETE FROM holder WHERE id = ?", [lost.info.id.0]).expect("deleted");
        let repaired = owner.remove_damaged().expect("repaired");
        assert_eq!((repaired.grants, repaired.records, repaired.missing), (1, 0, 0));
        assert_ne!(key_of_the_record(&owner), before);
        let agent = vault.unlock(&Credential::Token(kept.token)).expect("the other grant stands");
        let got = agent.get(&name, Consent::Unasked).expect("and reads");
        assert_eq!(got.as_bytes(), b"two");
        let old = owner.get_version(&name, 1, Consent::Unasked).expect("old versions are there");
        assert_eq!(old.as_bytes(), b"one");
    }
}
