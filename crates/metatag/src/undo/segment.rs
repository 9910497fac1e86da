//! A file of the journal: records, one behind the other, from front to back.
//!
//! A record begins at a multiple of [`UNIT`] with a header; where a crash left something that is none, the next one is
//! looked for from unit to unit.

use std::fs::File;
use std::io;

use twox_hash::XxHash3_64;

use crate::sys;

/// Headers are of this length and begin at multiples of it, so that none is ever written by half.
const UNIT_BYTES: usize = 64;
pub(super) const UNIT: u64 = UNIT_BYTES as u64;

/// Begins every record, with the version of the format.
const MAGIC: u64 = u64::from_le_bytes(*b"DMundo03");

/// What a record is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is not needed any more.
    Forgotten,
    /// A change, which can be undone.
    Change,
    /// A change that was undone and can be made again.
    Undone,
}

/// What a record is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    /// The order of records, from 1.
    pub(crate) number: u64,
    /// The batch that the change was part of, or 0.
    pub(crate) batch: u64,
    /// Which file, shortened.
    pub(super) path: u64,
    /// What the file was afterwards, shortened.
    pub(super) new: u64,
    /// Of the entry that follows, in bytes.
    pub(super) length: u64,
    /// Of the entry, which tells whether it is all there.
    pub(super) check: u64,
    pub(crate) kind: Kind,
}

impl Header {
    pub(super) fn fits(&self, entry: &[u8]) -> bool {
        self.length == entry.len() as u64 && self.check == check(entry)
    }

    /// How much of the file the record takes.
    pub(super) fn size(&self) -> u64 {
        UNIT + self.length.next_multiple_of(UNIT)
    }

    fn parse(bytes: &[u8]) -> Option<Header> {
        let mut numbers = bytes.as_chunks::<8>().0.iter().map(|eight| u64::from_le_bytes(*eight));
        if numbers.next()? != MAGIC {
            return None;
        }
        let mut next = || numbers.next();
        let (number, batch, path, new) = (next()?, next()?, next()?, next()?);
        let (length, check) = (next()?, next()?);
        let kind = match next()? {
            0 => Kind::Forgotten,
            1 => Kind::Change,
            2 => Kind::Undone,
            _ => return None,
        };
        Some(Header { number, batch, path, new, length, check, kind })
    }

    fn to_bytes(self) -> Vec<u8> {
        let Header { number, batch, path, new, length, check, kind } = self;
        let kind = match kind {
            Kind::Forgotten => 0,
            Kind::Change => 1,
            Kind::Undone => 2,
        };
        [MAGIC, number, batch, path, new, length, check, kind]
            .into_iter()
            .flat_map(u64::to_le_bytes)
            .collect()
    }
}

pub(super) fn check(entry: &[u8]) -> u64 {
    XxHash3_64::oneshot(entry)
}

/// The records of a file with their places.
pub(super) fn scan(bytes: &[u8]) -> Vec<(u64, Header)> {
    let mut records = Vec::new();
    // Damage that claims much again and again is not looked at without end.
    let (mut at, mut budget) = (0, 2 * bytes.len());
    while let Some((unit, rest)) = bytes.get(at..).and_then(|rest| rest.split_first_chunk::<UNIT_BYTES>()) {
        at += UNIT_BYTES;
        let Some(header) = Header::parse(unit) else { continue };
        let Some(entry) = usize::try_from(header.length).ok().and_then(|length| rest.get(..length)) else {
            continue;
        };
        records.push(((at - UNIT_BYTES) as u64, header));
        // The length of a record that was damaged or cut short is not believed: it would hide those behind it.
        if entry.len() <= budget && header.fits(entry) {
            at += entry.len().next_multiple_of(UNIT_BYTES);
        }
        budget = budget.saturating_sub(entry.len());
    }
    records
}

/// Writes a record. It is on the disk only after the file was synced.
pub(super) fn write(file: &File, at: u64, header: Header, entry: &[u8]) -> io::Result<()> {
    let mut record = header.to_bytes();
    record.extend_from_slice(entry);
    record.resize(record.len().next_multiple_of(UNIT_BYTES), 0);
    sys::write_all_at(file, &record, at)
}

/// Gives the record at this place another kind, if it is still there.
pub(super) fn mark(file: &File, at: u64, header: &Header, kind: Kind) -> io::Result<()> {
    let mut bytes = [0; UNIT_BYTES];
    sys::read_exact_at(file, &mut bytes, at)?;
    if Header::parse(&bytes).is_some_and(|found| found.number == header.number) {
        sys::write_all_at(file, &Header { kind, ..*header }.to_bytes(), at)?;
    }
    Ok(())
}
