//! Where servers get the keys of model providers from: the environment, then the vault, then the keychain of the system.
//!
//! Servers do not know each other, so a server that needs a key gets it from here, and this crate uses the vault as a library,
//! without its MCP server. A key in the vault is a secret with the name of the environment variable, in lower case and with dashes,
//! as `authy import` names it: `ANTHROPIC_API_KEY` is `anthropic-api-key`. The same names are used in the keychain.

#[cfg(feature = "keychain")]
mod keychain;

use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};

use authy::{
    AuthyClient, Capability, Consent, Credential, Error, NewSecret, Overwrite, SecretName, SecretValue,
    Session, Vault,
};
use models::{EnvironmentKeys, Key, KeyError, KeySafe, Keys, KeysInOrder, Provider};

/// The keys this person has. Nothing is opened before one is asked for.
pub fn all() -> Arc<dyn Keys> {
    let environment = EnvironmentKeys(|name: &str| std::env::var(name).ok());
    let vault = VaultKeys::new(|name: &str| std::env::var_os(name));
    let stores: Vec<Arc<dyn Keys>> = vec![Arc::new(environment), Arc::new(vault)];
    #[cfg(feature = "keychain")]
    let stores = [stores, vec![Arc::new(keychain::KeychainKeys)]].concat();
    Arc::new(KeysInOrder(stores))
}

/// Keys in the vault, opened by what the environment has: `AUTHY_TOKEN`, `AUTHY_KEYFILE` or `AUTHY_PASSPHRASE`. A grant
/// with the capability `use` on these names is enough. Each look at a key is in the audit log.
pub struct VaultKeys<F> {
    variable: F,
    client: Mutex<Option<Arc<AuthyClient>>>,
}

impl<F: Fn(&str) -> Option<OsString>> VaultKeys<F> {
    /// Those of the vault the variables name. They are read at the first call.
    pub fn new(variable: F) -> VaultKeys<F> {
        VaultKeys { variable, client: Mutex::new(None) }
    }

    /// The unlocked vault; nothing where there is none, or nothing to open it with.
    fn session(&self) -> authy::Result<Option<Session>> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = if let Some(client) = client.as_ref() {
            Arc::clone(client)
        } else {
            let Some(credential) = Credential::from_environment(&self.variable)? else { return Ok(None) };
            let vault = Vault::from_environment(&self.variable)?;
            if !vault.exists() {
                return Ok(None);
            }
            let new = Arc::new(AuthyClient::new(vault, credential).with_actor("deskmate"));
            Arc::clone(client.insert(new))
        };
        drop(client);
        opened.session().map(Some)
    }

    /// The providers whose keys are in the vault, by the names of its secrets: no value is opened. `None` where what opens it
    /// may not list names. The look is one entry in the audit log.
    pub fn providers(&self) -> authy::Result<Option<Vec<Provider>>> {
        let Some(session) = self.session()? else { return Ok(Some(Vec::new())) };
        if session.require(Capability::List).is_err() {
            return Ok(None);
        }
        let names = session.list(None)?;
        let is_there = |provider: &Provider| {
            secret_names(*provider).any(|key| names.iter().any(|name| name.as_str() == key))
        };
        Ok(Some(Provider::ALL.into_iter().filter(is_there).collect()))
    }

    fn find(&self, provider: Provider) -> authy::Result<Option<Key>> {
        let Some(session) = self.session()? else { return Ok(None) };
        let purpose = format!("ask a model of {}", provider.name());
        for name in secret_names(provider) {
            match session.use_value(&SecretName::new(name)?, &purpose, Consent::Unasked) {
                Ok(value) => {
                    if let Some(key) = Key::new(value.as_text()?) {
                        return Ok(Some(key));
                    }
                }
                // What a grant does not cover is not there for it.
                Err(Error::NotFound(_) | Error::OutsideScope(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

impl<F: Fn(&str) -> Option<OsString> + Send + Sync> KeySafe for VaultKeys<F> {
    fn save(&self, provider: Provider, key: &Key) -> Result<(), KeyError> {
        let name = first_name(provider)?;
        let stored = || {
            let Some(session) = self.session()? else { return Ok(false) };
            let secret = NewSecret {
                name: SecretName::new(name.clone())?,
                value: SecretValue::new(key.expose())?,
                attributes: None,
            };
            session.store(&secret, Overwrite::NewVersion).map(|_| true)
        };
        match stored() {
            Ok(true) => Ok(()),
            Ok(false) => {
                Err(vault_error(provider, "it is not there, or nothing here unlocks it; run `authy init`"))
            }
            Err(error) => Err(vault_error(provider, &error.to_string())),
        }
    }

    fn delete(&self, provider: Provider) -> Result<bool, KeyError> {
        let removed = || {
            let Some(session) = self.session()? else { return Ok(false) };
            let mut any = false;
            for name in secret_names(provider) {
                any |= session.remove(&SecretName::new(name)?)?;
            }
            Ok(any)
        };
        removed().map_err(|error: Error| vault_error(provider, &error.to_string()))
    }
}

fn vault_error(provider: Provider, reason: &str) -> KeyError {
    KeyError { provider, store: "the vault of authy".to_owned(), reason: reason.to_owned() }
}

/// The name under which a key is kept.
fn first_name(provider: Provider) -> Result<String, KeyError> {
    secret_names(provider)
        .next()
        .ok_or_else(|| vault_error(provider, "its keys have no name; none is needed"))
}

/// Where the keys a person enters are kept: the keychain of the system where this build knows it, else the vault, if it can be
/// unlocked. Nothing is opened before.
pub fn safe() -> Arc<dyn KeySafe> {
    #[cfg(feature = "keychain")]
    return Arc::new(keychain::KeychainKeys);
    #[cfg(not(feature = "keychain"))]
    Arc::new(VaultKeys::new(|name: &str| std::env::var_os(name)))
}

impl<F: Fn(&str) -> Option<OsString> + Send + Sync> Keys for VaultKeys<F> {
    fn key(&self, provider: Provider) -> Result<Option<Key>, KeyError> {
        self.find(provider).map_err(|error| vault_error(provider, &error.to_string()))
    }
}

/// What the key of a provider is called in the vault, first the name to recommend.
pub fn secret_names(provider: Provider) -> impl Iterator<Item = String> {
    provider.key_variables().iter().map(|variable| variable.to_ascii_lowercase().replace('_', "-"))
}

#[cfg(test)]
mod tests {
    use models::Provider;

    use super::secret_names;

    #[test]
    fn every_provider_has_a_name_in_the_vault_that_an_import_gives_it() {
        for provider in Provider::ALL {
            for name in secret_names(provider) {
                assert!(authy::SecretName::new(name.clone()).is_ok(), "{name}");
                let line = format!("{}=x\n", name.to_ascii_uppercase().replace('-', "_"));
                let found = authy::import::dotenv(&line).expect("a line");
                let named = authy::import::name_all(found, authy::import::Names::Kebab, "").expect("a name");
                assert_eq!(named[0].name.as_str(), name);
            }
        }
        assert_eq!(secret_names(Provider::Claude).next().as_deref(), Some("anthropic-api-key"));
        assert_eq!(secret_names(Provider::Zai).collect::<Vec<_>>(), ["z-ai-api-key", "zai-api-key"]);
    }
}
