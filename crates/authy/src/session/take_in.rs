//! Secrets and policies taken over from another vault as they were: versions, times and all.

use super::Session;
use super::record::{key_place, record_lookup, seal_meta, seal_value};
use super::work::Work;
use crate::audit::Operation;
use crate::error::{Error, Result};
use crate::keys::Key;
use crate::policy::Policy;
use crate::secret::SecretInfo;
use crate::store::RecordRow;
use crate::time::Timestamp;
use crate::value::SecretValue;

/// What another vault had.
pub(crate) struct TakenIn {
    pub(crate) records: Vec<Kept>,
    pub(crate) policies: Vec<Policy>,
}

/// A secret with the versions that are kept; the last is the current one.
pub(crate) struct Kept {
    pub(crate) info: SecretInfo,
    pub(crate) versions: Vec<(u32, SecretValue, Timestamp)>,
}

impl Session {
    /// Takes over what another vault had, into this one, which is new.
    pub(crate) fn take_in(&self, all: &TakenIn) -> Result<()> {
        self.change(Operation::Import, None, |work| {
            work.detail = Some(format!("{} secrets", all.records.len()));
            for policy in &all.policies {
                work.policies += 1;
                work.put_policy(policy, 1)?;
            }
            all.records.iter().try_for_each(|kept| work.take_in(kept))
        })
    }
}

impl Work<'_> {
    fn take_in(&mut self, kept: &Kept) -> Result<()> {
        let owner = self.keys.owner()?;
        let lookup = record_lookup(&owner.root.names, &kept.info.name);
        let (vault, key) = (self.keys.vault, Key::random()?);
        let (current, old) = kept.versions.split_last().ok_or(Error::TooMuch("a secret has no value"))?;
        let (version, value, stored) = current;
        let sealed = seal_value(&vault, &key, (&lookup, *version), (value, *stored))?;
        let mut row = RecordRow {
            id: 0,
            lookup,
            version: *version,
            revision: 1,
            key: owner.vault_key.wrap(key_place(&vault, &lookup), &key)?,
            meta: seal_meta(&vault, &key, (&lookup, 1), &kept.info)?,
            value_digest: RecordRow::digest_of_value(&sealed),
            value: sealed,
            old: Vec::new(),
        };
        let mut digests = Vec::with_capacity(old.len());
        let mut sealed = Vec::with_capacity(old.len());
        for (version, value, stored) in old {
            let value = seal_value(&vault, &key, (&lookup, *version), (value, *stored))?;
            digests.push((*version, RecordRow::digest_of_value(&value)));
            sealed.push((*version, value));
        }
        row.set_old_versions(digests);
        self.store.insert_record(&mut row)?;
        for (version, value) in sealed {
            self.store.insert_old_version(row.id, version, &value)?;
        }
        self.set_leaf(RecordRow::leaf(&lookup), Some(row.digest()));
        self.records += 1;
        Ok(())
    }
}
