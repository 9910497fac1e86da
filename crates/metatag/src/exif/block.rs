//! The bytes of a TIFF block, and the entries of its first directory.

use std::borrow::Cow;
use std::ops::Range;

use super::ExifError;
use crate::bytes::ByteOrder;

/// A TIFF file is such a block, too; larger pictures are not read at all.
const MOST_BYTES: usize = 512 << 20;
/// A longer directory is none: what leads to it leads into something else. Real ones have less than a hundred entries.
pub(super) const MOST_ENTRIES: usize = 512;
/// The types of one number of four bytes, and of eight.
const LONG: u16 = 4;
const LONG8: u16 = 16;

/// How wide the parts of directories are: in TIFF, places and counts have four bytes, in `BigTIFF` eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Classic,
    Big,
}

impl Form {
    /// The header, which ends with the place of the first directory.
    pub(super) const fn header(self) -> usize {
        match self {
            Form::Classic => 8,
            Form::Big => 16,
        }
    }

    /// The number of entries, before them.
    const fn count(self) -> usize {
        match self {
            Form::Classic => 2,
            Form::Big => 8,
        }
    }

    /// One entry.
    pub(super) const fn entry(self) -> usize {
        match self {
            Form::Classic => 12,
            Form::Big => 20,
        }
    }

    /// A place, a count of values, or a value that stands in its entry.
    pub(super) const fn word(self) -> usize {
        match self {
            Form::Classic => 4,
            Form::Big => 8,
        }
    }

    /// A directory with so many entries, and the place of the next one.
    pub(super) const fn directory(self, entries: usize) -> usize {
        self.count() + entries * self.entry() + self.word()
    }

    /// Where the value is in an entry.
    pub(super) const fn field(self) -> usize {
        self.entry() - self.word()
    }
}

/// The directories that we write to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ifd {
    /// The first one, IFD0.
    Main,
    /// The Exif IFD, which the first one leads to.
    Exif,
    /// The GPS IFD, which the first one leads to.
    Gps,
}

impl Ifd {
    pub(crate) const ALL: [Ifd; 3] = [Ifd::Main, Ifd::Exif, Ifd::Gps];

    /// The tag of the first directory that leads to it.
    pub(super) fn pointer(self) -> Option<u16> {
        match self {
            Ifd::Main => None,
            Ifd::Exif => Some(0x8769),
            Ifd::Gps => Some(0x8825),
        }
    }
}

/// Where a directory is, and where that is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Located {
    pub(super) at: usize,
    pointer: usize,
}

/// Which of the entries of a tag stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    None,
    First,
}

pub(super) struct Block<'b> {
    /// Copied only when something changes.
    pub(super) bytes: Cow<'b, [u8]>,
    order: ByteOrder,
    pub(super) form: Form,
    /// Where the first directory is.
    pub(super) directory: usize,
}

/// A value as its bytes, which are not in any order but the block's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw {
    /// 1 for bytes, 2 for a text, 3 for numbers of two bytes, 4 of four, 5 for fractions, 7 for anything.
    pub(crate) kind: u16,
    pub(crate) bytes: Vec<u8>,
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) at: usize,
    pub(super) tag: u16,
    pub(super) kind: u16,
    pub(super) count: u64,
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
        5 | 10 | 12 | 16..=18 => 8,
        _ => 0,
    }
}

impl<'b> Block<'b> {
    pub(super) fn parse(bytes: &'b [u8]) -> Result<Self, ExifError> {
        if bytes.len() > MOST_BYTES {
            return Err(ExifError::TooLarge);
        }
        let (order, form) = match (ByteOrder::of(bytes), bytes.first_chunk()) {
            (Some(order), _) => (order, Form::Classic),
            // The header says how wide places are, too.
            (None, Some(b"II+\0\x08\0\0\0")) => (ByteOrder::Little, Form::Big),
            (None, Some(b"MM\0+\0\x08\0\0")) => (ByteOrder::Big, Form::Big),
            (None, _) => return Err(ExifError::NoHeader),
        };
        let mut block = Self { bytes: Cow::Borrowed(bytes), order, form, directory: 0 };
        let first = block.pointer(form.header() - form.word()).filter(|at| *at >= form.header());
        block.directory = first.ok_or(ExifError::DamagedDirectory)?;
        block.entries(Ifd::Main)?;
        Ok(block)
    }

