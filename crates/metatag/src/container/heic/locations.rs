//! Where the bytes of items are (`iloc`), kept field by field so that only numbers change.

use std::ops::Range;

use super::boxes::Span;
use crate::bytes::{u16_be, u32_be};

/// More extents than any file has; each costs memory besides its bytes.
const MOST_EXTENTS: usize = 1 << 18;

/// How the place of an extent is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// From the start of the file.
    File,
    /// From the start of the body of `idat`.
    Idat,
    /// In another item, or in another file.
    Elsewhere,
}

#[derive(Debug)]
pub(super) struct Locations {
    version: u8,
    offset_size: usize,
    length_size: usize,
    base_size: usize,
    index_size: usize,
    pub(super) list: Vec<Location>,
    /// Where the entries begin.
    entries_at: usize,
    body: usize,
}

#[derive(Debug)]
pub(super) struct Location {
    pub(super) id: u32,
    pub(super) method: Method,
    base: Field,
    pub(super) extents: Vec<Extent>,
    pub(super) raw: Range<usize>,
}

#[derive(Debug)]
pub(super) struct Extent {
    offset: Field,
    length: Field,
    /// Counted as the method says, with the base.
    pub(super) range: Range<usize>,
}

/// A number of the file, and where it stands.
#[derive(Debug, Clone, Copy)]
struct Field {
    value: u64,
    at: usize,
    size: usize,
}

/// Reads numbers one after the other.
struct Reader<'a> {
    file: &'a [u8],
    at: usize,
    end: usize,
}

impl Reader<'_> {
    fn field(&mut self, size: usize) -> Option<Field> {
        let at = self.at;
        if !matches!(size, 0 | 4 | 8) || at + size > self.end {
            return None;
        }
        let bytes = self.file.get(at..at + size)?;
        self.at += size;
        let value = bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
        Some(Field { value, at, size })
    }

    fn short(&mut self) -> Option<u16> {
        let value = u16_be(self.file, self.at).filter(|_| self.at + 2 <= self.end)?;
        self.at += 2;
        Some(value)
    }

    fn id(&mut self, version: u8) -> Option<u32> {
        if version < 2 {
            return self.short().map(u32::from);
        }
        let value = u32_be(self.file, self.at).filter(|_| self.at + 4 <= self.end)?;
        self.at += 4;
        Some(value)
    }
}

impl Locations {
    pub(super) fn parse(file: &[u8], iloc: &Span) -> Option<Locations> {
        let version = *file.get(iloc.body)?;
        if version > 2 {
            return None;
        }
        let sizes = file.get(iloc.body + 4..iloc.body + 6)?;
        let size = |nibble: u8| usize::from(nibble & 15);
        let (offset_size, length_size, base_size) =
            (size(sizes[0] >> 4), size(sizes[0]), size(sizes[1] >> 4));
        let index_size = if version == 0 { 0 } else { size(sizes[1]) };
        let mut reader = Reader { file, at: iloc.body + 6, end: iloc.end };
        let count = reader.id(version)?;
        let mut locations = Locations {
            version,
            offset_size,
            length_size,
            base_size,
            index_size,
            list: Vec::new(),
            entries_at: reader.at,
            body: iloc.body,
        };
        let mut extents = 0;
        for _ in 0..count {
            let location = locations.entry(&mut reader)?;
            extents += location.extents.len().max(1);
            if extents > MOST_EXTENTS {
                return None;
            }
            locations.list.push(location);
        }
        (reader.at == iloc.end).then_some(locations)
    }

    fn entry(&self, reader: &mut Reader<'_>) -> Option<Location> {
        let start = reader.at;
        let id = reader.id(self.version)?;
        let method = if self.version == 0 { 0 } else { reader.short()? & 15 };
        let reference = reader.short()?;
        let base = reader.field(self.base_size)?;
        let method = match (method, reference) {
            (0, 0) => Method::File,
            (1, _) => Method::Idat,
            _ => Method::Elsewhere,
        };
        let mut extents = Vec::new();
        for _ in 0..reader.short()? {
            reader.field(self.index_size)?;
            let (offset, length) = (reader.field(self.offset_size)?, reader.field(self.length_size)?);
            let from = usize::try_from(base.value.checked_add(offset.value)?).ok()?;
            let to = from.checked_add(usize::try_from(length.value).ok()?)?;
            extents.push(Extent { offset, length, range: from..to });
        }
        Some(Location { id, method, base, extents, raw: start..reader.at })
    }

    /// The width of an entry that one of ours gets.
    fn new_size(&self) -> usize {
        let (id, method) = match self.version {
            0 => (2, 0),
            1 => (2, 2),
            _ => (4, 2),
        };
        id + method + 2 + self.base_size + 2 + self.index_size + self.offset_size + self.length_size
    }

