//! Signatures of the vault's identity: everybody can check them, only the owner makes them.

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use super::crypto::{Key, hash, random};
use crate::error::Result;

/// The public half of an identity.
pub(crate) type IdentityPublic = [u8; 32];

/// A signature.
pub(crate) type Signed = [u8; 64];

/// What signs the owner's state, wiped when dropped.
#[derive(Clone)]
pub(crate) struct VaultIdentity(SigningKey);

impl VaultIdentity {
    pub(crate) fn random() -> Result<VaultIdentity> {
        let seed: Zeroizing<[u8; 32]> = Zeroizing::new(random()?);
        Ok(VaultIdentity(SigningKey::from_bytes(&seed)))
    }

    pub(crate) fn from_key(key: &Key) -> VaultIdentity {
        VaultIdentity(SigningKey::from_bytes(key.bytes()))
    }

    pub(crate) fn key(&self) -> Key {
        Key::new(self.0.to_bytes())
    }

    pub(crate) fn public(&self) -> IdentityPublic {
        self.0.verifying_key().to_bytes()
    }

    /// Signs for one purpose: what is signed for another never passes for it.
    pub(crate) fn sign(&self, purpose: &str, parts: &[&[u8]]) -> Signed {
        self.0.sign(&hash(purpose, parts)).to_bytes()
    }
}

/// Whether an identity signed this for this purpose.
pub(crate) fn verifies(public: &IdentityPublic, purpose: &str, parts: &[&[u8]], signature: &Signed) -> bool {
    VerifyingKey::from_bytes(public)
        .is_ok_and(|key| key.verify_strict(&hash(purpose, parts), &Signature::from_bytes(signature)).is_ok())
}

#[cfg(test)]
mod tests {
    use super::{VaultIdentity, verifies};

    #[test]
    fn a_signature_is_for_one_identity_one_purpose_and_one_text() {
        let (ada, eve) = (VaultIdentity::random().expect("random"), VaultIdentity::random().expect("random"));
        let signature = ada.sign("head", &[b"ab", b"c"]);
        assert!(verifies(&ada.public(), "head", &[b"ab", b"c"], &signature));
        assert!(!verifies(&eve.public(), "head", &[b"ab", b"c"], &signature));
        assert!(!verifies(&ada.public(), "anchor", &[b"ab", b"c"], &signature));
        assert!(!verifies(&ada.public(), "head", &[b"a", b"bc"], &signature));
        assert!(!verifies(&[0; 32], "head", &[], &[0; 64]));
    }
}