    /// A block whose directory has no entry; [`Self::finish`] makes nothing of it.
    pub(super) fn empty(order: ByteOrder) -> Self {
        let bytes = match order {
            ByteOrder::Little => b"II*\0\x08\0\0\0\0\0\0\0\0\0",
            ByteOrder::Big => b"MM\0*\0\0\0\x08\0\0\0\0\0\0",
        };
        Self { bytes: Cow::Borrowed(bytes), order, form: Form::Classic, directory: 8 }
    }

    pub(super) fn order(&self) -> ByteOrder {
        self.order
    }

    /// Where a directory is, if it is there and whole.
    pub(super) fn locate(&self, ifd: Ifd) -> Option<Located> {
        let form = self.form;
        let Some(tag) = ifd.pointer() else {
            return Some(Located { at: self.directory, pointer: form.header() - form.word() });
        };
        let main = self.entries_at(self.directory)?;
        let is_pointer = |entry: &&Entry| entry.tag == tag && self.is_pointer(entry) && entry.count == 1;
        let entry = main.iter().find(is_pointer)?;
        let pointer = entry.at + form.field();
        let at = self.pointer(pointer).filter(|at| *at >= form.header() && *at != self.directory)?;
        self.entries_at(at).filter(|entries| entries.len() <= MOST_ENTRIES)?;
        Some(Located { at, pointer })
    }

    /// Whether the values of an entry are as wide as places are. In `BigTIFF` those of four bytes are not.
    pub(super) fn is_pointer(&self, entry: &Entry) -> bool {
        match self.form {
            Form::Classic => matches!(entry.kind, LONG | 13),
            Form::Big => matches!(entry.kind, LONG8 | 18),
        }
    }

    /// Which of the known directories is here.
    pub(super) fn ifd_at(&self, at: usize) -> Option<Ifd> {
        Ifd::ALL.into_iter().find(|ifd| self.locate(*ifd).is_some_and(|located| located.at == at))
    }

    pub(super) fn u16(&self, at: usize) -> Option<u16> {
        self.order.u16(&self.bytes, at)
    }

    pub(super) fn u32(&self, at: usize) -> Option<u32> {
        self.order.u32(&self.bytes, at)
    }

    /// The offset that is written at this place.
    pub(super) fn pointer(&self, at: usize) -> Option<usize> {
        let value = match self.form {
            Form::Classic => u64::from(self.u32(at)?),
            Form::Big => self.order.u64(&self.bytes, at)?,
        };
        usize::try_from(value).ok()
    }

    /// A number of the width of places.
    fn word(&self, value: usize) -> Result<Vec<u8>, ExifError> {
        match self.form {
            Form::Classic => {
                let value = u32::try_from(value).map_err(|_| ExifError::TooLarge)?;
                Ok(self.order.write_u32(value).to_vec())
            }
            Form::Big => Ok(self.order.write_u64(value as u64).to_vec()),
        }
    }

    /// The number of entries, as it stands before them.
    fn count(&self, entries: usize) -> Result<Vec<u8>, ExifError> {
        match self.form {
            Form::Classic => {
                let count = u16::try_from(entries).map_err(|_| ExifError::DamagedDirectory)?;
                Ok(self.in_order_u16(count).to_vec())
            }
            Form::Big => self.word(entries),
        }
    }

    /// The number of entries of the directory at this place.
    pub(super) fn count_at(&self, directory: usize) -> Option<usize> {
        match self.form {
            Form::Classic => self.u16(directory).map(usize::from),
            Form::Big => self.pointer(directory),
        }
    }

    fn in_order_u16(&self, value: u16) -> [u8; 2] {
        self.order.write_u16(value)
    }

    fn put(&mut self, at: usize, value: &[u8]) -> Result<(), ExifError> {
        let place = at.checked_add(value.len()).and_then(|end| self.bytes.to_mut().get_mut(at..end));
        place.ok_or(ExifError::DamagedDirectory)?.copy_from_slice(value);
        Ok(())
    }

    /// The entries of a directory; none if it is not there.
    pub(super) fn entries(&self, ifd: Ifd) -> Result<Vec<Entry>, ExifError> {
        match (self.locate(ifd), ifd) {
            (Some(located), _) => self.entries_at(located.at).ok_or(ExifError::DamagedDirectory),
            (None, Ifd::Main) => Err(ExifError::DamagedDirectory),
            (None, Ifd::Exif | Ifd::Gps) => Ok(Vec::new()),
        }
    }

