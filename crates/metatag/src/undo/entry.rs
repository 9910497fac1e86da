//! One change in the journal: what it was made to, and what it takes to make it undone.

use std::path::{Path, PathBuf};

use twox_hash::XxHash3_128;

use super::delta::{self, Damaged};

/// Begins every entry, with the version of the format.
const MAGIC: &[u8; 8] = b"DMundo02";

/// What tells one content of a file from another. It guards against accidents: whoever may write the picture and means harm
/// needs no journal for it. A digest made against attackers would cost more than the rest of a write.
pub(crate) type Hash = [u8; 16];

pub(crate) fn hash(bytes: &[u8]) -> Hash {
    XxHash3_128::oneshot(bytes).to_be_bytes()
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The real path of the file.
    pub(crate) path: PathBuf,
    /// What the file was before.
    pub(crate) old: Hash,
    old_length: u64,
    /// What it was afterwards.
    pub(crate) new: Hash,
    delta: Vec<u8>,
}

impl Entry {
    pub(crate) fn of(path: &Path, old: &[u8], new: &[u8]) -> Entry {
        Entry {
            path: path.to_owned(),
            old: hash(old),
            old_length: old.len() as u64,
            new: hash(new),
            delta: delta::make(old, new),
        }
    }

    /// In bytes, as it is kept.
    pub(crate) fn size(&self) -> u64 {
        (MAGIC.len()
            + 2 * size_of::<Hash>()
            + 2 * size_of::<u64>()
            + files::encode_path(&self.path).len()
            + self.delta.len()) as u64
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let path = &*files::encode_path(&self.path);
        let length = (path.len() as u64).to_le_bytes();
        let parts: [&[u8]; 7] =
            [MAGIC, &self.old, &self.old_length.to_le_bytes(), &self.new, &length, path, &self.delta];
        parts.concat()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Entry, Damaged> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(Damaged)?;
        let old = take(&mut rest)?;
        let old_length = u64::from_le_bytes(take(&mut rest)?);
        let new = take(&mut rest)?;
        let length = usize::try_from(u64::from_le_bytes(take(&mut rest)?)).map_err(|_| Damaged)?;
        let (path, delta) = rest.split_at_checked(length).ok_or(Damaged)?;
        let path = files::decode_path(path).ok_or(Damaged)?;
        Ok(Entry { path, old, old_length, new, delta: delta.to_vec() })
    }

    /// The bytes of the file before the change, from those after it. They are the very same or none.
    pub(crate) fn undo(&self, new: &[u8]) -> Result<Vec<u8>, Damaged> {
        let length = usize::try_from(self.old_length).map_err(|_| Damaged)?;
        let old = delta::apply(&self.delta, new, length)?;
        if hash(&old) == self.old { Ok(old) } else { Err(Damaged) }
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Damaged> {
    let (first, after) = rest.split_first_chunk::<N>().ok_or(Damaged)?;
    *rest = after;
    Ok(*first)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Entry;

    #[test]
    fn an_entry_reads_back_and_makes_the_change_undone() {
        let entry = Entry::of(Path::new("/a/图.jpg"), b"old bytes", b"new and more bytes");
        let read = Entry::from_bytes(&entry.to_bytes()).expect("an entry");
        assert_eq!(read, entry);
        assert_eq!(entry.size(), entry.to_bytes().len() as u64);
        assert_eq!(read.undo(b"new and more bytes").as_deref(), Ok(&b"old bytes"[..]));
        assert!(read.undo(b"something else").is_err());
    }

    #[test]
    fn no_damage_restores_anything_else() {
        let (old, new) = (b"old bytes of a file".repeat(9), b"new bytes of a file".repeat(9));
        let whole = Entry::of(Path::new("/a"), &old, &new).to_bytes();
        for at in 0..whole.len() {
            for flip in [1, 0x80] {
                let mut damaged = whole.clone();
                damaged[at] ^= flip;
                let restored = Entry::from_bytes(&damaged).and_then(|entry| entry.undo(&new));
                assert!(restored.is_err() || restored.as_deref() == Ok(&old), "byte {at}");
            }
            let _ =
                Entry::from_bytes(&whole[..at]).and_then(|entry| entry.undo(&new)).expect_err("cut short");
        }
    }
}
