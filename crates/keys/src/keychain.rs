//! Keys of model providers in the keychain of the operating system.

use keyring::v1::{Entry, Error};
use models::{Key, KeyError, KeySafe, Keys, Provider};
use zeroize::Zeroizing;

use crate::{first_name, secret_names};

/// Keys in the keychain of the operating system, kept there for `deskmate`.
pub(crate) struct KeychainKeys;

fn failed(provider: Provider, error: &Error) -> KeyError {
    KeyError {
        provider,
        store: "the keychain".to_owned(),
        reason: format!("{error}; unlock it, or log in to the desktop"),
    }
}

impl KeySafe for KeychainKeys {
    fn save(&self, provider: Provider, key: &Key) -> Result<(), KeyError> {
        let name = first_name(provider)?;
        let kept = Entry::new("deskmate", &name).and_then(|entry| entry.set_password(key.expose()));
        kept.map_err(|error| failed(provider, &error))
    }

    fn delete(&self, provider: Provider) -> Result<bool, KeyError> {
        let mut any = false;
        for name in secret_names(provider) {
            match Entry::new("deskmate", &name).and_then(|entry| entry.delete_credential()) {
                Ok(()) => any = true,
                Err(Error::NoEntry | Error::NoDefaultStore) => {}
                Err(error) => return Err(failed(provider, &error)),
            }
        }
        Ok(any)
    }
}

impl Keys for KeychainKeys {
    fn key(&self, provider: Provider) -> Result<Option<Key>, KeyError> {
        for name in secret_names(provider) {
            match Entry::new("deskmate", &name).and_then(|entry| entry.get_password()) {
                Ok(text) => {
                    if let Some(key) = Key::new(&Zeroizing::new(text)) {
                        return Ok(Some(key));
                    }
                }
                // A machine without a desktop has no keychain, and so no key in one.
                Err(Error::NoEntry | Error::NoDefaultStore) => {}
                Err(error) => return Err(failed(provider, &error)),
            }
        }
        Ok(None)
    }
}
