//! Keys of model providers in the keychain of the operating system.

use keyring::v1::{Entry, Error};
use models::{Key, KeyError, Keys, Provider};
use zeroize::Zeroizing;

use crate::secret_names;

/// Keys in the keychain of the operating system, kept there for `deskmate`.
pub(crate) struct KeychainKeys;

impl Keys for KeychainKeys {
    fn key(&self, provider: Provider) -> Result<Option<Key>, KeyError> {
        let failed = |error: Error| KeyError {
            provider,
            store: "the keychain".to_owned(),
            reason: format!("{error}; unlock it, or log in to the desktop"),
        };
        for name in secret_names(provider) {
            match Entry::new("deskmate", &name).and_then(|entry| entry.get_password()) {
                Ok(text) => {
                    if let Some(key) = Key::new(&Zeroizing::new(text)) {
                        return Ok(Some(key));
                    }
                }
                // A machine without a desktop has no keychain, and so no key in one.
                Err(Error::NoEntry | Error::NoDefaultStore) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(None)
    }
}
