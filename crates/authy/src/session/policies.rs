//! Policies made, changed and asked.

use std::collections::BTreeSet;

use super::Session;
use super::log::STEP;
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::keys::Place;
use crate::name::{PolicyName, SecretName};
use crate::policy::{NewPolicy, Policy, PolicyChange};
use crate::store::PolicyRow;

impl Session {
    /// All policies, by name; a grant knows its own only.
    pub fn policies(&self) -> Result<Vec<Policy>> {
        self.read(Operation::List, Some("policies"), |work| {
            if let Some(own) = work.own_policy() {
                return Ok(vec![own]);
            }
            let mut policies = Vec::new();
            for row in work.policy_rows()? {
                policies.push(work.open_policy(&row)?);
            }
            policies.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(policies)
        })
    }

    /// A policy.
    pub fn policy(&self, name: &PolicyName) -> Result<Policy> {
        self.read(Operation::Info, Some(name.as_str()), |work| work.policy_named(name))
    }

    /// Whether a policy covers a name; whether there is a secret of that name does not matter.
    pub fn test_policy(&self, policy: &PolicyName, name: &SecretName) -> Result<bool> {
        self.read(Operation::PolicyTest, Some(policy.as_str()), |work| {
            work.detail = Some(name.to_string());
            Ok(work.policy_named(policy)?.matcher()?.covers(name))
        })
    }

    /// Makes a policy. Needs the owner.
    pub fn create_policy(&self, new: &NewPolicy) -> Result<()> {
        self.change(Operation::PolicyCreate, Some(new.name.as_str()), |work| {
            work.keys.require(Capability::Admin)?;
            let lookup = work.policy_lookup(&new.name)?;
            if work.policy_row(&lookup, &new.name)?.is_some() {
                return Err(Error::PolicyExists(new.name.clone()));
            }
            let NewPolicy { name, description, allow, deny, run_only } = new.clone();
            let policy =
                Policy { name, description, allow, deny, run_only, created: work.now, modified: work.now };
            policy.matcher()?;
            work.policies += 1;
            work.put_policy(&policy, 1)
        })
    }

    /// Changes a policy. Grants of it follow: they get the keys of what it now covers, and what it no longer covers gets new
    /// keys. Needs the owner.
    pub fn update_policy(&self, name: &PolicyName, change: &PolicyChange) -> Result<()> {
        self.change(Operation::PolicyUpdate, Some(name.as_str()), |work| {
            work.keys.require(Capability::Admin)?;
            let lookup = work.policy_lookup(name)?;
            let row = work.policy_row(&lookup, name)?.ok_or_else(|| Error::PolicyNotFound(name.clone()))?;
            let mut policy = work.open_policy(&row)?;
            if let Some(description) = &change.description {
                policy.description = Some(description.clone());
            }
            policy.allow = change.allow.clone().unwrap_or(policy.allow);
            policy.deny = change.deny.clone().unwrap_or(policy.deny);
            policy.run_only = change.run_only.unwrap_or(policy.run_only);
            policy.modified = work.now;
            policy.matcher()?;
            work.put_policy(&policy, row.revision + 1)?;
            work.apply_policy(&policy)
        })
    }

    /// Removes a policy that no grant stands on. Needs the owner.
    pub fn remove_policy(&self, name: &PolicyName) -> Result<()> {
        self.change(Operation::PolicyRemove, Some(name.as_str()), |work| {
            work.keys.require(Capability::Admin)?;
            let lookup = work.policy_lookup(name)?;
            work.policy_row(&lookup, name)?.ok_or_else(|| Error::PolicyNotFound(name.clone()))?;
            let grants =
                work.active_grants()?.iter().filter(|grant| grant.bundle.terms.policy == *name).count();
            if grants > 0 {
                return Err(Error::PolicyInUse { policy: name.clone(), grants });
            }
            work.set_leaf(PolicyRow::leaf(&lookup), None);
            work.policies -= 1;
            work.store.delete_policy(&lookup)
        })
    }
}

impl Work<'_> {
    /// The policy a grant stands on, as its bundle has it; `None` for the owner.
    fn own_policy(&self) -> Option<Policy> {
        let terms = &self.keys.holder.as_ref()?.bundle.terms;
        Some(Policy {
            name: terms.policy.clone(),
            description: None,
            allow: terms.allow.clone(),
            deny: terms.deny.clone(),
            run_only: terms.run_only,
            created: terms.created,
            modified: terms.created,
        })
    }

    /// The policy of this name, as far as the session may know it.
    pub(super) fn policy_named(&mut self, name: &PolicyName) -> Result<Policy> {
        if let Some(own) = self.own_policy() {
            return if own.name == *name { Ok(own) } else { Err(Error::ForeignPolicy { own: own.name }) };
        }
        let lookup = self.policy_lookup(name)?;
        let row = self.policy_row(&lookup, name)?.ok_or_else(|| Error::PolicyNotFound(name.clone()))?;
        self.open_policy(&row)
    }

    /// A policy as it is kept, or that there is none, which is proven.
    pub(super) fn policy_row(&mut self, lookup: &[u8; 32], name: &PolicyName) -> Result<Option<PolicyRow>> {
        let row = self.store.policy(lookup)?;
        let found = row.as_ref().map(PolicyRow::digest);
        self.check(&PolicyRow::leaf(lookup), found, || format!("policy `{name}`"))?;
        Ok(row)
    }

    /// All policies as they are kept; none is missing.
    pub(super) fn policy_rows(&mut self) -> Result<Vec<PolicyRow>> {
        let rows = self.store.policies()?;
        let expected = self.trust.head()?.0.policies.saturating_add_signed(self.policies);
        let distinct: BTreeSet<&[u8; 32]> = rows.iter().map(|row| &row.lookup).collect();
        if rows.len() as u64 != expected || distinct.len() != rows.len() {
            return Err(self.store.damaged("policies are missing or were added"));
        }
        Ok(rows)
    }

    fn policy_lookup(&self, name: &PolicyName) -> Result<[u8; 32]> {
        Ok(self.keys.owner()?.root.names.mac("policy", &[name.as_str().as_bytes()]))
    }

    pub(super) fn open_policy(&mut self, row: &PolicyRow) -> Result<Policy> {
        self.check(&PolicyRow::leaf(&row.lookup), Some(row.digest()), || "a policy".into())?;
        let place =
            Place { vault: &self.keys.vault, table: "policy", row: &row.lookup, version: row.revision };
        let plain = self.keys.owner()?.root.policies.open(place, &row.body);
        plain
            .and_then(|plain| serde_json::from_slice(&plain).ok())
            .ok_or(Error::Damaged { what: "a policy".into(), reason: "it does not decrypt" })
    }

    pub(super) fn put_policy(&mut self, policy: &Policy, revision: u64) -> Result<()> {
        let lookup = self.policy_lookup(&policy.name)?;
        let root = &self.keys.owner()?.root;
        let mut plain = serde_json::to_vec(policy).map_err(|_| Error::TooMuch("the policy is too long"))?;
        plain.resize(plain.len().next_multiple_of(STEP), b' ');
        let place = Place { vault: &self.keys.vault, table: "policy", row: &lookup, version: revision };
        let row = PolicyRow { lookup, revision, body: root.policies.seal(place, &plain)? };
        self.store.put_policy(&row)?;
        self.set_leaf(PolicyRow::leaf(&lookup), Some(row.digest()));
        Ok(())
    }
}
