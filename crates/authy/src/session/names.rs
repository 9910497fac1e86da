//! What a session remembers until somebody changes the vault: names, and with whom records are shared.

use std::collections::BTreeMap;

use super::contents::Contents;
use super::record::{open_meta, owners_key};
use super::work::Work;
use crate::error::{Error, Result};
use crate::keyring::{Holder, share_lookup};
use crate::keys::{Bundle, Key, Place};
use crate::name::{GrantId, SecretName};
use crate::policy::Matcher;
use crate::secret::SecretInfo;
use crate::store::ShareRow;

/// Everything this session can see, without values.
pub(super) struct Names {
    pub(super) generation: u64,
    pub(super) infos: BTreeMap<SecretName, SecretInfo>,
}

/// The grants that get the keys of new records.
pub(super) struct Sharing {
    pub(super) generation: u64,
    pub(super) grants: Vec<Sharer>,
}

pub(super) struct Sharer {
    pub(super) id: GrantId,
    pub(super) key: Key,
    pub(super) matcher: Matcher,
}

impl Work<'_> {
    /// Reads all names, unless they are known and nothing has changed. Fails when anything is missing or damaged, so that
    /// "not found" is never what is left of a damaged record.
    pub(super) fn load_names(&mut self) -> Result<&Names> {
        if self.names.as_ref().is_none_or(|names| names.generation != self.generation) {
            let infos = match (&self.keys.owner, &self.keys.holder) {
                (None, Some(holder)) => self.shared_names(holder)?,
                _ => self.all_names()?,
            };
            *self.names = Some(Names { generation: self.generation, infos });
        }
        self.names.as_ref().ok_or(Error::TooMuch("no names"))
    }

    fn all_names(&self) -> Result<BTreeMap<SecretName, SecretInfo>> {
        let root = &self.keys.owner()?.root;
        let mut infos = BTreeMap::new();
        let mut found = Contents::default();
        self.store.each_record(|row| {
            let key = owners_key(self.keys, &row)?;
            let info = open_meta(&self.keys.vault, &key, &row)
                .ok_or(Error::Damaged { what: "a record".into(), reason: "it does not decrypt" })?;
            found.came(&root.contents, "record", &row.lookup, row.revision);
            infos.insert(info.name.clone(), info);
            Ok(())
        })?;
        for policy in self.store.policies()? {
            found.came(&root.contents, "policy", &policy.lookup, policy.revision);
        }
        for grant in self.store.grants()? {
            found.came(&root.contents, "grant", &grant.id, grant.revision);
        }
        let expected = Contents::of(self.store, &root.contents, &self.keys.vault, self.generation)?;
        if !expected.with(&self.changed).agrees_with(&found) {
            return Err(self.store.damaged("records, policies or grants are missing or were put back"));
        }
        Ok(infos)
    }

    fn shared_names(&self, holder: &Holder) -> Result<BTreeMap<SecretName, SecretInfo>> {
        let shares = self.store.shares(holder.id.0)?;
        if shares.len() as u64 != holder.shares {
            return Err(self.store.damaged("records of this grant are missing"));
        }
        let mut infos = BTreeMap::new();
        for share in shares {
            let damaged = || Error::Damaged { what: "a record".into(), reason: "it does not decrypt" };
            let place = Place { vault: &self.keys.vault, table: "share", row: &share.lookup, version: 0 };
            let key = holder.key.unwrap_key(place, &share.key).ok_or_else(damaged)?;
            let row = self.store.record_by_id(share.record)?.ok_or_else(damaged)?;
            let info = open_meta(&self.keys.vault, &key, &row).ok_or_else(damaged)?;
            // What is found by another name than its own would be found by nobody.
            if holder.lookup(&info.name) != share.lookup {
                return Err(damaged());
            }
            if holder.covers(&info.name) {
                infos.insert(info.name.clone(), info);
            }
        }
        Ok(infos)
    }

    /// The grants that get keys of records, read anew if anything changed.
    pub(super) fn load_sharing(&mut self) -> Result<&[Sharer]> {
        if self.sharing.as_ref().is_none_or(|sharing| sharing.generation != self.generation) {
            let grants = self.sharers()?;
            *self.sharing = Some(Sharing { generation: self.generation, grants });
        }
        Ok(self.sharing.as_ref().map(|sharing| sharing.grants.as_slice()).unwrap_or_default())
    }

    /// The grants that get keys of records, as the database has them now.
    pub(super) fn sharers(&self) -> Result<Vec<Sharer>> {
        let owner = self.keys.owner()?;
        let mut sharers = Vec::new();
        for row in self.store.grants()?.into_iter().filter(|row| !row.revoked) {
            let (id, key) = (GrantId(row.id), owner.grant_key(&self.keys.vault, &row)?);
            let bundle = Bundle::unwrap(&key, &self.keys.vault, id, row.revision, &row.bundle)
                .ok_or_else(|| Error::Damaged { what: format!("grant {id}"), reason: "it does not open" })?;
            if bundle.terms.opens_records() && bundle.terms.expires.is_none_or(|expires| expires > self.now) {
                let matcher = Matcher::new(&bundle.terms.allow, &bundle.terms.deny)?;
                sharers.push(Sharer { id, key, matcher });
            }
        }
        Ok(sharers)
    }

    /// Gives a grant the key of a record.
    pub(super) fn share(
        &self,
        sharer: (GrantId, &Key),
        name: &SecretName,
        record: i64,
        key: &Key,
    ) -> Result<()> {
        let (id, grant_key) = sharer;
        let lookup = share_lookup(grant_key, name);
        let place = Place { vault: &self.keys.vault, table: "share", row: &lookup, version: 0 };
        let share = ShareRow { lookup, record, key: grant_key.wrap(place, key)? };
        self.store.insert_share(id.0, &share)
    }

    /// Gives every grant whose policy covers the name the key of a record.
    pub(super) fn share_with_all(&mut self, name: &SecretName, record: i64, key: &Key) -> Result<()> {
        self.load_sharing()?;
        let Some(sharing) = self.sharing.as_ref() else { return Ok(()) };
        for sharer in sharing.grants.iter().filter(|sharer| sharer.matcher.covers(name)) {
            self.share((sharer.id, &sharer.key), name, record, key)?;
        }
        Ok(())
    }
}
