//! The index of further pictures (previews, gain maps) that lie behind the first in one JPEG file.
//!
//! It has the size of the first picture, which grows with our segments, and the places of the others, counted from the
//! index itself.

use std::borrow::Cow;
use std::ops::Range;

use super::super::FormatError;
use super::damaged;
use crate::bytes::ByteOrder;

pub(super) const HEADER: &[u8] = b"MPF\0";
const ENTRIES: u16 = 0xB002;
/// Attributes, size, place, and two numbers of other entries.
const ENTRY: usize = 16;

/// Moves the numbers of an index: the first picture grew by `growth`, of which `growth_after` lies behind the index.
pub(super) fn mend(raw: &mut [u8], growth: i64, growth_after: i64) -> Result<(), FormatError> {
    let Some((order, entries)) = entries(raw) else { return Ok(()) };
    let overflow = || damaged("its index of further pictures has impossible places");
    for (number, at) in entries.step_by(ENTRY).enumerate() {
        let size = order.u32(raw, at + 4).ok_or_else(overflow)?;
        let place = order.u32(raw, at + 8).ok_or_else(overflow)?;
        let moved = |value: u32, by: i64| u32::try_from(i64::from(value) + by).map_err(|_| overflow());
        // The first picture is at 0, whatever the index; a place of 0 later on means that there is none.
        if number == 0 {
            order.put_u32(raw, at + 4, moved(size, growth)?);
        }
        if place != 0 {
            order.put_u32(raw, at + 8, moved(place, growth_after)?);
        }
    }
    Ok(())
}

/// The segment without the numbers that [`mend`] changes.
pub(super) fn without_positions(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some((order, entries)) = entries(raw) else { return Cow::Borrowed(raw) };
    let mut raw = raw.to_vec();
    for (number, at) in entries.step_by(ENTRY).enumerate() {
        if number == 0 {
            order.put_u32(&mut raw, at + 4, 0);
        }
        order.put_u32(&mut raw, at + 8, 0);
    }
    Cow::Owned(raw)
}

/// Where the entries are in the segment.
fn entries(raw: &[u8]) -> Option<(ByteOrder, Range<usize>)> {
    let base = raw.windows(HEADER.len()).position(|window| window == HEADER)? + HEADER.len();
    let tiff = raw.get(base..)?;
    let order = ByteOrder::of(tiff)?;
    let directory = usize::try_from(order.u32(tiff, 4)?).ok()?;
    let count = usize::from(order.u16(tiff, directory)?);
    let entry = (0..count)
        .map(|number| directory + 2 + number * 12)
        .find(|at| order.u16(tiff, *at) == Some(ENTRIES))?;
    let length = usize::try_from(order.u32(tiff, entry + 4)?).ok()?;
    let start = usize::try_from(order.u32(tiff, entry + 8)?).ok()?;
    let length = length - length % ENTRY;
    // Anything shorter than four bytes would stand in the directory itself.
    tiff.get(start..start.checked_add(length)?).filter(|entries| !entries.is_empty())?;
    Some((order, base + start..base + start + length))
}
