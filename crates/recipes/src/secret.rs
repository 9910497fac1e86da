//! Random secrets that are shown once, and the hashes that are kept of them.

use std::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// 256 random bits as text. They need no slow hash: there is nothing to guess.
#[derive(Clone)]
pub struct Secret(String);

/// The SHA-256 of a secret: all that a store ever sees of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash([u8; 32]);

/// The operating system has no random bytes.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the operating system gave no random bytes, so no secret can be made; try again")]
pub struct NoRandom;

impl Secret {
    /// A new one.
    pub fn new() -> Result<Secret, NoRandom> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| NoRandom)?;
        Ok(Secret(hex::encode(bytes)))
    }

    /// One that somebody sent.
    pub fn given(text: &str) -> Secret {
        Secret(text.to_owned())
    }

    /// The secret itself, for the one time it is shown.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What to keep of it.
    pub fn hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl SecretHash {
    /// Its bytes, as stores keep them.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// From the bytes a store kept.
    pub fn from_bytes(bytes: [u8; 32]) -> SecretHash {
        SecretHash(bytes)
    }

    /// Whether both are the same, in a time that does not tell where they differ.
    pub fn matches(&self, other: &SecretHash) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn secrets_differ_and_are_not_printed() {
        let (one, other) = (Secret::new().expect("random"), Secret::new().expect("random"));
        assert_eq!(one.reveal().len(), 64);
        assert!(!one.hash().matches(&other.hash()));
        assert!(one.hash().matches(&Secret::given(one.reveal()).hash()));
        assert!(!format!("{one:?} {:?}", one.hash()).contains(&one.reveal()[..8]));
    }
}
