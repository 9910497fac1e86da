//! One cipher, one hash: XChaCha20-Poly1305 with random nonces, and HMAC and HKDF with SHA-256.

use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{KeyInit, Tag, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

const NONCE: usize = 24;
const TAG: usize = 16;

/// A symmetric key, wiped when dropped.
#[derive(Clone)]
pub(crate) struct Key(Zeroizing<[u8; 32]>);

/// Where in which vault something encrypted belongs. It is bound to what is encrypted, so it opens nowhere else.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) vault: &'a [u8; 16],
    pub(crate) table: &'static str,
    pub(crate) row: &'a [u8],
    pub(crate) version: u64,
}

/// Random bytes of the operating system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| Error::NoRandomness)?;
    Ok(bytes)
}

/// A digest of parts. Each has its length before it, so no two lists of parts look alike.
pub(crate) fn hash(purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0'));
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

impl Key {
    pub(crate) fn new(bytes: [u8; 32]) -> Key {
        Key(Zeroizing::new(bytes))
    }

    /// The key that a slice of 32 bytes is.
    pub(crate) fn read(bytes: &[u8]) -> Option<Key> {
        bytes.try_into().ok().map(Key::new)
    }

    pub(crate) fn random() -> Result<Key> {
        random().map(Key::new)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Another key for another purpose.
    pub(crate) fn derive(&self, purpose: &str, of: &[u8]) -> Key {
        Key::new(self.mac(purpose, &[of]))
    }

    /// A code nobody makes without the key. Each part has its length before it, so no two lists of parts look alike.
    pub(crate) fn mac(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        // A key of 32 bytes is never refused.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.bytes()) else { return [0; 32] };
        for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// Encrypts for one place.
    pub(crate) fn seal(&self, place: Place<'_>, plain: &[u8]) -> Result<Vec<u8>> {
        let nonce: [u8; NONCE] = random()?;
        let mut sealed = Vec::with_capacity(NONCE + plain.len() + TAG);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(plain);
        let body = sealed.get_mut(NONCE..).unwrap_or_default();
        let tag = self
            .cipher()
            .encrypt_inout_detached(&XNonce::from(nonce), &place.bytes(), body.into())
            .map_err(|_| Error::TooMuch("too much to encrypt at once"))?;
        wipe_stack();
        sealed.extend_from_slice(&tag);
        Ok(sealed)
    }

    /// Decrypts what was sealed for this place, or nothing.
    pub(crate) fn open(&self, place: Place<'_>, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE>()?;
        let (body, tag) = rest.split_last_chunk::<TAG>()?;
        let mut plain = Zeroizing::new(body.to_vec());
        let opened = self.cipher().decrypt_inout_detached(
            &XNonce::from(*nonce),
            &place.bytes(),
            plain.as_mut_slice().into(),
            &Tag::from(*tag),
        );
        wipe_stack();
        opened.ok().map(|()| plain)
    }

    /// Encrypts another key.
    pub(crate) fn wrap(&self, place: Place<'_>, key: &Key) -> Result<Vec<u8>> {
        self.seal(place, key.bytes())
    }

    /// Decrypts another key.
    pub(crate) fn unwrap_key(&self, place: Place<'_>, wrapped: &[u8]) -> Option<Key> {
        self.open(place, wrapped).and_then(|bytes| Key::read(&bytes))
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(self.bytes().into())
    }
}

/// Overwrites the part of the stack the cipher has just used: it leaves blocks of what it worked on there.
#[inline(never)]
fn wipe_stack() {
    let mut below = [0_u8; 12 * 1024];
    std::hint::black_box(&mut below);
}

impl Place<'_> {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64 + self.row.len());
        bytes.extend_from_slice(self.vault);
        bytes.extend_from_slice(&self.version.to_be_bytes());
        bytes.extend_from_slice(&(self.table.len() as u64).to_be_bytes());
        bytes.extend_from_slice(self.table.as_bytes());
        bytes.extend_from_slice(self.row);
        bytes
    }
}

/// HKDF with SHA-256: a key from something that is secret but not evenly random.
pub(crate) fn extract(salt: &[u8], secret: &[u8], purpose: &str) -> Key {
    let mut key = Zeroizing::new([0; 32]);
    // 32 bytes are within what HKDF gives.
    let _ = Hkdf::<Sha256>::new(Some(salt), secret).expand(purpose.as_bytes(), key.as_mut());
    Key(key)
}

#[cfg(test)]
mod tests {
    use super::{Key, Place};

    const VAULT: [u8; 16] = [7; 16];

    #[test]
    fn what_is_sealed_opens_in_its_place_and_nowhere_else() {
        let key = Key::random().expect("random");
        let place = Place { vault: &VAULT, table: "record", row: b"a", version: 1 };
        let sealed = key.seal(place, b"hunter2").expect("sealed");
        assert_eq!(key.open(place, &sealed).as_deref().map(Vec::as_slice), Some(&b"hunter2"[..]));
        for other in [
            Place { vault: &[8; 16], ..place },
            Place { table: "history", ..place },
            Place { row: b"b", ..place },
            Place { version: 2, ..place },
        ] {
            assert!(key.open(other, &sealed).is_none());
        }
        assert!(Key::random().expect("random").open(place, &sealed).is_none());
    }

    #[test]
    fn no_bit_of_it_can_be_changed_and_no_byte_left_out() {
        let key = Key::random().expect("random");
        let place = Place { vault: &VAULT, table: "record", row: b"a", version: 1 };
        let sealed = key.seal(place, b"hunter2").expect("sealed");
        for bit in 0..sealed.len() * 8 {
            let mut flipped = sealed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(key.open(place, &flipped).is_none());
        }
        for end in 0..sealed.len() {
            assert!(key.open(place, &sealed[..end]).is_none());
        }
    }

    #[test]
    fn parts_of_a_mac_do_not_run_into_each_other() {
        let key = Key::new([1; 32]);
        assert_ne!(key.mac("x", &[b"ab", b"c"]), key.mac("x", &[b"a", b"bc"]));
        assert_ne!(key.mac("xa", &[b"b"]), key.mac("x", &[b"ab"]));
    }
}
