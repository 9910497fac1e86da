//! Sealing to a public key: anybody can close, only the holder of the secret opens.

use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use super::crypto::{Key, Place, extract, random};
use crate::error::Result;

/// The public half of a pair.
pub(crate) type Public = [u8; 32];

/// The secret half of a pair, wiped when dropped.
#[derive(Clone)]
pub(crate) struct Secret(StaticSecret);

impl Secret {
    pub(crate) fn random() -> Result<Secret> {
        let bytes: Zeroizing<[u8; 32]> = Zeroizing::new(random()?);
        Ok(Secret::from_key(&Key::new(*bytes)))
    }

    /// The pair whose secret half is this key.
    pub(crate) fn from_key(key: &Key) -> Secret {
        Secret(StaticSecret::from(*key.bytes()))
    }

    pub(crate) fn public(&self) -> Public {
        PublicKey::from(&self.0).to_bytes()
    }

    pub(crate) fn key(&self) -> Key {
        Key::new(self.0.to_bytes())
    }

    /// The key by which whoever holds this secret recognises a vault.
    pub(crate) fn authentication(&self) -> Key {
        extract(b"", self.0.as_bytes(), "authy authentication")
    }

    /// Opens what was sealed to this pair's public half, for this place.
    pub(crate) fn open(&self, place: Place<'_>, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (once, body) = sealed.split_first_chunk::<32>()?;
        shared(&self.0, once, once, &self.public())?.open(place, body)
    }
}

/// Seals something to a public key, for one place.
pub(crate) fn seal_to(public: &Public, place: Place<'_>, plain: &[u8]) -> Result<Vec<u8>> {
    let once = Secret::random()?;
    let once_public = once.public();
    let key = shared(&once.0, public, &once_public, public)
        .ok_or(crate::error::Error::Damaged { what: "a public key".into(), reason: "it is of low order" })?;
    let mut sealed = once_public.to_vec();
    sealed.extend(key.seal(place, plain)?);
    Ok(sealed)
}

/// What both sides compute. The salt names both public keys, so the result belongs to this pair of them.
fn shared(own: &StaticSecret, their: &Public, once: &Public, to: &Public) -> Option<Key> {
    let shared = own.diffie_hellman(&PublicKey::from(*their));
    if !shared.was_contributory() {
        return None;
    }
    Some(extract(&[once.as_slice(), to.as_slice()].concat(), shared.as_bytes(), "authy seal"))
}

#[cfg(test)]
mod tests {
    use super::{Place, Secret, seal_to};

    #[test]
    fn only_the_holder_of_the_secret_opens() {
        let place = Place { vault: &[0; 16], table: "slot", row: b"1", version: 0 };
        let (ada, eve) = (Secret::random().expect("random"), Secret::random().expect("random"));
        let sealed = seal_to(&ada.public(), place, b"key").expect("sealed");
        assert_eq!(ada.open(place, &sealed).as_deref().map(Vec::as_slice), Some(&b"key"[..]));
        assert!(eve.open(place, &sealed).is_none());
        assert!(ada.open(Place { row: b"2", ..place }, &sealed).is_none());
    }

    #[test]
    fn a_public_key_that_gives_everybody_the_same_is_refused() {
        let place = Place { vault: &[0; 16], table: "slot", row: b"1", version: 0 };
        assert!(seal_to(&[0; 32], place, b"key").is_err());
    }
}
