//! Fields one after another, as bytes: numbers big-endian, texts with their length before them.

use zeroize::Zeroizing;

use super::crypto::Key;

/// Puts fields together. What it holds is wiped when dropped.
pub(crate) struct Pack(Zeroizing<Vec<u8>>);

impl Pack {
    /// With room for so many bytes, so that no copy is left behind when it grows.
    pub(crate) fn with_room(bytes: usize) -> Pack {
        Pack(Zeroizing::new(Vec::with_capacity(bytes)))
    }

    pub(crate) fn number(mut self, number: u64) -> Pack {
        self.put(&number.to_be_bytes());
        self
    }

    pub(crate) fn fixed(mut self, bytes: &[u8]) -> Pack {
        self.put(bytes);
        self
    }

    pub(crate) fn key(self, key: &Key) -> Pack {
        self.fixed(key.bytes())
    }

    pub(crate) fn text(self, bytes: &[u8]) -> Pack {
        self.number(bytes.len() as u64).fixed(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn put(&mut self, bytes: &[u8]) {
        if self.0.capacity() < self.0.len() + bytes.len() {
            // Growing by hand, because `Vec` would free the old bytes without wiping them.
            let mut larger = Zeroizing::new(Vec::with_capacity(2 * (self.0.len() + bytes.len())));
            larger.extend_from_slice(&self.0);
            self.0 = larger;
        }
        self.0.extend_from_slice(bytes);
    }
}

/// Takes fields apart again. Nothing is taken that is not there.
pub(crate) struct Unpack<'a>(&'a [u8]);

impl<'a> Unpack<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Unpack<'a> {
        Unpack(bytes)
    }

    pub(crate) fn fixed<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        self.fixed().map(u64::from_be_bytes)
    }

    pub(crate) fn key(&mut self) -> Option<Key> {
        self.fixed::<32>().map(Key::new)
    }

    pub(crate) fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }

    /// What is left.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
