//! The sum of everything that must be in the vault, so that something missing is noticed.
//!
//! Each record, policy and grant, with the number of its last change, has a code only those who may write can make. The
//! exclusive or of all codes is kept, encrypted. Who deletes a row or puts back an old one changes the sum.

use crate::error::Result;
use crate::keys::{Key, Place};
use crate::store::Store;

/// A sum, or a change of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    count: i64,
    sum: [u8; 32],
    touched: bool,
}

impl Contents {
    /// Something came.
    pub(crate) fn came(&mut self, key: &Key, table: &'static str, row: &[u8], revision: u64) {
        self.count += 1;
        self.toggle(key, table, row, revision);
    }

    /// Something went.
    pub(crate) fn went(&mut self, key: &Key, table: &'static str, row: &[u8], revision: u64) {
        self.count -= 1;
        self.toggle(key, table, row, revision);
    }

    fn toggle(&mut self, key: &Key, table: &'static str, row: &[u8], revision: u64) {
        self.touched = true;
        let code = key.mac("contents", &[table.as_bytes(), row, &revision.to_be_bytes()]);
        self.sum.iter_mut().zip(code).for_each(|(sum, code)| *sum ^= code);
    }

    pub(super) fn is_unchanged(&self) -> bool {
        !self.touched
    }

    /// As it is in the vault.
    pub(super) fn of(store: &Store, key: &Key, vault: &[u8; 16], generation: u64) -> Result<Contents> {
        let plain = key.open(place(vault, generation), &store.contents()?);
        plain
            .and_then(|plain| Contents::read(&plain))
            .ok_or_else(|| store.damaged("the sum of its contents does not open"))
    }

    fn read(plain: &[u8]) -> Option<Contents> {
        let (count, sum) = plain.split_first_chunk::<8>()?;
        Some(Contents { count: i64::from_be_bytes(*count), sum: sum.try_into().ok()?, touched: false })
    }

    /// Sealed for a generation.
    pub(crate) fn seal(&self, key: &Key, vault: &[u8; 16], generation: u64) -> Result<Vec<u8>> {
        key.seal(place(vault, generation), &[self.count.to_be_bytes().as_slice(), &self.sum].concat())
    }

    /// Applies this change to the sum in the vault.
    pub(super) fn add_to_sealed(&self, store: &Store, key: &Key, vault: &[u8; 16], next: u64) -> Result<()> {
        let new = Contents::of(store, key, vault, next - 1)?.with(self);
        store.set_contents(next, &new.seal(key, vault, next)?)
    }

    /// This sum after a change.
    pub(super) fn with(mut self, change: &Contents) -> Contents {
        self.count += change.count;
        self.sum.iter_mut().zip(change.sum).for_each(|(sum, change)| *sum ^= change);
        self
    }

    /// Whether what was counted is what should be there.
    pub(super) fn agrees_with(&self, found: &Contents) -> bool {
        self.count == found.count && self.sum == found.sum
    }
}

fn place(vault: &[u8; 16], generation: u64) -> Place<'_> {
    Place { vault, table: "contents", row: b"", version: generation }
}
