//! Where keys come from.

use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::provider::Provider;

/// A key. It is never printed, and wiped when it is dropped.
#[derive(Clone)]
pub struct Key(Zeroizing<String>);

/// Why a store of keys could not be asked.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot get the key of {provider} from {store}: {reason}")]
pub struct KeyError {
    /// Whose key it is.
    pub provider: Provider,
    /// Where it was looked for.
    pub store: String,
    /// What went wrong and what to do, without the key.
    pub reason: String,
}

/// Somebody who has keys. Asked for every call, so that a key that changes counts at once; may touch files.
pub trait Keys: Send + Sync {
    /// The key of a provider, if there is one.
    fn key(&self, provider: Provider) -> Result<Option<Key>, KeyError>;
}

/// Somebody who keeps the keys a person enters.
pub trait KeySafe: Keys {
    /// Keeps a key in the place of the one there was.
    fn save(&self, provider: Provider, key: &Key) -> Result<(), KeyError>;

    /// Forgets a key; false if there was none.
    fn delete(&self, provider: Provider) -> Result<bool, KeyError>;
}

impl Key {
    /// Its last four characters, for a person to recognise it by; nothing of one that is too short for that.
    pub fn last_four(&self) -> Option<String> {
        let count = self.0.chars().count();
        (count >= 12).then(|| self.0.chars().skip(count - 4).collect())
    }

    /// A key, without the space around it; `None` if nothing is left.
    pub fn new(text: &str) -> Option<Key> {
        let text = text.trim();
        (!text.is_empty()).then(|| Key(Zeroizing::new(text.to_owned())))
    }

    /// The key itself. It belongs into a header and nowhere else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Keys in the variables of the environment: see [`Provider::key_variables`].
pub struct EnvironmentKeys<F>(pub F);

impl<F: Fn(&str) -> Option<String> + Send + Sync> Keys for EnvironmentKeys<F> {
    fn key(&self, provider: Provider) -> Result<Option<Key>, KeyError> {
        let variables = provider.key_variables().iter();
        Ok(variables.filter_map(|name| (self.0)(name)).find_map(|value| Key::new(&value)))
    }
}

/// Several stores: the first that has a key counts. A store that fails is told only if no other has it.
#[derive(Clone)]
pub struct KeysInOrder(pub Vec<Arc<dyn Keys>>);

impl Keys for KeysInOrder {
    fn key(&self, provider: Provider) -> Result<Option<Key>, KeyError> {
        let mut failed = None;
        for keys in &self.0 {
            match keys.key(provider) {
                Ok(Some(key)) => return Ok(Some(key)),
                Ok(None) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(None), Err)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{EnvironmentKeys, Key, KeyError, Keys, KeysInOrder};
    use crate::provider::Provider;

    fn environment(variables: &'static [(&str, &str)]) -> Arc<dyn Keys> {
        Arc::new(EnvironmentKeys(|name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        }))
    }

    struct Locked;

    impl Keys for Locked {
        fn key(&self, provider: Provider) -> Result<Option<Key>, KeyError> {
            Err(KeyError { provider, store: "the vault".into(), reason: "it is locked; unlock it".into() })
        }
    }

    fn found(keys: &dyn Keys, provider: Provider) -> Option<String> {
        keys.key(provider).expect("keys").map(|key| key.expose().to_owned())
    }

    #[test]
    fn the_key_of_z_ai_is_never_that_of_another() {
        let keys = environment(&[
            ("ANTHROPIC_AUTH_TOKEN", "other"),
            ("ZAI_API_KEY", " second "),
            ("OPENAI_API_KEY", " "),
        ]);
        assert_eq!(found(&*keys, Provider::Zai).as_deref(), Some("second"));
        assert_eq!(found(&*keys, Provider::OpenAi), None);
        assert_eq!(found(&*keys, Provider::Claude), None);
        let first = environment(&[("ZAI_API_KEY", "second"), ("Z_AI_API_KEY", "first")]);
        assert_eq!(found(&*first, Provider::Zai).as_deref(), Some("first"));
    }

    #[test]
    fn the_first_store_that_has_a_key_counts_and_a_failing_one_is_told_last() {
        let keys = KeysInOrder(vec![Arc::new(Locked), environment(&[("GEMINI_API_KEY", "gem")])]);
        assert_eq!(found(&keys, Provider::Gemini).as_deref(), Some("gem"));
        let failed = keys.key(Provider::Zai).expect_err("locked");
        assert!(failed.to_string().contains("z.ai") && failed.to_string().contains("unlock it"), "{failed}");
    }

    #[test]
    fn a_key_is_not_printed() {
        let key = Key::new("very-secret").expect("a key");
        assert!(!format!("{key:?}").contains("secret"));
    }
}
