//! Secrets stored and changed.

use super::Session;
use super::pending::Left;
use super::record::{Opened, key_place, record_lookup, seal_meta, seal_value};
use super::work::{News, Title, Work, say};
use crate::audit::{Operation, Outcome};
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::keys::Key;
use crate::name::SecretName;
use crate::secret::{Attributes, NewSecret, Overwrite, SecretInfo};
use crate::store::RecordRow;
use crate::value::SecretValue;

/// How many versions of a value are kept, the current one included.
pub(super) const VERSIONS: u32 = 10;

impl Session {
    /// Stores a secret, durably. Gives the number of its version. Needs `store`.
    pub fn store(&self, secret: &NewSecret, overwrite: Overwrite) -> Result<u32> {
        self.change(Operation::Store, Some(secret.name.as_str()), |work| {
            work.put(&secret.name, &secret.value, secret.attributes.as_ref(), overwrite)
        })
    }

    /// Stores many secrets, all or none, in one transaction. Needs `store`.
    pub fn store_many(&self, secrets: &[NewSecret], overwrite: Overwrite) -> Result<()> {
        self.change(Operation::Import, None, |work| {
            for secret in secrets {
                work.put(&secret.name, &secret.value, secret.attributes.as_ref(), overwrite)?;
                let title = Title { operation: Operation::Store, target: Some(secret.name.as_str()) };
                say(work, title, Outcome::Done)?;
            }
            work.detail = Some(format!("{} secrets", secrets.len()));
            Ok(())
        })
    }

    /// Gives a secret that is there a new value. Gives the number of its version. Needs `store`.
    pub fn rotate(&self, name: &SecretName, value: &SecretValue) -> Result<u32> {
        self.change(Operation::Rotate, Some(name.as_str()), |work| {
            work.keys.require(Capability::Store)?;
            work.find(name)?;
            work.put(name, value, None, Overwrite::NewVersion)
        })
    }

    /// Changes what is said about a secret. Needs the owner: it decides who may see and use it.
    pub fn set_attributes(&self, name: &SecretName, attributes: &Attributes) -> Result<()> {
        self.change(Operation::SetAttributes, Some(name.as_str()), |work| {
            work.keys.require(Capability::Admin)?;
            let mut opened = work.find_kept(name)?;
            opened.info.attributes = attributes.clone();
            opened.row.revision += 1;
            let place = (&opened.row.lookup, opened.row.revision);
            opened.row.meta = seal_meta(&work.keys.vault, &opened.key, place, &opened.info)?;
            work.write(opened)
        })
    }
}

impl Work<'_> {
    /// Stores a value: a new secret, or a new version of one. What a grant stores is left for the owner.
    pub(super) fn put(
        &mut self,
        name: &SecretName,
        value: &SecretValue,
        attributes: Option<&Attributes>,
        overwrite: Overwrite,
    ) -> Result<u32> {
        self.keys.require_scope(name)?;
        self.keys.require(Capability::Store)?;
        if self.keys.holder.is_some() {
            return self.leave_value(name, value, attributes, overwrite);
        }
        match (self.look_up_kept(name)?, overwrite) {
            (Some(_), Overwrite::Refuse) => Err(Error::AlreadyExists(name.clone())),
            (Some(opened), Overwrite::NewVersion) => self.put_version(opened, value, attributes),
            (None, _) => self.put_new(name, value, attributes),
        }
    }

    fn leave_value(
        &mut self,
        name: &SecretName,
        value: &SecretValue,
        attributes: Option<&Attributes>,
        overwrite: Overwrite,
    ) -> Result<u32> {
        // Rules say where a value may go: those are the owner's to make.
        if attributes.is_some_and(|attributes| !attributes.are_words()) {
            self.keys.require(Capability::Admin)?;
        }
        let before = match self.look_up(name) {
            Ok(found) => found.map(|found| found.info().version),
            Err(Error::NotShared(_)) if overwrite == Overwrite::Refuse => Some(0),
            Err(error) => return Err(error),
        };
        if before.is_some() && overwrite == Overwrite::Refuse {
            return Err(Error::AlreadyExists(name.clone()));
        }
        if before.is_some() && attributes.is_some() {
            self.keys.require(Capability::Admin)?;
        }
        self.leave(&Left::Stored {
            name: name.clone(),
            value: value.clone(),
            attributes: attributes.cloned(),
            stored: self.now,
        })?;
        Ok(before.unwrap_or(0) + 1)
    }

    pub(super) fn put_version(
        &mut self,
        mut opened: Opened,
        value: &SecretValue,
        attributes: Option<&Attributes>,
    ) -> Result<u32> {
        // What was there is kept, so it has to be what it should be.
        self.kept_value(&opened)?;
        if let Some(attributes) = attributes {
            opened.info.attributes = attributes.clone();
        }
        let Opened { row, key, info } = &mut opened;
        self.store.insert_old_version(row.id, row.version, &row.value)?;
        let mut old: Vec<_> = row.old_versions().chain([(row.version, row.value_digest)]).collect();
        row.revision += 1;
        row.version = row.version.checked_add(1).ok_or(Error::TooMuch("the secret has too many versions"))?;
        let oldest = row.version.saturating_sub(VERSIONS - 1);
        old.retain(|(version, _)| *version >= oldest);
        row.set_old_versions(old);
        self.store.delete_old_versions_before(row.id, oldest)?;
        info.version = row.version;
        info.modified = self.now;
        row.meta = seal_meta(&self.keys.vault, key, (&row.lookup, row.revision), info)?;
        row.value = seal_value(&self.keys.vault, key, (&row.lookup, row.version), (value, self.now))?;
        row.value_digest = RecordRow::digest_of_value(&row.value);
        let version = row.version;
        self.write(opened)?;
        Ok(version)
    }

    pub(super) fn put_new(
        &mut self,
        name: &SecretName,
        value: &SecretValue,
        attributes: Option<&Attributes>,
    ) -> Result<u32> {
        let owner = self.keys.owner()?;
        let lookup = record_lookup(&owner.root.names, name);
        let key = Key::random()?;
        let info = SecretInfo {
            name: name.clone(),
            version: 1,
            created: self.now,
            modified: self.now,
            attributes: attributes.cloned().unwrap_or_default(),
            removed: None,
        };
        let value = seal_value(&self.keys.vault, &key, (&lookup, 1), (value, self.now))?;
        let mut row = RecordRow {
            id: 0,
            lookup,
            version: 1,
            revision: 1,
            key: owner.vault_key.wrap(key_place(&self.keys.vault, &lookup), &key)?,
            meta: seal_meta(&self.keys.vault, &key, (&lookup, 1), &info)?,
            value_digest: RecordRow::digest_of_value(&value),
            value,
            old: Vec::new(),
        };
        self.store.insert_record(&mut row)?;
        self.set_leaf(RecordRow::leaf(&lookup), Some(row.digest()));
        self.records += 1;
        self.share_with_all(name, row.id, &key)?;
        self.news.push(News::Is(info));
        Ok(1)
    }

    /// Writes a changed record.
    pub(super) fn write(&mut self, opened: Opened) -> Result<()> {
        let Opened { row, key: _, info } = opened;
        self.store.update_record(&row)?;
        self.set_leaf(RecordRow::leaf(&row.lookup), Some(row.digest()));
        self.news.push(if info.removed.is_some() { News::Gone(info.name) } else { News::Is(info) });
        Ok(())
    }
}
