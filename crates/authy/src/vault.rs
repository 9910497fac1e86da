//! A vault: a folder with one database in it.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use files::{FolderError, Home, PrivateFolder};

use crate::audit::Operation;
use crate::credential::Credential;
use crate::error::{Error, Result, SlotError};
use crate::keyring::{Keyring, Owner};
use crate::keys::{Key, Root};
use crate::session::{Contents, Session, insert_slot, start_log};
use crate::slot::{NewSlot, SlotInfo};
use crate::store::{HeaderRow, Store};
use crate::time::Timestamp;

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
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Vault> {
        match variable("AUTHY_HOME").filter(|path| !path.is_empty()) {
            Some(path) => Ok(Vault::at(path)),
            None => Ok(Vault::at(Home::from_environment(variable)?.path_of("authy"))),
        }
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
    pub fn create(&self, slots: &[NewSlot]) -> Result<Session> {
        if slots.is_empty() {
            return Err(SlotError::None.into());
        }
        PrivateFolder::make(&self.folder)?;
        if self.exists() {
            return Err(Error::AlreadyInitialized(self.folder.clone()));
        }
        let vault: [u8; 16] = crate::keys::crypto::random()?;
        let (vault_key, root) = (Key::random()?, Root::random()?);
        let epoch = 1;
        Store::create(&self.file(), |store| {
            store.insert_header(&HeaderRow {
                vault_id: vault,
                created: Timestamp::now().millis(),
                epoch,
                generation: 1,
                contents: Contents::default().seal(&root.contents, &vault, 1)?,
                root: root.wrap(&vault_key, &vault, epoch)?,
            })?;
            for slot in slots {
                insert_slot(store, &vault, (&vault_key, &root.slots), slot)?;
            }
            start_log(store, &root, &vault)
        })?;
        let session = Session::with_keys(
            Store::open(&self.file())?,
            Keyring::new(vault, Owner { epoch, vault_key, root }),
        );
        session.note(Operation::Init)?;
        Ok(session)
    }

    /// Unlocks it.
    pub fn unlock(&self, credential: &Credential) -> Result<Session> {
        Session::open(self.open()?, credential)
    }

    /// The ways to unlock it; no key is needed to see them.
    pub fn slots(&self) -> Result<Vec<SlotInfo>> {
        self.open()?.slots()?.iter().map(SlotInfo::read).collect()
    }

    /// Writes a consistent copy to a new file, mode 0600, encrypted as the vault is. No key is needed.
    pub fn backup(&self, to: &Path) -> Result<()> {
        self.open()?.copy_to(to)
    }

    /// Puts a backup in the place of the vault, in one transaction; programs that have the vault open see it at once.
    pub fn restore(&self, from: &Path, mode: Restore) -> Result<()> {
        let backup = Store::open(from)?;
        backup.check()?;
        PrivateFolder::make(&self.folder)?;
        match (self.exists(), mode) {
            (true, Restore::IntoNothing) => Err(Error::AlreadyInitialized(self.folder.clone())),
            (true, Restore::Replacing) => Store::connect(&self.file())?.take_over(&backup),
            (false, _) => backup.copy_to(&self.file()),
        }
    }

    /// Whether the file is whole, as far as that can be told without a key.
    pub fn check(&self) -> Result<()> {
        self.open()?.check()
    }

    fn open(&self) -> Result<Store> {
        match PrivateFolder::open(&self.folder) {
            Ok(_) => Store::open(&self.file()),
            Err(FolderError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                Err(Error::NotInitialized)
            }
            Err(error) => Err(error.into()),
        }
    }
}
