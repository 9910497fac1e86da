//! A vault: a folder with one database in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::credential::Credential;
use crate::error::Result;
use crate::session::Session;
use crate::slot::{NewSlot, SlotInfo};

/// Where a vault is, or would be. Nothing is opened before something is asked of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vault {
    folder: PathBuf,
}

/// What a restore may do to a vault that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restore {
    /// Only where there is none.
    IntoNothing,
    /// Instead of the one there is.
    Replacing,
}

impl Vault {
    /// The vault in this folder.
    pub fn at(folder: impl Into<PathBuf>) -> Vault {
        Vault { folder: folder.into() }
    }

    /// The vault of this user: in `AUTHY_HOME`, else in Deskmate's folder for authy.
    pub fn from_environment(_variable: impl Fn(&str) -> Option<OsString>) -> Result<Vault> {
        todo!()
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its database.
    pub fn file(&self) -> PathBuf {
        self.folder.join("vault.db")
    }

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        self.file().exists()
    }

    /// Makes a new vault that these slots open, at least one.
    pub fn create(&self, _slots: &[NewSlot]) -> Result<Session> {
        todo!()
    }

    /// Unlocks it.
    pub fn unlock(&self, _credential: &Credential) -> Result<Session> {
        todo!()
    }

    /// The ways to unlock it; no key is needed to see them.
    pub fn slots(&self) -> Result<Vec<SlotInfo>> {
        todo!()
    }

    /// Writes a consistent copy to a new file, mode 0600, encrypted as the vault is. No key is needed.
    pub fn backup(&self, _to: &Path) -> Result<()> {
        todo!()
    }

    /// Puts a backup in the place of the vault, in one transaction; programs that have the vault open see it at once.
    pub fn restore(&self, _from: &Path, _mode: Restore) -> Result<()> {
        todo!()
    }

    /// Whether the file is whole, as far as that can be told without a key.
    pub fn check(&self) -> Result<()> {
        todo!()
    }
}
