//! The keychain of the operating system, which can open the vault for a person who is logged in.
//!
//! It keeps a random code for a key slot of its own; passphrase and keyfile stay out of it.

use authy::{RecoveryCode, Vault};

use super::failure::Failure;

/// Whether this build knows keychains.
pub(super) const AVAILABLE: bool = cfg!(feature = "keychain");

#[cfg(feature = "keychain")]
mod system {
    use keyring::v1::Entry;

    use super::{Failure, RecoveryCode, Vault};

    /// One entry for each vault, named by its folder.
    fn entry(vault: &Vault) -> Result<Entry, Failure> {
        let folder = vault.folder().to_string_lossy();
        Entry::new("authy", &folder).map_err(|error| Failure::Keychain(error.to_string()))
    }

    pub(in super::super) fn read(vault: &Vault) -> Result<RecoveryCode, Failure> {
        let code = entry(vault)?.get_password().map_err(|error| Failure::Keychain(error.to_string()))?;
        Ok(RecoveryCode::parse(&zeroize::Zeroizing::new(code))?)
    }

    pub(in super::super) fn store(vault: &Vault, code: &RecoveryCode) -> Result<(), Failure> {
        entry(vault)?.set_password(&code.reveal()).map_err(|error| Failure::Keychain(error.to_string()))
    }
}

#[cfg(not(feature = "keychain"))]
mod system {
    use super::{Failure, RecoveryCode, Vault};

    const ABSENT: &str = "this build of authy has no keychain; build it with `--features keychain`";

    pub(in super::super) fn read(_: &Vault) -> Result<RecoveryCode, Failure> {
        Err(Failure::Usage(ABSENT))
    }

    pub(in super::super) fn store(_: &Vault, _: &RecoveryCode) -> Result<(), Failure> {
        Err(Failure::Usage(ABSENT))
    }
}

pub(super) use system::{read, store};
