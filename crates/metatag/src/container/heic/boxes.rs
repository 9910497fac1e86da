//! Boxes: a length, a type, a body. Only their borders are looked at.

use std::ops::Range;

use crate::bytes::{ByteOrder, u32_be};

/// Where a box is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::container) struct Span {
    pub(in crate::container) kind: [u8; 4],
    pub(in crate::container) start: usize,
    /// Where its body begins.
    pub(in crate::container) body: usize,
    pub(in crate::container) end: usize,
    /// Whether its length is given as "to the end of the file".
    pub(in crate::container) is_open: bool,
}

impl Span {
    pub(in crate::container) fn whole(&self) -> Range<usize> {
        self.start..self.end
    }

    pub(in crate::container) fn content(&self) -> Range<usize> {
        self.body..self.end
    }

    pub(in crate::container) fn is(&self, kind: [u8; 4]) -> bool {
        self.kind == kind
    }

    pub(in crate::container) fn read(file: &[u8], start: usize, limit: usize) -> Option<Span> {
        let Header { kind, size, length } = Header::read(file.get(start..)?)?;
        let body = start + usize::try_from(size).ok()?;
        let end = match length {
            Some(length) => start.checked_add(usize::try_from(length).ok()?)?,
            None => limit,
        };
        (body <= end && end <= limit).then_some(Span { kind, start, body, end, is_open: length.is_none() })
    }
}

/// What a box begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::container) struct Header {
    pub(in crate::container) kind: [u8; 4],
    /// Its own size.
    pub(in crate::container) size: u64,
    /// That of the whole box; nothing for "to the end of the file".
    pub(in crate::container) length: Option<u64>,
}

impl Header {
    pub(in crate::container) fn read(bytes: &[u8]) -> Option<Header> {
        let kind = *bytes.get(4..)?.first_chunk()?;
        let (size, length) = match u32_be(bytes, 0)? {
            0 => (8, None),
            1 => (16, Some(ByteOrder::Big.u64(bytes, 8)?)),
            short => (8, Some(u64::from(short))),
        };
        Some(Header { kind, size, length })
    }
}

/// More boxes beside each other than any file has: items, references and fragments are such boxes, and each costs memory
/// besides its bytes.
pub(in crate::container) const MOST_BOXES: usize = 1 << 17;

/// The boxes in a range of the file, at most [`MOST_BOXES`], and where what is no box begins.
pub(in crate::container) fn read(file: &[u8], range: Range<usize>) -> (Vec<Span>, usize) {
    let mut boxes = Vec::new();
    let mut at = range.start;
    while at < range.end && boxes.len() < MOST_BOXES {
        let Some(span) = Span::read(file, at, range.end) else { break };
        boxes.push(span);
        at = span.end;
    }
    (boxes, at)
}

/// The boxes that fill a range of the file; nothing where something else is in it, or one is open.
pub(in crate::container) fn read_all(file: &[u8], range: Range<usize>) -> Option<Vec<Span>> {
    let end = range.end;
    let (boxes, at) = read(file, range);
    (at == end && boxes.iter().all(|span| !span.is_open)).then_some(boxes)
}

/// A box from its parts.
pub(in crate::container) fn make(kind: [u8; 4], parts: &[&[u8]]) -> Option<Vec<u8>> {
    let length: usize = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut raw = Vec::with_capacity(length);
    raw.extend_from_slice(&u32::try_from(length).ok()?.to_be_bytes());
    raw.extend_from_slice(&kind);
    for part in parts {
        raw.extend_from_slice(part);
    }
    Some(raw)
}
