//! Old versions of a secret.

use super::Session;
use super::reading::SHOWING;
use super::record::Found;
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
            let found = work.find(name)?;
            let mut versions = Vec::new();
            if let Found::Kept(opened) = &found {
                let numbers: Vec<u32> = opened.row.old_versions().map(|(number, _)| number).collect();
                for version in numbers {
                    if let Some((_, stored)) = work.old_value(opened, version)? {
                        versions.push(VersionInfo { version, stored, current: false });
                    }
                }
            }
            let info = found.into_info();
            versions.push(VersionInfo { version: info.version, stored: info.modified, current: true });
            Ok(versions)
        })
    }

    /// The value of a version that is kept, to be shown. Needs `reveal`.
    pub fn get_version(&self, name: &SecretName, version: u32, consent: Consent) -> Result<SecretValue> {
        let purpose = format!("{SHOWING} of version {version}");
        let got = self.read(Operation::Get, Some(name.as_str()), |work| {
            work.detail = Some(format!("version {version}"));
            let found = work.revealable(name, &purpose, consent)?;
            work.version_of(&found, version)
        });
        self.or_ask(got, &purpose)
    }

    /// Gives a secret the value of an old version, as a new version. Gives its number. Needs `store`.
    pub fn rollback(&self, name: &SecretName, version: u32) -> Result<u32> {
        self.change(Operation::Rollback, Some(name.as_str()), |work| {
            work.keys.require(Capability::Store)?;
            work.detail = Some(format!("to version {version}"));
            let found = work.find(name)?;
            let attributes = &found.info().attributes;
            if attributes.never_reveal || attributes.approve_each_use {
                // A grant can read back what it stored: this would show it a value that it must not see.
                work.keys.require(Capability::Admin)?;
            }
            let value = work.version_of(&found, version)?;
            work.put(name, &value, None, Overwrite::NewVersion)
        })
    }
}

impl Work<'_> {
    fn version_of(&self, found: &Found, version: u32) -> Result<SecretValue> {
        if version == found.info().version {
            return self.value(found);
        }
        let old = match found {
            Found::Kept(opened) => self.old_value(opened, version)?,
            Found::Pending(..) => None,
        };
        let missing = || Error::NoSuchVersion { name: found.info().name.clone(), version };
        old.map(|(value, _)| value).ok_or_else(missing)
    }
}
