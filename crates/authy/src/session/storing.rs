//! Secrets stored and changed.

use super::Session;
use super::record::{Opened, key_place, owners_key, record_lookup, seal_meta, seal_value};
use super::work::{News, Title, Work, say};
use crate::audit::{Operation, Outcome};
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::keys::Key;
use crate::keys::sealing::seal_to;
use crate::name::SecretName;
use crate::secret::{Attributes, NewSecret, Overwrite, SecretInfo};
use crate::store::{KeyKind, RecordRow};
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

    /// Changes what is said about a secret. Needs `admin`: it decides who may see and use it.
    pub fn set_attributes(&self, name: &SecretName, attributes: &Attributes) -> Result<()> {
        self.change(Operation::SetAttributes, Some(name.as_str()), |work| {
            work.keys.require(Capability::Admin)?;
            let mut opened = work.find(name)?;
            opened.info.attributes = attributes.clone();
            let before = opened.row.revision;
            opened.row.revision += 1;
            let place = (&opened.row.lookup, opened.row.revision);
            opened.row.meta = seal_meta(&work.keys.vault, &opened.key, place, &opened.info)?;
            work.write(opened, before)
        })
    }

    /// Takes over what grants have stored: from now on the vault key opens it, and every grant it is for.
    pub(super) fn adopt(&self) -> Result<()> {
        {
            let state = self.locked();
            if state.keys.owner.is_none() || state.store.foreign_records()?.is_empty() {
                return Ok(());
            }
        }
        self.change(Operation::Adopt, None, |work| {
            let mut count = 0;
            for id in work.store.foreign_records()? {
                // What does not open stays as it is, and is named when somebody asks for it.
                if let Some(row) = work.store.record_by_id(id)?
                    && let Ok(key) = owners_key(work.keys, &row)
                    && let Some(info) = super::record::open_meta(&work.keys.vault, &key, &row)
                {
                    let place = key_place(&work.keys.vault, &row.lookup);
                    let wrapped = work.keys.owner()?.vault_key.wrap(place, &key)?;
                    work.store.set_record_key(id, KeyKind::Wrapped, &wrapped)?;
                    work.store.delete_shares_of(id)?;
                    work.share_with_all(&info.name, id, &key)?;
                    count += 1;
                }
            }
            work.sharing_changed = true;
            work.detail = Some(format!("{count} records"));
            Ok(())
        })
    }
}

impl Work<'_> {
    /// Stores a value: a new secret, or a new version of one.
    pub(super) fn put(
        &mut self,
        name: &SecretName,
        value: &SecretValue,
        attributes: Option<&Attributes>,
        overwrite: Overwrite,
    ) -> Result<u32> {
        self.keys.require_scope(name)?;
        self.keys.require(Capability::Store)?;
        match (self.look_up(name)?, overwrite) {
            (Some(_), Overwrite::Refuse) => Err(Error::AlreadyExists(name.clone())),
            (Some(opened), Overwrite::NewVersion) => self.put_version(opened, value, attributes),
            (None, _) => self.put_new(name, value, attributes, overwrite),
        }
    }

    fn put_version(
        &mut self,
        mut opened: Opened,
        value: &SecretValue,
        attributes: Option<&Attributes>,
    ) -> Result<u32> {
        if let Some(attributes) = attributes {
            self.keys.require(Capability::Admin)?;
            opened.info.attributes = attributes.clone();
        }
        let Opened { row, key, info } = &mut opened;
        let before = row.revision;
        row.revision += 1;
        row.version = row.version.checked_add(1).ok_or(Error::TooMuch("the secret has too many versions"))?;
        self.store.keep_version(row.id, row.version, VERSIONS)?;
        info.version = row.version;
        info.modified = self.now;
        row.meta = seal_meta(&self.keys.vault, key, (&row.lookup, row.revision), info)?;
        row.value = seal_value(&self.keys.vault, key, (&row.lookup, row.version), (value, self.now))?;
        let version = row.version;
        self.write(opened, before)?;
        Ok(version)
    }

    fn put_new(
        &mut self,
        name: &SecretName,
        value: &SecretValue,
        attributes: Option<&Attributes>,
        overwrite: Overwrite,
    ) -> Result<u32> {
        let writer = self.keys.writer()?;
        let lookup = record_lookup(&writer.names, name);
        // The owner would have found it. A grant finds here what it has no key for.
        if self.keys.owner.is_none() && self.store.record(&lookup)?.is_some() {
            return Err(match overwrite {
                Overwrite::Refuse => Error::AlreadyExists(name.clone()),
                Overwrite::NewVersion => Error::NotShared(name.clone()),
            });
        }
        let key = Key::random()?;
        let info = SecretInfo {
            name: name.clone(),
            version: 1,
            created: self.now,
            modified: self.now,
            attributes: attributes.cloned().unwrap_or_default(),
        };
        let place = key_place(&self.keys.vault, &lookup);
        let (key_kind, wrapped) = match (&self.keys.owner, &self.keys.holder) {
            (Some(owner), _) => (KeyKind::Wrapped, owner.vault_key.wrap(place, &key)?),
            (None, Some(holder)) => (KeyKind::Sealed, seal_to(&holder.bundle.owner, place, key.bytes())?),
            (None, None) => return Err(Error::Lacks(Capability::Store)),
        };
        let row = RecordRow {
            id: 0,
            lookup,
            version: 1,
            revision: 1,
            key_kind,
            key: wrapped,
            meta: seal_meta(&self.keys.vault, &key, (&lookup, 1), &info)?,
            value: seal_value(&self.keys.vault, &key, (&lookup, 1), (value, self.now))?,
        };
        let id = self.store.insert_record(&row)?;
        self.changed.came(&writer.contents, "record", &lookup, 1);
        match (&self.keys.owner, &self.keys.holder) {
            (None, Some(holder)) if holder.bundle.terms.opens_records() => {
                self.share((holder.id, &holder.key), name, id, &key)?;
                self.news.push(News::Is(info));
            }
            (None, _) => {}
            (Some(_), _) => {
                self.share_with_all(name, id, &key)?;
                self.news.push(News::Is(info));
            }
        }
        Ok(1)
    }

    /// Writes a changed record, whose revision was `before`.
    pub(super) fn write(&mut self, opened: Opened, before: u64) -> Result<()> {
        let Opened { row, key: _, info } = opened;
        let contents = self.keys.writer()?.contents;
        self.changed.went(&contents, "record", &row.lookup, before);
        self.changed.came(&contents, "record", &row.lookup, row.revision);
        self.store.update_record(&row)?;
        self.news.push(News::Is(info));
        Ok(())
    }
}
