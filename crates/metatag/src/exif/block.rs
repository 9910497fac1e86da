//! The bytes of a TIFF block, and the entries of its first directory.

use std::borrow::Cow;
use std::ops::Range;

use super::ExifError;

/// A TIFF file is such a block, too; larger pictures are not read at all.
const MOST_BYTES: usize = 512 << 20;
pub(super) const ENTRY: usize = 12;

/// Which of the entries of a tag stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    None,
    First,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

pub(super) struct Block<'b> {
    /// Copied only when something changes.
    pub(super) bytes: Cow<'b, [u8]>,
    order: Order,
    /// Where the first directory is.
    pub(super) directory: usize,
}

/// A value as its bytes, which are not in any order but the block's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw {
    /// 1 for bytes, 2 for a text, 4 for numbers of four bytes, 7 for anything.
    pub(crate) kind: u16,
    pub(crate) bytes: Vec<u8>,
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) at: usize,
    pub(super) tag: u16,
    pub(super) kind: u16,
    pub(super) count: u32,
}

impl Entry {
    /// How many bytes the value takes; unknown types take none.
    pub(super) fn size(&self) -> usize {
        usize::try_from(self.count).unwrap_or(usize::MAX).saturating_mul(unit(self.kind))
    }
}

/// How many bytes one value of a type takes.
fn unit(kind: u16) -> usize {
    match kind {
        1 | 2 | 6 | 7 | 129 => 1,
        3 | 8 => 2,
        4 | 9 | 11 | 13 => 4,
        5 | 10 | 12 => 8,
        _ => 0,
    }
}

impl<'b> Block<'b> {
    pub(super) fn parse(bytes: &'b [u8]) -> Result<Self, ExifError> {
        if bytes.len() > MOST_BYTES {
            return Err(ExifError::TooLarge);
        }
        let order = match bytes.get(..4) {
            Some(b"II*\0") => Order::Little,
            Some(b"MM\0*") => Order::Big,
            _ => return Err(ExifError::NoHeader),
        };
        let mut block = Self { bytes: Cow::Borrowed(bytes), order, directory: 0 };
        block.directory = block.pointer(4).filter(|at| *at >= 8).ok_or(ExifError::DamagedDirectory)?;
        block.entries()?;
        Ok(block)
    }

    /// A block whose directory has no entry; [`Self::finish`] makes nothing of it.
    pub(super) fn empty() -> Self {
        let bytes = b"II*\0\x08\0\0\0\0\0\0\0\0\0";
        Self { bytes: Cow::Borrowed(bytes), order: Order::Little, directory: 8 }
    }