    /// The entries of the directory at this place, if it is all there.
    pub(super) fn entries_at(&self, directory: usize) -> Option<Vec<Entry>> {
        let count = self.count_at(directory).filter(|count| u16::try_from(*count).is_ok())?;
        let (first, length) = (directory.checked_add(self.form.count())?, self.form.entry());
        self.bytes.get(first..first.checked_add(count * length)?)?;
        let entry = |at| {
            let count = match self.form {
                Form::Classic => u64::from(self.u32(at + 4)?),
                Form::Big => self.order.u64(&self.bytes, at + 4)?,
            };
            Some(Entry { at, tag: self.u16(at)?, kind: self.u16(at + 2)?, count })
        };
        (0..count).map(|n| entry(first + n * length)).collect()
    }

    /// The place of a value, in its entry or elsewhere, if it is inside the block.
    pub(super) fn place(&self, entry: &Entry) -> Option<Range<usize>> {
        let size = entry.size();
        let field = entry.at + self.form.field();
        let start = if size <= self.form.word() { field } else { self.pointer(field)? };
        let end = start.checked_add(size)?;
        (end <= self.bytes.len()).then_some(start..end)
    }

    /// The place of a value that does not stand in its entry.
    pub(super) fn place_outside(&self, entry: &Entry) -> Option<Range<usize>> {
        self.place(entry).filter(|place| place.len() > self.form.word())
    }

    pub(super) fn value(&self, entry: &Entry) -> Option<&[u8]> {
        self.bytes.get(self.place(entry)?)
    }

    /// Gives a tag a value: in the free place if there is one and it is large enough, else at the end.
    pub(super) fn set(
        &mut self,
        (ifd, tag): (Ifd, u16),
        value: &Raw,
        free: Option<&Range<usize>>,
    ) -> Result<(), ExifError> {
        let Raw { kind, bytes: value } = value;
        let at = self.entry(ifd, tag)?;
        let mut field = vec![0; self.form.word()];
        if let Some(inside) = field.get_mut(..value.len()) {
            inside.copy_from_slice(value);
        } else {
            let start = match free.filter(|free| free.len() >= value.len() && free.end <= self.bytes.len()) {
                Some(free) => free.start,
                None => self.grow(value.len())?,
            };
            self.put(start, value)?;
            field = self.word(start)?;
        }
        self.put(at + 2, &self.in_order_u16(*kind))?;
        self.put(at + 4, &self.word(value.len() / unit(*kind).max(1))?)?;
        self.put(at + self.form.field(), &field)
    }

    /// Sees to it that the directory has one entry of this tag, and says where it is.
    pub(super) fn entry(&mut self, ifd: Ifd, tag: u16) -> Result<usize, ExifError> {
        self.remove(ifd, tag, Keep::First)?;
        match self.entries(ifd)?.iter().find(|entry| entry.tag == tag) {
            Some(entry) => Ok(entry.at),
            None => self.add(ifd, tag),
        }
    }

    /// Makes directories that are not there, without entries. One that is there but damaged is not replaced.
    pub(super) fn make(&mut self, ifds: &[Ifd]) -> Result<(), ExifError> {
        let missing: Vec<u16> =
            ifds.iter().filter(|ifd| self.locate(**ifd).is_none()).filter_map(|ifd| ifd.pointer()).collect();
        for tag in &missing {
            if self.entries(Ifd::Main)?.iter().any(|entry| entry.tag == *tag) {
                return Err(ExifError::DamagedDirectory);
            }
            self.add(Ifd::Main, *tag)?;
        }
        for tag in missing {
            let start = self.grow(self.form.directory(0))?;
            let entries = self.entries(Ifd::Main)?;
            let at = entries.iter().find(|entry| entry.tag == tag).ok_or(ExifError::DamagedDirectory)?.at;
            let kind = match self.form {
                Form::Classic => LONG,
                Form::Big => LONG8,
            };
            self.put(at + 2, &self.in_order_u16(kind))?;
            self.put(at + 4, &self.word(1)?)?;
            self.put(at + self.form.field(), &self.word(start)?)?;
        }
        Ok(())
    }

