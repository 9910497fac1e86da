//! What a session remembers until somebody changes the vault: names, and with whom records are shared.

use std::collections::{BTreeMap, BTreeSet};

use super::record::{open_meta, owners_key};
use super::work::Work;
use crate::error::{Error, Result};
use crate::keyring::share_lookup;
use crate::keys::{Key, Place};
use crate::name::{GrantId, SecretName};
use crate::policy::Matcher;
use crate::secret::SecretInfo;
use crate::store::{RecordRow, ShareRow};

/// Everything this session can see, without values and without what is pending.
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
    /// Whether it gets the keys, or only to know that there is something.
    pub(super) opens: bool,
}

impl Work<'_> {
    /// Reads all names, unless they are known and nothing has changed. Fails when anything is missing or damaged, so that
    /// a list is never short.
    pub(super) fn load_names(&mut self) -> Result<&Names> {
        if self.names.as_ref().is_none_or(|names| names.generation != self.generation) {
            let infos = if self.keys.holder.is_some() { self.shared_names()? } else { self.all_names()? };
            *self.names = Some(Names { generation: self.generation, infos });
        }
        self.names.as_ref().ok_or(Error::TooMuch("no names"))
    }

    fn all_names(&mut self) -> Result<BTreeMap<SecretName, SecretInfo>> {
        let mut infos = BTreeMap::new();
        let (mut damaged, mut distinct) = (0_usize, BTreeSet::new());
        for row in self.store.records()? {
            // One that is there twice would stand for one that is not there.
            distinct.insert(row.lookup);
            match self.known_record(&row) {
                // What is in the trash counts, and is not listed.
                Ok(info) if info.removed.is_some() => {}
                Ok(info) => drop(infos.insert(info.name.clone(), info)),
                Err(Error::Damaged { .. }) => damaged += 1,
                Err(error) => return Err(error),
            }
        }
        let expected = self.trust.head()?.0.records.saturating_add_signed(self.records);
        let count = distinct.len() as u64;
        if damaged > 0 || count != expected {
            return Err(Error::DamagedRecords { damaged, missing: expected.saturating_sub(count) });
        }
        Ok(infos)
    }

    /// What is known about a record the owner has read, after checking that it is as it should be.
    pub(super) fn known_record(&mut self, row: &RecordRow) -> Result<SecretInfo> {
        self.check(&RecordRow::leaf(&row.lookup), Some(row.digest()), || "a record".into())?;
        self.open_record(row)
    }

    /// The same without checking that it is the newest.
    pub(super) fn open_record(&self, row: &RecordRow) -> Result<SecretInfo> {
        let key = owners_key(self.keys, row)?;
        open_meta(&self.keys.vault, &key, row)
            .ok_or(Error::Damaged { what: "a record".into(), reason: "it does not decrypt" })
    }

    fn shared_names(&mut self) -> Result<BTreeMap<SecretName, SecretInfo>> {
        let Some(holder) = &self.keys.holder else { return Ok(BTreeMap::new()) };
        let (id, expected) = (holder.id, holder.shares);
        let (mut shares, mut distinct) = (Vec::new(), BTreeSet::new());
        for share in self.store.shares(id.0)? {
            // One that the owner did not make was put there by somebody else, and gets in nobody's way.
            if self.leaf(&ShareRow::leaf(id.0, &share.lookup))?.is_some() {
                distinct.insert(share.lookup);
                shares.push(share);
            }
        }
        if shares.len() as u64 != expected || distinct.len() != shares.len() {
            return Err(self.store.damaged("records of this grant are missing"));
        }
        let mut infos = BTreeMap::new();
        for share in shares {
            let Some(opened) = self.open_share(&share)? else { continue };
            if let Some(holder) = &self.keys.holder
                && holder.covers(&opened.info.name)
            {
                // What is found by another name than its own would be found by nobody.
                if holder.lookup(&opened.info.name) != share.lookup {
                    return Err(Error::Damaged {
                        what: "a record".into(),
                        reason: "it is not where it belongs",
                    });
                }
                infos.insert(opened.info.name.clone(), opened.info);
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
    pub(super) fn sharers(&mut self) -> Result<Vec<Sharer>> {
        let mut sharers = Vec::new();
        for grant in self.active_grants()? {
            let terms = &grant.bundle.terms;
            let known = terms.opens_records() || terms.writes();
            if known && terms.expires.is_none_or(|expires| expires > self.now) {
                let matcher = Matcher::new(&terms.allow, &terms.deny)?;
                let opens = terms.opens_records();
                sharers.push(Sharer { id: GrantId(grant.row.id), key: grant.key, matcher, opens });
            }
        }
        Ok(sharers)
    }

    /// Gives a grant the key of a record, or only the knowledge that it is there.
    pub(super) fn share(&mut self, sharer: &Sharer, name: &SecretName, record: i64, key: &Key) -> Result<()> {
        let lookup = share_lookup(&sharer.key, name);
        let place = Place { vault: &self.keys.vault, table: "share", row: &lookup, version: 0 };
        let key = if sharer.opens { sharer.key.wrap(place, key)? } else { Vec::new() };
        let share = ShareRow { lookup, record, key };
        let leaf = ShareRow::leaf(sharer.id.0, &lookup);
        if self.leaf(&leaf)?.is_none() {
            *self.shares.entry(sharer.id).or_default() += 1;
        }
        self.store.put_share(sharer.id.0, &share)?;
        self.set_leaf(leaf, Some(share.digest()));
        Ok(())
    }

    /// Gives every grant whose policy covers the name the key of a record.
    pub(super) fn share_with_all(&mut self, name: &SecretName, record: i64, key: &Key) -> Result<()> {
        self.load_sharing()?;
        let Some(sharing) = self.sharing.take() else { return Ok(()) };
        let mut covering = sharing.grants.iter().filter(|sharer| sharer.matcher.covers(name));
        let shared = covering.try_for_each(|sharer| self.share(sharer, name, record, key));
        *self.sharing = Some(sharing);
        shared
    }

    /// Takes a record from every grant that has it.
    pub(super) fn unshare(&mut self, record: i64) -> Result<()> {
        for (holder, lookup) in self.store.shares_of(record)? {
            self.store.delete_share(holder, &lookup)?;
            let leaf = ShareRow::leaf(holder, &lookup);
            if self.leaf(&leaf)?.is_some() {
                *self.shares.entry(GrantId(holder)).or_default() -= 1;
            }
            self.set_leaf(leaf, None);
        }
        Ok(())
    }
}