    pub(super) fn u16(&self, at: usize) -> Option<u16> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        Some(match self.order {
            Order::Little => u16::from_le_bytes(bytes),
            Order::Big => u16::from_be_bytes(bytes),
        })
    }

    pub(super) fn u32(&self, at: usize) -> Option<u32> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        Some(match self.order {
            Order::Little => u32::from_le_bytes(bytes),
            Order::Big => u32::from_be_bytes(bytes),
        })
    }

    /// The offset that is written at this place.
    pub(super) fn pointer(&self, at: usize) -> Option<usize> {
        self.u32(at).and_then(|value| usize::try_from(value).ok())
    }

    fn in_order_u16(&self, value: u16) -> [u8; 2] {
        match self.order {
            Order::Little => value.to_le_bytes(),
            Order::Big => value.to_be_bytes(),
        }
    }

    fn in_order_u32(&self, value: usize) -> Result<[u8; 4], ExifError> {
        let value = u32::try_from(value).map_err(|_| ExifError::TooLarge)?;
        Ok(match self.order {
            Order::Little => value.to_le_bytes(),
            Order::Big => value.to_be_bytes(),
        })
    }

    fn put(&mut self, at: usize, value: &[u8]) -> Result<(), ExifError> {
        let place = at.checked_add(value.len()).and_then(|end| self.bytes.to_mut().get_mut(at..end));
        place.ok_or(ExifError::DamagedDirectory)?.copy_from_slice(value);
        Ok(())
    }

    pub(super) fn entries(&self) -> Result<Vec<Entry>, ExifError> {
        self.entries_at(self.directory).ok_or(ExifError::DamagedDirectory)
    }

    /// The entries of the directory at this place, if it is all there.
    pub(super) fn entries_at(&self, directory: usize) -> Option<Vec<Entry>> {
        let count = usize::from(self.u16(directory)?);
        let first = directory + 2;
        self.bytes.get(first..first + count * ENTRY)?;
        let entry =
            |at| Some(Entry { at, tag: self.u16(at)?, kind: self.u16(at + 2)?, count: self.u32(at + 4)? });
        (0..count).map(|n| entry(first + n * ENTRY)).collect()
    }

    /// The place of a value, in its entry or elsewhere, if it is inside the block.
    pub(super) fn place(&self, entry: &Entry) -> Option<Range<usize>> {
        let size = entry.size();
        let start = if size <= 4 { entry.at + 8 } else { self.pointer(entry.at + 8)? };
        let end = start.checked_add(size)?;
        (end <= self.bytes.len()).then_some(start..end)
    }

    pub(super) fn value(&self, entry: &Entry) -> Option<&[u8]> {
        self.bytes.get(self.place(entry)?)
    }

    /// Gives a tag a value: in the free place if there is one and it is large enough, else at the end.
    pub(super) fn set(
        &mut self,
        tag: u16,
        value: &Raw,
        free: Option<&Range<usize>>,
    ) -> Result<(), ExifError> {
        let Raw { kind, bytes: value } = value;
        let at = self.entry(tag)?;
        let mut field = [0; 4];
        if value.len() <= field.len() {
            field[..value.len()].copy_from_slice(value);
        } else {
            let start = match free.filter(|free| free.len() >= value.len() && free.end <= self.bytes.len()) {
                Some(free) => free.start,
                None => self.grow(value.len())?,
            };
            self.put(start, value)?;
            field = self.in_order_u32(start)?;
        }
        self.put(at + 2, &self.in_order_u16(*kind))?;
        self.put(at + 4, &self.in_order_u32(value.len() / unit(*kind).max(1))?)?;
        self.put(at + 8, &field)
    }

    /// Sees to it that the directory has one entry of this tag, and says where it is.
    pub(super) fn entry(&mut self, tag: u16) -> Result<usize, ExifError> {
        self.remove(tag, Keep::First)?;
        match self.entries()?.iter().find(|entry| entry.tag == tag) {
            Some(entry) => Ok(entry.at),
            None => self.add(tag),
        }
    }

    /// Makes room at the end, at an even offset as the standard asks.
    fn grow(&mut self, size: usize) -> Result<usize, ExifError> {
        let start = self.bytes.len().next_multiple_of(2);
        let end = start.checked_add(size).filter(|end| *end <= MOST_BYTES).ok_or(ExifError::TooLarge)?;
        self.bytes.to_mut().resize(end, 0);
        Ok(start)
    }

    /// The directory with its count and the pointer to the next one.
    fn directory_place(&self) -> Result<Range<usize>, ExifError> {
        Ok(self.directory..self.directory + 2 + self.entries()?.len() * ENTRY + 4)
    }

    /// Adds the pointer to the next directory where a writer has forgotten it at the end of the block; otherwise the
    /// first value put there would be taken for it.
    pub(super) fn complete(&mut self) -> Result<(), ExifError> {
        let place = self.directory_place()?;
        if self.bytes.len() < place.end {
            self.bytes.to_mut().truncate(place.end - 4);
            self.bytes.to_mut().resize(place.end, 0);
        }
        Ok(())
    }

    /// Adds an entry without a value to a copy of the directory, at the end of the block, and says where it is.
    fn add(&mut self, tag: u16) -> Result<usize, ExifError> {
        let entries = self.entries()?;
        let place = self.directory_place()?;
        let count = u16::try_from(entries.len() + 1).map_err(|_| ExifError::DamagedDirectory)?;
        let next = self.u32(place.start + 2 + entries.len() * ENTRY).unwrap_or(0);
        let index = entries.iter().position(|entry| entry.tag > tag).unwrap_or(entries.len());

        let mut copy = self.in_order_u16(count).to_vec();
        let old =
            self.bytes.get(place.start + 2..place.start + 2 + entries.len() * ENTRY).unwrap_or_default();
        let (before, after) = old.split_at_checked(index * ENTRY).ok_or(ExifError::DamagedDirectory)?;
        copy.extend_from_slice(before);
        copy.extend_from_slice(&self.in_order_u16(tag));
        copy.extend_from_slice(&[0; ENTRY - 2]);
        copy.extend_from_slice(after);
        copy.extend_from_slice(&self.in_order_u32(usize::try_from(next).unwrap_or(0))?);

        if place.end == self.bytes.len() && place.start % 2 == 0 {
            // Nothing comes after it: the copy can take its place.
            self.bytes.to_mut().truncate(place.start);
        }
        let start = self.grow(copy.len())?;
        self.put(start, &copy)?;
        self.put(4, &self.in_order_u32(start)?)?;
        self.directory = start;
        Ok(start + 2 + index * ENTRY)
    }

    /// Removes the entries of a tag. The entries after them move up within the directory, where nothing points.
    pub(super) fn remove(&mut self, tag: u16, keep: Keep) -> Result<(), ExifError> {
        let entries = self.entries()?;
        let place = self.directory_place()?;
        let mut kept = match keep {
            Keep::None => true,
            Keep::First => false,
        };
        let mut directory = Vec::with_capacity(place.len());
        let mut count = 0_u16;
        for entry in &entries {
            if entry.tag != tag || !std::mem::replace(&mut kept, true) {
                directory.extend_from_slice(self.bytes.get(entry.at..entry.at + ENTRY).unwrap_or_default());
                count += 1;
            }
        }
        if usize::from(count) == entries.len() {
            return Ok(());
        }
        let next = self.bytes.get(place.start + 2 + entries.len() * ENTRY..place.end).unwrap_or_default();
        directory.extend_from_slice(next);
        directory.splice(0..0, self.in_order_u16(count));
        if place.end == self.bytes.len() {
            self.bytes.to_mut().truncate(place.start + directory.len());
        } else {
            directory.resize(place.len(), 0);
        }
        self.put(place.start, &directory)
    }

    /// The bytes, or nothing if no entry and no other directory is left.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        let is_empty = self.u16(self.directory) == Some(0) && self.u32(self.directory + 2).unwrap_or(0) == 0;
        (!is_empty).then(|| self.bytes.into_owned())
    }
}
