//! Old versions of a secret.

use super::Session;
use super::record::{Opened, damaged, open_value};
use super::work::Work;
use crate::audit::Operation;
use crate::capability::Capability;
use crate::error::{Error, Result};
use crate::name::SecretName;
use crate::secret::{Consent, Overwrite, VersionInfo};
use crate::value::SecretValue;

impl Session {
    /// The versions that are kept, oldest first. Needs `list`.
    pub fn history(&self, name: &SecretName) -> Result<Vec<VersionInfo>> {
        self.read(Operation::Info, Some(name.as_str()), |work| {
            work.keys.require(Capability::List)?;
            let opened = work.find(name)?;
            let mut versions = Vec::new();
            for (version, sealed) in work.store.old_versions(opened.row.id)? {
                let (_, stored) = open_value(&work.keys.vault, &opened.key, &opened.row, version, &sealed)
                    .ok_or_else(|| damaged(name))?;
                versions.push(VersionInfo { version, stored, current: false });
            }
            let stored = opened.info.modified;
            versions.push(VersionInfo { version: opened.row.version, stored, current: true });
            Ok(versions)
        })
    }

    /// The value of a version that is kept, to be shown. Needs `reveal`.
    pub fn get_version(&self, name: &SecretName, version: u32, consent: Consent) -> Result<SecretValue> {
        let got = self.read(Operation::Get, Some(name.as_str()), |work| {
            work.detail = Some(format!("version {version}"));
            let opened = work.revealable(name, consent)?;
            work.old_value(&opened, version)
        });
        self.or_ask(got, "show the value")
    }

    /// Gives a secret the value of an old version, as a new version. Gives its number. Needs `store`.
    pub fn rollback(&self, name: &SecretName, version: u32) -> Result<u32> {
        self.change(Operation::Rollback, Some(name.as_str()), |work| {
            work.keys.require(Capability::Store)?;
            work.detail = Some(format!("to version {version}"));
            let opened = work.find(name)?;
            let value = work.old_value(&opened, version)?;
            work.put(name, &value, None, Overwrite::NewVersion)
        })
    }
}

impl Work<'_> {
    fn old_value(&self, opened: &Opened, version: u32) -> Result<SecretValue> {
        if version == opened.row.version {
            return self.value(opened);
        }
        let name = &opened.info.name;
        let sealed = self
            .store
            .old_version(opened.row.id, version)?
            .ok_or_else(|| Error::NoSuchVersion { name: name.clone(), version })?;
        open_value(&self.keys.vault, &opened.key, &opened.row, version, &sealed)
            .map(|(value, _)| value)
            .ok_or_else(|| damaged(name))
    }
}