    /// Removes a directory that has no entries any more, or none but the version of its tags.
    pub(super) fn drop_empty(&mut self, ifd: Ifd) -> Result<(), ExifError> {
        let is_version = |entry: &Entry| ifd == Ifd::Gps && entry.tag == 0;
        match (ifd.pointer(), self.locate(ifd)) {
            (Some(tag), Some(_)) if self.entries(ifd)?.iter().all(is_version) => {
                self.remove(Ifd::Main, tag, Keep::None)
            }
            _ => Ok(()),
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
    fn directory_place(&self, ifd: Ifd) -> Result<Range<usize>, ExifError> {
        let at = self.locate(ifd).ok_or(ExifError::DamagedDirectory)?.at;
        Ok(at..at + self.form.directory(self.entries(ifd)?.len()))
    }

    /// Adds the pointer to the next directory where a writer has forgotten it at the end of the block; otherwise the
    /// first value put there would be taken for it.
    pub(super) fn complete(&mut self) -> Result<(), ExifError> {
        for ifd in Ifd::ALL {
            if self.locate(ifd).is_none() {
                continue;
            }
            let place = self.directory_place(ifd)?;
            if self.bytes.len() < place.end {
                let end = place.end - self.form.word();
                self.bytes.to_mut().truncate(end);
                self.bytes.to_mut().resize(place.end, 0);
            }
        }
        Ok(())
    }

    /// Adds an entry without a value to a copy of the directory, at the end of the block, and says where it is.
    fn add(&mut self, ifd: Ifd, tag: u16) -> Result<usize, ExifError> {
        let entries = self.entries(ifd)?;
        let pointer = self.locate(ifd).ok_or(ExifError::DamagedDirectory)?.pointer;
        let place = self.directory_place(ifd)?;
        let length = self.form.entry();
        let first = place.start + self.form.count();
        let next = self.pointer(first + entries.len() * length).unwrap_or(0);
        let index = entries.iter().position(|entry| entry.tag > tag).unwrap_or(entries.len());

        let mut copy = self.count(entries.len() + 1)?;
        let old = self.bytes.get(first..first + entries.len() * length).unwrap_or_default();
        let (before, after) = old.split_at_checked(index * length).ok_or(ExifError::DamagedDirectory)?;
        copy.extend_from_slice(before);
        copy.extend_from_slice(&self.in_order_u16(tag));
        copy.resize(copy.len() + length - 2, 0);
        copy.extend_from_slice(after);
        copy.extend_from_slice(&self.word(next)?);

        if place.end == self.bytes.len() && place.start % 2 == 0 {
            // Nothing comes after it: the copy can take its place.
            self.bytes.to_mut().truncate(place.start);
        }
        let start = self.grow(copy.len())?;
        self.put(start, &copy)?;
        self.put(pointer, &self.word(start)?)?;
        if ifd == Ifd::Main {
            self.directory = start;
        }
        Ok(start + self.form.count() + index * length)
    }

    /// Removes the entries of a tag. The entries after them move up within the directory, where nothing points.
    pub(super) fn remove(&mut self, ifd: Ifd, tag: u16, keep: Keep) -> Result<(), ExifError> {
        let entries = self.entries(ifd)?;
        if entries.is_empty() {
            return Ok(());
        }
        let place = self.directory_place(ifd)?;
        let mut kept = match keep {
            Keep::None => true,
            Keep::First => false,
        };
        let length = self.form.entry();
        let mut directory = Vec::with_capacity(place.len());
        let mut count = 0;
        for entry in &entries {
            if entry.tag != tag || !std::mem::replace(&mut kept, true) {
                directory.extend_from_slice(self.bytes.get(entry.at..entry.at + length).unwrap_or_default());
                count += 1;
            }
        }
        if count == entries.len() {
            return Ok(());
        }
        let next = self.bytes.get(place.end - self.form.word()..place.end).unwrap_or_default();
        directory.extend_from_slice(next);
        directory.splice(0..0, self.count(count)?);
        if place.end == self.bytes.len() {
            self.bytes.to_mut().truncate(place.start + directory.len());
        } else {
            directory.resize(place.len(), 0);
        }
        self.put(place.start, &directory)
    }

    /// The bytes, or nothing if no entry and no other directory is left.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        let is_last = self.pointer(self.directory + self.form.count()).unwrap_or(0) == 0;
        let is_empty = self.count_at(self.directory) == Some(0) && is_last;
        (!is_empty).then(|| self.bytes.into_owned())
    }
}