    /// How long the body is with these entries of ours, in place of old ones with their ids or besides, and without
    /// those that are removed.
    pub(super) fn size_with(&self, ours: &[u32], removed: &[u32]) -> usize {
        let kept = self
            .list
            .iter()
            .filter(|location| !ours.contains(&location.id) && !removed.contains(&location.id));
        let kept: usize = kept.map(|location| location.raw.len()).sum();
        self.entries_at - self.body + kept + ours.len() * self.new_size()
    }

    /// The body, with everything moved to where `moved` says it is now, with these entries of ours, and without those
    /// that are removed. Nothing where a number has no room.
    pub(super) fn body_with(
        &self,
        file: &[u8],
        ours: &[(u32, Range<usize>)],
        removed: &[u32],
        moved: impl Fn(Range<usize>) -> Option<usize>,
    ) -> Option<Vec<u8>> {
        let mut body = file.get(self.body..self.entries_at)?.to_vec();
        let is_new = |(id, _): &&(u32, Range<usize>)| self.list.iter().all(|location| location.id != *id);
        let kept = || self.list.iter().filter(|location| !removed.contains(&location.id));
        let count = kept().count() + ours.iter().filter(is_new).count();
        match self.version {
            0 | 1 => body[6..8].copy_from_slice(&u16::try_from(count).ok()?.to_be_bytes()),
            _ => body[6..10].copy_from_slice(&u32::try_from(count).ok()?.to_be_bytes()),
        }
        for location in kept() {
            match ours.iter().find(|(id, _)| *id == location.id) {
                Some((id, range)) => body.extend(self.new_entry(*id, range)?),
                None => body.extend(location.moved(file, &moved)?),
            }
        }
        for (id, range) in ours.iter().filter(is_new) {
            body.extend(self.new_entry(*id, range)?);
        }
        Some(body)
    }

    fn new_entry(&self, id: u32, range: &Range<usize>) -> Option<Vec<u8>> {
        let mut entry = Vec::with_capacity(self.new_size());
        match self.version {
            0 | 1 => entry.extend_from_slice(&u16::try_from(id).ok()?.to_be_bytes()),
            _ => entry.extend_from_slice(&id.to_be_bytes()),
        }
        if self.version > 0 {
            entry.extend_from_slice(&[0, 0]);
        }
        entry.extend_from_slice(&[0, 0]);
        // In the base where there is one with room for it: of an extent that has a base, exiv2 reads only that.
        let start = u64::try_from(range.start).ok()?;
        let in_base = self.base_size > 0 && number(start, self.base_size).is_some();
        let (base, offset) = if in_base { (start, 0) } else { (0, start) };
        entry.extend(number(base, self.base_size)?);
        entry.extend_from_slice(&[0, 1]);
        entry.extend(number(0, self.index_size)?);
        entry.extend(number(offset, self.offset_size)?);
        entry.extend(number(u64::try_from(range.len()).ok()?, self.length_size)?);
        Some(entry)
    }
}

impl Location {
    /// Where the number is that says how long the only extent is.
    pub(super) fn length_at(&self) -> Option<Range<usize>> {
        let [extent] = self.extents.as_slice() else { return None };
        (extent.length.size > 0).then(|| extent.length.at..extent.length.at + extent.length.size)
    }

    /// The entry, with its places moved.
    fn moved(&self, file: &[u8], moved: impl Fn(Range<usize>) -> Option<usize>) -> Option<Vec<u8>> {
        let mut raw = file.get(self.raw.clone())?.to_vec();
        if self.method != Method::File {
            return Some(raw);
        }
        let shifts = self
            .extents
            .iter()
            .map(|extent| {
                let (new, old) = (moved(extent.range.clone())?, extent.range.start);
                Some(i64::try_from(new).ok()? - i64::try_from(old).ok()?)
            })
            .collect::<Option<Vec<i64>>>()?;
        let mut put = |field: &Field, shift: i64| {
            let value = number(field.value.checked_add_signed(shift)?, field.size)?;
            let at = field.at - self.raw.start;
            raw.get_mut(at..at + field.size)?.copy_from_slice(&value);
            Some(())
        };
        match shifts.first() {
            Some(shift) if self.base.value > 0 && shifts.iter().all(|other| other == shift) => {
                put(&self.base, *shift)?;
            }
            _ => {
                for (extent, shift) in self.extents.iter().zip(shifts) {
                    if shift != 0 {
                        put(&extent.offset, shift)?;
                    }
                }
            }
        }
        Some(raw)
    }
}

/// A number in so many bytes; nothing where it does not fit.
pub(super) fn number(value: u64, size: usize) -> Option<Vec<u8>> {
    let bytes = value.to_be_bytes();
    let (zeros, rest) = bytes.split_at_checked(8_usize.checked_sub(size)?)?;
    zeros.iter().all(|byte| *byte == 0).then(|| rest.to_vec())
}
