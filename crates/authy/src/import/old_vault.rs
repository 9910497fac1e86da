//! The vault of the first authy: `vault.age`, one age file over `MessagePack`.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

use super::age::{self, Opener};
use super::{Found, ImportError};
use crate::keys::Identity;
use crate::name::PolicyName;
use crate::policy::NewPolicy;
use crate::secret::Attributes;

/// What opens an old vault.
pub enum OldKey {
    /// Its keyfile.
    Keyfile(Identity),
    /// Its passphrase.
    Passphrase(Zeroizing<String>),
}

/// What was in an old vault. Its session tokens are not taken over: they were good for everything.
pub struct OldVault {
    /// Its secrets.
    pub secrets: Vec<Found>,
    /// Its policies.
    pub policies: Vec<NewPolicy>,
}

/// Reads `vault.age`.
pub fn read(file: &[u8], key: &OldKey) -> Result<OldVault, ImportError> {
    let opener = match key {
        OldKey::Keyfile(identity) => Opener::Identity(identity),
        OldKey::Passphrase(passphrase) => Opener::Passphrase(passphrase),
    };
    let plain = age::open(file, &opener)?;
    // A reason could quote what was read, so only its kind is told.
    let content: Content = rmp_serde::from_slice(&plain).map_err(|_| ImportError::Format {
        expected: "a vault of the first authy",
        reason: "what is in the age file has another structure".to_owned(),
    })?;
    let secrets = content.secrets.into_iter().map(|(name, entry)| found(name, entry));
    let policies = content.policies.into_values().map(|OldPolicy(policy)| policy);
    Ok(OldVault { secrets: secrets.collect::<Result<_, _>>()?, policies: policies.collect() })
}

fn found(name: String, Entry { value, metadata }: Entry) -> Result<Found, ImportError> {
    let attributes =
        Attributes { tags: metadata.tags, description: metadata.description, ..Attributes::default() };
    let found = Found::new(name, value.into_bytes())?;
    Ok(Found { attributes: Some(attributes), ..found })
}

/// Structures are arrays in these files, so the order of fields is what counts.
#[derive(Deserialize)]
struct Content {
    #[serde(rename = "version")]
    _version: u32,
    #[serde(rename = "created_at")]
    _created: IgnoredAny,
    #[serde(rename = "modified_at")]
    _modified: IgnoredAny,
    secrets: BTreeMap<String, Entry>,
    policies: BTreeMap<String, OldPolicy>,
    #[serde(rename = "sessions")]
    _sessions: IgnoredAny,
}

#[derive(Deserialize)]
struct Entry {
    value: String,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "created_at")]
    _created: IgnoredAny,
    #[serde(rename = "modified_at")]
    _modified: IgnoredAny,
    #[serde(rename = "version")]
    _version: u32,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    description: Option<String>,
}

/// A policy. Later programs put `run_only` among the fields after the patterns; it is the only boolean there.
struct OldPolicy(NewPolicy);

impl<'de> Deserialize<'de> for OldPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OldPolicy, D::Error> {
        deserializer.deserialize_seq(PolicyFields)
    }
}

struct PolicyFields;

/// What may stand after the patterns.
#[derive(Deserialize)]
#[serde(untagged)]
enum Later {
    Flag(bool),
    Other(IgnoredAny),
}

impl<'de> Visitor<'de> for PolicyFields {
    type Value = OldPolicy;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the fields of a policy")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<OldPolicy, A::Error> {
        let missing = || serde::de::Error::custom("a policy has too few fields");
        let name: PolicyName = fields.next_element()?.ok_or_else(missing)?;
        let description = fields.next_element()?.ok_or_else(missing)?;
        let allow = fields.next_element()?.ok_or_else(missing)?;
        let deny = fields.next_element()?.ok_or_else(missing)?;
        let mut run_only = false;
        while let Some(later) = fields.next_element()? {
            match later {
                Later::Flag(flag) => run_only |= flag,
                Later::Other(IgnoredAny) => {}
            }
        }
        Ok(OldPolicy(NewPolicy { name, description, allow, deny, run_only }))
    }
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::{OldKey, read};
    use crate::import::{AgeError, ImportError};
    use crate::keys::Identity;

    /// Both were closed by the program `age`, over `MessagePack` as the first authy writes it.
    const BY_KEYFILE: &[u8] = include_bytes!("../../tests/data/vault-keyfile.age");
    const BY_PASSPHRASE: &[u8] = include_bytes!("../../tests/data/vault-passphrase.age");
    const KEYFILE: &str = include_str!("../../tests/data/vault-keyfile.key");

    fn keyfile() -> OldKey {
        OldKey::Keyfile(KEYFILE.lines().find_map(Identity::parse).expect("an identity"))
    }

    fn passphrase(text: &str) -> OldKey {
        OldKey::Passphrase(Zeroizing::new(text.to_owned()))
    }

    #[test]
    fn an_old_vault_opens_with_its_keyfile_or_its_passphrase() {
        for (file, key) in [(BY_KEYFILE, keyfile()), (BY_PASSPHRASE, passphrase("old passphrase"))] {
            let old = read(file, &key).map_err(|error| error.to_string()).expect("an old vault");
            let secrets: Vec<(&str, &str)> = old
                .secrets
                .iter()
                .map(|each| (each.name.as_str(), each.value.as_text().expect("text")))
                .collect();
            assert_eq!(secrets, [("db-url", "postgres://old"), ("stripe-key", "sk_live_é")]);
            let about = old.secrets[1].attributes.as_ref().expect("attributes");
            assert_eq!(
                (about.tags.as_slice(), about.description.as_deref()),
                (&["pay".to_owned()][..], Some("Stripe"))
            );
            assert_eq!(old.policies.len(), 2);
            assert_eq!((old.policies[0].name.as_str(), old.policies[0].run_only), ("dev", false));
            assert_eq!(
                (old.policies[1].allow.as_slice(), old.policies[1].run_only),
                (&["*".to_owned()][..], true)
            );
        }
    }

    #[track_caller]
    fn refused(file: &[u8], key: &OldKey, expected: AgeError) {
        match read(file, key).map(|_| "read") {
            Err(ImportError::Age(error)) => assert_eq!(error, expected),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn another_key_opens_nothing() {
        refused(BY_PASSPHRASE, &passphrase("guess"), AgeError::WrongKey);
        let other = OldKey::Keyfile(Identity::random().expect("random"));
        refused(BY_KEYFILE, &other, AgeError::WrongKey);
        refused(BY_KEYFILE, &passphrase("old passphrase"), AgeError::OtherKind("a keyfile"));
        refused(BY_PASSPHRASE, &keyfile(), AgeError::OtherKind("a passphrase"));
    }

    #[test]
    fn no_changed_byte_and_no_shorter_file_is_taken() {
        for at in 0..BY_KEYFILE.len() {
            let mut changed = BY_KEYFILE.to_vec();
            changed[at] ^= 1;
            assert!(matches!(read(&changed, &keyfile()), Err(ImportError::Age(_))), "byte {at}");
            assert!(matches!(read(&BY_KEYFILE[..at], &keyfile()), Err(ImportError::Age(_))), "{at} bytes");
        }
    }

    #[test]
    fn work_without_end_is_refused() {
        let text = b"age-encryption.org/v1\n-> scrypt AAAAAAAAAAAAAAAAAAAAAA 40\nAAAA\n--- AAAA\n";
        refused(text, &passphrase("x"), AgeError::TooMuchWork(40));
        refused(b"SQLite format 3", &passphrase("x"), AgeError::NotAge);
    }
}
