//! What is damaged taken out, and what is not saved.

use super::Session;
use super::record::{Found, Opened, owners_key};
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
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
    /// Secrets that open and were kept, although nothing says any more whether they are the newest.
    pub unchecked: Vec<String>,
    /// Grants.
    pub grants: usize,
    /// Policies.
    pub policies: usize,
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
            work.rebuild()?;
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

    /// Every secret that can still be read, with its value, and how many cannot. What is never revealed is left out. Needs
    /// the owner.
    pub fn salvage(&self) -> Result<(Vec<(SecretInfo, SecretValue)>, usize)> {
        self.read(Operation::Salvage, None, |work| {
            work.keys.require(Capability::Admin)?;
            let (mut saved, mut lost, mut left_out) = (Vec::new(), 0, 0);
            for row in work.store.records()? {
                let opened = work.known_record(&row).and_then(|info| {
                    let row = work.store.record_by_id(row.id)?.ok_or(Error::TooMuch("it is gone"))?;
                    let key = owners_key(work.keys, &row)?;
                    let found = Found::Kept(Opened { row, key, info });
                    Ok((work.value(&found)?, found.into_info()))
                });
                match opened {
                    Ok((_, info)) if info.attributes.never_reveal || info.removed.is_some() => left_out += 1,
                    Ok((value, info)) => saved.push((info, value)),
                    Err(_) => lost += 1,
                }
            }
            let expected = usize::try_from(work.trust.head()?.0.records).unwrap_or(usize::MAX);
            let lost = lost.max(expected.saturating_sub(saved.len() + left_out));
            work.detail = Some(format!("{} saved, {lost} not", saved.len()));
            Ok((saved, lost))
        })
    }
}

impl Work<'_> {
    /// Makes the tree anew from the rows that are left, all of which were found good: nodes may be damaged, and leaves of
    /// rows that are gone may be in them. What grants share is made anew with it.
    fn rebuild(&mut self) -> Result<()> {
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
        let sharers = self.sharers()?;
        for row in self.store.records()? {
            let info = self.known_record(&row)?;
            let key = owners_key(self.keys, &row)?;
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
                self.kept_value(&opened)?;
                let numbers: Vec<u32> = opened.row.old_versions().map(|(number, _)| number).collect();
                numbers.into_iter().try_for_each(|number| self.old_value(&opened, number).map(drop))?;
                Ok(opened.info.name)
            });
            match whole {
                Ok(name) => {
                    good += 1;
                    if unchecked {
                        repaired.unchecked.push(name.to_string());
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

    fn drop_bad_grants(&mut self, repaired: &mut Repaired) -> Result<()> {
        let mut good = 0_u64;
        for row in self.store.grants()? {
            let id = row.id;
            if self.open_grant(row).is_ok() {
                good += 1;
                continue;
            }
            repaired.grants += 1;
            self.store.delete_grant(id)?;
            self.store.delete_chain(&id)?;
        }
        let expected = self.trust.head()?.0.grants;
        self.grants = i64::try_from(good).unwrap_or(i64::MAX) - i64::try_from(expected).unwrap_or(i64::MAX);
        Ok(())
    }

    fn drop_bad_policies(&mut self, repaired: &mut Repaired) -> Result<()> {
        let mut good = 0_u64;
        for row in self.store.policies()? {
            if self.open_policy(&row).is_ok() {
                good += 1;
                continue;
            }
            repaired.policies += 1;
            self.store.delete_policy(&row.lookup)?;
        }
        let expected = self.trust.head()?.0.policies;
        self.policies = i64::try_from(good).unwrap_or(i64::MAX) - i64::try_from(expected).unwrap_or(i64::MAX);
        Ok(())
    }
}
